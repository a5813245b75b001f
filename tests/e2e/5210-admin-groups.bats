load helper
load raw

# Groups and offsets as an operator sees and moves them. The members here are connections that say what a client says; what
# mq-admin makes of odd answers is shown by its unit tests.

setup_topic() {  # ten messages in each of two queues
  start_cluster "$@"
  mq-admin topic create T --read-queues 2 --write-queues 2 > "$T/created"
  seq 10 | mq-send -t T --queue 0 -q
  seq 10 | mq-send -t T --queue 1 -q
}

offsets() { mq-admin offset show G T --columns queue,offset "$@" | tr '\t\n' '= '; }

@test "CO-10 a group is made, shown, changed and deleted; each change says old, new and changed" {
  start_cluster
  run mq-admin group show billing
  [ "$status" = 1 ]
  run mq-admin group update billing --retry-max 3
  [ "$status" = 1 ]
  mq-admin group create billing --json > "$T/made"
  jq -e '.group == "billing" and .broker == "broker-a" and .old == null and .changed == true' "$T/made"
  mq-admin group create billing --json | jq -e '.changed == false'
  mq-admin group update billing --retry-max 3 --broadcast false --json | jq -e '.changed == true and .old != .new'
  mq-admin group show billing --json | jq -e '.retry_max == 3 and .broadcast == false and .retry_queues == 1'
  mq-admin group list | grep -qx billing
  run mq-admin group show billling
  [ "$status" = 1 ]
  [[ $output == *"did you mean billing?"* ]]
  run mq-admin group delete billing
  [ "$status" = 2 ]
  [[ $output == *"--yes"* ]]
  mq-admin group delete billing --dry-run | grep -q billing
  mq-admin group show billing > /dev/null
  mq-admin group delete billing --yes > /dev/null
  run mq-admin group show billing
  [ "$status" = 1 ]
}

@test "FI-09 offset reset shows, --apply does, and --undo brings back what was" {
  setup_topic
  mq-admin group create G > "$T/group"
  [ "$(offsets)" = "0=- 1=- " ]
  mq-admin offset reset G T --to 4 > "$T/preview" 2> "$T/notice"
  grep -q -- "--apply" "$T/notice"
  [ "$(offsets)" = "0=- 1=- " ]
  mq-admin offset reset G T --to 4 --apply --save-undo "$T/undo.0" > "$T/done"
  cmp "$T/preview" "$T/done"
  [ "$(offsets)" = "0=4 1=4 " ]
  mq-admin offset reset G T --to end --queue 1 --apply --save-undo "$T/undo.1" --json | jq -e '.old == 4 and .new == 10 and .changed'
  [ "$(offsets)" = "0=4 1=10 " ]
  # A second file of that name is refused before anything moves.
  run mq-admin offset reset G T --to start --apply --save-undo "$T/undo.1"
  [ "$status" = 8 ]
  [ "$(offsets)" = "0=4 1=10 " ]
  mq-admin offset reset --undo "$T/undo.1" > /dev/null
  [ "$(offsets)" = "0=4 1=10 " ]
  mq-admin offset reset --undo "$T/undo.1" --apply > /dev/null
  [ "$(offsets)" = "0=4 1=4 " ]
  # The first undo goes back to nothing stored at all.
  mq-admin offset reset G T --undo "$T/undo.0" --apply > /dev/null
  [ "$(offsets)" = "0=- 1=- " ]
  run mq-admin offset reset H T --undo "$T/undo.0"
  [ "$status" = 2 ]
}

@test "bug 97 a reset to now or later is the end, to a stored time that message, before all the first" {
  setup_topic
  mq-admin group create G > "$T/group"
  to() { mq-admin offset reset G T --to "$1" --columns new -q | sort -u | tr '\n' ' '; }
  [ "$(to now)" = "10 " ]
  [ "$(to "@$(($(date +%s) + 86400))")" = "10 " ]
  [ "$(to 2020-01-01T00:00:00Z)" = "0 " ]
  [ "$(to start)" = "0 " ]
  mq-admin topic create Empty --read-queues 1 --write-queues 1 > /dev/null
  [ "$(mq-admin offset reset G Empty --to -1h --columns new -q)" = 0 ]
  run mq-admin offset reset G T --to 11
  [ "$status" = 2 ]
  [[ $output == *"0 to 10"* ]]
  run mq-admin offset reset G T --to yesterday
  [ "$status" = 2 ]
}

@test "cli 8.7 group lag says how much waits, and leaves 1 above the limit" {
  setup_topic
  mq-admin group create G > "$T/group"
  mq-admin offset reset G T --to 7 --apply > /dev/null
  [ "$(mq-admin group lag G --columns queue,lag | tr '\t\n' '= ')" = "0=3 1=3 " ]
  mq-admin group lag G --max 6 > /dev/null
  run mq-admin group lag G --max 5
  [ "$status" = 1 ]
  [[ $output == *"lag is 6, above 5"* ]]
  mq-admin group lag --json | jq -e 'select(.group == "G") | .lag == 3' > /dev/null
  mq-admin offset skip G T --apply > /dev/null
  mq-admin group lag G --max 0 > /dev/null
  run mq-admin group lag nobody
  [ "$status" = 1 ]
  [[ $output == *"no such group: nobody"* ]]
  run mq-admin group lag G --max many
  [ "$status" = 2 ]
}

@test "RB-18 group members without anybody online leaves 1 and prints nothing" {
  start_cluster
  mq-admin group create G > "$T/group"
  mq-admin group members G > "$T/out" 2> "$T/err" && return 1
  [ ! -s "$T/out" ]
  grep -q "no member of group G is online" "$T/err"
  run mq-admin group members G --producers
  [ "$status" = 1 ]
}

@test "topic stats counts messages; bug 86 fewer read queues are refused while messages in them are unread" {
  setup_topic
  [ "$(mq-admin topic stats T --columns queue,messages | tr '\t\n' '= ')" = "0=10 1=10 " ]
  mq-admin topic stats T --json | jq -e '.last | test("^20..-..-..T")' > /dev/null
  run mq-admin topic update T --read-queues 1 --write-queues 1
  [ "$status" = 2 ]
  [[ $output == *"10 that no group reads"* ]]
  mq-admin group create G > "$T/group"
  mq-admin offset reset G T --to 4 --apply > /dev/null
  run mq-admin topic update T --read-queues 1 --write-queues 1
  [ "$status" = 2 ]
  [[ $output == *"6 unread by group G"* ]]
  run mq-admin topic update T --write-queues 4
  [ "$status" = 2 ]
  # The two steps: no new messages there first, then no readers when all is read.
  mq-admin topic update T --write-queues 1 --json | jq -e '.changed'
  mq-admin offset skip G T --apply > /dev/null
  mq-admin topic update T --read-queues 1 > /dev/null
  mq-admin topic update T --read-queues 2 > /dev/null
  mq-admin topic update T --read-queues 1 --force > /dev/null
  run mq-admin topic update Nope --perm r
  [ "$status" = 1 ]
}

# A member of group G that consumes T, and a producer of group P, on a connection that stays: PEER.
join_group() {
  connect "$BROKER"
  tell 34 '{}' '{"clientID":"here@1","consumerDataSet":[{"consumeFromWhere":"CONSUME_FROM_LAST_OFFSET","consumeType":"CONSUME_PASSIVELY","groupName":"G","messageModel":"CLUSTERING","subscriptionDataSet":[{"classFilterMode":false,"codeSet":[],"expressionType":"TAG","subString":"a || b","subVersion":1,"tagsSet":["a","b"],"topic":"T"}],"unitMode":false}],"producerDataSet":[{"groupName":"P"}]}'
  get_frame <&"$PEER"
}

@test "RB-18 CO-12 members online are shown with what they subscribe to" {
  setup_topic
  join_group
  mq-admin group members G --json > "$T/members"
  jq -e '.client == "here@1" and .language == "JAVA" and .version == 409 and .brokers == "broker-a" and .model == "CLUSTERING"' "$T/members"
  jq -e '.topics | contains("T:a || b")' "$T/members"
  mq-admin consumerConnection -g G 2> /dev/null | grep -q here@1
  mq-admin group members P --producers --json | jq -e '.client == "here@1" and .topics == null'
}

@test "FI-09 members online are told to go on elsewhere; one queue or offset is refused while they run" {
  setup_topic
  join_group
  run mq-admin offset reset G T --to 4 --apply
  [ "$status" = 4 ]
  [[ $output == *"members online"* ]]
  mq-admin offset reset G T --to start --apply --json > "$T/reset"
  jq -es 'length == 2 and all(.new == 0)' "$T/reset"
  local i
  for i in 1 2 3 4; do
    get_frame <&"$PEER"
    [[ $ASK_HEADER == *'"code":220'* ]] && break
  done
  [[ $ASK_HEADER == *'"code":220'* && $ASK_HEADER == *'"group":"G"'* ]]
}
