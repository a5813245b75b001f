load helper

@test "bug 88 a group does not begin beyond the end of its queues, and is told how seconds are written" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  seq 25 | mq-send -q -t T
  mq-consume -t T -g g --from 9999 -e > "$T/out" 2> "$T/err"
  [ ! -s "$T/out" ]
  [ "$(cat "$T/err")" = "mq-consume: no queue reaches offset 9999, the longest ends at 25; seconds since 1970 are written @9999" ]
  [ "$(mq-admin group lag g --columns offset,lag --topic T)" = $'25\t0' ]
  # What comes next is not passed over.
  mq-send -q -t T -m next
  [ "$(mq-consume -q -t T -g g -e)" = next ]
  # A place the queue has is taken as it is.
  [ "$(mq-consume -t T -g other --from 20 -e 2>&1 | xargs)" = "21 22 23 24 25 next" ]
}

@test "an offset stored beyond the end is no lag of zero, and is corrected by the next run" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  seq 25 | mq-send -q -t T
  mq-consume -q -t T -g g -e > /dev/null
  ask "$BROKER" '{"code":15,"language":"JAVA","version":407,"opaque":1,"flag":0,"extFields":{"consumerGroup":"g","topic":"T","queueId":"0","commitOffset":"9999"}}' > /dev/null
  run mq-admin group lag g --columns offset,lag --topic T
  [ "$status" = 0 ]
  [[ $output == *$'9999\t-9974'* ]]
  [[ $output == *"group g on topic T at broker-a: stored offsets of 1 queues are beyond the end"* ]]
  run mq-consume -t T -g g -e
  [ "$status" = 0 ]
  [[ $output == *"offset 9999 is not there; going on at 25"* ]]
  mq-send -q -t T -m next
  [ "$(mq-consume -q -t T -g g -e)" = next ]
}

# ends_by_term COMMAND...: the command is stopped after 5 to 40 ms; it must end by that signal, or have ended well.
ends_by_term() {
  local n pid status
  for n in $(seq 5 40); do
    "$@" > /dev/null 2> "$T/err" 3>&- & pid=$!
    read -r -t "$(printf '0.%03d' "$n")" -u "$QUIET_FD" || true
    kill -TERM $pid 2>/dev/null || true
    status=0; wait $pid || status=$?
    case $status in 0 | 143) ;; *) echo "after $n ms: $status"; cat "$T/err"; return 1 ;; esac
  done
}

@test "a signal in the first moments ends a consumer and a bench in order" {
  start_cluster
  mq-admin topic create T --read-queues 16 --write-queues 16 > /dev/null
  seq 1000 | mq-send -q -t T
  ends_by_term mq-consume -t T
  ends_by_term mq-consume -t T -g g
  ends_by_term mq-admin bench consume -t T
}

# start_one X: broker-X on its own store.
start_one() {
  start "broker-$1" mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE-$1" --broker-name "broker-$1" $SMALL
}

@test "a member that reads to the end gives up the queues of a frozen broker, and names them" {
  start_namesrv; start_one a; start_one b
  mq-admin topic create T --read-queues 2 --write-queues 2 > /dev/null
  seq 40 | mq-send -q -t T --batch 1
  kill -STOP "$PID_broker_b"
  local status=0
  timeout 60 mq-consume -t T -g g -e > "$T/out" 2> "$T/err" || status=$?
  kill -CONT "$PID_broker_b"
  cat "$T/err"
  [ "$status" = 3 ]
  [ "$(wc -l < "$T/out")" = 20 ]
  [ "$(grep -c 'cannot read queues 0, 1 of T at broker-b: ' "$T/err")" -ge 1 ]
  # Without a group it is the same.
  kill -STOP "$PID_broker_b"
  status=0
  timeout 60 mq-consume -q -t T -e > "$T/out" 2> "$T/err" || status=$?
  kill -CONT "$PID_broker_b"
  [ "$status" = 3 ]
  [ "$(wc -l < "$T/out")" = 20 ]
  [ "$(grep -c '' "$T/err")" = 1 ]
  grep -q 'cannot read queues 0, 1 of T at broker-b: ' "$T/err"
}

@test "bug 82 of two members that want different things both say so" {
  start_cluster
  mq-admin topic create T > /dev/null
  mq-consume -v -t T -g g --tags a 2> "$T/one.log" > /dev/null 3>&- & PIDS+=($!)
  until_true 10 grep -q 'queues of 1 members are ours' "$T/one.log"
  mq-consume -v -t T -g g --tags b 2> "$T/two.log" > /dev/null 3>&- & PIDS+=($!)
  until_true 10 grep -q "another member of group g reads topic T with tags 'a', this one with 'b'" "$T/two.log"
  until_true 10 grep -q "another member of group g reads topic T with tags 'b', this one with 'a'" "$T/one.log"
}

@test "a topic that may not be read or written is a matter of permission: status 5, at once" {
  start_cluster
  mq-admin topic create T --perm w > /dev/null
  run mq-consume -t T -e
  [ "$status" = 5 ] && [[ $output == *'topic T may not be read'* ]]
  run mq-consume -t T -g g -e
  [ "$status" = 5 ] && [[ $output == *'topic T may not be read'* ]]
  mq-admin topic update T --perm r > /dev/null
  run timeout 10 mq-send -t T -m x --timeout 60s
  [ "$status" = 5 ] && [[ $output == *'topic T may not be written to'* ]]
}

@test "a topic that is deleted under a member is told once for each broker, and so is an outage" {
  start_cluster
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  mq-admin topic create U --read-queues 4 --write-queues 4 > /dev/null
  mq-consume -v -t T -g g > /dev/null 2> "$T/gone.log" 3>&- & PIDS+=($!)
  mq-consume -v -t U -g h > /dev/null 2> "$T/outage.log" 3>&- & PIDS+=($!)
  until_true 10 eval '[ "$(grep -c "T broker-a queue [0-3]: from offset" "$T/gone.log")" = 4 ]'
  until_true 10 eval '[ "$(grep -c "U broker-a queue [0-3]: from offset" "$T/outage.log")" = 4 ]'
  mq-admin topic delete T --yes > /dev/null
  # The pulls that wait are answered when their time at the broker is over.
  until_true 30 grep -q 'T broker-a: .*trying again in' "$T/gone.log"
  stop broker KILL || true
  until_true 10 grep -q 'U broker-a: .*trying again' "$T/outage.log"
  LISTEN=$BROKER start_broker
  until_true 20 grep -q 'U broker-a: reading again' "$T/outage.log"
  cat "$T/gone.log" "$T/outage.log"
  [ "$(grep -c 'trying again in' "$T/gone.log")" = 1 ]
  [ "$(grep -c 'U broker-a: .*trying again' "$T/outage.log")" = 1 ]
}
