load helper
load expiry

@test "EX-03 EX-08 a file goes by its age alone, read or not, when it is asked for" {
  start_quick --delete-when $(( ($(date +%-H) + 12) % 24 ))
  fill 8
  age 96 3
  mq-admin deleteExpiredCommitLog -n "$NS" -b "$BROKER" 2> /dev/null
  until_true 10 eval '[ "$(first_file)" = 00000000000000196608 ]'
  check_rest
  # Queue and index files follow; the numbers of the queue stay.
  until_true 10 eval '[ "$(ls "$STORE/consumequeue/T/0" | head -1)" != 00000000000000000000 ]'
  [ "$(status commitLogMinOffset)" = 196608 ]
  [ "$(status removedFiles)" = 3 ]
  grep -q 'store.clean .*commitlog/00000000000000131072.*because=expired' "$T/broker.log"
  mq-storedump "$STORE" --verify --index-slots 100
  # All the same after a kill of everything.
  LISTEN=$BROKER
  before=$(stats)
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  start_broker $QUICK
  [ "$(stats)" = "$before" ]
  check_rest
}

@test "EX-01 a file that is full is never written again" {
  start_quick
  fill 4
  before=$(cd "$STORE/commitlog" && ls | head -3 | xargs sha256sum; cd "$STORE/consumequeue/T/0" && ls | head -10 | xargs sha256sum)
  fill 3
  after=$(cd "$STORE/commitlog" && ls | head -3 | xargs sha256sum; cd "$STORE/consumequeue/T/0" && ls | head -10 | xargs sha256sum)
  [ "$before" = "$after" ]
}

@test "EX-04 fileReservedTime is 72 hours, a setting of the file, and may change live" {
  [ "$(mq-broker -p | grep -c '^fileReservedTime *= *72')" = 1 ] || mq-broker -p | grep fileReservedTime
  start_quick
  fill 4
  age 50 2
  mq-admin broker clean --expired-log > /dev/null
  # One that is older goes, so the look has been.
  age 80 1
  until_true 10 eval '[ "$(first_file)" = 00000000000000065536 ]'
  set_live fileReservedTime=48
  until_true 10 eval '[ "$(first_file)" = 00000000000000131072 ]'
  run mq-admin broker config set deleteWhen=25
  [ "$status" -ne 0 ]
  [[ $output == *"'25' is no hour from 0 to 23"* ]]
  [ "$(mq-admin broker config get deleteWhen --columns value)" = 04 ]
}

@test "EX-06 bug 64 expired files go in the hours of deleteWhen, in the broker's zone" {
  export TZ=Asia/Shanghai
  hour=$(date +%-H)
  start_quick --delete-when "$(((hour + 12) % 24))"
  fill 4
  age 80 2
  mq-admin broker status | grep nextCleaning | grep -q '+08:00$'
  until_true 5 eval '[ "$(status diskState | wc -w)" -gt 1 ]'
  [ "$(first_file)" = 00000000000000000000 ]
  set_live "deleteWhen=$hour;$(((hour + 1) % 24))"
  until_true 10 eval '[ "$(first_file)" = 00000000000000131072 ]'
  [ "$(status lastCleaning)" != none ]
  check_rest
}

@test "EX-07 bug 63 forced cleaning names each group that loses unread messages" {
  start_quick
  fill 6
  mq-consume -t T -g slow -c 10 > /dev/null
  set_live diskSpaceCleanForciblyRatio=0.01 diskSpaceWarningLevelRatio=1
  # Everything but the file of the newest record, however young.
  until_true 10 eval '[ "$(stats | cut -d" " -f2)" -gt 300 ]'
  mq-admin health | grep -q '^warning: .*: the disk is nearly full: the oldest files go before their time ('
  not mq-admin health --strict -q
  set_live diskSpaceCleanForciblyRatio=0.85 diskSpaceWarningLevelRatio=0.9
  until_true 10 eval '[ "$(status diskState | grep -c "before their time")" = 0 ]'
  check_rest
  # Who asks for health is told, and so is who asks for the group.
  mq-admin health > "$T/health"
  grep -q "^warning: .*unread messages were removed, because the disk was nearly full: $((min - 10)) messages, last of group slow in queue 0 of topic T" "$T/health"
  run mq-admin health --strict --json
  [ "$status" = 1 ]
  jq -e '.ready and (.warnings | length) == 1 and (.warnings[0] | test("unread messages were removed"))' <<< "$output"
  [ "$(mq-admin group status slow --topic T --columns state)" = "$((min - 10)) removed above the committed offset" ]
  [ "$(mq-admin group lag slow --topic T --columns lost)" = $((min - 10)) ]
  lost=$(grep 'unread messages are removed' "$T/broker.log" | grep 'group=slow topic=T queue=0' | grep -o 'lost=[0-9]*' | cut -d= -f2 | sum)
  [ "$lost" = $((min - 10)) ]
  # What is left to read is not what is gone.
  [ "$(mq-admin group lag slow --topic T --columns lag)" = $((max - min)) ]
  [ "$(mq-consume -t T -g slow -c 1 -f '%o%n')" = "$min" ]
  [ "$(mq-admin group status slow --topic T --columns state)" = behind ]
}

@test "EX-07 a full disk refuses sends with code 14 and serves again by itself; unread messages stay" {
  start_quick --clean-file-forcibly-enable=false
  fill 3
  set_live diskSpaceWarningLevelRatio=0.01
  until_true 5 eval '! mq-admin health -q'
  mq-admin health | grep -q 'sends are refused: the broker.s disk is full: [0-9]* % of'
  mq-admin broker status | grep -q $'diskState\tfull: sends are refused ('
  run mq-send -t T -m x --retries 0
  [ "$status" -ne 0 ]
  [[ $output == *"disk is full"* ]]
  [ "$(first_file)" = 00000000000000000000 ]
  [ "$(mq-consume -t T --from start -e | wc -l)" = 189 ]
  set_live diskSpaceWarningLevelRatio=0.90
  until_true 5 mq-admin health -q
  mq-send -t T -m x -q
}

@test "bug 59 a queue all of whose messages are gone has minimum = maximum and goes on" {
  start_quick
  mq-admin topic create Old --read-queues 1 --write-queues 1 > /dev/null
  seq 25 | mq-send -t Old -q
  fill 4
  age 80 2
  mq-admin broker clean --expired-log > /dev/null
  until_true 10 eval '[ "$(mq-admin topic stats Old --columns min,max)" = $'"'25\t25'"' ]'
  seq 26 28 | mq-send -t Old -q
  [ "$(mq-consume -t Old --from start -e -f '%o=%b ' )" = '25=26 26=27 27=28 ' ]
  mq-admin broker clean --expired-queues > /dev/null
  [ "$(mq-admin topic stats Old --columns min,max)" = $'25\t28' ]
}

@test "bug 60 a reader of a file that is removed gets whole data" {
  start_quick
  fill 8
  mq-consume -t T --from start -e -f '%o %b%n' > "$T/out" 2> "$T/consume.log" 3>&- &
  reader=$!
  until_true 10 test -s "$T/out"
  kill -STOP "$reader" 2>/dev/null || true
  age 96 5
  mq-admin broker clean --expired-log > /dev/null
  until_true 10 eval '[ "$(first_file)" = 00000000000000327680 ]'
  kill -CONT "$reader" 2>/dev/null || true
  wait "$reader"
  # Whatever was handed out is whole, in order, and nothing of it came twice.
  awk '{ if ($1 <= last && NR > 1 || $2 + 0 < 1 || $2 + 0 > 504 || length($2) != 1000 || seen[$2]++) bad = 1
         last = $1 } END { exit bad || last != 503 }' "$T/out"
  check_rest
}

@test "cleaning goes on where a killed mq-flushd or mq-reputd left it, and never leaves a hole" {
  start_quick
  fill 14
  age 96 11
  mq-admin broker clean --expired-log > /dev/null
  for i in 1 2 3; do kill_helper flushd; kill_helper reputd; mq-admin broker clean --expired-log > /dev/null; done
  until_true 15 eval '[ "$(first_file)" = 00000000000000720896 ]'
  until_true 10 dispatched
  check_rest
  mq-storedump "$STORE" --verify --index-slots 100
}

@test "316 removes the queues of topics that are gone, and no others" {
  start_quick
  mq-send -t Gone -m x -q
  mq-send -t Kept -m x -q
  until_true 10 dispatched
  LISTEN=$BROKER
  stop broker
  jq 'del(.topicConfigTable.Gone)' "$STORE/config/topics.json" > "$T/topics.json"
  cp "$T/topics.json" "$STORE/config/topics.json"
  start_broker $QUICK
  ls "$STORE/consumequeue" | grep -qx Gone
  mq-admin broker clean --expired-queues --expired-log > /dev/null
  mq-admin broker clean --unused-topics > /dev/null
  until_true 10 eval '[ ! -e "$STORE/consumequeue/Gone" ]'
  ls "$STORE/consumequeue" | grep -qx Kept
  mq-send -t Gone -m again -q
  [ "$(mq-consume -t Gone --from start -e -f '%o %b%n')" = '0 again' ]
  [ "$(mq-consume -t Kept --from start -e)" = x ]
}
