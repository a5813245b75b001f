bats_require_minimum_version 1.5.0
load helper

@test "a second broker on the same store leaves with status 8 naming the pid" {
  start_cluster
  run mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE"
  [ "$status" = 8 ]
  [[ $output == *"pid $PID_broker"* ]]
  [[ $output == *"$STORE"* ]]
  echo still | mq-send -t T
}

@test "orphaned helpers let go of the lock; none writes once a new broker has it" {
  start_cluster
  LISTEN=$BROKER
  seq 1000 | mq-send -t T
  local flushd reputd
  # Until it is attached a helper has no share of the lock.
  until_true 10 grep -q 'helper helper=reputd .*attached' "$T/broker.log"
  flushd=$(helper_pid flushd) reputd=$(helper_pid reputd)
  # A stopped helper cannot leave: the new broker waits for its share of the lock, and goes on when it is gone.
  kill -STOP "$reputd"
  kill -KILL "$PID_broker"
  (READY_TIMEOUT=30 start_broker && echo ok > "$T/second") &
  local starter=$!
  until_true 5 bash -c "! kill -0 $flushd 2>/dev/null"
  [ ! -e "$T/second" ]
  until_true 5 grep -q "waiting for mq-reputd (pid $reputd) of the last run to leave" "$T/broker.log"
  kill -CONT "$reputd"
  wait $starter
  [ -e "$T/second" ]
  until_true 5 bash -c "! kill -0 $reputd 2>/dev/null"
  pkill -TERM -f -- "mq-broker.*--store $STORE"
  until_true 10 bash -c "[ ! -e '$STORE/abort' ]"
}

@test "a start that is refused leaves no helper that the next one meets" {
  start_cluster
  LISTEN=$BROKER
  stop broker
  cp "$STORE/config/topics.json" "$T/"
  echo '{' | tee "$STORE/config/topics.json" > "$STORE/config/topics.json.bak"
  run -8 mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" $SMALL
  cp "$T/topics.json" "$STORE/config/"
  : > "$T/broker.log"
  start_broker
  not grep -q 'serves this store' "$T/broker.log"
  until_true 5 eval '[ "$(helper_pid flushd | wc -l)$(helper_pid reputd | wc -l)" = 11 ]'
}

@test "ST-06 abort is there while the broker runs, gone after a clean stop, kept after kill -9" {
  start_cluster
  [ -e "$STORE/abort" ]
  seq 1000 | mq-send -t T
  stop broker
  [ ! -e "$STORE/abort" ]
  start_broker
  kill -KILL "$PID_broker"; wait "$PID_broker" || true
  [ -e "$STORE/abort" ]
}

@test "a copied store with its lock file starts" {
  start_cluster
  seq 100 | mq-send -t T
  stop broker
  cp -a "$STORE" "$T/copy"
  STORE=$T/copy start_broker
  [ "$(mq-consume -t T --from start -e | wc -l)" = 100 ]
}

@test "RC-07 a stop under full load is complete, and the next start finds everything" {
  start_cluster
  LISTEN=$BROKER
  seq 200000 | mq-send -t T --report "$T/report" --retries 30 --timeout 30s -q 3>&- 2>/dev/null &
  local sender=$!
  until_true 20 test -s "$T/report"
  stop broker
  [ ! -e "$STORE/abort" ]
  start_broker
  wait $sender
  [ "$(mq-consume -t T --from start -e | sort -u | wc -l)" = 200000 ]
}
