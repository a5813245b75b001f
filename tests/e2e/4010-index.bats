bats_require_minimum_version 1.5.0
load helper

# Small index files, so that they roll.
INDEX="--max-hash-slot-num 500 --max-index-num 2000"

kill_all() { kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd); }
# The numbers given are keys k1, k2 ... of topic T: each finds exactly the one message of that body.
each_found_once() {
  local i
  for i in "$@"; do
    [ "$(mq-admin msg find -t T --key "k$i" --format lines)" = "$i" ] || { echo "key k$i"; return 1; }
  done
}
# A sample of the keys that were acknowledged.
acked_sample() { awk -F'\t' '$2 == "stored" {print $1}' "$T/report" | awk -v n="$1" '{a[NR]=$1} END {for (i = 1; i <= NR; i += (NR < n ? 1 : NR / n)) print a[int(i)]; print a[NR]}' | sort -nu; }
keyed() { seq "$1" "$2" | awk '{printf "{\"body\":\"%s\",\"keys\":[\"k%s\",\"all\"]}\n", $1, $1}'; }
send_in_background() {
  keyed 1 60000 | mq-send -t T -J --report "$T/report" --retries 20 --timeout 20s -q 2> "$T/send.log" 3>&- &
  SENDER=$!
  until_true 20 test -s "$T/report"
}

@test "FI-08 ST-37 a key is found right after the send; FI-07 within a range of time" {
  start_cluster $INDEX
  for i in 1 2 3 4 5 6 7 8 9 10; do
    mq-send -t T -k "k$i" -m "$i" -q
    [ "$(mq-admin msg find -t T --key "k$i" --format lines)" = "$i" ]
  done
  run mq-admin msg find -t T --key k1 --end 2020-01-01T00:00:00Z
  [ "$status" = 1 ]
  [[ $output == *"stored from 1970-01-01T00:00:00.000Z to 2020-01-01T00:00:00.000Z"* ]]
  [ "$(mq-admin msg find -t T --key k1 --begin -1h --format lines -q)" = 1 ]
}

@test "equal hashes and several keys: exact matches only" {
  start_cluster $INDEX
  mq-send -t T -k Aa -k k2 -m one -q
  mq-send -t T -k BB -m two -q
  [ "$(mq-admin msg find -t T --key Aa --format lines)" = one ]
  [ "$(mq-admin msg find -t T --key BB --format lines)" = two ]
  [ "$(mq-admin msg find -t T --key k2 --format lines)" = one ]
  run mq-admin msg find -t T --key A
  [ "$status" = 1 ]
  mq-send -t T -k '订单-😀' -m three -q
  [ "$(mq-admin msg find -t T --key '订单-😀' --json | jq -r .body)" = three ]
}

@test "both kinds of message id; what is malformed, absent or in the middle of a record is told apart" {
  start_cluster $INDEX
  mq-send -t T -k a -p x=y -m hello -q
  line=$(mq-admin msg find -t T --key a --json)
  id=$(jq -r .id <<< "$line"); offset_id=$(jq -r .offset_id <<< "$line")
  [ "$(mq-admin msg get "$offset_id" --format lines)" = hello ]
  [ "$(mq-admin msg get "${offset_id,,}" --format lines)" = hello ]
  [ "$(mq-admin msg get "$id" -t T --format lines)" = hello ]
  [ "$(mq-admin msg get "${id,,}" -t T --json | jq -r .properties.x)" = y ]
  mq-admin msg get "$offset_id" | grep -q '^property    x=y$'
  run mq-admin msg get "$id"
  [ "$status" = 2 ]; [[ $output == *--topic* ]]
  run mq-admin msg get "${offset_id:1}"
  [ "$status" = 2 ]
  run mq-admin msg get "${offset_id:0:31}Z"
  [ "$status" = 2 ]
  run mq-admin msg get "${offset_id:0:30}07"
  [ "$status" = 1 ]; [[ $output == *"no record starts"* ]]
  run mq-admin msg get "${offset_id:0:24}70000000"
  [ "$status" = 1 ]
  run mq-admin msg get "${id:0:30}FF" -t T
  [ "$status" = 1 ]
}

@test "an id that names a stranger's address is refused" {
  start_cluster $INDEX
  run mq-admin msg get C0000201000000190000000000000000
  [ "$status" = 2 ]; [[ $output == *"192.0.2.1:25"* ]]
  # Nobody listens at port 1 of this machine.
  run mq-admin msg get 7F000001000000010000000000000000 --any-address --timeout 1s
  [ "$status" = 6 ]
}

@test "kill -9 of mq-reputd in the middle of a send: every acknowledged key is found exactly once" {
  start_cluster $INDEX
  send_in_background
  for i in 1 2 3; do kill_helper reputd; done
  wait $SENDER
  each_found_once $(acked_sample 60)
}

@test "RC-05 kill -9 of all, then every acknowledged key is found exactly once" {
  start_cluster $INDEX
  LISTEN=$BROKER
  send_in_background
  kill_all
  start_broker $INDEX
  wait $SENDER || true
  # A send that was tried again may be stored twice: the ones acknowledged before the kill were not.
  for i in $(acked_sample 60); do mq-admin msg find -t T --key "k$i" --format lines | sort -u > "$T/found"; [ "$(cat "$T/found")" = "$i" ]; done
}

@test "ST-16 an index that is lost comes back; the first key of the last file is found after kill -9" {
  start_cluster $INDEX
  keyed 1 3000 | mq-send -t T -J -q
  until_true 5 mq-admin msg find -t T --key k3000 -q
  last=$(ls "$STORE/index" | tail -1)
  [ "$(ls "$STORE/index" | wc -l)" -ge 4 ]
  kill_all
  start_broker $INDEX
  each_found_once 1 1500 2990 3000
  stop broker
  [ -e "$STORE/index/$last" ] || ls "$STORE/index"
  sizes=$(cat "$STORE"/index/* | sha256sum)
  rm -r "$STORE/index"
  start_broker $INDEX
  each_found_once 1 2 1500 3000
  stop broker
  [ "$(cat "$STORE"/index/* | sha256sum)" = "$sizes" ]
  [ "$(stat -c %s "$STORE"/index/* | sort -u)" = 42040 ]
  printf 'mappedFileSizeCommitLog=4194304\nmappedFileSizeConsumeQueue=6000\nmaxHashSlotNum=500\nmaxIndexNum=2000\n' > "$T/broker.conf"
  mq-reputd --store "$STORE" --once --rebuild -c "$T/broker.conf"
  [ "$(cat "$STORE"/index/* | sha256sum)" = "$sizes" ]
}

@test "the index of another log is set aside with a line in the log" {
  start_cluster $INDEX
  keyed 1 100 | mq-send -t T -J -q
  mq-admin msg find -t T --key k100 -q > /dev/null
  stop broker
  rm -r "$STORE/commitlog" "$STORE/consumequeue"
  start_broker $INDEX
  mq-send -t T -k new -m fresh -q
  [ "$(mq-admin msg find -t T --key new --format lines)" = fresh ]
  grep -q 'belong to another commit log' "$T/broker.log"
  [ -n "$(ls "$STORE/mq/index-set-aside")" ]
}

@test "ST-17 messageIndexEnable=false: sending and consuming work, a query finds nothing; switched on, all is found" {
  start_cluster $INDEX --message-index-enable false
  keyed 1 100 | mq-send -t T -J -q
  [ "$(mq-consume -t T --from start -e | wc -l)" = 100 ]
  run --separate-stderr mq-admin msg find -t T --key k1
  [ "$status" = 4 ]; [ -z "$output" ]; [[ $stderr == *"messageIndexEnable is false"* ]]
  [ -z "$(ls "$STORE/index")" ]
  stop broker
  start_broker $INDEX
  each_found_once 1 50 100
}

@test "ST-13 an index file of the default size has 420000040 bytes" {
  start_cluster
  mq-send -t T -k a -m x -q
  [ "$(mq-admin msg find -t T --key a --format lines)" = x ]
  [ "$(stat -c %s "$STORE"/index/*)" = 420000040 ]
  [ "$(du -k "$STORE/index" | cut -f1)" -lt 40000 ]
}

@test "a deleted topic's messages are not found any more" {
  start_cluster $INDEX
  mq-send -t T -k a -m old -q
  [ "$(mq-admin msg find -t T --key a --format lines)" = old ]
  mq-admin topic delete T --yes
  mq-send -t T -k a -m new -q
  [ "$(mq-admin msg find -t T --key a --format lines)" = new ]
}

@test "a key that is not indexed yet is not called missing: status 6 and how much is left" {
  start_cluster $INDEX
  mq-send -t T -k before -m 1 -q
  [ "$(mq-admin msg find -t T --key before --format lines)" = 1 ]
  kill -STOP "$(helper_pid reputd)"
  mq-send -t T -k behind -m 2 -q
  run mq-admin msg find -t T --key behind
  [ "$status" = 6 ]; [[ $output == *"the index is being built"* ]]
  # What is indexed is found all the same.
  [ "$(mq-admin msg find -t T --key before --format lines)" = 1 ]
  kill -CONT "$(helper_pid reputd)"
  [ "$(mq-admin msg find -t T --key behind --format lines)" = 2 ]
}

@test "index files that were damaged while nobody ran: named in the log and by health, and every key is found" {
  start_cluster $INDEX
  keyed 1 3000 | mq-send -t T -J -q
  until_true 5 mq-admin msg find -t T --key k3000 -q
  stop broker
  files=("$STORE"/index/*)
  sum=$(cat "${files[@]}" | sha256sum)
  head -c 3000 /dev/zero | dd of="${files[0]}" bs=1 seek=1000 conv=notrunc status=none
  head -c 3000 /dev/urandom | dd of="${files[1]}" bs=1 seek=6000 conv=notrunc status=none
  start_broker $INDEX
  each_found_once $(seq 1 97 3000) 3000
  for file in "${files[@]:0:2}"; do grep -q "file=${file##*/} .*an index file is damaged" "$T/broker.log"; done
  run mq-admin health
  [ "$status" = 0 ]; [[ $output == *"warning: "*"the key index was damaged: 2 files"*"made anew from the log"* ]]
  run mq-admin health -q --strict
  [ "$status" = 1 ]
  stop broker
  [ "$(cat "$STORE"/index/* | sha256sum)" = "$sum" ]
  run mq-storedump "$STORE" --verify -q
  [ "$status" = 0 ]
}

@test "an index that cannot be written is told by health as long as that lasts" {
  mkdir -p "$STORE" "$T/elsewhere"
  ln -s "$T/elsewhere" "$STORE/index"
  start_cluster $INDEX
  rmdir "$T/elsewhere"
  mq-send -t T -k one -m 1 -q
  health_says() { mq-admin health > "$T/health" 2>&1 && grep -q "$1" "$T/health"; }
  until_true 10 health_says 'warning: .*the key index cannot be written: records from position 0 on are not found by key yet'
  mkdir "$T/elsewhere"
  until_true 10 mq-admin msg find -t T --key one -q
  run mq-admin health
  [ "$status" = 0 ]
  [[ $output != *"cannot be written"* ]]
}
