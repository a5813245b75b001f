# Lines that people type, as they type them.
bats_require_minimum_version 1.5.0
load helper

@test "cli 8.1 a million lines in, none twice out" {
  start_cluster
  seq 1000000 | mq-send -t T --progress --timeout 60s 2> "$T/progress"
  [ "$(mq-consume -t T --from start -e | sort -n | uniq -d | wc -l)" = 0 ]
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 1000000 ]
  tail -1 "$T/progress" | grep -q 'stored 1000000 failed 0'
}

@test "cli 8.2 a copy of a topic" {
  start_cluster
  seq 500 | mq-send -t A -k key -T tag -q
  mq-consume -t A --from start -e -M | mq-send -t B -M
  diff <(mq-consume -t A --from start -e -f '%k %T %b%n' | sort) <(mq-consume -t B --from start -e -f '%k %T %b%n' | sort)
}

@test "cli 8.3 the last ones and what comes, through grep" {
  start_cluster
  seq 30 | sed 's/^/ERROR old /' | mq-send -t T -q
  mq-consume -t T --last 20 --follow 3>&- 2>/dev/null | grep --line-buffered ERROR > "$T/out" &
  PIDS+=($(jobs -p))
  until_true 10 eval '[ "$(wc -l < "$T/out")" = 20 ]'
  printf 'INFO new\nERROR new\n' | mq-send -t T -q
  until_true 10 grep -q 'ERROR new' "$T/out"
  [ "$(wc -l < "$T/out")" = 21 ]
}

@test "cli 8.5 each file is one message" {
  start_cluster
  mkdir "$T/docs"; cd "$T/docs"
  for i in 1 2 3; do printf '{\n"n": %s\n}\n' $i > "$i.json"; done
  find . -name '*.json' -print0 | xargs -0 mq-send -t Docs --format whole -q
  [ "$(mq-consume -t Docs --from start -e -J | jq -s length)" = 3 ]
  [ "$(mq-consume -t Docs --from start -e -J | jq -r .body | jq -s 'map(.n) | add')" = 6 ]
}

@test "cli 8.6 waiting for a cluster to be ready" {
  start_namesrv
  { until mq-admin health -q; do read -r -t 0.1 -u "$QUIET_FD" || true; done; touch "$T/ready"; } 3>&- 2>/dev/null &
  [ ! -e "$T/ready" ]
  start_broker
  until_true 20 test -e "$T/ready"
}

@test "cli 8.7 a lag above the limit pages someone" {
  start_cluster
  seq 10 | mq-send -t T -q
  mq-consume -t T -g G -e -q > /dev/null
  page_someone() { touch "$T/paged"; }
  mq-admin group lag G --max 1000 > "$T/lag" || page_someone
  [ ! -e "$T/paged" ]
  seq 2000 | mq-send -t T -q
  mq-admin group lag G --max 1000 > "$T/lag" || page_someone
  [ -e "$T/paged" ]
}

@test "cli 8.8 names of topics through jq" {
  start_cluster
  mq-admin topic create Mine -q > /dev/null
  mq-admin topic list --json | jq -r .name | grep -qx Mine
}

@test "cli 8.9 what was not stored is sent by a second run" {
  start_cluster
  seq 100 | sed 's/.*/{"body":"&"}/' > "$T/in.jsonl"
  cd "$T"
  mq-send -t T -J --report r.tsv < in.jsonl || mq-send -t T -J --resume r.tsv < in.jsonl
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 100 ]
  # The second run, when there was one: what the report says is stored is not sent again.
  head -40 r.tsv > half.tsv
  mq-send -t U -J --resume half.tsv < in.jsonl -q
  [ "$(mq-consume -t U --from start -e | wc -l)" = 60 ]
}

@test "cli 8.11 a reset shows, and --apply does" {
  start_cluster
  seq 20 | mq-send -t T -q
  mq-consume -t T -g G -e -q > /dev/null
  mq-admin offset reset G T --to 2026-01-01T00:00:00Z > "$T/shown"
  [ -z "$(mq-consume -t T -g G -e -q)" ]
  mq-admin offset reset G T --to 2026-01-01T00:00:00Z --apply > "$T/done"
  [ "$(mq-consume -t T -g G -e -q | wc -l)" = 20 ]
}
