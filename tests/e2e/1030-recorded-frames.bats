# Frames that RocketMQ's own clients and brokers sent, replayed as they are.
load helper

WIRE=$MQ_ROOT/tests/golden/wire
# replay ADDRESS FRAME: the answer in $T/answer.
replay() { exchange "$1" < "$WIRE/$2" > "$T/answer"; }
# The answer's bytes FROM..FROM+COUNT in hex.
bytes() { od -An -v -tx1 -j "$1" -N "$2" "$T/answer" | tr -d ' \n'; }
# The header of an answer in JSON, and its body.
header() { tail -c +9 "$T/answer" | head -c $((16#$(bytes 5 3))); }
body() { tail -c +$((9 + 16#$(bytes 5 3))) "$T/answer"; }

@test "ENV-14 a frame is a length, a word with the codec and the header's length, header, body; answers keep the codec" {
  start_cluster
  replay "$NS" 0001-105-GET_ROUTEINFO_BY_TOPIC-json-request.bin
  [ $((16#$(bytes 0 4) + 4)) = "$(stat -c %s "$T/answer")" ]
  [ "$(bytes 4 1)" = 00 ]
  [ "$(header | jq -c '[.code, .opaque, .flag]')" = '[17,1,1]' ]
  replay "$NS" 0006-106-GET_BROKER_CLUSTER_INFO-rmq-request.bin
  [ $((16#$(bytes 0 4) + 4)) = "$(stat -c %s "$T/answer")" ]
  [ "$(bytes 4 1)" = 01 ]
  [ "$(bytes 8 2)" = 0000 ]
  body | grep -q '"broker-a"'
}

@test "NS-38 NS-40 a Java broker's REGISTER_BROKER, in both codecs, puts its topics on the map" {
  start_namesrv
  for frame in 0036-103-REGISTER_BROKER-rmq-request.bin 0261-103-REGISTER_BROKER-json-request.bin; do
    # The route goes with the connection, so the question comes while it is open.
    exec {held}<>"/dev/tcp/${NS/:/\/}"
    cat "$WIRE/$frame" >&"$held"
    until_true 10 eval 'mq-admin topic list -q | grep -qx TopicFour'
    [ "$(mq-admin topic route TopicFour --json | jq -r '.brokerDatas[0].brokerAddrs["0"]')" = 127.0.0.1:21911 ]
    exec {held}>&-
    until_true 10 eval '! mq-admin topic list -q | grep -qx TopicFour'
  done
}

@test "PR-20 a Java producer's sends: long and short field names, both codecs, compressed, empty, batches" {
  start_cluster
  mq-admin topic create TopicOne --read-queues 1 --write-queues 1 -q
  mq-admin topic create BatchTopic -q
  local frame count=0
  for frame in 0027-310-SEND_MESSAGE_V2-rmq 0029-310-SEND_MESSAGE_V2-rmq 0030-310-SEND_MESSAGE_V2-rmq 0031-310-SEND_MESSAGE_V2-rmq \
    0173-10-SEND_MESSAGE-json 0250-310-SEND_MESSAGE_V2-json 0256-310-SEND_MESSAGE_V2-json; do
    replay "$BROKER" "$frame-request.bin"
    [[ $frame == *rmq ]] || [ "$(header | jq .code)" = 0 ]
    count=$((count + 1))
    until_true 5 eval '[ "$(mq-consume -t TopicOne --from start -e -J | wc -l)" = $count ]'
  done
  # The properties of both forms, the body that was compressed by the client, the empty one.
  mq-consume -t TopicOne --from start -e -J > "$T/got"
  [ "$(jq -r 'select(.tag == "raw") | .keys[0]' "$T/got")" = rk ]
  [ "$(jq -r 'select((.body | length) > 4000) | .body | length' "$T/got" | sort -u | wc -l)" = 1 ]
  [ "$(jq -r 'select(.body == "") | 1' "$T/got" | wc -l)" = 1 ]
  for frame in 0032-320-SEND_BATCH_MESSAGE-rmq 0258-320-SEND_BATCH_MESSAGE-json; do replay "$BROKER" "$frame-request.bin"; done
  [ "$(mq-consume -t BatchTopic --from start -e | wc -l)" -gt 5 ]
}

@test "what RocketMQ refused of its clients' sends is refused with the same codes" {
  start_cluster
  mq-admin topic create TopicOne --read-queues 1 --write-queues 1 -q
  for frame in 0174-10-SEND_MESSAGE-json 0176-10-SEND_MESSAGE-json 0177-10-SEND_MESSAGE-json; do
    replay "$BROKER" "$frame-request.bin"
    theirs=$(jq "select(.file == \"$frame-response.bin\") | .code" "$WIRE/index.jsonl")
    echo "$frame: $(header) for $theirs"
    [ "$(header | jq .code)" = "$theirs" ]
  done
  [ "$(mq-consume -t TopicOne --from start -e -J | wc -l)" = 0 ]
}

@test "PL-15 a Java consumer's PULL_MESSAGE is answered with the messages from its offset" {
  start_cluster
  mq-admin topic create TopicEight --read-queues 8 --write-queues 8 -q
  for i in 1 2 3; do mq-send -t TopicEight --queue 0 -m "message $i" -q; done
  replay "$BROKER" 0283-11-PULL_MESSAGE-json-request.bin
  [ "$(header | jq -c '[.code, .extFields.nextBeginOffset, .extFields.minOffset, .extFields.maxOffset]')" = '[0,"2","0","3"]' ]
  [ "$(body | grep -ao 'message [0-9]' | tr '\n' ,)" = "message 1,message 2," ]
  # An offset far beyond the end: OFFSET_MOVED with the place to go on.
  replay "$BROKER" 0292-11-PULL_MESSAGE-json-request.bin
  [ "$(header | jq -c .code)" = "$(jq -r 'select(.file == "0292-11-PULL_MESSAGE-json-response.bin") | .code' "$WIRE/index.jsonl")" ]
}

@test "the entries of a queue (321), with what a group's tags make of them" {
  start_cluster
  mq-admin topic create TopicFour --read-queues 4 --write-queues 4 -q
  for tag in A B A; do mq-send -t TopicFour --queue 0 -T $tag -m x -q; done
  replay "$BROKER" 0346-321-QUERY_CONSUME_QUEUE-json-request.bin
  [ "$(header | jq .code)" = 0 ]
  body > "$T/body"
  [ "$(jq -c '[.minQueueIndex, .maxQueueIndex, (.queueData | length), .filterData]' "$T/body")" = '[0,3,3,"group_four@TopicFour is not online!"]' ]
  [ "$(jq -c '[.queueData[].tagsCode]' "$T/body")" = '[65,66,65]' ]
  [ "$(jq '.queueData[1].physicOffset' "$T/body")" = "$(jq '.queueData[0] | .physicOffset + .physicSize' "$T/body")" ]
  # From the files as well as from the broker's memory.
  stop broker
  LISTEN=$BROKER start_broker
  # mq-reputd may not be there yet: then the answer says so.
  until_true 10 eval 'replay "$BROKER" 0346-321-QUERY_CONSUME_QUEUE-json-request.bin; [ "$(header | jq .code)" != 2 ]'
  body | cmp - "$T/body"
  [[ "$(ask "$BROKER" '{"code":321,"opaque":1,"extFields":{"topic":"TopicFour","queueId":"0","index":"3","count":"5"}}')" == *'Index 3 of 0@TopicFour is not exist!'* ]]
  [[ "$(ask "$BROKER" '{"code":321,"opaque":1,"extFields":{"topic":"Nope","queueId":"0","index":"0","count":"5"}}')" == *'0@Nope is not exist!'* ]]
  [[ "$(ask "$BROKER" '{"code":321,"opaque":1,"extFields":{"topic":"TopicFour","queueId":"0","index":"0","count":"-1"}}')" == *'"opaque":1'* ]]
}
