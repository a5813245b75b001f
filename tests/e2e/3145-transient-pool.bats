load helper

POOL="--transient-store-pool-enable true --transient-store-pool-size 3"

pool_file() { echo "/dev/shm/mq-pool-$(stat -c %d-%i "$STORE")"; }
positions() { mq-storedump "$STORE" positions -J; }
readable_is_wrote() { positions | jq -e '.readable == .wrote' > /dev/null; }
kill_all() { kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd); }

eval "$(declare -f teardown | sed '1s/teardown/teardown_store/')"
teardown() { local file; file=$(pool_file 2>/dev/null); teardown_store; local status=$?; rm -f "$file" "$file.aside"*; return $status; }

@test "FL-04 ST-25 ST-32 with the pool on appends go to a private, locked file in memory, which a clean stop removes" {
  start_cluster $POOL
  [ "$(stat -c %a "$(pool_file)")" = 600 ]
  [ "$(awk '/VmLck/ {print $2}' "/proc/$PID_broker/status")" -ge $((3 * 4096)) ]
  seq 5000 | mq-send -t T -q
  until_true 5 readable_is_wrote
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 5000 ]
  stop broker
  [ ! -e "$(pool_file)" ]; [ ! -e "$STORE/mq/pool" ]; [ ! -e "$STORE/abort" ]
  mq-storedump "$STORE" --verify
}

@test "FL-05 ST-26 what is written is in the log after commitIntervalCommitLog, or at once for a consumer that waits" {
  start_cluster $POOL --commit-interval-commit-log 60s --commit-commit-log-thorough-interval 60s
  mq-admin topic create One --read-queues 1 --write-queues 1
  mq-consume -t One --from end -c 3 > "$T/tail" 3>&- &
  local tail=$!
  until_true 5 bash -c "mq-admin broker status --json --broker $BROKER 2>/dev/null | grep -qE 'heldPulls\"[: ]+\"?[1-9]'"
  printf '%s\n' a b c | mq-send -t One -q --window 1
  wait $tail
  [ "$(cat "$T/tail")" = "$(printf '%s\n' a b c)" ]
  stop broker
  start_broker $POOL --commit-interval-commit-log 100
  echo d | mq-send -t One -q
  until_true 2 readable_is_wrote
}

@test "FL-05 commitIntervalCommitLog and its companions are settings with RocketMQ's defaults" {
  mq-broker -p --store "$STORE" > "$T/settings"
  while read -r key value; do
    grep -q "^$key$(printf '\t')$value$(printf '\t')" "$T/settings"
  done <<< "transientStorePoolEnable false
transientStorePoolSize 5
fastFailIfNoBufferInStorePool false
commitIntervalCommitLog 200
commitCommitLogLeastPages 4
commitCommitLogThoroughInterval 200
flushIntervalCommitLog 500
flushCommitLogTimed true"
}

@test "bug 57: readers and mq-reputd never see more than is committed" {
  start_cluster $POOL
  seq 200 | mq-send -t T -q
  until_true 5 readable_is_wrote
  kill -STOP "$(helper_pid flushd)"
  seq 201 400 | mq-send -t T -q
  [ "$(mq-consume -t T --from start -e | wc -l)" = 200 ]
  [ "$(mq-admin topic stats T --columns messages | sum)" = 200 ]
  positions | jq -e '.dispatched <= .readable and .readable < .wrote'
  kill -CONT "$(helper_pid flushd)"
  until_true 5 readable_is_wrote
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 400 ]
  not grep -E 'store.walk|queue.read|pull.damage' "$T/broker.log"
}

@test "kill -9 of every process: what only the pool held is in the log after the next start" {
  start_cluster $POOL
  LISTEN=$BROKER
  seq 1000 | mq-send -t T -q
  until_true 5 readable_is_wrote
  # From here on nothing reaches the files.
  kill -STOP "$(helper_pid flushd)"
  seq 1001 3000 | mq-send -t T -q
  kill_all
  start_broker $POOL
  grep -q 'store.pool.*still held' "$T/broker.log"
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 3000 ]
  # The same without a pool at the next start.
  kill -STOP "$(helper_pid flushd)"
  seq 3001 4000 | mq-send -t T -q
  kill_all
  start_broker
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 4000 ]
  [ ! -e "$(pool_file)" ]
}

@test "kill -9 of mq-flushd and of the broker in the middle of a send with the pool loses nothing" {
  start_cluster $POOL
  LISTEN=$BROKER
  seq 200000 | mq-send -t T --report "$T/report" --retries 20 --timeout 20s -q 2> "$T/send.log" 3>&- &
  local sender=$!
  until_true 20 test -s "$T/report"
  kill_helper flushd
  kill_all
  start_broker $POOL
  kill_helper flushd
  wait $sender || true
  awk -F'\t' '$2 == "stored" {print $1}' "$T/report" | sort > "$T/acked"
  [ -s "$T/acked" ]
  until_true 10 readable_is_wrote
  mq-consume -t T --from start -e | sort -u > "$T/found"
  [ -z "$(comm -23 "$T/acked" "$T/found")" ]
}

@test "mq-flushd stopped: sends go on until the buffers are used up, then they are refused as busy with figures" {
  start_cluster $POOL --transient-store-pool-size 1 --warm-window 8M --fast-fail-if-no-buffer-in-store-pool true
  { head -c 100000 /dev/zero | tr '\0' x; echo; } > "$T/body"
  mq-send -t T -q < "$T/body"
  kill -STOP "$(helper_pid flushd)"
  for i in $(seq 60); do cat "$T/body"; done | mq-send -t T -q --retries 0 --timeout 1s --report "$T/report" 2> "$T/send.log" || true
  grep -q stored "$T/report"
  until_true 20 eval 'mq-send -t T -q --retries 0 --timeout 1s < "$T/body" 2> "$T/refused"; grep -q SYSTEM_BUSY "$T/refused"'
  grep -q 'for a free buffer of the transient pool' "$T/refused"
  until_true 5 eval 'mq-send -t T -q --retries 0 --timeout 1s < "$T/body" 2> "$T/refused" || true; grep -qE "slowest step: (mq-flushd has not looked for|[a-z ]+:) [0-9]{4,} ms" "$T/refused"'
  kill -CONT "$(helper_pid flushd)"
  until_true 10 eval 'mq-send -t T -q --retries 0 --timeout 1s < "$T/body"'
}

@test "a pool that does not fit into memory is a refusal that names it" {
  start_namesrv
  run mq-broker --store "$STORE" --listen 127.0.0.1:0 --transient-store-pool-enable true --transient-store-pool-size 128 --mapped-file-size-commit-log 2000M
  [ "$status" = 8 ]
  [[ $output == *"transient pool /dev/shm/mq-pool-"*transientStorePoolSize* ]]
}

@test "a pool with SYNC_FLUSH is ignored, and said" {
  start_cluster $POOL --flush-disk-type SYNC_FLUSH
  grep -q 'transientStorePoolEnable is ignored' "$T/broker.log"
  [ ! -e "$(pool_file)" ]
  seq 100 | mq-send -t T -q
  [ "$(mq-consume -t T --from start -e | wc -l)" = 100 ]
}

@test "kill -9 of every process and the pool's name gone: the pool is found; a pool that is gone is told by plan and health" {
  local held="$POOL --commit-interval-commit-log 100s --commit-commit-log-thorough-interval 100s --commit-commit-log-least-pages 2000"
  start_cluster $held
  LISTEN=$BROKER
  seq 500 | mq-send -t T -q
  kill_all
  rm -r "$STORE/mq"
  start_broker $held
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 500 ]
  run mq-admin health
  [[ $output != *acknowledged* ]]
  kill -STOP "$(helper_pid flushd)"
  seq 501 600 | mq-send -t T -q
  kill_all
  rm "$(pool_file)"
  run mq-storedump "$STORE" --plan
  [ "$status" = 1 ]
  [[ $output == *"distrust: the transient pool"*"is gone"* ]]
  start_broker
  run mq-admin health
  [[ $output == *"warning: "*"acknowledged messages may be lost: the transient pool"*"is gone"* ]]
}
