load helper
load expiry

# recovered HOW: the latest line about a recovery of that kind.
recovered() { grep "store.recover.*after $1 stop" "$T/broker.log" | tail -1; }
started_at() { recovered "$1" | grep -oE 'file=[^ ]*' | tail -1 | grep -oE '[0-9]{20}'; }
flip() { # FILE BYTE
  local old; old=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
  printf "\\x$(printf %02x $((old ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# RocketMQ begins at the third file from the end, however large they are. Here it is the third too, or a later one where
# mq-reputd's marker says that everything before it is durable and in the queues.
@test "RC-08 after a clean stop at most the last three files are walked, and the log names the first of them" {
  start_quick
  fill 9
  LISTEN=$BROKER
  stop broker
  files=$(log_files)
  third=$(ls "$STORE/commitlog" | tail -3 | head -1)
  last=$(ls "$STORE/commitlog" | tail -1)
  # Without the marker: the third from the end exactly. What lies before it is not looked at, damaged or not.
  rm "$STORE/mq/dispatched"
  flip "$STORE/commitlog/$(ls "$STORE/commitlog" | tail -5 | head -1)" 30000
  start_broker $QUICK
  [ "$(started_at 'a clean')" = "$third" ]
  not grep -q 'store.recover.*damage' "$T/broker.log"
  stop broker
  # With it: not before the third.
  start_broker $QUICK
  [[ ! $(started_at 'a clean') < $third ]]
  stop broker
  [ "$(log_files)" = "$files" ]
  # After an unclean stop the checkpoint says where to begin.
  start_broker $QUICK
  mq-send -t T -m more -q
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  start_broker $QUICK
  [ -n "$(started_at 'an unclean')" ]
  [[ ! $last < $(started_at 'an unclean') ]]
}
