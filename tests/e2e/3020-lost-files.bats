bats_require_minimum_version 1.5.0
load helper

@test "a commit log file that is cut under load: code 14 with file and byte, no crash, what is whole is served" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 -q
  seq 100 | mq-send -t T -q
  # Durable, by the word of a clean stop.
  stop broker
  start_broker
  truncate -s 0 "$STORE/commitlog/00000000000000000000"
  run mq-send -t T -m lost --retries 0
  echo "$output"
  [ "$status" != 0 ]
  # The broker met the hole while it wrote, or mq-flushd found it before.
  [[ $output == *"SERVICE_NOT_AVAILABLE"* && $output == *"commit log"* ]]
  kill -0 "$PID_broker"
  until_true 10 eval 'mq-admin health > "$T/health" 2>&1 || true; grep -q "sends are refused: .*commit log" "$T/health"'
  not mq-admin health -q
  grep -qE 'commitlog/00000000000000000000 (at byte|was cut)' "$T/broker.log"
  # It can be stopped, and says at the next start what is wrong and what helps.
  stop broker || [ $? = 8 ]
  run timeout 20 mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $SMALL
  [ "$status" = 8 ]
  [[ $output == *"commitlog/00000000000000000000"* && $output == *"from a copy"* ]]
}

@test "queue and index files that are cut under load: the broker and its sends go on" {
  start_cluster --max-hash-slot-num 500 --max-index-num 2000
  mq-admin topic create T --read-queues 1 --write-queues 1 -q
  seq 500 | mq-send -t T -k key -q
  until_true 10 eval 'ls "$STORE/index" | grep -q .'
  truncate -s 0 "$STORE/consumequeue/T/0/00000000000000000000" "$STORE"/index/*
  seq 501 1000 | mq-send -t T -k key -q
  kill -0 "$PID_broker"
  [ "$(mq-consume -t T --last 100 | tail -1)" = 1000 ]
  # The next start finds what is lost and builds it again.
  stop broker || [ $? = 8 ]
  start_broker --max-hash-slot-num 500 --max-index-num 2000
  [ "$(mq-consume -t T --from start -e | wc -l)" = 1000 ]
  [ "$(mq-admin msg find -t T --key key --max 64 --format lines | wc -l)" = 64 ]
}

@test "topics.json and its backup lost: the topics of messages are named in log and health, and made again all is read" {
  start_cluster
  LISTEN=$BROKER
  mq-admin topic create T --read-queues 12 --write-queues 12 > /dev/null
  seq 120 | mq-send -t T -q
  stop broker
  rm "$STORE/config/topics.json" "$STORE/config/topics.json.bak"
  start_broker
  grep -q 'topics.load count=1 topics="T ([0-9]* queues\?)"' "$T/broker.log"
  mq-admin health | grep -q 'warning: .*no table knows the topics of messages in the log: T ('
  run -1 mq-admin health --strict
  mq-admin topic create T --read-queues 12 --write-queues 12 > /dev/null
  mq-admin health --strict
  [ "$(mq-consume -t T --from start -e | sort -n | tail -1)" = 120 ]
  [ "$(mq-consume -t T --from start -e | wc -l)" = 120 ]
}

@test "an end of the log that was durable and is gone is told: a missing file refuses the start, a lost tail keeps its numbers and warns in health" {
  start_cluster
  seq 60000 | mq-send -t T -q
  local last end before size=4194304
  before=$(mq-admin topic stats T --columns max | sum)
  stop broker
  end=$(mq-storedump "$STORE" checkpoint -J | jq .flushed)
  last=$STORE/commitlog/$(printf %020d $(((end - 1) / size * size)))
  mv "$last" "$T/last"
  run -8 mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $SMALL
  [[ $output == *"$last is missing, and its records up to position $end were durable"* ]]
  run -8 mq-storedump "$STORE" --plan
  mv "$T/last" "$last"
  run -0 mq-storedump "$STORE" --plan
  dd if=/dev/zero of="$last" bs=1 seek=$(((end - 1) % size - 300)) count=300 conv=notrunc 2> /dev/null
  run -1 mq-storedump "$STORE" --plan
  [[ $output == *": keep: "*" damaged bytes skipped: "* ]]
  start_broker
  mq-admin health | grep -q "warning: .*the commit log is damaged: .*the last messages of the log among them"
  run -1 mq-admin health --strict
  # Consumers that were at the end miss nothing of what comes now.
  [ "$(mq-admin topic stats T --columns max | sum)" = "$before" ]
  echo new | mq-send -t T -q
  [ "$(mq-consume -t T --last 1)" = new ]
  [ "$(mq-admin topic stats T --columns max | sum)" = $((before + 1)) ]
}
