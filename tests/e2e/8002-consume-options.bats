load helper

@test "a missing topic is status 4 at once, with the nearest name" {
  start_cluster
  mq-send -q -t Orders -m x
  begin=$SECONDS
  run mq-consume -t Order -e
  [ "$status" = 4 ]
  [[ $output == *"no such topic: Order"* && $output == *"did you mean Orders?"* ]]
  run mq-consume -t Nope
  [ "$status" = 4 ]
  [ $((SECONDS - begin)) -le 2 ]
}

@test "count, wait and deadline" {
  start_cluster
  seq 5 | mq-send -q -t C --queue 0
  for form in "" -J -0 -M --raw "-f %b%n" "--dump $T/d"; do
    rm -rf "$T/d"
    mq-consume -t C -c 3 $form > "$T/out"
    case $form in
      -0) [ "$(tr -cd '\0' < "$T/out" | wc -c)" = 3 ] ;;
      -M) [ "$(mq-send -q -t X -M --dry-run < "$T/out" | wc -l)" = 3 ] ;;
      --dump*) [ "$(ls "$T/d" | wc -l)" = 3 ] ;;
      *) [ "$(wc -l < "$T/out")" = 3 ] ;;
    esac
  done
  run mq-consume -q -t C --from end --wait 200ms
  [ "$status" = 7 ] && [ -z "$output" ]
  run mq-consume -q -t C --from 4 -c 2 --wait 200ms
  [ "$status" = 7 ] && [ "$output" = 5 ]
  run mq-consume -q -t C --from end --deadline 100ms
  [ "$status" = 0 ]
  run mq-consume -q -t C --from end -c 1 --deadline 100ms
  [ "$status" = 7 ]
  mq-consume -t Later --wait-topic -c 1 --wait 10s > "$T/later" 2> /dev/null & pid=$!
  mq-send -q -t Later -m now
  wait $pid
  [ "$(cat "$T/later")" = now ]
}

@test "the newest messages over all queues, oldest first" {
  start_cluster
  for i in $(seq 12); do mq-send -q -t L --queue $((i % 4)) -m "m$i"; done
  [ "$(mq-consume -t L --last 5 | xargs)" = "m8 m9 m10 m11 m12" ]
  [ "$(mq-consume -t L --last 1 --per-queue | xargs)" = "m9 m10 m11 m12" ]
  [ "$(mq-consume -t L --last 2 --grep 'm[1-3]$' | xargs)" = "m2 m3" ]
  [ "$(mq-consume -t L --last 1 --follow --deadline 200ms)" = m12 ]
}

@test "beginnings and ends by offset and time" {
  start_cluster
  seq 10 | mq-send -q -t W --queue 0 --window 1
  [ "$(mq-consume -t W --from 3 --to 5 | xargs)" = "4 5" ]
  [ "$(mq-consume -t W --from 8 --to 50 | xargs)" = "9 10" ]
  [ "$(mq-consume -t W --from -1h -e | wc -l)" = 10 ]
  [ "$(mq-consume -t W --from now -e | wc -l)" = 0 ]
  [ "$(mq-consume -t W --from start --to end | wc -l)" = 10 ]
  [ "$(mq-consume -t W --from start --to 2001-01-01T00:00:00Z | wc -l)" = 0 ]
  run mq-consume -t W --from 2026-01-02T03:04:05
  [ "$status" = 2 ]
  run mq-consume -t W -e --queue 99
  [ "$status" = 4 ]
}

@test "tags are compared as text, not only by hash" {
  start_cluster
  for tag in Aa BB other; do mq-send -q -t Tags -T $tag -m "$tag"; done
  [ "$(mq-consume -t Tags -e -T Aa)" = Aa ]
  [ "$(mq-consume -t Tags -e -T 'BB || other' | sort | xargs)" = "BB other" ]
}

@test "a reader that goes away ends it quietly; stdout is data only" {
  start_cluster
  seq 100000 | mq-send -q -t H
  status=0
  mq-consume -t H 2> "$T/err" | head -3 > "$T/out" || status=$?
  [ "$(wc -l < "$T/out")" = 3 ]
  [ ! -s "$T/err" ]
  [ "$(mq-consume -t H -e -J 2> /dev/null | jq -c .offset | wc -l)" = 100000 ]
}

@test "a live stream is written message by message" {
  start_cluster
  mq-send -q -t Live -m first
  mkfifo "$T/out"
  mq-consume -t Live > "$T/out" & pid=$!
  exec {out}< "$T/out"
  read -r -t 5 -u $out line && [ "$line" = first ]
  mq-send -q -t Live -m second
  read -r -t 5 -u $out line && [ "$line" = second ]
  kill -INT $pid
  status=0; wait $pid || status=$?
  [ "$status" = 130 ]
}

@test "a terminal gets escaped bytes unless --raw" {
  start_cluster
  printf 'a\033[31mb' | mq-send -q -t Tty
  script -qec "mq-consume -t Tty -c 1" /dev/null < /dev/null | grep -qF 'a\x1b[31mb'
  script -qec "mq-consume -t Tty -c 1 --raw" /dev/null < /dev/null | grep -qP '\x1b\[31m'
}
