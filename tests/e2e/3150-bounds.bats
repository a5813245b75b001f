load helper
load raw

# hold N [ADDRESS]: N connections that say nothing, kept open in the background until the test ends. HOLDER is who.
hold() {
  bash -c 'for i in $(seq "$2"); do exec {fd}<>"/dev/tcp/${1/:/\/}" || exit 1; done 2>/dev/null; echo held > "$3"; read -r <&3' \
    _ "${2:-$BROKER}" "$1" "$T/held" 3<&"$QUIET_FD" 2> /dev/null &
  HOLDER=$!
  PIDS+=("$HOLDER")
  until_true 20 test -e "$T/held"
}

@test "few descriptors: connections are refused in one line before the store has none left, and serving goes on" {
  start_namesrv
  (ulimit -n 128; exec mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $SMALL --ready-fd 9) \
    9> "$T/ready" 3>&- >> "$T/broker.log" 2>&1 &
  PIDS+=($!)
  until_true 10 grep -q ready "$T/ready"
  BROKER=$(sed 's/ready //' "$T/ready")
  grep -q 'limits.*files=128 connections=64' "$T/broker.log"
  hold 40
  seq 2000 | mq-send -t T -q
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 2000 ]
  rm "$T/held"
  hold 100
  # Whoever came too late was closed; the store still rolls and reads its files through the local socket's share.
  until_true 5 grep -q 'remoting.full.*limit=64' "$T/broker.log"
  [ "$(grep -c 'remoting.full' "$T/broker.log")" -le 2 ]
  not grep -qE 'EMFILE|[Tt]oo many open files' "$T/broker.log"
}

@test "no descriptors left: connections wait to be taken, it is said once, and the others are served meanwhile" {
  not_sanitized "takes a descriptor to look at an object"
  (ulimit -n 40; exec mq-namesrv --listen 127.0.0.1:0 --ready-fd 9) 9> "$T/ready" 3>&- >> "$T/namesrv.log" 2>&1 &
  local pid=$!
  PIDS+=("$pid")
  until_true 10 grep -q ready "$T/ready"
  NS=$(sed 's/ready //' "$T/ready")
  connect "$NS"
  local early=$PEER
  hold 60 "$NS"
  until_true 5 grep -q 'listen.pause.*no descriptors are left' "$T/namesrv.log"
  # Who is there is served; nobody was turned away, and nothing goes round and round.
  local before after
  before=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
  for i in 1 2 3 4 5; do
    PEER=$early
    tell 106 '{}'
    get_frame <&"$early"
    [ "$(jq .code <<< "$ASK_HEADER")" = 0 ]
    read -r -t 0.2 -u "$QUIET_FD" || true
  done
  after=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
  [ $((after - before)) -le 30 ]
  kill -0 "$HOLDER"
  # One that comes now waits, and has its answer as soon as there is room.
  connect "$NS"
  local late=$PEER
  tell 106 '{}'
  kill "$HOLDER"
  get_frame <&"$late"
  [ "$(jq .code <<< "$ASK_HEADER")" = 0 ]
  [ "$(grep -c 'listen.pause.*no descriptors are left' "$T/namesrv.log")" = 1 ]
  grep -q 'listen.pause.*connections are taken again' "$T/namesrv.log"
}

@test "a settings file without an end, and one that was written by half, are refused by name" {
  run mq-broker -c /dev/zero --store "$STORE"
  [ "$status" = 2 ] || [ "$status" = 8 ]
  [[ $output == */dev/zero* ]]
  printf 'brokerName=broker-a\nlistenPort=109' > "$T/half.conf"
  printf '\nflushDiskType=SYNC_FL' >> "$T/half.conf"
  run mq-broker -c "$T/half.conf" --store "$STORE"
  [ "$status" = 2 ]
  [[ $output == *half.conf*flushDiskType* ]]
}

@test "a table too large to be one is refused by name" {
  start_cluster
  stop broker
  truncate -s 300M "$STORE/config/topics.json"
  rm -f "$STORE/config/topics.json.bak"
  run mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" $SMALL
  [ "$status" = 8 ]
  [[ $output == *topics.json*"larger than"* ]]
}

@test "bug 140 too few open files for anything: one line and status 8, and more are taken where that is allowed" {
  for program in mq-namesrv mq-broker mq-send mq-consume mq-admin; do
    case $program in
      mq-send) set -- -n 127.0.0.1:1 -t T -m x ;;
      mq-consume) set -- -n 127.0.0.1:1 -t T ;;
      mq-admin) set -- -n 127.0.0.1:1 health ;;
      *) set -- --listen 127.0.0.1:0 ;;
    esac
    run bash -c 'ulimit -n 8; exec "$@"' - "$program" "$@"
    [ "$status" = 8 ]
    [[ $output == *"only 8 files may be open, and at least 32 are needed"* ]]
  done
  start_cluster
  run bash -c 'ulimit -Sn 8; exec mq-send -t T -m raised'
  [ "$status" = 0 ]
  [ "$(mq-consume -t T --from start -e)" = raised ]
}
