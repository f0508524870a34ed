-- One row: what every rule's verdicts depend on besides facts, texts and time, as one text. $1 account.
select
    concat_ws(
        chr(10),
        (select concat_ws(' ', a.zone, 'days end at', a.cut_off::text) from tieout.account as a where a.account_id = $1),
        (
            select
                string_agg(
                    concat_ws(
                        '|', s.source_id, s.provider, s.environment, s.life, coalesce(s.succeeds, ''),
                        coalesce(s.beneath, ''), s.settles_to, s.declaration::text
                    ),
                    chr(10) order by s.source_id
                )
            from tieout.source as s
            where s.account_id = $1
        ),
        (
            select
                string_agg(
                    concat_ws('|', f.source_id, f.feed, coalesce(tieout.moment(f.covered_from), '')),
                    chr(10) order by f.source_id, f.feed
                )
            from tieout.feed_state as f
            where f.account_id = $1
        ),
        (
            select
                string_agg(
                    concat_ws('|', r.source_id, coalesce(tieout.moment(r.covered_from), '')), chr(10) order by r.source_id
                )
            from tieout.resource_state as r
            where r.account_id = $1 and r.resource = 'settlement_line'
        ),
        (select string_agg(concat_ws('|', c.code, c.exponent::text), chr(10) order by c.code) from tieout.currency as c)
    ) as body
