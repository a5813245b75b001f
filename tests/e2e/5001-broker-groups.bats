load helper
load raw

OFFSETS() { tr -d ' \t\n' < "$STORE/config/consumerOffset.json"; }

@test "CO-15 CN-04 offsets are kept through a clean stop and, but for the last interval, through kill -9" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 10 | mq-send -t T -q
  commit G T 0 2
  commit H T 0 3
  stop broker
  [ "$(OFFSETS)" = '{"offsetTable":{"T@G":{0:2},"T@H":{0:3}}}' ]
  start_broker --flush-consumer-offset-interval 100
  [ "$(stored G T 0)" = 2 ]
  commit G T 0 4
  until_true 5 grep -q '{0:4' "$STORE/config/consumerOffset.json"
  kill -KILL "$PID_broker"; wait "$PID_broker" || true
  start_broker
  [ "$(stored G T 0)" = 4 ]
  [ "$(stored H T 0)" = 3 ]
}

@test "bug 45: an offset beyond what survived is taken back to the end, with one line that says so" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 90 | mq-send -t T -q
  stop broker
  printf '{"offsetTable":{"T@G":{0:100},"Gone@G":{3:7},"T@H":{0:90}}}' > "$STORE/config/consumerOffset.json"
  start_broker
  [ "$(stored G T 0)" = 90 ]
  [ "$(stored H T 0)" = 90 ]
  grep -q 'offset.correct .*group=G topic=T queue=0 old=100 new=90' "$T/broker.log"
  [ "$(grep -c 'offset.correct' "$T/broker.log")" = 2 ]
  seq 5 | mq-send -t T -q
  [ "$(mq-consume -t T --from "$(stored G T 0)" -e 2>/dev/null | wc -l)" = 5 ]
}

@test "bug 43: a damaged file of offsets or groups falls back to its .bak, is kept aside, and both bad refuse the start" {
  start_cluster
  commit G T 0 0
  ask "$BROKER" 200 '{}' '{"groupName":"G","retryMaxTimes":5}'
  stop broker
  start_broker
  commit G T 0 0
  ask "$BROKER" 200 '{}' '{"groupName":"G2"}'
  commit H T 0 0
  stop broker
  local file
  for file in consumerOffset subscriptionGroup; do
    local path=$STORE/config/$file.json
    cp "$path" "$T/good"
    [ -s "$path.bak" ]
    : > "$path"
    start_broker
    stop broker
    head -c 30 "$T/good" > "$path"
    start_broker
    grep -q "config.load.*$file.json" "$T/broker.log"
    [ "$(head -c 30 "$T/good")" = "$(cat "$path.damaged")" ]
    stop broker
    cp "$T/good" "$path"
    echo '{"x' > "$path"; echo '{"y' > "$path.bak"
    run mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" $SMALL
    [ "$status" != 0 ]
    [[ $output == *"$file.json"* ]]
    cp "$T/good" "$path"; cp "$T/good" "$path.bak"
  done
  start_broker
  ask "$BROKER" 201 '{}'
  [ "$(jq '.subscriptionGroupTable.G.retryMaxTimes' <<<"$ASK_BODY")" = 5 ]
}

@test "RB-04 members come and go: each is told, and the list is right; a killed one leaves at once" {
  start_cluster
  mq-admin topic create T > "$T/created"
  local beat='{"clientID":"CID","consumerDataSet":[{"groupName":"G","consumeType":"CONSUME_PASSIVELY","messageModel":"CLUSTERING","consumeFromWhere":"CONSUME_FROM_LAST_OFFSET","subscriptionDataSet":[{"topic":"T","subString":"*","subVersion":1}]}],"producerDataSet":[]}'
  connect "$BROKER"; local first=$PEER
  tell 34 '{}' "${beat/CID/c1}"
  # The answer and the notice of its own joining, in either order.
  get_frame <&"$first"; get_frame <&"$first"
  connect "$BROKER"; local second=$PEER
  tell 34 '{}' "${beat/CID/c2}"
  get_frame <&"$first"
  [ "$(jq .code <<<"$ASK_HEADER")" = 40 ]
  [ "$(ext consumerGroup)" = G ]
  ask "$BROKER" 38 '{"consumerGroup":"G"}'
  [ "$ASK_BODY" = '{"consumerIdList":["c1","c2"]}' ]
  exec {second}>&-
  get_frame <&"$first"
  [ "$(jq .code <<<"$ASK_HEADER")" = 40 ]
  ask "$BROKER" 38 '{"consumerGroup":"G"}'
  [ "$ASK_BODY" = '{"consumerIdList":["c1"]}' ]
  # The retry topic is there, and its route.
  mq-admin topic route %RETRY%G > "$T/route"
  exec {first}>&-
}

@test "bug 82: members that want different tags are flagged with both filters, once and not with every heartbeat" {
  start_cluster
  local beat='{"clientID":"CID","consumerDataSet":[{"groupName":"G","messageModel":"CLUSTERING","subscriptionDataSet":[{"topic":"T","subString":"TAGS","subVersion":1}]}]}'
  connect "$BROKER"; local first=$PEER
  tell 34 '{}' "$(sed 's/CID/c1/;s/TAGS/a/' <<<"$beat")"
  get_frame <&"$first"; get_frame <&"$first"
  connect "$BROKER"; local second=$PEER
  local i
  for i in 1 2 3; do tell 34 '{}' "$(sed 's/CID/c2/;s/TAGS/*/' <<<"$beat")"; get_frame <&"$second"; done
  get_frame <&"$second"
  [ "$(grep -c 'group.differs' "$T/broker.log")" = 1 ]
  grep 'group.differs' "$T/broker.log" | grep -q 'client=c2 wants="TAG \*" other_client=c1 other_wants="TAG a"'
  exec {first}>&- {second}>&-
}

@test "bug 101: a consumer far beyond the end is corrected; the log and the events stay few" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 100 | mq-send -t T -q
  connect "$BROKER"
  local i
  for i in $(seq 100); do
    tell 11 '{"consumerGroup":"G","topic":"T","queueId":"0","queueOffset":"1000000","maxMsgNums":"32","sysFlag":"4","commitOffset":"0","suspendTimeoutMillis":"0","subVersion":"0","subscription":"*"}'
    get_frame <&"$PEER"
    [ "$(jq .code <<<"$ASK_HEADER")" = 21 ]
    [ "$(ext nextBeginOffset)" = 100 ]
  done
  exec {PEER}>&-
  [ "$(wc -l < "$T/broker.log")" -lt 100 ]
  [ "$(mq-consume -t OFFSET_MOVED_EVENT --from start -e | wc -l)" = 1 ]
}

@test "FI-17 a store of a real RocketMQ brings its groups and offsets, and they are written back as RocketMQ reads them" {
  tar xzf "$MQ_ROOT/tests/golden/store/store-clean.tar.gz" -C "$T"
  cp "$STORE/config/consumerOffset.json" "$T/before.json"
  start_namesrv
  start_broker --mapped-file-size-commit-log 1M
  ask "$BROKER" 201 '{}'
  [ "$(jq '.subscriptionGroupTable.group_custom.consumeEnable' <<<"$ASK_BODY")" = false ]
  [ "$(stored group_four TopicFour 1)" = 10 ]
  not grep -q offset.correct "$T/broker.log"
  commit group_new TopicFour 0 1
  stop broker
  # Integer keys bare, one line a map, tabs: the same text but for the order of topics and the new entry.
  diff <(sed 's/,$//' "$T/before.json" | sort) <(sed 's/,$//' "$STORE/config/consumerOffset.json" | grep -v 'TopicFour@group_new' | sort) | grep '^[<>]' | sort | uniq -c > "$T/diff" || true
  [ "$(grep -c '}' "$T/diff")" = "$(wc -l < "$T/diff")" ]
}
