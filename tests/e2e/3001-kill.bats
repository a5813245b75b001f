load helper

# Records of the report that were acknowledged, against what a consumer finds after everything is up again.
check_nothing_lost() {
  awk -F'\t' '$2 == "stored" {print $1}' "$T/report" | sort > "$T/acked"
  [ -s "$T/acked" ]
  mq-consume -t T --from start -e | sort -u > "$T/found"
  [ -z "$(comm -23 "$T/acked" "$T/found")" ]
}

send_in_background() {
  # Line n is the number n, so that the report's record number names the body.
  seq 300000 | mq-send -t T --report "$T/report" --retries 20 --timeout 20s -q 2> "$T/send.log" 3>&- &
  SENDER=$!
  until_true 20 test -s "$T/report"
}

@test "RC-12 kill -9 of mq-flushd in the middle of a send loses nothing and stops nothing" {
  start_cluster
  send_in_background
  for i in 1 2 3; do kill_helper flushd; done
  wait $SENDER
  [ "$(grep -c stored "$T/report")" = 300000 ]
  check_nothing_lost
}

@test "ST-34 kill -9 of mq-reputd in the middle of a send loses nothing and stops nothing" {
  start_cluster
  send_in_background
  for i in 1 2 3; do kill_helper reputd; done
  wait $SENDER
  [ "$(grep -c stored "$T/report")" = 300000 ]
  check_nothing_lost
}

@test "RC-01 kill -9 of mq-broker in the middle of a send loses no acknowledged message" {
  LISTEN=127.0.0.1:0
  start_cluster
  LISTEN=$BROKER
  send_in_background
  kill -KILL "$PID_broker"
  start_broker
  wait $SENDER || true
  check_nothing_lost
}

@test "kill -9 of all at once loses no acknowledged message" {
  start_cluster
  LISTEN=$BROKER
  send_in_background
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  [ -e "$STORE/abort" ]
  start_broker
  wait $SENDER || true
  check_nothing_lost
}

@test "the same with SYNC_FLUSH" {
  start_cluster --flush-disk-type SYNC_FLUSH
  LISTEN=$BROKER
  send_in_background
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  start_broker --flush-disk-type SYNC_FLUSH
  wait $SENDER || true
  check_nothing_lost
}

@test "RC-06 queue offsets go on without gap or overlap after kill -9" {
  start_cluster
  mq-admin topic create One --read-queues 1 --write-queues 1
  LISTEN=$BROKER
  seq 1000 | mq-send -t One
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  start_broker
  seq 1001 2000 | mq-send -t One --retries 20 --timeout 10s
  [ "$(mq-consume -t One --from start -e -f '%o%n' | sha256sum)" = "$(seq 0 1999 | sha256sum)" ]
}

@test "a helper whose broker died before it could say hello leaves, whoever became its parent" {
  mkdir -p "$STORE/mq"
  for helper in flushd reputd; do
    # Nobody listens there, and the parent is alive: a broker that is gone, and the process that took over its children.
    timeout 8 "mq-$helper" --supervised --store "$STORE" 2>> "$T/helper.log"
  done
}
