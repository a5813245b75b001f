load helper
load raw

# mq-admin says what is so: what it reports has happened, what it shows beforehand it will do, and what cannot be is
# refused.

two_brokers() {
  start_cluster
  start other mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$T/other" --broker-name broker-b $SMALL; OTHER=$READY
  until_true 10 bash -c "[ \$(mq-admin broker list | wc -l) = 2 ]"
}

join_group() {
  connect "$BROKER"
  tell 34 '{}' '{"clientID":"here@1","consumerDataSet":[{"consumeFromWhere":"CONSUME_FROM_LAST_OFFSET","consumeType":"CONSUME_PASSIVELY","groupName":"G","messageModel":"CLUSTERING","subscriptionDataSet":[{"classFilterMode":false,"codeSet":[],"expressionType":"TAG","subString":"*","subVersion":1,"tagsSet":[],"topic":"T"}],"unitMode":false}],"producerDataSet":[]}'
  get_frame <&"$PEER"
}

@test "a listing whose reader is gone ends quietly, as SIGPIPE does" {
  start_cluster
  mq-admin topic list --watch 50ms 2> "$T/err" 3>&- | head -2 > "$T/out"
  [ "${PIPESTATUS[0]}" = 141 ]
  [ "$(wc -l < "$T/out")" = 2 ]
  [ ! -s "$T/err" ]
}

@test "-v says who was asked and how long it took, -vv every request and the code of its answer" {
  start_cluster
  mq-admin cluster list 2> "$T/silent" > /dev/null
  [ ! -s "$T/silent" ]
  mq-admin cluster list -v 2> "$T/v" > /dev/null
  grep -qE "^mq-admin: asked $BROKER: 1 request, the longest took [0-9]+ ms$" "$T/v"
  grep -q "asked $NS: " "$T/v"
  not grep -q 'request 28' "$T/v"
  mq-admin cluster list -vv 2> "$T/vv" > /dev/null
  grep -qE "^mq-admin: $BROKER: request 28 .*: code 0 SUCCESS after [0-9]+ ms$" "$T/vv"
}

@test "topic create --order true makes the topic ordered at brokers and name servers, and false takes it back" {
  two_brokers
  mq-admin topic create T --order true --write-queues 4 > "$T/made"
  [ "$(grep -c ordered "$T/made")" = 2 ]
  [ "$(mq-admin kv get ORDER_TOPIC_CONFIG T --columns value)" = 'broker-a:4;broker-b:4' ]
  mq-admin topic create Other > /dev/null
  grep -q '"order":true' "$STORE/config/topics.json"
  mq-admin topic update T --order true --json | jq -es 'all(.changed == false)'
  mq-admin topic update T --order false --json | jq -es 'all(.changed)'
  run mq-admin kv get ORDER_TOPIC_CONFIG T
  [ "$status" = 1 ]
  run mq-admin topic create T --order true --broker "$BROKER"
  [ "$status" = 2 ]
  [[ $output == *"--namesrv"* ]]
}

@test "a topic that other brokers have is added with their numbers" {
  two_brokers
  mq-admin topic create T --read-queues 2 --write-queues 2 --broker "$BROKER" > /dev/null
  mq-admin topic create T > /dev/null
  [ "$(mq-admin topic show T --columns broker,read_queues,write_queues | tr '\t\n' ':;')" = 'broker-a:2:2;broker-b:2:2;' ]
}

@test "system topics are refused by the dry run of a delete as by the delete" {
  start_cluster
  local topic
  for topic in SCHEDULE_TOPIC_XXXX TBW102; do
    for form in "" "--dry-run"; do
      run mq-admin topic delete $topic --yes $form
      [ "$status" = 4 ]
      [[ $output == *"$topic"* ]]
    done
  done
}

@test "FI-09 an undo file made with --broker names the broker and works without" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  echo x | mq-send -t T -q
  mq-admin group create G > /dev/null
  mq-admin offset reset G T --to end --apply --save-undo "$T/undo" --broker "$BROKER" > /dev/null
  [ "$(jq -r .broker "$T/undo")" = broker-a ]
  [ "$(mq-admin offset show G T --columns broker,offset --broker "$BROKER")" = $'broker-a\t1' ]
  mq-admin offset reset --undo "$T/undo" --apply > /dev/null
  [ "$(mq-admin offset show G T --columns offset)" = - ]
  [ "$(mq-admin broker list --broker "$BROKER" --columns cluster,broker)" = $'DefaultCluster\tbroker-a' ]
}

@test "kv list shows what any of the name servers has" {
  start ns-one mq-namesrv --listen 127.0.0.1:0; local one=$READY
  start ns-two mq-namesrv --listen 127.0.0.1:0; local two=$READY
  mq-admin kv put ns a 1 -n "$one" > /dev/null
  mq-admin kv put ns b 2 -n "$two" > /dev/null
  [ "$(mq-admin kv list ns -n "$one;$two" --columns key,value | tr '\t\n' '= ')" = 'a=1 b=2 ' ]
  run mq-admin kv list nowhere -n "$one;$two"
  [ "$status" = 1 ]
  run mq-admin kv list ns -n "$one;127.0.0.1:1"
  [ "$status" = 3 ]
  [[ $output == *$'ns\ta\t1'* ]]
}

@test "a refusal that several servers give is said once, naming them" {
  two_brokers
  run mq-admin broker config set nosuch=1
  [ "$status" = 5 ]
  [ "$(grep -c "'nosuch'" <<< "$output")" = 1 ]
  [[ $output == *"brokers broker-a, broker-b: "* ]]
}

@test "CO-10 a group with members online is deleted only by force" {
  start_cluster
  mq-admin topic create T > /dev/null
  join_group
  run mq-admin group delete G --yes
  [ "$status" = 4 ]
  [[ $output == *here@1* ]]
  run mq-admin group delete G --dry-run
  [ "$status" = 4 ]
  mq-admin group show G > /dev/null
  mq-admin group delete G --yes --force 2> "$T/err" | grep -q broker-a
  grep -q "here@1" "$T/err"
}

@test "FI-09 a reset with members online is a change, shown and refused beforehand as it is done" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  echo x | mq-send -t T -q
  join_group
  run mq-admin offset reset G T --to 1 --queue 0
  [ "$status" = 4 ]
  run mq-admin offset reset G T --to 1 --queue 0 --apply --save-undo "$T/undo"
  [ "$status" = 4 ]
  [ ! -e "$T/undo" ]
  mq-admin offset reset G T --to start --apply --save-undo "$T/undo" --json 2> "$T/err" | jq -e '.changed'
  grep -q 'not known' "$T/err"
  jq -e '.online' "$T/undo"
}

@test "offsets of a group that does not exist are neither shown nor written" {
  start_cluster
  mq-admin topic create T > /dev/null
  mq-admin group create billing > /dev/null
  local form
  for form in "show billling" "show billling T" "reset billling T --to end --apply"; do
    run mq-admin offset $form
    [ "$status" = 1 ]
    [[ $output == *"did you mean billing?"* ]]
  done
  mq-admin offset show billing T > /dev/null
}

@test "the dry run of broker clean claims nothing" {
  start_cluster
  mq-admin broker clean --expired-log --dry-run --json 2> /dev/null | jq -e '.changed == null'
  mq-admin broker clean --expired-log --json | jq -e '.changed == true and .result == "done"'
}

@test "small things: defaults of an update, missing operands, no columns, booleans" {
  mq-admin topic update --help > "$T/help"
  not grep -q 'default 8' "$T/help"
  grep -q 'default: as it is' "$T/help"
  mq-admin topic create --help | grep -q 'default 8'
  run mq-admin offset show
  [ "$status" = 2 ]
  [[ $output == *"operand GROUP is missing"* ]]
  run mq-admin topic list --columns ''
  [ "$status" = 2 ]
  mq-admin topic list -q --print-config > "$T/config"
  grep -qP '^quiet\ttrue\t' "$T/config"
  grep -qP '^json\tfalse\t' "$T/config"
  run mq-admin TOPICLIST --print-config
  [ "$status" = 0 ]
}
