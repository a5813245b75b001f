# Things that went wrong for people who run RocketMQ, as small scenes at the wire and at the name server.
bats_require_minimum_version 1.5.0
load helper

fds() { ls "/proc/$1/fd" | wc -l; }

@test "properties without their last separator: tags match, what is added stays apart" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 -q
  local head='{"code":310,"opaque":1,"extFields":{"b":"T","a":"g","c":"TBW102","d":"4","e":"0","f":"0","g":"1700000000000","h":"0"'
  local properties
  for properties in 'TAGS\u0001TagA' 'TAGS\u0001TagA\u0002' 'empty\u0001\u0002TAGS\u0001TagA' 'x\u0001y\u0002TAGS\u0001TagA\u0002unfinished'; do
    [[ "$(ask "$BROKER" "$head,\"i\":\"$properties\"}}" "body")" == *'"code":0'* ]]
  done
  [ "$(mq-consume -t T -T TagA --from start -e | wc -l)" = 4 ]
  [ "$(mq-consume -t T --from start -e -f '%T,%{x},%{empty}%n' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = " 3 TagA,,; 1 TagA,y,;" ]
}

@test "control bytes, commas and equal signs in properties: byte for byte or refused, never reinterpreted" {
  start_cluster
  mq-send -t T -m x -p 'where=Beijing,China=1' -q
  [ "$(mq-consume -t T --from start -e -f '%{where}')" = 'Beijing,China=1' ]
  run mq-send -t T -m x -p $'a=1\x02TAGS\x01evil' -q
  [ "$status" = 2 ]; [[ $output == *"'a'"* || $output == *" a"* ]]
  run mq-send -t T -m x -p novalue -q
  [ "$status" = 2 ]; [[ $output == *novalue* ]]
  run mq-send -t T -m x -p a=1 -p a=2 -q
  [ "$status" = 2 ]
  # Raw, past every client: the broker's own TAGS stays what came first.
  local head='{"code":310,"opaque":1,"extFields":{"b":"T","a":"g","c":"TBW102","d":"4","e":"0","f":"0","g":"1700000000000","h":"0"'
  ask "$BROKER" "$head,\"i\":\"TAGS\\u0001good\\u0002a\\u00011\\u0002TAGS\\u0001evil\\u0002\"}}" "raw" > /dev/null
  run -0 mq-consume -t T -T good --from start -e
  local good=$output
  run -0 mq-consume -t T -T evil --from start -e
  [ "$good$output" = raw ]
}

@test "IPv6: a broker on [::1], bracketed addresses, records and the long ids" {
  start_namesrv namesrv '[::1]:0'
  LISTEN='[::1]:0' start_broker
  [[ $BROKER == '[::1]:'* ]]
  seq 3 | mq-send -t T -n "127.0.0.1:1;$NS" -q
  mq-consume -t T --from start -e -J > "$T/got"
  [ "$(wc -l < "$T/got")" = 3 ]
  id=$(jq -r .offset_id "$T/got" | head -1)
  [ "${#id}" = 56 ]
  [ "$(mq-admin msg get "$id" --json | jq -r .offset_id)" = "$id" ]
  jq -r .born_host "$T/got" | head -1 | grep -q '^\[::1\]:'
  kill -KILL "$PID_broker"
  wait "$PID_broker" || true
  LISTEN=$BROKER start_broker
  [ "$(mq-consume -t T --from start -e | sort | tr '\n' ' ')" = "1 2 3 " ]
  mq-storedump "$STORE" --verify -q
}

@test "clients that connect, say hello with a group of their own and leave, leave nothing behind" {
  start_cluster
  local i before
  mq-send -t T -m x -q
  before=$(fds "$PID_broker")
  for i in $(seq 300); do
    frame '{"code":34,"opaque":1,"extFields":{}}' "{\"clientID\":\"c$i\",\"consumerDataSet\":[],\"producerDataSet\":[{\"groupName\":\"churn$i\"}]}" > "/dev/tcp/${BROKER/://}"
  done
  until_true 10 eval '[ "$(fds "$PID_broker")" -le $((before + 2)) ]'
}

@test "NS-44 a name server that restarts in the middle of a stream of sends costs no line" {
  start_cluster
  while [ ! -e "$T/over" ]; do seq 200; done | mq-send -t T --rate 2000/s --timeout 10s --report "$T/report" 2> "$T/send.log" 3>&- &
  local sender=$!
  until_true 10 test -s "$T/report"
  stop namesrv
  lines=$(wc -l < "$T/report")
  until_true 10 eval '[ "$(wc -l < "$T/report")" -gt $((lines + 500)) ]'
  start_namesrv namesrv "$NS"
  # In the wrong order from the start, too: a sender that knows no route yet waits for it.
  mq-send -t T -m late -q
  touch "$T/over"
  wait "$sender"
  [ "$(grep -vc '	stored	' "$T/report")" = 0 ]
  [ "$(mq-consume -t T --from start -e | wc -l)" = $(($(wc -l < "$T/report") + 1)) ]
}

@test "auto-creation switched off after a crash: no template, no system name lets an unknown topic in" {
  start_cluster
  mq-send -t Known -m x -q
  kill -KILL "$PID_broker"; wait "$PID_broker" || true
  start_broker --auto-create-topic-enable false
  run mq-send -t Unknown -m x
  [ "$status" = 4 ]
  local template
  for template in TBW102 DefaultCluster broker-a; do
    [[ "$(ask "$BROKER" "{\"code\":310,\"opaque\":1,\"extFields\":{\"b\":\"Unknown\",\"a\":\"g\",\"c\":\"$template\",\"d\":\"4\",\"e\":\"0\",\"f\":\"0\",\"g\":\"1\",\"h\":\"0\"}}" x)" == *'"code":17'* ]]
  done
  not grep -qx Unknown <(mq-admin topic list -q)
  [ ! -e "$STORE/consumequeue/Unknown" ]
  not grep -q Unknown "$STORE/config/topics.json"
}

@test "the list of name servers changes while the broker runs: it leaves the old one and is known to the new one" {
  start_namesrv; OLD=$NS
  start_namesrv namesrv2; NEW=$NS
  printf 'namesrvAddr=%s\nbrokerName=broker-a\n' "$OLD" > "$T/broker.conf"
  unset MQ_NAMESRV
  start broker mq-broker -c "$T/broker.conf" --listen 127.0.0.1:0 --store "$STORE" $SMALL
  mq-send -n "$OLD" -t T -m one -q
  run mq-admin topic route T -n "$NEW"
  [ "$status" = 6 ]
  printf 'namesrvAddr=%s\nbrokerName=broker-a\n' "$NEW" > "$T/broker.conf"
  kill -HUP "$PID_broker"
  until_true 10 mq-admin topic route T -n "$NEW" -q
  until_true 10 eval '! mq-admin topic route T -n "$OLD" -q'
  mq-send -n "$NEW" -t T -m two -q
  # Nobody on the network sends the broker elsewhere.
  run mq-admin broker config set namesrvAddr="$OLD" -n "$NEW"
  [ "$status" = 5 ]; [[ $output == *"send SIGHUP"* ]]
  # No connection to the old one is left.
  until_true 10 eval '! ss -tnp | grep "pid=$PID_broker," | grep -q " $OLD "'
}
