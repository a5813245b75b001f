# Smallest offsets between a start and mq-reputd's look at its files: as if it had looked, never 0.
load helper
load expiry
load raw

# A store whose oldest messages have expired: one queue, whose first and next offset are `min` and `max`.
expired_store() {
  start_quick
  fill 8
  mq-consume -t T -g old -c 10 > /dev/null
  age 96 3
  mq-admin broker clean --expired-log > /dev/null
  until_true 10 eval '[ "$(first_file)" = 00000000000000196608 ]'
  until_true 10 eval '[ "$(ls "$STORE/consumequeue/T/0" | head -1)" != 00000000000000000000 ]'
  before=$(stats)
  read -r _ min max <<< "$before"
  [ "$min" -gt 100 ]
  LISTEN=$BROKER
}
smallest() { ask "$BROKER" 31 '{"topic":"T","queueId":"0"}' > "$T/asked" && ext offset; }
pull() {
  ask "$BROKER" 11 "{\"consumerGroup\":\"G\",\"topic\":\"T\",\"queueId\":\"0\",\"queueOffset\":\"$1\",\"maxMsgNums\":\"32\",\"sysFlag\":\"4\",\"commitOffset\":\"0\",\"suspendTimeoutMillis\":\"0\",\"subscription\":\"*\",\"subVersion\":\"0\",\"expressionType\":\"TAG\"}" > "$T/asked"
}
# Everything that tells a smallest offset tells the true one.
check_smallest() {
  [ "$(smallest)" = "$min" ]
  [ "$(stats)" = "$before" ]
  pull 0 || true
  [ "$(jq .code <<< "$ASK_HEADER")" = 21 ]
  [ "$(ext nextBeginOffset)" = "$min" ]
  [ "$(ext minOffset)" = "$min" ]
}
check_lost() { [ "$(mq-admin group status old --topic T --columns offset,state | tr '\t' ' ')" = "$min $((min - 10)) removed above the committed offset" ]; }
run_reputd() { mq-reputd --store "$STORE" 2>> "$T/reputd.log" 3>&- & PIDS+=($!); }
looked() { mq-storedump "$STORE" positions -J | jq -e '.dispatched == .wrote' > /dev/null; }

@test "mq-reputd stopped from its first instruction: the smallest offsets are right from the first answer on" {
  expired_store
  # The helpers are the programs beside the broker's own.
  mkdir "$T/bin"
  cp "$BUILD/mq-broker" "$T/bin/"
  ln -s "$BUILD/mq-flushd" "$T/bin/mq-flushd"
  printf '#!/bin/sh\nkill -STOP $$\nexec %s/mq-reputd "$@"\n' "$BUILD" > "$T/bin/mq-reputd"
  chmod +x "$T/bin/mq-reputd"
  for how in TERM KILL; do
    for marker in with without; do
      stop broker "$how" || true
      until_true 10 eval '! helper_pid flushd > /dev/null && ! helper_pid reputd > /dev/null'
      [ "$marker" = with ] || rm "$STORE/mq/dispatched"
      PATH="$T/bin:$PATH" start_broker $QUICK
      check_smallest
      commit old T 0 10
      check_lost
      # A consumer whose place has expired waits for the files, and goes on at the smallest offset.
      mq-consume -t T -g "old" -c 1 -f '%o%n' > "$T/first" 2> "$T/consume.log" 3>&- & PIDS+=($!)
      consumer=$!
      until_true 10 eval '[ "$(status heldPulls)" -ge 1 ]'
      [ ! -s "$T/first" ]
      check_smallest
      until_true 10 eval 'kill -CONT $(helper_pid reputd)'
      wait "$consumer"
      [ "$(cat "$T/first")" = "$min" ]
      until_true 10 looked
      [ "$(smallest)" = "$min" ]
      commit old T 0 10
      check_smallest
      check_lost
    done
  done
}

@test "queue files that were lost: until mq-reputd has derived them nobody is told a smallest offset, least of all 0" {
  expired_store
  stop broker
  rm -r "$STORE/consumequeue/T"
  start_broker $QUICK --helpers external
  not smallest
  [ "$(jq .code <<< "$ASK_HEADER")" = 2 ]
  jq -r .remark <<< "$ASK_HEADER" | grep -q 'smallest offset of queue 0 of topic T is not known yet'
  run mq-admin topic stats T
  [ "$status" = 6 ]
  not pull 0
  [ "$(jq .code <<< "$ASK_HEADER")" = 19 ]
  # Who wants to begin at the start waits for the answer.
  mq-consume -t T --from start -c 1 -f '%o%n' > "$T/first" 2> "$T/consume.log" 3>&- &
  local consumer=$!
  PIDS+=("$consumer")
  run_reputd
  # Busy or true, at every moment.
  for i in $(seq 200); do
    if smallest > "$T/smallest"; then
      [ "$(cat "$T/smallest")" = "$min" ]
      break
    fi
    [ "$(jq .code <<< "$ASK_HEADER")" = 2 ]
    read -r -t 0.02 -u "$QUIET_FD" || true
  done
  until_true 10 looked
  check_smallest
  check_lost
  wait "$consumer"
  [ "$(cat "$T/first")" = "$min" ]
}

@test "messages that mq-reputd has not put into their queue: a reader waits, says for how many, and gets them" {
  start_quick
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 100 | mq-send -t T -q
  stop broker
  rm -r "$STORE/consumequeue/T" "$STORE/mq/dispatched"
  start_broker $QUICK --helpers external
  mq-consume -t T --from start -e > "$T/read" 2> "$T/consume.log" 3>&- &
  local consumer=$! begin=$SECONDS
  PIDS+=("$consumer")
  # Who does not ask to wait is answered soon, however long it could wait.
  ask "$BROKER" 11 '{"consumerGroup":"G","topic":"T","queueId":"0","queueOffset":"0","maxMsgNums":"32","sysFlag":"4","commitOffset":"0","suspendTimeoutMillis":"15000","subscription":"*","subVersion":"0","expressionType":"TAG"}' > "$T/asked" || true
  [ "$(jq .code <<< "$ASK_HEADER")" = 19 ]
  [ $((SECONDS - begin)) -lt 8 ]
  until_true 10 grep -q . "$T/consume.log"
  [ "$(cat "$T/consume.log")" = "mq-consume: T broker-a queue 0: waiting for 100 messages that the broker has not put into its queue yet; mq-admin health says why" ]
  [ ! -s "$T/read" ]
  run_reputd
  wait "$consumer"
  diff "$T/read" <(seq 100)
}

# mq-reputd that stands still where it has put all records into their queues and has not said so yet.
run_slow_reputd() {
  local point
  point=$(awk '/X\(k/ { if (/kDispatchedUnpublished/) print n; n++ }' "$MQ_ROOT/lib/base/kill_point.h")
  LD_PRELOAD="$BUILD/libcrash_slow.so" MQ_CRASH_SLOW="$point:600000000" ASAN_OPTIONS=verify_asan_link_order=0 \
    mq-reputd --store "$STORE" 2>> "$T/reputd.log" 3>&- &
  SLOW=$!
  PIDS+=("$SLOW")
}

@test "a group that begins at a time, while mq-reputd is on its way through the log: the messages from that time on" {
  [ -e "$BUILD/libcrash_slow.so" ] || skip "no libcrash_slow.so"
  start_quick
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 100 | mq-send -t T -q
  seq 101 120 | mq-send -t T -q
  local before since
  read -r before since <<< "$(mq-consume -t T --from start -e -f '%s%n' | sed -n '100p;101p' | tr '\n' ' ')"
  [[ $before < $since ]]
  stop broker
  rm -r "$STORE/consumequeue/T" "$STORE/mq/dispatched"
  start_broker $QUICK --helpers external
  run_slow_reputd
  until_true 10 grep -q 'dispatch starts' "$T/reputd.log"
  mq-consume -t T -g late --from "$since" -e -v > "$T/read" 2> "$T/consume.log" 3>&- &
  local consumer=$!
  PIDS+=("$consumer")
  until_true 10 grep -q 'topic T: 1 queues of 1 members are ours' "$T/consume.log"
  not ask "$BROKER" 29 "{\"topic\":\"T\",\"queueId\":\"0\",\"timestamp\":\"$(date -d "$since" +%s%3N)\",\"boundaryType\":\"lower\"}"
  [ "$(jq .code <<< "$ASK_HEADER")" = 2 ]
  [ ! -s "$T/read" ]
  kill -KILL "$SLOW"
  run_reputd
  wait "$consumer"
  diff "$T/read" <(seq 101 120)
  grep -q 'T broker-a queue 0: from offset 100, where nothing was stored' "$T/consume.log"
}
