load helper

# stored TOPIC GROUP: the sum of the group's offsets, as the broker keeps them on disk.
stored() { jq -r --arg key "$1@$2" '.offsetTable[$key] // {} | add // 0' < <(fastjson "$STORE/config/consumerOffset.json"); }
# fastjson writes the keys of maps of integers without quotes.
fastjson() { sed -E 's/([{,])[[:space:]]*([0-9]+):/\1"\2":/g' "$1"; }
stored_is() { [ -e "$STORE/config/consumerOffset.json" ] && [ "$(stored "$1" "$2" 2>/dev/null)" = "$3" ]; }

@test "ENV-27 CO-02 CN-04 a group gets everything once, also over several runs" {
  start_cluster
  seq 1000 | mq-send -q -t T
  [ "$(mq-consume -q -t T -g g1 -e | sort -n | sha256sum)" = "$(seq 1000 | sha256sum)" ]
  [ -z "$(mq-consume -q -t T -g g1 -e)" ]
  seq 1001 1010 | mq-send -q -t T
  [ "$(mq-consume -q -t T -g g1 -e | sort -n | xargs)" = "$(seq 1001 1010 | xargs)" ]
  # Another group has its own offsets; no group has none.
  [ "$(mq-consume -q -t T -g g2 -e | wc -l)" = 1010 ]
  [ "$(mq-consume -q -t T -e | wc -l)" = 1010 ]
  until_true 10 stored_is T g1 1010
}

@test "bug 131 ten runs with -c 1 give ten different messages" {
  start_cluster
  seq 10 | mq-send -q -t T --batch 1
  for i in $(seq 10); do mq-consume -q -t T -g g -c 1 --wait 10s; done > "$T/out"
  [ "$(sort -n "$T/out" | xargs)" = "$(seq 10 | xargs)" ]
  run mq-consume -q -t T -g g -c 1 --wait 300ms
  [ "$status" = 7 ] && [ -z "$output" ]
}

@test "--ack none joins the group and commits nothing" {
  start_cluster
  seq 20 | mq-send -q -t T
  for i in 1 2; do [ "$(mq-consume -q -t T -g g --ack none -e | wc -l)" = 20 ]; done
  [ "$(mq-consume -q -t T -g g -e | wc -l)" = 20 ]
}

@test "bug 88 a new group begins where --from says, later runs where the group is" {
  start_cluster
  seq 100 | mq-send -q -t T
  [ -z "$(mq-consume -q -t T -g new --from end -e)" ]
  mq-send -q -t T -m fresh
  # The place was stored, so what came meanwhile is not missed, whatever --from says now.
  [ "$(mq-consume -q -t T -g new --from start -e)" = fresh ]
  [ "$(mq-consume -q -t T -g all --from start -e | wc -l)" = 101 ]
  [ "$(mq-consume -q -t T -g all --from end -e | wc -l)" = 0 ]
  [ "$(mq-consume -q -t T -g timed --from -1h -e | wc -l)" = 101 ]
  [ "$(mq-consume -q -t T -g later --from now -e | wc -l)" = 0 ]
}

@test "bug 132 count, wait and deadline with a group" {
  start_cluster
  seq 3 | mq-send -q -t T --queue 0 --window 1
  [ "$(mq-consume -q -t T -g g -c 2 --wait 10s | xargs)" = "1 2" ]
  run mq-consume -q -t T -g g -c 2 --wait 500ms
  [ "$status" = 7 ] && [ "$output" = 3 ]
  run mq-consume -q -t T -g g --deadline 300ms
  [ "$status" = 0 ] && [ -z "$output" ]
  run mq-consume -q -t T -g g -c 1 --deadline 300ms
  [ "$status" = 7 ]
}

@test "CN-08 bug 85 a signal finishes what is in flight, commits, says good-bye, and leaves 128+n" {
  start_cluster
  seq 100 | mq-send -q -t T
  for signal in TERM INT; do
    mq-consume -q -t T -g "g$signal" > "$T/out.$signal" 3>&- & local pid=$!
    until_true 10 bash -c "[ \$(wc -l < $T/out.$signal) = 100 ]"
    kill -$signal $pid
    local status=0; wait $pid || status=$?
    case $signal in TERM) [ $status = 143 ] ;; INT) [ $status = 130 ] ;; esac
    [ -z "$(mq-consume -q -t T -g "g$signal" -e)" ]
  done
}

@test "what a killed member had read but not written comes again, and nothing is lost" {
  start_cluster
  seq 200000 | mq-send -q -t T
  mkfifo "$T/pipe"
  mq-consume -q -t T -g g > "$T/pipe" 3>&- & local pid=$!
  # The reader takes some bytes and then no more, so that the rest waits in pipes and buffers.
  exec 8< "$T/pipe"
  head -c 50000 <&8 > "$T/first"
  kill -KILL $pid; wait $pid || true
  cat <&8 >> "$T/first"; exec 8<&-
  mq-consume -q -t T -g g -e > "$T/second"
  [ "$(missing 200000 "$T/first" "$T/second")" = 0 ]
  # What was written and committed before does not come again.
  [ "$(wc -l < "$T/second")" -le 200000 ]
}

@test "usage: what does not go together is said and leaves 2" {
  for bad in "-g g --last 3" "-g g --queue 1" "-g g --to end" "--ack none" "--from stored" "-g ''" "-g 'a b'"; do
    run eval "mq-consume -t T -n 127.0.0.1:1 $bad"
    [ "$status" = 2 ] || { echo "$bad: $status $output"; return 1; }
  done
  run mq-consume -t T --broker :99999
  [ "$status" = 2 ] && [[ $output == *--broker*99999* ]]
  run mq-consume -t T -n :99999
  [ "$status" = 2 ] && [[ $output == *--namesrv*99999* ]]
  run mq-send -t T -m x --broker :99999
  [ "$status" = 2 ]
}

@test "CO-12 the retry topic of the group is read, and its messages are shown under their first topic" {
  start_cluster
  seq 2 | mq-send -q -t T
  mq-consume -q -t T -g g -e > "$T/warm"
  until_true 40 bash -c "mq-admin topic route '%RETRY%g' > /dev/null 2>&1"
  mq-send -q -t '%RETRY%g' -T tag -m again
  [ "$(mq-consume -q -t T -g g -c 1 --wait 10s -f '%b %t%n')" = "again %RETRY%g" ]
}

@test "CO-18 -v says what a member does: join, queues, offsets" {
  start_cluster
  seq 4 | mq-send -q -t T
  run mq-consume -v -t T -g g -e
  [ "$status" = 0 ]
  [[ $output == *"joined group g as "*@*#* ]]
  [[ $output == *"4 queues of 1 members are ours"* ]]
  [[ $output == *"from offset 0"* ]]
}
