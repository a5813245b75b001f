load helper

@test "FI-15 one-way sends to a new topic are all stored, although the sender is gone at once" {
  start_cluster
  # Several times: what is lost is lost when an answer to a heartbeat comes just as the sender closes.
  for n in 100 5000 5001 5002 5003; do
    seq $n | mq-send -t "One$n" --mode oneway -q
    until_true 20 bash -c "[ \"\$(mq-consume -t One$n -e 2>/dev/null | wc -l)\" = $n ]"
  done
}

@test "automatic batches that fit no commit log file are split: nothing is lost, and a window of 1 keeps the order" {
  start_namesrv
  start broker mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --mapped-file-size-commit-log 64K --warm-window 16K
  mq-admin topic create One --read-queues 1 --write-queues 1
  seq 30000 | mq-send -t One --window 1 -q
  [ "$(mq-consume -t One -e | sha256sum)" = "$(seq 30000 | sha256sum)" ]
  seq 30000 | mq-send -t Two -v --timeout 30s 2> "$T/notice"
  [ "$(mq-consume -t Two -e | sort -n | sha256sum)" = "$(seq 30000 | sha256sum)" ]
  grep -q 'one by one' "$T/notice"
}

@test "closed standard descriptors are an error, not an abort" {
  start_cluster
  seq 100 | mq-send -t T -q
  run bash -c 'mq-consume -t T -e >&-'
  [ "$status" = 8 ]
  run bash -c 'mq-send -t T <&-'
  [ "$status" = 8 ]
  run bash -c 'mq-admin topic list >&-'
  [ "$status" = 8 ]
}

@test "a broker that cannot start leaves no helper behind" {
  start_cluster
  stop broker
  echo x > "$STORE/config/topics.json"; echo y > "$STORE/config/topics.json.bak"
  run mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" $SMALL
  [ "$status" = 8 ]
  [[ $output == *topics.json* ]]
  no_helper() { ! helper_pid flushd && ! helper_pid reputd; }
  until_true 15 no_helper
}

# Five messages, everything killed, the last one cut off with the end of its file; started again.
cut_off_with_file() {
  mq-admin topic create One --read-queues 1 --write-queues 1
  for i in 1 2 3 4 5; do mq-send -t One -m "message $i" -q; done
  [ -z "${WAIT_FOR:-}" ] || until_true 20 $WAIT_FOR
  local end
  end=$(mq-admin broker status --json --broker "$BROKER" | jq -r '.commitLogMaxOffset // .info.commitLogMaxOffset // empty' | head -1)
  LISTEN=$BROKER
  # mq-flushd first: it flushes when it sees its broker go.
  kill -KILL $(helper_pid flushd) $(helper_pid reputd) "$PID_broker"
  [ -n "$end" ]
  truncate -s $((end - 7)) "$STORE/commitlog/00000000000000000000"
  rm -f "$STORE/commitlog/00000000000004194304"
  start_broker
  [ "$(mq-consume -t One -e | tail -1)" = "message 4" ]
  mq-send -t One -m "message 6" -q --retries 10 --timeout 10s
}

@test "RC-09 a last record that was cut off with its file is dropped, the next message follows the last whole one" {
  start_cluster --flush-interval-commit-log 1h --flush-commit-log-thorough-interval 1h
  cut_off_with_file
  [ "$(mq-consume -t One -e -f '%o %b%n' | tail -1)" = "4 message 6" ]
}

all_flushed() { mq-admin broker status --broker "$BROKER" | grep -qE 'remainHowManyDataToFlush[[:space:]]+0 B'; }
@test "RC-09 a last record that was flushed and is cut off with its file is told as damage, and its number is not given again" {
  start_cluster --flush-interval-commit-log 20 --flush-commit-log-thorough-interval 20
  WAIT_FOR=all_flushed cut_off_with_file
  grep -q 'damage below the last durable flush' "$T/broker.log"
  [ "$(mq-consume -t One -e -f '%o %b%n' | tail -2)" = "3 message 4"$'\n'"5 message 6" ]
}

@test "a damaged size in the middle of the log stops no consumer" {
  start_cluster
  mq-admin topic create One --read-queues 1 --write-queues 1
  seq 300 | mq-send -t One -q --batch 1 --window 1
  stop broker
  # The size word of the record at queue offset 150.
  local position
  position=$((16#$(xxd -s $((150 * 20)) -l 8 -p "$STORE/consumequeue/One/0/00000000000000000000")))
  printf '\0\0\0\0' | dd of="$STORE/commitlog/00000000000000000000" bs=1 seek=$position conv=notrunc status=none
  touch "$STORE/abort"
  start_broker
  [ "$(mq-consume -t One -e | wc -l)" = 299 ]
  grep -q 'kept and skipped' "$T/broker.log"
}

@test "health names a helper that does not get on" {
  start_cluster
  seq 100 | mq-send -t T -q
  until_true 10 mq-admin health -q
  kill -STOP "$(helper_pid reputd)"
  seq 100 | mq-send -t T -q
  until_true 10 bash -c '! mq-admin health -q'
  run mq-admin health
  [ "$status" = 1 ]
  [[ $output == *reputd* ]]
  kill -CONT "$(helper_pid reputd)"
  until_true 10 mq-admin health -q
}
