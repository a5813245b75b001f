load helper

@test "NS-11 KV configuration: put, get, list, delete, and it outlives the name server" {
  start namesrv mq-namesrv --listen 127.0.0.1:0 --kv-config-path "$T/kv/kvConfig.json"; export MQ_NAMESRV=$READY
  run mq-admin kv put ns a 'one two'
  [ "$status" = 0 ]
  [[ $output == *$'ns\ta\t-\tone two\ttrue' ]]
  run mq-admin kv put ns a 'one two'
  [[ $output == *$'\tfalse' ]]
  [ "$(mq-admin kv get ns a --json | jq -r .value)" = 'one two' ]
  mq-admin kv put ns b 2 --dry-run > "$T/dry"
  [ "$(mq-admin kv list ns | wc -l)" = 1 ]
  kill -KILL "$PID_namesrv"; wait "$PID_namesrv" || true
  start namesrv mq-namesrv --listen "$MQ_NAMESRV" --kv-config-path "$T/kv/kvConfig.json"
  [ "$(mq-admin kv get ns a)" = $'ns\ta\tone two' ]
  mq-admin kv delete ns a > "$T/deleted"
  run mq-admin kv get ns a
  [ "$status" = 1 ]
  run mq-admin kv list nowhere
  [ "$status" = 1 ]
}

@test "NS-12 NS-13 settings of a name server: shown, changed live, kept in configStorePath, and no file of the asker's choice" {
  start namesrv mq-namesrv --listen 127.0.0.1:0 --config-store-path "$T/stored.properties"; export MQ_NAMESRV=$READY
  [[ $(mq-admin namesrv config get orderMessageEnable) == *$'\torderMessageEnable\tfalse' ]]
  run mq-admin namesrv config set orderMessageEnable=true
  [ "$status" = 0 ]
  [[ $output == *$'\torderMessageEnable\tfalse\ttrue\ttrue' ]]
  [ "$(cat "$T/stored.properties")" = orderMessageEnable=true ]
  for key in configStorePath kvConfigPath rocketmqHome configstorepath; do
    run mq-admin namesrv config set "$key=$T/evil" orderMessageEnable=false
    [ "$status" = 5 ]
    [[ $output == *"$key"* ]]
  done
  [ ! -e "$T/evil" ]
  # All or nothing: what stood beside a refused key was not changed either.
  [[ $(mq-admin namesrv config get orderMessageEnable) == *$'\ttrue' ]]
}

@test "ordered topics: the route carries their queues, and brokers mark them" {
  start namesrv mq-namesrv --listen 127.0.0.1:0 --order-message-enable; export NS=$READY MQ_NAMESRV=$READY
  start_broker --register-name-server-period 10000
  mq-admin topic create Ordered > "$T/created"
  mq-admin kv put ORDER_TOPIC_CONFIG Ordered broker-a:2 > "$T/put"
  [ "$(mq-admin topic route Ordered --json | jq -r .orderTopicConf)" = broker-a:2 ]
  # The next registration, which a new topic causes, brings the broker the mark.
  mq-admin topic create Other > "$T/created"
  until_true 5 grep -q '"order":true' "$STORE/config/topics.json"
  mq-admin kv delete ORDER_TOPIC_CONFIG Ordered > "$T/deleted"
  mq-admin topic create Third > "$T/created"
  until_true 5 bash -c "! grep -q '\"order\":true' '$STORE/config/topics.json'"
}

@test "drain: no client writes to the broker until it is undrained" {
  start_cluster
  mq-admin topic create T > "$T/created"
  run mq-admin namesrv drain broker-a
  [ "$status" = 0 ]
  [[ $output == *$'broker-a\tdrained\t'* ]]
  run mq-send -t T -m x --timeout 500ms -q
  [ "$status" != 0 ]
  # A registration does not undo it.
  mq-admin topic create Other > "$T/created"
  [ "$(mq-admin topic route T --json | jq -r '.queueDatas[0].perm')" = 4 ]
  mq-admin namesrv undrain broker-a > "$T/undrained"
  mq-send -t T -m x -q
  run mq-admin namesrv drain brokr-a
  [ "$status" = 1 ]
  [[ $output == *'broker-a'* ]]
}

@test "settings of a broker: all shown, live ones changed and kept in its file, the others named with why not" {
  printf '# mine\nmaxMessageSize=1000000\n' > "$T/broker.conf"
  start_namesrv
  start_broker -c "$T/broker.conf"
  [ "$(mq-admin broker config get maxMessageSize)" = $'broker-a\tmaxMessageSize\t1000000' ]
  [ "$(mq-admin broker config get | grep -c .)" -gt 20 ]
  run mq-admin broker config set maxMessageSize=100 --dry-run
  [[ $output == $'broker-a\tmaxMessageSize\t1000000\t100\ttrue' ]]
  mq-send -t T -m "$(printf '%200s' x)" -q
  run mq-admin broker config set maxMessageSize=100
  [ "$status" = 0 ]
  run mq-send -t T -m "$(printf '%200s' x)" -q
  [ "$status" = 4 ]
  [ "$(cat "$T/broker.conf")" = $'# mine\nmaxMessageSize=100' ]
  run mq-admin broker config set 'flushIntervalCommitLog=7000'
  [ "$status" = 5 ]
  [[ $output == *'flushIntervalCommitLog needs a restart'* ]]
  run mq-admin broker config set 'messageDelayLevel=1s 5s 10s 1d'
  [ "$status" = 5 ]
  run mq-admin broker config set maxMessageSize=many
  [ "$status" = 4 ]
  [[ $output == *maxMessageSize* ]]
  run mq-admin broker config set maxMessageSise=5
  [[ $output == *'did you mean maxMessageSize?'* ]]
  run mq-admin broker config get nothing
  [ "$status" = 1 ]
}
