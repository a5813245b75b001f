bats_require_minimum_version 1.5.0
load helper

# A broker that stored $1 messages and was killed together with its helpers.
killed_store() {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 -q
  seq "$1" | mq-send -t T -q
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  wait "$PID_broker" 2>/dev/null || true
}

@test "a plan says what the next start cuts, and changes nothing" {
  killed_store 3000
  mq-storedump "$STORE" --plan -q > "$T/plan" || { cat "$T/plan"; false; }
  not grep -E ': (cut|keep): .*commitlog' "$T/plan"
  # A torn last record, eight bytes of a body are gone; and a checkpoint as mq-flushd begins it, before the first flush.
  head -c 4096 /dev/zero > "$STORE/checkpoint"
  printf '\377\377\377\377\377\377\377\377' | dd of="$STORE/checkpoint" bs=1 seek=72 conv=notrunc status=none
  local end; end=$(mq-storedump "$STORE" commitlog --format record | tail -n 1 | jq -r .physicalOffset)
  local file; file=$(printf '%s/commitlog/%020d' "$STORE" $((end / 4194304 * 4194304)))
  dd if=/dev/zero of="$file" bs=1 count=8 seek=$((end % 4194304 + 88)) conv=notrunc 2>/dev/null
  find "$STORE" -type f -exec sha256sum {} + | sort > "$T/before"
  run -1 mq-storedump "$STORE" --plan -J -q
  echo "$output"
  [ "$(jq -r 'select(.action == "cut" and (.file | contains("commitlog"))) | .offset' <<< "$output")" = $((end % 4194304)) ]
  find "$STORE" -type f -exec sha256sum {} + | sort | cmp - "$T/before"
  start_broker
  grep -q "bytes behind the last whole record were dropped" "$T/broker.log"
  [ "$(mq-consume -t T --from start -e | wc -l)" = 2999 ]
}

@test "a plan is refused while a broker runs, and names what stops a start" {
  start_cluster
  run -8 --separate-stderr mq-storedump "$STORE" --plan
  [[ "$stderr" == *"a broker runs on"*"pid $PID_broker"* ]]
  [ -z "$output" ]
  mkdir -p "$T/other/commitlog"
  truncate -s 65536 "$T/other/commitlog/00000000000000000000" "$T/other/commitlog/00000000000000131072"
  run -8 --separate-stderr mq-storedump "$T/other" --plan
  [[ "$stderr" == *"do not follow one another"* ]]
  stop broker
  echo '{"x' > "$STORE/config/topics.json"; rm -f "$STORE/config/topics.json.bak"
  run -8 mq-storedump "$STORE" --plan
  [[ $output == *"topics.json:0: refuse: "*"topics.json.bak is missing"* ]]
  run -8 mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $SMALL
}

@test "two stores that differ in one record are told apart, and copies are not" {
  start_cluster
  seq 500 | mq-send -t T -q
  stop broker
  cp -a "$STORE" "$T/copy"
  mq-storedump "$STORE" --diff "$T/copy" > "$T/diff"
  cat "$T/diff"
  [ "$(grep -c 'differ=0 only1=0 only2=0' "$T/diff")" = 4 ]
  printf X | dd of="$T/copy/commitlog/00000000000000000000" bs=1 seek=88 conv=notrunc 2>/dev/null
  run -1 mq-storedump "$STORE" commitlog --diff "$T/copy" -J
  [ "$(jq -r '.differ, .equal' <<< "$output" | paste -sd' ')" = "1 499" ]
  [[ "$(jq -r .first <<< "$output")" == "record at position 0 "* ]]
  run -2 mq-storedump "$STORE" --diff "$T/copy" --verify
  run -2 mq-storedump "$STORE" checkpoint --diff "$T/copy"
  run -8 mq-storedump "$STORE" --diff "$T/nowhere"
}

@test "queues and index are built anew beside a store and in its place" {
  start_cluster --max-hash-slot-num 500 --max-index-num 2000
  seq 5000 | mq-send -t T -k all -q
  mq-admin topic create Gone -q
  seq 10 | mq-send -t Gone -q
  mq-admin topic delete Gone --yes -q
  stop broker
  run -2 mq-storedump "$STORE" --rebuild queue
  run -2 mq-storedump "$STORE" --rebuild queue --in-place
  run -2 mq-storedump "$STORE" --rebuild sand --out "$T/new"
  mq-storedump "$STORE" --rebuild queue,index --out "$T/new" --index-slots 500
  diff -r "$STORE/consumequeue" "$T/new/consumequeue"
  cp -a "$STORE" "$T/copy"
  rm -r "$T/copy/consumequeue" "$T/copy/index"
  mq-storedump "$T/copy" --rebuild queue,index --in-place --yes --queue-bytes 6000 --index-slots 500 --index-entries 2000
  mq-storedump "$STORE" --diff "$T/copy" --index-slots 500
  mq-storedump "$T/copy" --verify --index-slots 500 -q
  STORE=$T/copy start_broker --max-hash-slot-num 500 --max-index-num 2000
  not grep -q "derived again" "$T/broker.log"
  [ "$(mq-consume -t T --from start -e | wc -l)" = 5000 ]
  run -8 --separate-stderr mq-storedump "$T/copy" --rebuild queue --in-place --yes
  [[ "$stderr" == *"a broker runs on"* ]]
}
