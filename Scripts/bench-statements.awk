# Sums, in seconds, what the server's log says of the statements that make the relations shared by all rules, and of the
# statements of the rules named in `rules`, whose third parameter is their name.
BEGIN {
    count = split(rules, names, " ")
    for (i = 1; i <= count; i++) wanted[names[i]] = 1
}
/LOG:  duration: / {
    match($0, /duration: [0-9.]+/)
    last = substr($0, RSTART + 10, RLENGTH - 10)
    # The client plans and runs in one step each; only what took time counts.
    if ($0 ~ /create temporary table held_/ || $0 ~ /index on held_/ || $0 ~ /analyze held_/) total += last
}
/DETAIL:  parameters: / {
    if (match($0, /\$3 = '[a-z_]+'/)) {
        name = substr($0, RSTART + 6, RLENGTH - 7)
        if (name in wanted) total += last
    }
}
END { printf "%.2f", total / 1000 }
