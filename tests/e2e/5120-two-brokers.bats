load helper

# two_by_two: two name servers and two brokers, each broker at both.
two_by_two() {
  start ns-one mq-namesrv --listen 127.0.0.1:0; NS1=$READY
  start ns-two mq-namesrv --listen 127.0.0.1:0; NS2=$READY
  NS="$NS1;$NS2"; export MQ_NAMESRV=$NS
  start_one a; start_one b
  until_true 10 registered "$NS1" 2; until_true 10 registered "$NS2" 2
}
# start_one X [LISTEN]: broker-X on its own store.
start_one() {
  start "broker-$1" mq-broker -n "$NS" --listen "${2:-127.0.0.1:0}" --store "$STORE-$1" --broker-name "broker-$1" $SMALL
  printf -v "BROKER_$1" %s "$READY"
}
registered() { [ "$(mq-admin cluster list -n "$1" --json 2>/dev/null | jq -rs 'flatten | map(.broker // .brokerName) | unique | length')" = "$2" ]; }
lines_are() { [ "$(cat "$1" 2>/dev/null | wc -l)" -ge "$2" ]; }

@test "PR-09 sends go to the queues of all brokers in turn" {
  two_by_two
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  seq 80 | mq-send -q -t T --batch 1 --report "$T/r.tsv"
  [ "$(cut -f4,5 "$T/r.tsv" | sort | uniq -c | awk '{print $1}' | xargs)" = "10 10 10 10 10 10 10 10" ]
}

@test "NS-07 bug 15 kill -9 of one broker of two under load: every line reported stored is there, none is given up" {
  two_by_two
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  seq 60000 | mq-send -t T --rate 10000/s --batch 20 --report "$T/r.tsv" 2> "$T/send.log" 3>&- & local sender=$!
  until_true 30 lines_are "$T/r.tsv" 15000
  stop broker-a KILL || [ $? = 137 ]
  until_true 30 lines_are "$T/r.tsv" 40000
  start_one a "$BROKER_a"
  wait $sender
  grep -q 'stored 60000 failed 0' "$T/send.log"
  [ "$(awk -F'\t' '$2 == "stored"' "$T/r.tsv" | wc -l)" = 60000 ]
  mq-consume -q -t T -e > "$T/out"
  [ "$(missing 60000 "$T/out")" = 0 ]
}

@test "bug 15 a frozen broker does not use up the time of the other one" {
  two_by_two
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  kill -STOP "$PID_broker_a"
  local begin=$SECONDS
  seq 1000 | mq-send -t T --batch 10 --timeout 6s 2> "$T/send.log"
  kill -CONT "$PID_broker_a"
  grep -q 'stored 1000 failed 0' "$T/send.log"
  [ $((SECONDS - begin)) -le 10 ]
}

@test "PR-12 with --fault-delay a broker that fails is isolated, and -v says so" {
  two_by_two
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  kill -STOP "$PID_broker_a"
  seq 40 | mq-send -v -t T --fault-delay --batch 1 --timeout 6s 2> "$T/send.log"
  kill -CONT "$PID_broker_a"
  grep -q 'stored 40 failed 0' "$T/send.log"
  grep -q 'broker broker-a is avoided for 600 s: isolated after a failure' "$T/send.log"
}

@test "bug 90 a group goes on with the broker that is left, and takes the other one up again when it is back" {
  two_by_two
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  mq-consume -t T -g g > "$T/out" 2> "$T/consume.log" 3>&- & PIDS+=($!)
  seq 400 | mq-send -q -t T --batch 1
  until_true 20 lines_are "$T/out" 400
  stop broker-a KILL || [ $? = 137 ]
  seq 401 600 | mq-send -q -t T --batch 1
  until_true 20 lines_are "$T/out" 600
  start_one a "$BROKER_a"
  until_true 10 registered "$NS1" 2
  local begin=$SECONDS
  seq 601 1000 | mq-send -q -t T --batch 1
  until_true 30 lines_are "$T/out" 1000
  [ $((SECONDS - begin)) -le 22 ]
  [ "$(missing 1000 "$T/out")" = 0 ]
}

@test "bug 91 a broker that comes back under another address is found by senders and members" {
  two_by_two
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  mq-consume -t T -g g > "$T/out" 2> "$T/consume.log" 3>&- & PIDS+=($!)
  seq 100 | mq-send -q -t T --batch 1
  until_true 20 lines_are "$T/out" 100
  stop broker-a KILL || [ $? = 137 ]
  start_one a
  seq 101 200 | mq-send -q -t T --batch 1
  until_true 30 lines_are "$T/out" 200
}

@test "NS-08 bug 23 one name server of two down: nobody notices" {
  two_by_two
  seq 10 | mq-send -q -t T
  stop ns-one KILL || [ $? = 137 ]
  # 192.0.2.1 answers to nobody, so a question to it hangs.
  local list begin
  for list in "$NS1;$NS2" "$NS2;$NS1" "192.0.2.1:9876;$NS2"; do
    begin=$SECONDS
    seq 10 | mq-send -q -n "$list" -t T
    [ "$(mq-consume -q -n "$list" -t T -c 10 | wc -l)" = 10 ]
    [ "$(mq-consume -q -n "$list" -t T -g "g$begin" -c 10 | wc -l)" = 10 ]
    [ $((SECONDS - begin)) -le 4 ]
  done
}

@test "a name server that is restarted knows the brokers again within a second" {
  two_by_two
  stop ns-one TERM
  start ns-one mq-namesrv --listen "$NS1"
  until_true 2 registered "$NS1" 2
}

@test "a member goes on while all name servers are down" {
  two_by_two
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  mq-consume -q -t T -g g > "$T/out" 2> "$T/consume.log" 3>&- & PIDS+=($!)
  seq 100 | mq-send -q -t T --batch 1
  until_true 20 lines_are "$T/out" 100
  stop ns-one KILL || [ $? = 137 ]; stop ns-two KILL || [ $? = 137 ]
  seq 101 200 | mq-send -q -t T --broker "$BROKER_a"
  until_true 20 lines_are "$T/out" 200
}
