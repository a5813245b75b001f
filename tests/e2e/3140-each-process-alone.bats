load helper

health_says() { mq-admin health "${@:2}" > "$T/health" 2>&1 || true; grep -q "$1" "$T/health"; }

@test "a helper of another build is refused in one line and leaves with 8; the broker serves on" {
  # The build is named in the executable: one byte of it is another.
  mkdir "$T/other"
  LC_ALL=C sed 's/mq positions \([0-9]*\), /mq positions \1; /g' "$(command -v mq-flushd)" > "$T/other/mq-flushd"
  chmod +x "$T/other/mq-flushd"
  start_cluster --helpers external
  run "$T/other/mq-flushd" --store "$STORE"
  [ "$status" = 8 ]
  [[ $output == *"mq-flushd is of another build than the broker"* ]]
  mq-flushd --store "$STORE" 2>> "$T/flushd.log" 3>&- & PIDS+=($!)
  mq-reputd --store "$STORE" 2>> "$T/reputd.log" 3>&- & PIDS+=($!)
  until_true 10 mq-admin health -q
  seq 10 | mq-send -t T -q
  [ "$(mq-consume -t T --from start -e | wc -l)" = 10 ]
}

@test "helpers that start late: the broker serves at once, health names who is absent, everything is caught up" {
  start_cluster --helpers external
  health_says 'mq-flushd is absent'
  health_says 'mq-reputd is absent'
  seq 1000 | mq-send -t T -q
  [ "$(mq-consume -t T --from start -e | wc -l)" = 1000 ]
  mq-flushd --store "$STORE" 2>> "$T/flushd.log" 3>&- & PIDS+=($!)
  mq-reputd --store "$STORE" 2>> "$T/reputd.log" 3>&- & PIDS+=($!)
  until_true 10 eval 'mq-storedump "$STORE" positions -J | jq -e ".flushed == .wrote and .dispatched == .wrote" > /dev/null'
  mq-admin health -q
}

@test "a disk that is busy keeps no new broker waiting: a killed broker's mq-flushd lets go of the store before it syncs" {
  command -v strace > /dev/null || skip "no strace"
  start_cluster --flush-interval-commit-log 1h --flush-commit-log-thorough-interval 1h
  LISTEN=$BROKER
  # The first flush comes at once, the next one in an hour: the rest waits for the broker's end.
  mq-send -t T -q -m 0
  until_true 10 eval 'mq-storedump "$STORE" positions -J | jq -e ".flushed == .wrote" > /dev/null'
  seq 1000 | mq-send -t T -q
  local slow; slow=$(helper_pid flushd)
  # Each sync of the log takes longer than a new broker waits for the lock.
  strace -f -qq -e trace=msync -e inject=msync:delay_enter=8000000 -o "$T/syncs" -p "$slow" \
    3>&- 2> "$T/strace.log" & PIDS+=($!)
  until_true 10 grep -q 'TracerPid:[[:space:]]*[1-9]' "/proc/$slow/status"
  kill -KILL "$PID_broker"
  start_broker
  kill -0 "$slow"
  [ "$(mq-consume -t T --from start -e | wc -l)" = 1001 ]
}

@test "SIGSTOP of the broker under load: clients wait or are told, and go on when it goes on" {
  start_cluster
  seq 50000 | mq-send -t T --timeout 30s --report "$T/report" -q 2> "$T/send.log" 3>&- &
  local sender=$!
  until_true 20 test -s "$T/report"
  kill -STOP "$PID_broker"
  health_says 'no answer\|timed out\|does not answer\|no whole answer\|timeout'
  kill -CONT "$PID_broker"
  wait $sender
  [ "$(grep -c stored "$T/report")" = 50000 ]
  until_true 10 mq-admin health -q
}

@test "bug 46: while the broker recovers, health and mq-storedump say how far it is, and sends are told to come back" {
  # A recovery that takes long enough to be watched.
  start_namesrv
  start_broker --mapped-file-size-commit-log 256M
  LISTEN=$BROKER
  mq-admin bench send -t Bench --size 16 --batch 64 --window 16 --duration 1s > "$T/bench"
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  until_true 20 eval '! helper_pid flushd > /dev/null && ! helper_pid reputd > /dev/null'
  rm -f "$STORE/checkpoint"
  mq-broker -n "$NS" --listen "$LISTEN" --store "$STORE" --broker-name broker-a $SMALL --mapped-file-size-commit-log 256M \
    3>&- >> "$T/broker.log" 2>&1 &
  PIDS+=($!)
  until_true 20 health_says 'recovering: ' --broker "$LISTEN"
  grep -qE 'recovering: (looking for a transient pool|walking the commit log|numbering the queues), [0-9]+%' "$T/health"
  run mq-send --broker "$LISTEN" -t Bench -m x --retries 0 --timeout 1s
  [ "$status" = 0 ] || [[ $output == *"SYSTEM_BUSY"*recovering* ]] || [[ $output == *"$LISTEN"* ]]
  until_true 30 mq-admin health -q
  mq-consume -t Bench --last 1 -e > /dev/null
}

@test "bug 44: stopped or killed while it starts, the broker keeps topics, groups and offsets" {
  start_cluster
  LISTEN=$BROKER
  for i in $(seq 50); do mq-admin topic create "Topic$i" > /dev/null; done
  seq 100 | mq-send -t Topic1 -q
  mq-consume -t Topic1 -g workers -c 40 > /dev/null
  stop broker
  local topics offsets
  topics=$(jq '.topicConfigTable | length' "$STORE/config/topics.json")
  offsets=$(tr -d '\n ' < "$STORE/config/consumerOffset.json" | sha256sum)
  local delay signal
  for delay in 0.00 0.02 0.05 0.20; do
    for signal in TERM KILL; do
      mq-broker -n "$NS" --listen "$LISTEN" --store "$STORE" --broker-name broker-a $SMALL 3>&- >> "$T/broker.log" 2>&1 &
      local pid=$!
      PIDS+=("$pid")
      read -r -t "$delay" -u "$QUIET_FD" || true
      kill "-$signal" "$pid"
      wait "$pid" || true
      until_true 10 eval '! helper_pid flushd > /dev/null && ! helper_pid reputd > /dev/null'
      [ "$(jq '.topicConfigTable | length' "$STORE/config/topics.json")" -ge "$topics" ]
      [ "$(tr -d '\n ' < "$STORE/config/consumerOffset.json" | sha256sum)" = "$offsets" ]
    done
  done
  start_broker
  [ "$(mq-consume -t Topic1 -g workers -c 60 | wc -l)" = 60 ]
}
