load helper

@test "ST-34 SIGSTOP of mq-reputd: sends go on, the tail goes on, consumers in the gap wait and then get all in order" {
  start_cluster
  mq-admin topic create One --read-queues 1 --write-queues 1
  seq 100 | mq-send -t One
  [ "$(mq-consume -t One --from start -e | wc -l)" = 100 ]
  # They came from the broker's memory, perhaps; in the files they are once they are dispatched.
  until_true 10 eval 'mq-storedump "$STORE" positions -J | jq -e ".dispatched == .wrote" > /dev/null'
  kill -STOP "$(helper_pid reputd)"
  # A consumer at the tail gets what comes.
  mq-consume -t One --from end -c 50 > "$T/tail" 3>&- &
  local tail=$!
  until_true 5 bash -c "mq-admin broker status --json --broker $BROKER 2>/dev/null | grep -qE 'heldPulls\"[: ]+\"?[1-9]'"
  seq 101 150 | mq-send -t One
  wait $tail
  [ "$(cat "$T/tail")" = "$(seq 101 150)" ]
  # More than the broker remembers itself: the middle is in nobody's reach until mq-reputd goes on.
  seq 151 30000 | mq-send -t One --window 1
  mq-consume -t One --from start -c 30000 > "$T/all" 3>&- &
  local all=$!
  until_true 20 test -s "$T/all"
  kill -0 $all
  [ "$(wc -l < "$T/all")" -lt 30000 ]
  kill -CONT "$(helper_pid reputd)"
  wait $all
  [ "$(sha256sum < "$T/all")" = "$(seq 30000 | sha256sum)" ]
}

# `make test-behind` runs it with a million.
@test "ST-34 mq-reputd stopped for many messages catches up on its own, with queues and index as if it had never been stopped" {
  local records=${BEHIND_RECORDS:-20000}
  local slots="--max-hash-slot-num $((records / 2)) --max-index-num $((records * 2 / 3))"
  start_cluster --mapped-file-size-commit-log 64M --mapped-file-size-consume-queue 600000 $slots
  seq 100 | mq-send -t T -q
  until_true 10 eval 'mq-storedump "$STORE" positions -J | jq -e ".dispatched == .wrote" > /dev/null'
  kill -STOP "$(helper_pid reputd)"
  seq "$records" | mq-send -t T -k key -q --retries 20 --timeout 60s
  mq-storedump "$STORE" positions -J | jq -e ".dispatched < .wrote" > /dev/null
  local begin=${EPOCHREALTIME/./}
  kill -CONT "$(helper_pid reputd)"
  until_true 120 eval 'mq-storedump "$STORE" positions -J | jq -e ".dispatched == .wrote" > /dev/null'
  local queues=${EPOCHREALTIME/./}
  until_true 120 eval 'mq-storedump "$STORE" positions -J | jq -e ".indexed == .wrote" > /dev/null'
  local index=${EPOCHREALTIME/./}
  echo "$records records behind: queues caught up in $(((queues - begin) / 1000)) ms, $((records * 1000000 / (queues - begin))) a second; index in $(((index - begin) / 1000)) ms"
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = "$records" ]
  stop broker
  not grep -E 'queue offset|gap in' "$T/broker.log"
  local sizes="--index-slots $((records / 2))"
  mq-storedump "$STORE" --verify $sizes
  cp -al "$STORE" "$T/rebuilt"
  rm -r "$T/rebuilt/consumequeue" "$T/rebuilt/index"
  mq-storedump "$T/rebuilt" --rebuild queue,index --in-place --yes $sizes
  mq-storedump "$STORE" --diff "$T/rebuilt" $sizes
}

@test "ST-16 consume queues that are lost come back byte for byte" {
  start_cluster
  seq 20000 | mq-send -t T; seq 500 | mq-send -t U
  stop broker
  cp -a "$STORE/consumequeue" "$T/before"
  rm -r "$STORE/consumequeue"
  start_broker
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 20000 ]
  stop broker
  diff -r "$T/before" "$STORE/consumequeue"
}

@test "mq-reputd --once --rebuild makes the same queues without a broker" {
  start_cluster
  seq 20000 | mq-send -t T
  stop broker
  cp -a "$STORE/consumequeue" "$T/before"
  rm -r "$STORE/consumequeue/T/1"
  printf 'mappedFileSizeCommitLog=4194304\nmappedFileSizeConsumeQueue=6000\n' > "$T/broker.conf"
  mq-reputd --store "$STORE" --once --rebuild -c "$T/broker.conf"
  diff -r "$T/before" "$STORE/consumequeue"
}

@test "a deleted topic stays deleted, and its name starts again at 0" {
  start_cluster
  seq 1000 | mq-send -t T; seq 10 | mq-send -t Keep
  mq-admin topic delete T --yes
  run mq-consume -t T -e
  [ "$status" = 4 ]
  LISTEN=$BROKER
  seq 5 | mq-send -t T
  [ "$(mq-consume -t T --from start -e | sort -n | tr '\n' ' ')" = "1 2 3 4 5 " ]
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  rm -r "$STORE/consumequeue"
  start_broker
  [ "$(mq-consume -t T --from start -e | sort -n | tr '\n' ' ')" = "1 2 3 4 5 " ]
  [ "$(mq-consume -t Keep --from start -e | wc -l)" = 10 ]
}
