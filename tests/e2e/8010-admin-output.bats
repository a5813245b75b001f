load helper

# What mq-admin prints, how it is asked, and what it says about itself.

# The columns that the manual page names for a command, in order: section 1 (listing) or 2 (change).
page_columns() {  # COMMAND WHICH
  awk -v want=".Ss $1" -v which="$2" '
    $0 == want { on = 1; next }
    /^\.Ss|^\.Sh/ { on = 0 }
    on && /its JSON has:/ { list = /^Of a change/ ? 2 : 1 }
    on && list == which && /^\.It Va/ { print $3 }' "$MQ_ROOT/man/mq-admin.1"
}

same_keys() {  # COMMAND WHICH < JSON lines: every line has exactly the page's keys
  local line keys
  page_columns "$1" "$2" > "$T/page"
  [ -s "$T/page" ] || { echo "$1: no columns on the page"; return 1; }
  keys=0
  while IFS= read -r line; do
    jq -r 'keys_unsorted[]' <<< "$line" | cmp - "$T/page" || { echo "$1: $line"; return 1; }
    keys=1
  done
  [ $keys = 1 ] || { echo "$1 printed nothing"; return 1; }
}

@test "real JSON has exactly the keys that the page names, for every listing and every change" {
  start_cluster
  mq-admin topic create T --json | same_keys "topic create" 2
  echo x | mq-send -t T -q
  mq-admin group create G --json | same_keys "group create" 2
  mq-admin topic update T --perm rw --json | same_keys "topic update" 2
  mq-admin group update G --json | same_keys "group update" 2
  mq-admin offset reset G T --to end --apply --json -q | same_keys "offset reset" 2
  mq-admin offset skip G T --json -q | same_keys "offset skip" 2
  mq-admin kv put ns k v --json | same_keys "kv put" 2
  mq-admin broker config set maxMessageSize=1000000 --json | same_keys "broker config" 2
  mq-admin namesrv config set orderMessageEnable=false --json | same_keys "namesrv config" 2
  mq-admin namesrv drain broker-a --json | same_keys "namesrv drain" 2
  mq-admin namesrv undrain broker-a --json | same_keys "namesrv undrain" 2
  mq-admin broker clean --unused-topics --dry-run --json | same_keys "broker clean" 2
  local command
  for command in "topic list" "group list" "cluster list" "broker list" "broker config" "namesrv config" \
    "topic show:T" "topic stats:T" "group show:G" "group lag:G" "offset show:G" "kv get:ns k" "kv list:ns"; do
    # shellcheck disable=SC2046,SC2086
    mq-admin ${command%%:*} $([[ $command == *:* ]] && echo ${command#*:}) --json | same_keys "${command%%:*}" 1
  done
  # Where JSON is something else, choosing columns gives the listing's.
  mq-admin topic route T --json --columns "$(page_columns 'topic route' 1 | paste -sd,)" | same_keys "topic route" 1
  mq-admin broker status --json --columns "$(page_columns 'broker status' 1 | paste -sd,)" | same_keys "broker status" 1
  mq-admin group delete G --yes --json | same_keys "group delete" 2
  mq-admin kv delete ns k --json | same_keys "kv delete" 2
  mq-admin topic delete T --yes --json | same_keys "topic delete" 2
}

@test "columns are chosen, sorted and refused with the names there are" {
  start_cluster
  mq-admin topic create B --read-queues 10 --write-queues 10 > /dev/null
  [ "$(mq-admin topic show B --columns read_queues,topic)" = $'10\tB' ]
  [ "$(mq-admin topic show B --columns topic --header)" = $'topic\nB' ]
  mq-admin topic stats B --columns queue --sort -queue > "$T/down"
  [ "$(head -1 "$T/down")" = 9 ]
  [ "$(mq-admin topic stats B --columns queue --sort queue | tail -1)" = 9 ]
  run mq-admin topic show B --columns quues
  [ "$status" = 2 ]
  [[ $output == *"no column is named 'quues'; there are topic, broker, cluster, address, read_queues, write_queues, perm"* ]]
  # A misspelt column is said before anything is changed.
  run mq-admin topic delete B --yes --sort nme
  [ "$status" = 2 ]
  mq-admin topic show B > /dev/null
  run mq-admin health --columns name
  [ "$status" = 2 ]
}

@test "bug 104 names are never cut, on a terminal of 80 columns, in a pipe and in JSON" {
  start_cluster
  local long=$(printf 'x%.0s' {1..60})
  mq-admin topic create "${long}one" > /dev/null
  mq-admin topic create "${long}two" > /dev/null
  for form in "" "--json"; do
    mq-admin topic list $form > "$T/list"
    grep -q "${long}one" "$T/list" && grep -q "${long}two" "$T/list"
  done
  script -qec "stty cols 80; mq-admin topic list" /dev/null < /dev/null > "$T/terminal"
  grep -q "${long}one" "$T/terminal" && grep -q "${long}two" "$T/terminal"
}

@test "--watch prints again and again until a signal comes" {
  start_cluster
  mq-admin topic list --watch 50ms > "$T/watched" 3>&- &
  local pid=$!
  PIDS+=($pid)
  until_true 10 bash -c "[ \$(grep -c TBW102 '$T/watched') -ge 3 ]"
  kill -INT $pid || true
  kill -TERM $pid || true
  wait $pid && return 1
  run mq-admin topic create X --watch 1s
  [ "$status" = 2 ]
}

@test "a noun alone, its --help and help NOUN list its verbs; unknown nouns and verbs name the nearest" {
  for form in "topic" "topic --help" "help topic"; do
    mq-admin $form > "$T/help"
    for verb in list show route stats create update delete wait; do grep -q "topic $verb" "$T/help"; done
    not grep -q "group lag" "$T/help"
  done
  mq-admin help topic create | grep -q -- --read-queues
  mq-admin help | grep -q "group lag"
  run mq-admin topic lst
  [ "$status" = 2 ]
  [[ $output == *"did you mean 'topic list'?"* ]]
  run mq-admin topc list
  [ "$status" = 2 ]
  [[ $output == *"did you mean topic?"* ]]
  run mq-admin
  [ "$status" = 2 ]
}

@test "a missing topic that was to be deleted is not offered for creation" {
  start_cluster
  run mq-admin topic delete NOPE --yes
  [ "$status" = 1 ]
  [[ $output == *"NOPE"* && $output != *create* ]]
  mq-admin topic create Orders > /dev/null
  run mq-admin topic delete Ordes --yes
  [[ $output == *"did you mean Orders?"* ]]
}

@test "HA-05 RocketMQ's command names work with their own options, never ask, and say the new form" {
  start_cluster
  run mq-admin updateTopic -n "$NS" -t T -b "$BROKER" -r 2 -w 2 -p 6
  [ "$status" = 0 ]
  [[ $output == *"this is now: mq-admin topic create T"* ]]
  mq-admin updateTopic -n "$NS" -t U -c DefaultCluster > "$T/out" 2> /dev/null
  mq-admin topicRoute -t T 2> /dev/null | grep -q broker-a
  mq-admin topicList -n "$NS" 2> /dev/null | grep -qx T
  mq-admin sendMessage -t T -p 'hello {{.Count}}' -k key -c tag -q 2> /dev/null
  [ "$(mq-admin consumeMessage -t T -c 1 2> /dev/null)" = 'hello {{.Count}}' ]
  until_true 5 bash -c 'mq-admin queryMsgByKey -t T -k key 2>/dev/null | grep -q hello'
  mq-admin updateSubGroup -g G -c DefaultCluster -r 3 2> /dev/null | grep -q true
  mq-admin getConsumerConfig -g G --json 2> /dev/null | jq -e '.retry_max == 3'
  mq-admin resetOffsetByTime -g G -t T -s now 2> /dev/null | grep -q true
  mq-admin consumerProgress -g G --json 2> /dev/null | jq -es 'all(.lag == 0)'
  mq-admin updateKvConfig -s ns -k k -v v 2> /dev/null
  [ "$(mq-admin kv get ns k)" = $'ns\tk\tv' ]
  mq-admin deleteSubGroup -g G -c DefaultCluster -r true > "$T/out" 2> /dev/null
  mq-admin deleteTopic -t T -c DefaultCluster > "$T/out" 2> /dev/null < /dev/null
  not mq-admin topic show T 2> /dev/null
  run mq-admin queryMsgTraceById -i X
  [ "$status" = 2 ]
  [[ $output == *"missing: message traces"* ]]
  mq-admin updateTopic -h 2>&1 | grep -q -- "--read-queues"
}

@test "a context serves all tools; a misspelt key in it is status 2 and names the nearest" {
  mkdir -p "$HOME/.config/mq"
  printf 'namesrv=127.0.0.1:1\nwindow=7\ntimeout=1s\n' > "$HOME/.config/mq/here.conf"
  unset MQ_NAMESRV
  mq-admin topic list --context here --print-config > "$T/config"
  grep -P '^namesrv\t127.0.0.1:1\t127.0.0.1:9876\tcontext' "$T/config"
  grep -P '^context\there\t\toption' "$T/config"
  MQ_CONTEXT=here mq-consume -t T --print-config | grep -P '^namesrv\t127.0.0.1:1\t.*\tcontext'
  echo 'namsrv=x' > "$HOME/.config/mq/typo.conf"
  for tool in "mq-admin topic list" "mq-send -t T" "mq-consume -t T" "mq-storedump $T summary"; do
    run $tool --context typo
    [ "$status" = 2 ]
    [[ $output == *"typo.conf:1: unknown option 'namsrv'"* ]]
    [[ $output == *"did you mean namesrv?"* ]]
  done
}

@test "bug 134 a notice never stands among the data" {
  start_cluster
  start other mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$T/other" --broker-name broker-b $SMALL
  until_true 10 bash -c "[ \$(mq-admin broker list | wc -l) = 2 ]"
  mq-admin topic create T > /dev/null
  kill -STOP "$PID_other"
  local got=0
  mq-admin topic stats T --json --timeout 1s > "$T/json" 2> "$T/err" || got=$?
  kill -CONT "$PID_other"
  [ $got = 3 ]
  grep -q broker-b "$T/err"
  [ "$(jq -r .broker "$T/json" | sort -u)" = broker-a ]
}

@test "bug 135 a body is sent as it is written" {
  start_cluster
  cd "$T"
  echo inside > file
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  local body
  for body in '{{.Count}}' '%s %k \n' '$HOME' '@file' '-' 'file'; do
    mq-send -t T -q --message="$body"
    printf '%s\n' "$body" >> "$T/want"
  done
  mq-consume -t T --from start -e | cmp - "$T/want"
}

@test "what loses messages asks on a terminal, and no is no" {
  start_cluster
  mq-admin topic create T > /dev/null
  # A terminal for the program; the answer is typed once the question is there.
  answer() {
    mkfifo "$T/keys.$1"
    script -qefc "mq-admin topic delete T" /dev/null < "$T/keys.$1" > "$T/screen.$1" 2>&1 3>&- &
    local pid=$!
    exec {KEYS}> "$T/keys.$1"
    until_true 10 grep -q 'loses its messages; go on?' "$T/screen.$1"
    printf '%s\n' "$1" >&"$KEYS"
    local got=0
    wait $pid || got=$?
    exec {KEYS}>&-
    return $got
  }
  answer n && return 1
  mq-admin topic show T > /dev/null
  answer y
  run mq-admin topic show T
  [ "$status" = 1 ]
}
