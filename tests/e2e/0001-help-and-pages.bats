load helper

TOOLS="mq-send mq-consume mq-admin mq-storedump"
DAEMONS="mq-namesrv mq-broker mq-flushd mq-reputd"

@test "every executable answers -h, --help, --version and --version --json" {
  for program in $TOOLS $DAEMONS; do
    $program -h > "$T/brief"
    $program --help > "$T/full"
    [ "$(wc -l < "$T/brief")" -le "$(wc -l < "$T/full")" ]
    grep -q -- --namesrv "$T/full" || [ $program = mq-namesrv ] || [ $program = mq-flushd ] || [ $program = mq-reputd ] || [ $program = mq-storedump ]
    [[ $($program --version) == "$program "* ]]
    $program --version --json | jq -e --arg name "$program" '.name == $name and (.version | length > 0)'
  done
}

@test "an unknown option is status 2 and names the nearest one" {
  for program in $TOOLS $DAEMONS; do
    run $program --hlep
    [ "$status" = 2 ]
    [[ $output == *"unknown option --hlep"* || $output == *"no command"* ]]
  done
  run mq-send -t T --windw 3
  [[ $output == *"did you mean --window?"* ]]
}

@test "the printed configuration says where a value comes from" {
  mkdir -p "$HOME/.config/mq"
  echo "window=7" > "$HOME/.config/mq/here.conf"
  MQ_CONTEXT=here MQ_NAMESRV=a:1 mq-send -t T --retries 5 --print-config > "$T/config"
  grep -P "^window\t7\t64\tcontext" "$T/config"
  grep -P "^namesrv\ta:1\t127.0.0.1:9876\tenvironment" "$T/config"
  grep -P "^retries\t5\t2\toption" "$T/config"
  grep -P "^mode\tasync\tasync\tbuilt-in" "$T/config"
}

@test "a broker.conf of RocketMQ is accepted; misspelt keys are named with file and line" {
  printf 'brokerName=broker-a \r\nsendMessageThreadPoolNums=4\r\nfileReservdTime=1\r\nmaxMessageSize=65536 \r\n' > "$T/broker.conf"
  run mq-broker -c "$T/broker.conf" -p
  [ "$status" = 0 ]
  [[ $output == *"broker.conf:3: unknown key 'fileReservdTime' has no effect; did you mean fileReservedTime?"* ]]
  [[ $output == *$'maxMessageSize\t65536\t4194304\tfile'* ]]
  run mq-broker -c "$T/broker.conf" -p --strict
  [ "$status" = 2 ]
  echo "listenPort=99999" >> "$T/broker.conf"
  run mq-broker -c "$T/broker.conf"
  [ "$status" = 2 ]
  [[ $output == *"broker.conf:5: listenPort: '99999' is not between 0 and 65535"* ]]
}

@test "pages are clean mdoc, completions are valid shell" {
  for page in "$MQ_ROOT"/man/*.[1578]; do
    # Styles of mandoc that hold for its own system only are left out.
    mandoc -T lint -W warning "$page"
  done
  for file in "$MQ_ROOT"/completions/*.bash; do bash -n "$file"; done
}

@test "completion offers options, choices and values" {
  source "$MQ_ROOT/completions/mq-send.bash"
  COMP_WORDS=(mq-send --win); COMP_CWORD=1; _mq_send
  [ "${COMPREPLY[*]}" = "--window" ]
  COMP_WORDS=(mq-send --mode o); COMP_CWORD=2; _mq_send
  [ "${COMPREPLY[*]}" = "oneway" ]
}

# The lines between .Bd and .Ed of a page's EXAMPLES, as a terminal shows them, run one after the other.
run_examples() {  # PAGE
  awk '/^\.Sh/ { here = /EXAMPLES/ } here && /^\.Bd/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$MQ_ROOT/man/$1" |
    sed 's/\\e/\\/g' > "$T/examples"
  [ -s "$T/examples" ]
  local line
  while IFS= read -r line; do
    timeout 90 bash -c "$line" < /dev/null > "$T/out" 2>&1 || { echo "$1: $line"; cat "$T/out"; return 1; }
  done < "$T/examples"
}

@test "the examples of mq-send(1) and mq-consume(1) run" {
  start_cluster
  cd "$T"
  mq-admin topic create OrdersCopy > /dev/null
  run_examples mq-send.1
  run_examples mq-consume.1
}

@test "the examples of mq-admin(1) run" {
  start_cluster
  cd "$T"
  mq-admin topic create Orders > /dev/null
  mq-send -t Orders -k 4711 -m 'thank you' -q
  until_true 10 bash -c 'mq-admin msg find -t Orders --key 4711 > found 2>&1'
  run_examples mq-admin.1
}
