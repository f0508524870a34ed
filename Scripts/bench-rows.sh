#!/usr/bin/env bash
# The rows of Scripts/bench, in the order of a first night and the one after it. Sourced by it; alone it does nothing.
set -euo pipefail
if ! declare -F measure >/dev/null; then
    echo "bench-rows.sh is part of Scripts/bench" >&2
    exit 2
fi

# Start-up: what an operator waits for before anything happens. The median of 21.
starts=""
for _ in $(seq 21); do
    TIMEFORMAT='%R %U %S'
    starts+=$({ time "$bench/installed/bin/tieout" --help >/dev/null; } 2>&1)$'\n'
done
read -r wall user system < <(printf '%s' "$starts" | sort -n | sed -n 11p)
client=$(awk -v a="$user" -v b="$system" 'BEGIN { printf "%.3f", a + b }')
backend=- memory=-
rows+=("| \`tieout --help\`, installed build | $wall | $client | - | - | | | wall ≤ 0.025 |")

say "fetching all pages, so that their rows are rendered"
chains
measure bash -c "$(declare -f chains); bench=$bench server=$server; chains"
row "all pages by four \`curl\` chains"
step poll
poll_wall=$wall poll_client=$client poll_backend=$backend poll_memory=$memory
stored=$(psql -c "select count(*) from tieout.transaction")
columns=$(grep -v '^--' "$root/Scripts/bench-columns.sql" | tr '\n' ' ')
psql -c "\\copy ($columns) to '$bench/rows.txt'"
copies "(account_id bigint, source_id text collate \"C\", resource text collate \"C\",
    transaction_id text collate \"C\", created_at timestamptz, updated_at timestamptz, direction text, kind text,
    raw_status text, state text, money text, is_final boolean, provider text, payment_method text, country text,
    charged numeric, charged_currency text, delivered numeric, delivered_currency text, fee_network numeric,
    fee_total numeric, fee_currency text, customer_id text collate \"C\", wallet_address text collate \"C\",
    is_test boolean, primary key (account_id, source_id, resource, transaction_id))" "$bench/rows.txt"
row "\`psql \\copy\` of its 25 typed columns, with key"
plain_wall=$wall plain_backend=$backend
wall=$poll_wall client=$poll_client backend=$poll_backend memory=$poll_memory
allowed=$(awk -v n="$stored" 'BEGIN { printf "%.1f", 8 * n / 500000 }')
against "poll, first load" "$plain_wall" "$plain_backend" "wall ≤ 1.3, server ≤ 1.35, client ≤ $allowed s, 150 MiB"
rm "$bench/rows.txt"

versions="select (select count(*) from tieout.transaction_history), (select count(*) from tieout.evidence),
    (select max(xmin::text::bigint) from tieout.transaction)"
before=$(psql -c "$versions")
step poll --since 2000-01-01T00:00:00Z
[ "$before" = "$(psql -c "$versions")" ] || { say "the second poll wrote facts"; exit 1; }
against "poll again, nothing changed" "$poll_wall" "$poll_backend" "wall ≤ 0.4, server ≤ 0.1 of the first"

say "the same with 20 ms added to each page"
serve 20
chains
measure bash -c "$(declare -f chains); bench=$bench server=$server; chains"
row "four \`curl\` chains, 20 ms a page"
chain_wall=$wall
psql -c "truncate tieout.transaction, tieout.transaction_history, tieout.evidence, tieout.checkpoint,
    tieout.feed_state, tieout.resource_state, tieout.unknown_field, tieout.quarantine" -c "checkpoint"
step poll
against "poll, first load, 20 ms a page" "$chain_wall" 0 "wall ≤ 1.2 of the chains"
[ "$stored" = "$(psql -c "select count(*) from tieout.transaction")" ] || { say "not the same rows"; exit 1; }
serve 0

step load webhooks "$bench/webhooks-night1"
hook_wall=$wall hook_client=$client hook_backend=$backend hook_memory=$memory
deliveries=$(psql -c "select count(*) from tieout.webhook_delivery")
for file in "$bench"/webhooks-night1/*; do
    case $file in *.gz) gzip -dc "$file" ;; *) cat "$file" ;; esac
done >"$bench/lines.txt"
# Neither character occurs in JSON text, so a line is one field.
psql -c "create table bench.line (line text)" \
    -c "\\copy bench.line from '$bench/lines.txt' with (format csv, quote e'\\x01', delimiter e'\\x02')"
psql -c "\\copy ($(grep -v '^--' "$root/Scripts/bench-events.sql" | tr '\n' ' ')) to '$bench/events.txt'"
psql -c "drop table bench.line"
copies "(number bigint primary key, received_at timestamptz, url text, event_id text collate \"C\", kind text,
    transaction_id text collate \"C\", status text, event_time timestamptz, body text)" "$bench/events.txt"
row "\`psql \\copy\` of its events with body text, with key"
plain_wall=$wall plain_backend=$backend
wall=$hook_wall client=$hook_client backend=$hook_backend memory=$hook_memory
against "webhook history: parse, verify, first load" "$plain_wall" "$plain_backend" "≤ 1.0"
rm "$bench/lines.txt" "$bench/events.txt"

step load orders "$bench/orders-night1.csv"
book_wall=$wall book_client=$client book_backend=$backend book_memory=$memory
orders=$(psql -c "select count(*) from tieout.book_order")
header=$(head -n 1 "$bench/orders-night1.csv" | tr -d '\r')
definition=$(sed 's/,/ text, /g; s/$/ text/' <<<"$header")
copies "($definition, primary key (order_id))" "$bench/orders-night1.csv" "with (format csv, header)"
row "\`psql \\copy\` of the book as text, with key"
plain_wall=$wall plain_backend=$backend
wall=$book_wall client=$book_client backend=$book_backend memory=$book_memory
against "order book, first load" "$plain_wall" "$plain_backend" "none"

step reconcile --full
row "reconcile --full, first: link, rules, breaks, totals"
# The server itself says how long each rule's statement took, and the relations that they share.
log=$bench/state/server.log
psql -c "alter system set log_min_duration_statement = 0" -c "alter system set log_error_verbosity = default" \
    -c "alter system set log_parameter_max_length = 100" -c "select pg_reload_conf()" >/dev/null
: >"$log"
step reconcile --full
row "reconcile --full, nothing new"
cp "$log" "$bench/statements.log"
psql -c "alter system reset log_min_duration_statement" -c "select pg_reload_conf()" >/dev/null
rules_wall=$(awk -f "$root/Scripts/bench-statements.awk" \
    -v rules="duplicate_charge paid_unsettled webhook_conflict webhook_missing amount_mismatch expired_session" \
    "$bench/statements.log")
psql -f "$root/Scripts/bench-questions-prepare.sql"
measure "$bench/installed/bin/tieout" --config "$bench/tieout.json5" db psql -- -AtqX --set ON_ERROR_STOP=1 \
    -f "$root/Scripts/bench-questions.sql"
row "five questions in SQL by hand, with indexes"
plain_wall=$wall
wall=$rules_wall client=- backend=- memory=-
against "the rules behind them, --full" "$plain_wall" 0 "wall ≤ 1.2"

move_to "$(date -u -d "$day + 1 day" +%Y-%m-%d)T02:30:00Z"
minute=0
step poll
row "poll of the night after"
step load webhooks "$bench/webhooks-night2"
step load orders "$bench/orders-night2.csv"
step reconcile
night_wall=$wall night_client=$client night_backend=$backend night_memory=$memory
step reconcile --full
row "reconcile --full, the night after"
plain_wall=$wall plain_backend=$backend
wall=$night_wall client=$night_client backend=$night_backend memory=$night_memory
against "reconcile, 1 % changed" "$plain_wall" "$plain_backend" "≤ 0.05 (at 10 M payments)"
