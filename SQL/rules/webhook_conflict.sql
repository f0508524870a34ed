-- rule: webhook_conflict
-- title: Event and provider disagree
-- severity: medium
-- grain: payment
-- needs: provider
-- proves: absence
-- param: skew interval = 5 minutes
-- why: A proven notification says that the payment has moved on, but the provider, asked again since, still shows the state before.
-- fix: Ask the provider which of the two is right; until then act on neither.

-- One row: one transaction whose newest event is ahead of it (younger, or as old and of a later state) and says another
-- state, though the provider was read again after the event was learnt. What was not read again yet, or moved less than
-- the settling time of a list ago, is awaiting. An older event is no conflict. Neither is an earlier state that is
-- hardly younger, or a passing one at all: events are sent when a provider gets round to it.
-- A row without a time of its own (updated_at) is as old as our reading of it, so an older event may be ahead: of a later
-- state, or of a failure where the row calls it done. Not where an earlier reading showed what the event says (that it moved
-- on is news, or status_regression), nor where what lapsed was paid after all.
with differing as (
    select distinct on (e.account_id, e.source_id, e.transaction_id)
        e.account_id,
        e.source_id,
        e.transaction_id,
        t.payment_id,
        t.charged_currency,
        t.raw_status,
        t.state,
        t.resource,
        t.version_time,
        t.updated_at is null as is_undated,
        e.raw_status as event_status,
        e.state as event_state,
        e.event_time,
        e.state_rank as event_rank,
        e.observed_at
    from scope.transaction as t
    inner join scope.webhook_event as e
        on e.account_id = t.account_id and e.source_id = t.source_id and e.transaction_id = t.transaction_id
    -- Of one record in two sources the newer speaks.
    left join scope.second_view as w
        on w.account_id = t.account_id
        and w.source_id = t.source_id
        and w.resource = t.resource
        and w.transaction_id = t.transaction_id
        and w.how = 'succeeded'
    where t.resource = 'transaction'
        and not t.is_test
        and w.transaction_id is null
        and e.is_evidence
        and e.state <> t.state
        and e.state <> t.version_state
        and e.state <> 'unknown'
        and t.state <> 'unknown'
        and (
            (
                e.event_time >= t.version_time
                and (
                    (
                        e.event_time > t.version_time + {skew}
                        and e.state in ('settled', 'failed', 'declined', 'cancelled', 'expired', 'refunded', 'disputed')
                    )
                    or e.state_rank > t.state_rank
                    or (e.state_rank = t.state_rank and e.event_time > t.version_time)
                )
            )
            or (
                t.updated_at is null
                and (
                    (e.state_rank > t.state_rank and (e.state <> 'expired' or t.money = 'none'))
                    or (
                        e.state in ('failed', 'declined', 'cancelled')
                        and t.is_final
                        and t.version_state in ('paid', 'settled')
                    )
                    -- Later by the provider's own clock than what told of the row's state.
                    or (
                        e.state in ('paid', 'settled')
                        and t.version_state in ('failed', 'declined', 'cancelled', 'expired')
                        and exists (
                            select 1
                            from scope.webhook_event as n
                            where n.account_id = t.account_id
                                and n.source_id = t.source_id
                                and n.transaction_id = t.transaction_id
                                and n.is_evidence
                                and n.state = t.version_state
                                and n.event_time <= e.event_time - {skew}
                        )
                    )
                )
            )
        )
    order by
        e.account_id, e.source_id, e.transaction_id, e.event_time desc, e.state_rank desc, e.event_key desc
)

select
    d.account_id,
    d.source_id,
    d.payment_id,
    'transaction:' || d.source_id || '/' || d.transaction_id as subject,
    'medium' as severity,
    0::numeric as difference,
    0::numeric as at_risk,
    d.charged_currency as currency,
    -- Read again since: then it waits only for the list to settle. Else it waits for the next reading.
    case when d.observed_at <= f.last_success_at then d.event_time else greatest(d.event_time, d.observed_at) end
        as due_at,
    jsonb_build_array(
        jsonb_build_object(
            'field', 'status', 'a', d.event_status, 'b', d.raw_status, 'a_from', 'webhook', 'b_from', 'provider'
        ),
        jsonb_build_object(
            'field', 'changed at',
            'a', to_char(d.event_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'b', case when d.is_undated then 'not after ' else '' end
            || to_char(d.version_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'a_from', 'webhook',
            'b_from', 'provider'
        )
    ) as fields
from differing as d
left join scope.feed as f
    on f.account_id = d.account_id and f.source_id = d.source_id and f.feed = 'provider'
-- Few are left: each looks its own events up, so that not all have to be put in order for them.
left join lateral (
    select true as is_left
    from scope.webhook_event as n
    where n.account_id = d.account_id
        and n.source_id = d.source_id
        and n.transaction_id = d.transaction_id
        and n.is_evidence
        and n.state = d.state
        and (
            (n.event_time, n.state_rank) > (d.event_time, d.event_rank)
            -- Two events of almost one moment are told apart by how far they are.
            or (n.event_time >= d.event_time - {skew} and n.state_rank > d.event_rank)
        )
    limit 1
) as w on true
where w.is_left is null
    and not (
        d.event_time < d.version_time
        and exists (
            select 1
            from scope.version as v
            where v.account_id = d.account_id
                and v.source_id = d.source_id
                and v.resource = d.resource
                and v.transaction_id = d.transaction_id
                and v.state = d.event_state
        )
    )
