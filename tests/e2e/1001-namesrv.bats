load helper

@test "NS-14 NS-21 mq-namesrv says where it listens and stops cleanly with status 0" {
  start_namesrv
  [[ $READY == 127.0.0.1:* ]]
  stop namesrv
}

@test "NS-42 a broker that stops cleanly is gone from the cluster at once" {
  start_cluster
  mq-admin cluster list --broker-name 2>/dev/null || true
  until_true 5 bash -c 'mq-admin cluster list | grep -q broker-a'
  stop broker
  run mq-admin cluster list
  not grep -q broker-a <<< "$output"
}

@test "NS-43 a killed broker is gone as soon as its connection closes, not after 120 s" {
  start_cluster
  until_true 5 bash -c 'mq-admin cluster list | grep -q broker-a'
  kill -KILL "$PID_broker"
  until_true 2 bash -c '! mq-admin cluster list | grep -q broker-a'
}

@test "NS-03 NS-08 a broker registers with every name server, and one of them may die" {
  start namesrv1 mq-namesrv --listen 127.0.0.1:0; local a=$READY
  start namesrv2 mq-namesrv --listen 127.0.0.1:0; local b=$READY
  NS="$a;$b" start_broker
  until_true 5 bash -c "mq-admin cluster list -n $a | grep -q broker-a"
  until_true 5 bash -c "mq-admin cluster list -n $b | grep -q broker-a"
  kill -KILL "$PID_namesrv1"
  seq 100 | mq-send -n "$a;$b" -t T
  [ "$(mq-consume -n "$a;$b" -t T --from start -e | wc -l)" = 100 ]
}

@test "NS-44 a name server that comes back knows every broker within a second" {
  start_cluster
  until_true 5 bash -c 'mq-admin cluster list | grep -q broker-a'
  kill -KILL "$PID_namesrv"; wait "$PID_namesrv" || true
  start_namesrv again "$NS"
  until_true 1 bash -c 'mq-admin cluster list | grep -q broker-a'
}

@test "a broker started before its name server is registered as soon as there is one" {
  start probe mq-namesrv --listen 127.0.0.1:0; local at=$READY
  stop probe
  NS=$at start_broker
  start_namesrv late "$at"
  until_true 2 bash -c 'mq-admin cluster list | grep -q broker-a'
}

@test "one dead address in the list delays nobody" {
  start_namesrv
  NS="127.0.0.1:1;$NS" start_broker
  local begin=$SECONDS
  echo x | mq-send -n "127.0.0.1:1;$MQ_NAMESRV" -t T
  [ "$(mq-consume -n "127.0.0.1:1;$MQ_NAMESRV" -t T --from start -e)" = x ]
  [ $((SECONDS - begin)) -le 3 ]
}

@test "NS-48 the route of a topic that does not exist is a no (status 1), with the broker's words" {
  start_cluster
  run mq-admin topic route nope
  [ "$status" = 1 ]
  [[ $output == *nope* ]]
}

@test "bytes of another protocol are closed at once and named in one line" {
  start_cluster
  for i in 1 2 3 4 5; do
    run timeout 3 bash -c "exec 5<>/dev/tcp/${BROKER/:/\/}; printf 'GET / HTTP/1.1\r\n\r\n' >&5; cat <&5"
    [ "$status" != 124 ]  # closed or reset by the peer, not left waiting
  done
  run timeout 3 bash -c "exec 5<>/dev/tcp/${NS/:/\/}; printf '\x16\x03\x01\x02\x00\x01\x00' >&5; cat <&5"
  [ "$status" != 124 ]
  [ "$(grep -c HTTP "$T/broker.log")" = 1 ]
  [ "$(grep -c TLS "$T/namesrv.log")" = 1 ]
  seq 10 | mq-send -t T
}
