load helper

positions() { mq-storedump "$STORE" positions -J; }
position() { positions | jq ".$1"; }
flushed_is_wrote() { positions | jq -e '.flushed == .wrote' > /dev/null; }
# trace_flushd FILE [OPTION...]: follows the syncs of mq-flushd; returns once it does.
trace_flushd() {
  local out=$1; shift
  strace -f -qq -ttt -e trace=msync,fsync,fdatasync "$@" -o "$out" -p "$(helper_pid flushd)" 3>&- 2> "$T/strace.log" &
  TRACER=$!
  PIDS+=("$TRACER")
  until_true 10 eval 'grep -q "TracerPid:.*[1-9]" /proc/$(helper_pid flushd)/status'
}
commit_log_syncs() { grep -cE 'msync\(' "$1" || true; }

@test "FL-01 ST-28 flushDiskType decides when what was appended reaches the disk" {
  mq-broker -p --store "$STORE" | grep -qE '^flushDiskType\s+ASYNC_FLUSH'
  start_cluster --flush-interval-commit-log 60s --flush-commit-log-thorough-interval 60s
  # The first flush is thorough; after it nothing is due for a minute.
  echo first | mq-send -t T -q
  until_true 5 flushed_is_wrote
  seq 100 | mq-send -t T -q
  [ "$(position flushed)" -lt "$(position wrote)" ]
  stop broker
  start_broker --flush-disk-type SYNC_FLUSH
  seq 100 | mq-send -t T -q
  flushed_is_wrote
}

@test "FL-02 with SYNC_FLUSH a sync of the log comes before each answer, and many senders share one" {
  command -v strace > /dev/null || skip "no strace"
  start_cluster --flush-disk-type SYNC_FLUSH
  mq-admin topic create T > /dev/null
  trace_flushd "$T/one"
  seq 20 | mq-send -t T --window 1 --batch 1 -q
  kill "$TRACER"; wait "$TRACER" || true
  # One message is answered before the next is sent: each has had a sync of its own.
  [ "$(commit_log_syncs "$T/one")" -ge 20 ]
  trace_flushd "$T/many"
  local senders=()
  for i in $(seq 8); do seq 500 | mq-send -t T --window 64 --batch 1 -q 3>&- & senders+=($!); done
  wait "${senders[@]}"
  kill "$TRACER"; wait "$TRACER" || true
  [ "$(commit_log_syncs "$T/many")" -ge 1 ]
  [ "$(commit_log_syncs "$T/many")" -le 1000 ]
  [ "$(mq-consume -t T --from start -e | wc -l)" = 4020 ]
}

@test "FL-02 without strace: the counter of flushes tells the same" {
  start_cluster --flush-disk-type SYNC_FLUSH
  mq-admin topic create T > /dev/null
  local before; before=$(position flushes)
  seq 20 | mq-send -t T --window 1 --batch 1 -q
  [ $(($(position flushes) - before)) -ge 20 ]
  before=$(position flushes)
  seq 2000 | mq-send -t T --window 64 --batch 1 -q
  [ $(($(position flushes) - before)) -le 1000 ]
}

@test "FL-02 mq-flushd stopped: answers become FLUSH_DISK_TIMEOUT after syncFlushTimeout, and nothing else fails" {
  start_cluster --flush-disk-type SYNC_FLUSH --sync-flush-timeout 300
  seq 10 | mq-send -t T -q
  kill -STOP "$(helper_pid flushd)"
  # Stored, but not confirmed as durable: nobody may consume it yet.
  run mq-send -t T -m late --ack flushed --retries 0 --report "$T/report"
  [ "$status" = 3 ]
  grep -q FLUSH_DISK_TIMEOUT "$T/report"
  # WAIT=false asks for no sync: answered as stored, consumed when flushed.
  local header='{"code":310,"language":"JAVA","opaque":1,"flag":0,"version":409,"serializeTypeCurrentRPC":"JSON","extFields":{"a":"P","b":"T","c":"TBW102","d":"4","e":"0","f":"0","g":"0","h":"0","i":"WAIT\u0001false\u0002","j":"0","k":"false","m":"false"}}'
  ask "$BROKER" "$header" careless | tr -d '\0' | grep -q '"code":0'
  [ "$(mq-consume -t T --from start -e | wc -l)" = 10 ]
  mq-admin topic create Other > /dev/null
  mq-admin group create G > /dev/null
  # It is named, and not mq-reputd, which has nothing to do until something is flushed.
  until_true 15 eval 'mq-admin health | grep -q "mq-flushd is stalled"'
  not eval 'mq-admin health | grep -q mq-reputd'
  kill -CONT "$(helper_pid flushd)"
  until_true 10 flushed_is_wrote
  [ "$(mq-consume -t T --from start -e | grep -cE 'late|careless')" = 2 ]
}

@test "FL-03 with ASYNC_FLUSH a stopped mq-flushd delays no answer, and kill -9 of everything loses nothing" {
  start_cluster
  LISTEN=$BROKER
  seq 10 | mq-send -t T -q
  kill -STOP "$(helper_pid flushd)"
  seq 11 2000 | mq-send -t T -q --timeout 2s --retries 0
  [ "$(position flushed)" -lt "$(position wrote)" ]
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  start_broker
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 2000 ]
}

@test "FL-07 FL-09 the log is flushed every flushIntervalCommitLog when four pages wait, and less after the thorough interval" {
  start_cluster --flush-interval-commit-log 100 --flush-commit-log-thorough-interval 1500
  echo first | mq-send -t T -q
  until_true 5 flushed_is_wrote
  # Four pages: within the interval (and what a loaded machine adds to it).
  head -c 30000 /dev/zero | tr '\0' x | mq-send -t T --format whole -q
  until_true 5 flushed_is_wrote
  local count; count=$(position flushes)
  # Less than four pages wait for the thorough flush.
  echo small | mq-send -t T -q
  until_true 5 flushed_is_wrote
  [ $(($(position flushes) - count)) = 1 ]
}

@test "FL-07 flushCommitLogTimed=false flushes as soon as the pages are there" {
  start_cluster --flush-interval-commit-log 60s --flush-commit-log-thorough-interval 60s --flush-commit-log-timed false
  echo first | mq-send -t T -q
  until_true 5 flushed_is_wrote
  head -c 30000 /dev/zero | tr '\0' x | mq-send -t T --format whole -q
  until_true 5 flushed_is_wrote
}

@test "Z9: a sync that fails is no flush: nothing is acknowledged, sends are refused, health says why" {
  command -v strace > /dev/null || skip "no strace"
  start_cluster --flush-disk-type SYNC_FLUSH --sync-flush-timeout 300
  LISTEN=$BROKER
  seq 10 | mq-send -t T -q
  trace_flushd "$T/failing" -e inject=msync:error=EIO
  run mq-send -t T -m lost --ack flushed --retries 0
  [ "$status" != 0 ]
  kill "$TRACER"; wait "$TRACER" || true
  until_true 5 eval 'mq-admin health > "$T/health" || true; grep -q "sends are refused: the commit log cannot be flushed: Input/output error" "$T/health"'
  grep -q 'mq-flushd is failed' "$T/health"
  # A sync that works later proves nothing.
  run mq-send -t T -m refused --retries 0 --timeout 1s
  [ "$status" = 6 ] || [ "$status" = 4 ]
  [ "$(mq-consume -t T --from start -e | wc -l)" = 10 ]
  # The next start recovers, and everything goes on.
  kill -KILL "$PID_broker"
  until_true 20 eval '! helper_pid flushd > /dev/null && ! helper_pid reputd > /dev/null'
  start_broker --flush-disk-type SYNC_FLUSH
  mq-send -t T -m again --ack flushed -q
  until_true 10 mq-admin health -q
}
