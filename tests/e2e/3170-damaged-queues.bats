# Damaged consume queues: a message that is whole in the log is served whatever has become of its entry.
bats_require_minimum_version 1.5.0
load helper

queue_file() { echo "$STORE/consumequeue/T/0/00000000000000000000"; }
put() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
bodies() { mq-consume -t T --from start -e -q; }

@test "RC-09 entries that are zeros, noise or another record's: every message is served, in order, and it is said" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 250 | mq-send -t T -T tag -q
  stop broker
  # Entries 50 to 99 are zeros, 120 is noise, 130 is the entry of 10.
  dd if=/dev/zero of="$(queue_file)" bs=20 seek=50 count=50 conv=notrunc status=none
  put "$(queue_file)" 2400 '\377\377\377\1\2\3'
  dd if="$(queue_file)" of="$(queue_file)" bs=20 skip=10 seek=130 count=1 conv=notrunc status=none
  run mq-storedump "$STORE" --verify -q
  [ "$status" = 1 ]
  [[ $output == *"consumequeue/T/0/00000000000000000000:1000: error: entries 50 to 99 of T/0 are missing"* ]]
  [[ $output == *"entry 130 names position"* ]]
  start_broker
  diff <(bodies) <(seq 250)
  # A filter passes over nothing either.
  diff <(mq-consume -t T -T tag --from start -e -q) <(seq 250)
  # A pull may begin inside of the stretch.
  [ "$(mq-consume -t T --from 60 -c 1 -q)" = 61 ]
  grep -q 'queue.damage.*topic=T queue=0 offset=50' "$T/broker.log"
  run -1 mq-admin health --strict
  [[ $output == ready$'\n'"warning: "*": queue entries are damaged, their messages are looked for in the log: 52, the first met at offset 50 of queue 0 of topic T; with the daemons down, mq-storedump STORE --rebuild queue --in-place --yes makes them anew" ]]
  echo more | mq-send -t T -q
  [ "$(bodies | wc -l)" = 251 ]
  stop broker
}

@test "files of two queues that have changed places: both are derived again, nobody gets the other's messages" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  mq-admin topic create U --read-queues 1 --write-queues 1 > "$T/created"
  seq 100 | mq-send -t T -q
  seq 101 200 | mq-send -t U -q
  stop broker
  mv "$(queue_file)" "$T/aside"
  mv "$STORE/consumequeue/U/0/00000000000000000000" "$(queue_file)"
  mv "$T/aside" "$STORE/consumequeue/U/0/00000000000000000000"
  start_broker
  diff <(bodies) <(seq 100)
  diff <(mq-consume -t U --from start -e -q) <(seq 101 200)
  stop broker
  mq-storedump "$STORE" --verify -q
}

@test "tombstones that were changed are told, and the broker refuses rather than lose what lives" {
  start_cluster
  seq 10 | mq-send -t T -q
  mq-admin topic delete T --yes > "$T/deleted"
  stop broker
  sed -i 's/^1/9/; s/^2/8/' "$STORE/mq/tombstones"
  run mq-storedump "$STORE" --verify -q
  [ "$status" = 1 ]
  [[ $output == *"mq/tombstones:0: error: its sum is missing or wrong; a broker refuses the store [tombstones]"* ]]
  run timeout 20 mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $SMALL
  [ "$status" = 8 ]
  [[ $output == *"mq/tombstones: its sum is missing or wrong"* ]]
}

@test "a record whose end is lost is left out of a batch, which its readers could not go on behind" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq -f '%0200g' 100 | mq-send -t T -q
  stop broker
  # From the middle of a body to the end of its record; the next one begins at a multiple of the record's size.
  size=$(mq-storedump "$STORE" queue -J -q | jq -s 'map(select(.topic == "T"))[0].size')
  first=$(mq-storedump "$STORE" queue -J -q | jq -s 'map(select(.topic == "T"))[0].phyOffset')
  dd if=/dev/zero of="$STORE/commitlog/00000000000000000000" bs=1 seek=$((first + 40 * size + 120)) \
    count=$((size - 120)) conv=notrunc status=none
  start_broker
  diff <(bodies) <(seq -f '%0200g' 100 | sed 41d)
  grep -q 'pull.damage.*topic=T queue=0 offset=40' "$T/broker.log"
  run -1 mq-admin health --strict
  [[ $output == *"messages were passed over, the log holds no whole record of them: 1, the first met at offset 40 of queue 0 of topic T"* ]]
  stop broker
}

@test "a folder in the place of a file: queues and index are derived again, our small files are named and refused" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 60 | mq-send -t T -k key -q
  stop broker
  index=$(ls "$STORE/index")
  for file in "$(queue_file)" "$STORE/index/$index"; do
    rm "$file"; mkdir "$file"; touch "$file/x"
  done
  start_broker
  diff <(bodies) <(seq 60)
  [ "$(mq-admin msg find -t T --key key --max 64 --broker "$BROKER" --json -q | wc -l)" = 60 ]
  stop broker
  mq-storedump "$STORE" --verify -q
  for file in mq/dispatched mq/tombstones mq/log-paths mq/pid mq/ctl.sock checkpoint abort lock; do
    rm -rf "${STORE:?}/$file"; mkdir "$STORE/$file"
    run timeout 20 mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $SMALL
    [ "$status" = 8 ]
    [[ $output == *"$STORE/$file is no "* ]]
    # What a broker refuses, a plan of its start refuses in the same words; a look at the store names it.
    run -8 mq-storedump "$STORE" --plan
    [ "$file" = mq/log-paths ] || [[ $output == *"$STORE/$file is no "* ]]
    run mq-storedump "$STORE" --verify -q
    [ "$status" = 1 ]
    [[ $output == *"$STORE/$file:0: "* ]]
    rmdir "$STORE/$file"
  done
}

@test "the last messages are damaged, and the queues gone too: readers come to the end, new messages get numbers of their own" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq 100 | mq-send -t T -q
  stop broker
  local end
  end=$(mq-storedump "$STORE" checkpoint -J | jq .flushed)
  dd if=/dev/zero of="$STORE/commitlog/00000000000000000000" bs=1 seek=$((end - 300)) count=300 conv=notrunc status=none
  rm -r "$STORE/consumequeue"
  start_broker
  timeout 20 mq-consume -t T --from start -e -q > "$T/read"
  [ "$(wc -l < "$T/read")" -ge 95 ]
  [ "$(wc -l < "$T/read")" -lt 100 ]
  diff "$T/read" <(seq "$(wc -l < "$T/read")")
  [ "$(mq-admin topic stats T --columns max)" = 100 ]
  echo more | mq-send -t T -q
  [ "$(timeout 20 mq-consume -t T --from 100 -c 1 -q)" = more ]
  [ "$(timeout 20 mq-consume -t T --from start -e -q | tail -1)" = more ]
  # Once more, with the gap in the middle now.
  stop broker
  rm -r "$STORE/consumequeue"
  start_broker
  [ "$(timeout 20 mq-consume -t T --from start -e -q | tail -1)" = more ]
  stop broker
}

@test "RC-09 the end of the log was lost after a clean stop: readers of every queue come to the end at once" {
  start_cluster
  mq-admin topic create C --read-queues 2 --write-queues 2 > "$T/created"
  seq 300 | mq-send -t X -q
  seq 40 | mq-send -t C --batch 1 --window 1 -q
  stop broker
  # From the record of entry 15 of the first queue on.
  local position
  position=$((16#$(xxd -s $((15 * 20)) -l 8 -p "$STORE/consumequeue/C/0/00000000000000000000")))
  dd if=/dev/zero of="$STORE/commitlog/00000000000000000000" bs=1 seek="$position" count=8192 conv=notrunc status=none
  start_broker
  # A pull that nobody wakes is held for 15 s.
  timeout 8 mq-consume -t C --from start -e -q > "$T/read"
  local left
  left=$(wc -l < "$T/read")
  [ "$left" -ge 29 ]
  [ "$left" -lt 40 ]
  diff <(sort -n "$T/read") <(seq "$left")
}

@test "damage in an old file of the log that costs messages while lost queues are derived is told by plan and health, and a copy of the file brings them back" {
  SMALL="--mapped-file-size-commit-log 65536 --mapped-file-size-consume-queue 400 --max-hash-slot-num 100 --max-index-num 400 --warm-window 65536"
  local log=$STORE/commitlog/00000000000000000000 lost begin
  start_namesrv
  for lost in consumequeue mq/dispatched; do
    rm -rf "$STORE"
    start_broker
    mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
    seq -f '%0150g' 2600 | mq-send -t T -k key --window 1 -q
    stop broker
    cp "$log" "$T/copy"
    dd if=/dev/zero of="$log" bs=4096 seek=10 count=1 conv=notrunc status=none
    # Nobody reads it, and nobody lacks anything.
    mq-storedump "$STORE" --plan -q
    rm -r "${STORE:?}/$lost"
    run -1 mq-storedump "$STORE" --plan -q
    [[ $output == *"$log:"*": keep: "*" damaged bytes skipped: "* ]]
    begin=$(grep -oP "^$log:\K\d+(?=: keep: )" <<< "$output")
    start_broker
    until_true 20 eval '[ "$(mq-admin broker status --json | jq -r .dispatchBehindBytes)" = 0 ]'
    [ "$(bodies | wc -l)" -lt 2600 ]
    run -1 mq-admin health --strict
    [[ $output == ready$'\n'"warning: "*": damage in the commit log was skipped while queues were derived, its messages are in none: 1 stretch from position $begin on; with the daemons down, put the file that mq-storedump STORE --verify names back from a copy, then mq-storedump STORE --rebuild queue,index --in-place --yes brings them back" ]]
    # Another mq-reputd, which meets it again, does not count it twice.
    kill_helper reputd
    until_true 10 mq-admin health -q
    run -1 mq-admin health --strict
    [[ $output == *": 1 stretch from position $begin on; "* ]]
    stop broker
    run -1 mq-storedump "$STORE" --verify -q
    [[ $output == *"$log:"* ]]
    cp "$T/copy" "$log"
    mq-storedump "$STORE" --rebuild queue,index --in-place --yes -q
    start_broker
    diff <(bodies) <(seq -f '%0150g' 2600)
    mq-admin health --strict
    stop broker
  done
}

# Not expired: nobody is sent past its messages.
@test "a log file that goes missing under a running broker: its messages are waited for, health names it, and they arrive once it is back" {
  SMALL="--mapped-file-size-commit-log 65536 --mapped-file-size-consume-queue 400 --max-hash-slot-num 100 --max-index-num 400 --warm-window 65536"
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq -f '%0150g' 2000 | mq-send -t T --window 1 -q
  until_true 10 eval '[ "$(mq-admin broker status --json | jq -r .dispatchBehindBytes)" = 0 ]'
  stop broker; start_broker
  local file=$STORE/commitlog/00000000000000065536
  mq-consume -t T -g workers -c 100 -q > "$T/first"
  mv "$file" "$T/aside"
  mq-consume -t T -g workers -q > "$T/group" 2>"$T/notices" & PIDS+=($!)
  until_true 20 eval '! mq-admin health -q'
  run -1 mq-admin health
  [[ $output == *": consumers wait for messages of the commit log that cannot be read: "*"$file"* ]]
  # It is told what is in front of the file, and nothing behind it.
  [ "$(tail -n 1 "$T/group" | sed 's/^0*//')" -lt 500 ]
  mv "$T/aside" "$file"
  until_true 30 eval '[ "$(cat "$T/first" "$T/group" | wc -l)" -ge 2000 ]'
  diff <(cat "$T/first" "$T/group") <(seq -f '%0150g' 2000)
  until_true 10 mq-admin health -q
}

# Each in queue 0, whose records are all of one size: length 160, its body's at 84, its topic's at 92, its properties' at 94.
@test "records damaged under a running broker, which knows them from memory: their neighbours are served, they are told" {
  start_cluster
  mq-admin topic create T --read-queues 2 --write-queues 2 > "$T/created"
  seq -f '%04g' 3000 | mq-send -t T -q
  until_true 10 eval '[ "$(mq-admin broker status --json | jq -r .dispatchBehindBytes)" = 0 ]'
  mq-consume -t T --from start -e -q -f '%q %o %b%n' | sort > "$T/before"
  mq-storedump "$STORE" queue -J -q | jq -r 'select(.queueId == 0) | "\(.index) \(.phyOffset)"' > "$T/places"
  log=$STORE/commitlog/00000000000000000000
  hit() { put "$log" $(($(grep "^$1 " "$T/places" | cut -d' ' -f2) + $2)) "$3"; }
  hit 100 3 '\241'; hit 200 0 '\0\0\0\0'; hit 300 92 '\7'; hit 400 95 '\377'; hit 500 87 '\5'
  hit 600 20 '\0\0\0\0\0\7\0\0'; hit 700 4 '\0'; hit 800 28 '\1'
  # A whole stretch, with records of both queues.
  dd if=/dev/zero of="$log" bs=160 seek=$(($(grep '^900 ' "$T/places" | cut -d' ' -f2) / 160)) count=20 conv=notrunc status=none
  timeout 20 mq-consume -t T --from start -e -q -f '%q %o %b%n' | sort > "$T/after"
  [ "$(wc -l < "$T/after")" = 2972 ]
  [ -z "$(comm -13 "$T/before" "$T/after")" ]
  [ "$(comm -23 "$T/before" "$T/after" | grep -c '^0 [1-8]00 ')" = 8 ]
  # So do a group, and who begins near the end or at a time.
  [ "$(timeout 20 mq-consume -t T -g G -c 2972 -q | wc -l)" = 2972 ]
  [ "$(timeout 20 mq-consume -t T --last 2900 -q | wc -l)" = 2900 ]
  [ "$(timeout 20 mq-consume -t T --from -1h -e -q | wc -l)" = 2972 ]
  grep -q 'pull.damage.*topic=T queue=0 offset=100' "$T/broker.log"
  run -1 mq-admin health --strict
  [[ $output == *"messages were passed over, the log holds no whole record of them: 28, the first met at offset "* ]]
  not grep -q 'queue entries are damaged' <<< "$output"
}
