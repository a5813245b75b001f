load helper
load expiry
load raw

# pull OFFSET: asks for as much as one answer takes, on PEER.
pull() {
  tell 11 "{\"consumerGroup\":\"G\",\"topic\":\"T\",\"queueId\":\"0\",\"queueOffset\":\"$1\",\"maxMsgNums\":\"32\",\"sysFlag\":\"4\",\"commitOffset\":\"0\",\"suspendTimeoutMillis\":\"0\",\"subscription\":\"*\",\"subVersion\":\"0\",\"expressionType\":\"TAG\"}"
}

# take_frame: as get_frame, with the body in a file.
take_frame() {
  local total header
  total=$((16#$(head -c 4 <&"$PEER" | od -An -tx1 | tr -d ' \n')))
  header=$((16#$(head -c 4 <&"$PEER" | od -An -tx1 | tr -d ' \n') & 16#ffffff))
  ASK_HEADER=$(head -c "$header" <&"$PEER")
  head -c $((total - 4 - header)) <&"$PEER" > "$T/body"
}

# RocketMQ refuses to remove a file that readers hold, for intervalForcibly at most, and takes it away from them then.
# Here it goes at once, and they keep it as long as they want: what the setting is for, and nobody is hurt.
@test "ST-31 a slow reader does not keep a file from being removed, and still gets every byte of it" {
  start_quick --max-transfer-bytes-on-message-in-memory 4194304
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  seq -f %020000g 1 40 | mq-send -t T --window 1 -q
  until_true 10 dispatched
  connect "$BROKER"
  # Far more answers than sockets and output take: the rest is not even looked at before the reader reads.
  for i in $(seq 50); do pull 0; done
  until_true 10 eval '[ "$(status msgGetTotalTodayNow)" -ge 100 ]'
  age 96 6
  mq-admin broker clean --expired-log > /dev/null
  until_true 10 eval '[ "$(first_file)" = 00000000000000393216 ]'
  ls -l "/proc/$PID_broker/map_files" | grep -q 'commitlog/00000000000000000000 (deleted)'
  found=0
  moved=0
  for i in $(seq 50); do
    take_frame
    case $(jq .code <<< "$ASK_HEADER") in
      0) found=$((found + 1))
        [ $((found % 4)) = 1 ] || continue
        # Bodies are numbers of twenty thousand digits, from 1 on without a gap.
        tr -c '0-9' '\n' < "$T/body" | awk 'length($0) == 20000 { sub(/^0*/, ""); print }' > "$T/numbers"
        [ "$(wc -l < "$T/numbers")" -ge 1 ]
        diff "$T/numbers" <(seq "$(wc -l < "$T/numbers")") ;;
      *) [ "$(jq .code <<< "$ASK_HEADER")" = 21 ]
        [ "$(ext minOffset)" -gt 0 ]
        moved=$((moved + 1)) ;;
    esac
  done
  [ "$found" -ge 10 ]
  [ "$moved" -ge 1 ]
  # Nothing of it is kept once it was read.
  until_true 10 eval '! ls -l "/proc/$PID_broker/map_files" | grep -q "commitlog/.*(deleted)"'
}

@test "FI-09 after an expiry a time is still found: the first message that is there, or the end of what has expired" {
  start_quick
  mq-admin topic create E --read-queues 1 --write-queues 1 > /dev/null
  seq -f '%01000g' 20 | mq-send -t E -q
  fill 4
  age 96 2
  mq-admin broker clean --expired-log > /dev/null
  until_true 10 eval '[ "$(first_file)" = 00000000000000131072 ]'
  read -r _ min max <<< "$(stats)"
  [ "$min" -gt 0 ]
  [ "$(mq-consume -t T --from -1h -c 1 -f '%o%n')" = "$min" ]
  [ "$(mq-consume -t T --from -1h -e -f '%o%n' | wc -l)" = $((max - min)) ]
  [ -z "$(mq-consume -t E --from -1h -e)" ]
  # A search for the nearest one (no boundaryType), as RocketMQ's clients make it.
  connect "$BROKER"
  tell 29 '{"topic":"T","queueId":"0","timestamp":"1000"}'
  take_frame
  [ "$(ext offset)" = "$min" ]
  # A group goes back to the first one there is, with a member and without.
  timeout 10 mq-consume -t T -g G -c 20 > /dev/null
  mq-admin offset reset G T --to -1h --apply > /dev/null
  [ "$(timeout 10 mq-consume -t T -g G -c 1 -f '%o%n')" = "$min" ]
  mq-consume -t T -g G -f '%o%n' > "$T/member" 2> "$T/member.log" 3>&- & PIDS+=($!)
  until_true 10 eval '[ "$(tail -1 "$T/member")" = $((max - 1)) ]'
  lines=$(wc -l < "$T/member")
  mq-admin offset reset G T --to start --apply > /dev/null
  until_true 10 eval '[ "$(wc -l < "$T/member")" = $((lines + max - min)) ]'
}
