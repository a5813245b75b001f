load helper

@test "bug 47: SIGTERM during full-speed sending leaves no abort file, and the next start scans nothing" {
  start_cluster
  LISTEN=$BROKER
  mq-admin topic create T > /dev/null
  for round in 1 2 3 4; do
    seq 1000000 | mq-send -t T --retries 0 --timeout 2s --report "$T/report" -q 2> "$T/send.log" 3>&- &
    local sender=$!
    until_true 20 test -s "$T/report"
    local before=$SECONDS
    stop broker
    [ $((SECONDS - before)) -le 10 ]
    [ ! -e "$STORE/abort" ]
    kill "$sender" 2>/dev/null || true
    wait "$sender" || true
    awk -F'\t' '$2 == "stored"' "$T/report" | wc -l >> "$T/stored"
    rm "$T/report"
    start_broker
    tail -20 "$T/broker.log" | grep -q 'after a clean stop'
  done
  # Everything that was acknowledged in any round is there.
  [ "$(mq-consume -t T --from start -e | wc -l)" -ge "$(sum < "$T/stored")" ]
}

@test "bug 45: a group that is ahead of what survived gets everything that comes, and the correction is logged" {
  start_cluster
  LISTEN=$BROKER
  mq-admin topic create One --read-queues 1 --write-queues 1 > /dev/null
  seq 100 | mq-send -t One --window 1 --batch 1 -q
  mq-consume -t One -g workers -c 100 > /dev/null
  # The last ten records are cut off, as after a loss of power: no clean stop, and queues that are built anew.
  local cut; cut=$(mq-storedump "$STORE" commitlog -t One --format record | jq -s '.[90].position // .[90].physicalOffset')
  stop broker
  touch "$STORE/abort"
  dd if=/dev/zero of="$STORE/commitlog/00000000000000000000" bs=1 seek="$cut" count=4096 conv=notrunc 2> /dev/null
  rm -r "$STORE/consumequeue" "$STORE/mq/dispatched" "$STORE/checkpoint" "$STORE/index"
  start_broker
  grep -q 'offset.correct group=workers topic=One queue=0 old=100 new=90' "$T/broker.log"
  seq 201 205 | mq-send -t One --window 1 -q
  [ "$(mq-consume -t One -g workers -c 5 | tr '\n' ' ')" = "201 202 203 204 205 " ]
}

@test "bug 47: a helper whose socket is full of wake-ups is told to finish all the same: the stop is clean" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 -q
  local flushd; flushd=$(helper_pid flushd)
  # Asleep, with its flag up: from now on every append rings, and nobody hears it.
  until_true 10 eval '[ "$(mq-storedump "$STORE" positions -J | jq "(.wrote - .flushed) + (.wrote - .dispatched)")" = 0 ]'
  kill -STOP "$flushd"
  seq 2000 | mq-send -t T --batch 1 --window 1 -q
  kill -TERM "$PID_broker"
  until_true 10 grep -q "refusing sends, draining" "$T/broker.log"
  kill -CONT "$flushd"
  wait "$PID_broker"
  [ ! -e "$STORE/abort" ]
}
