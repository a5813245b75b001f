bats_require_minimum_version 1.5.0
load helper

golden() { mkdir -p "$T/$1"; tar xzf "$MQ_ROOT/tests/golden/store/$1.tar.gz" --strip-components=1 -C "$T/$1"; S=$T/$1; }
truth() { zcat "$MQ_ROOT/tests/golden/store/$1.jsonl.gz" | jq -cS "${2:-.}"; }

@test "ST-02 records of a RocketMQ store are printed exactly" {
  for name in store-clean store-crashed store-filter; do
    golden $name
    mq-storedump "$S" commitlog --format record | jq -cS 'del(.body, .bodyBase64)' > "$T/ours"
    truth $name.records 'del(.bodySha256, .decompressedSha256)' > "$T/theirs"
    cmp "$T/ours" "$T/theirs"
    [ "$(mq-storedump "$S" commitlog -J | wc -l)" = "$(jq .messages "$MQ_ROOT/tests/golden/store/$name.expected.json")" ]
  done
  # The bodies too, by their checksums.
  mq-storedump "$S" commitlog -J | jq -r '.body_base64 // (.body | @base64)' | sort -u |
    while IFS= read -r body; do base64 -d <<< "$body" | sha256sum | cut -d' ' -f1; done | sort -u > "$T/ours"
  truth store-filter.records 'select(.kind == "msg") | .decompressedSha256' | jq -r . | sort -u > "$T/theirs"
  cmp "$T/ours" "$T/theirs"
}

@test "ST-12 queue entries of a RocketMQ store are printed exactly" {
  for name in store-clean store-crashed store-filter; do
    golden $name
    mq-storedump "$S" queue -J | jq -cS . | sort > "$T/ours"
    truth $name.consumequeue | sort > "$T/theirs"
    cmp "$T/ours" "$T/theirs"
  done
  golden store-clean
  [ "$(mq-storedump "$S" queue FillTopic 1 -J | jq -s 'map(select(.topic != "FillTopic" or .queueId != 1)) | length')" = 0 ]
}

@test "ST-13 headers, slots and entries of RocketMQ's index files are printed exactly" {
  for name in store-clean store-crashed store-filter; do
    golden $name
    mq-storedump "$S" index -J | jq -cS . > "$T/ours"
    truth $name.index > "$T/theirs"
    cmp "$T/ours" "$T/theirs"
  done
}

@test "ST-07 the checkpoint's three times" {
  for name in store-clean store-crashed store-filter; do
    golden $name
    [ "$(mq-storedump "$S" checkpoint -J | jq -cS .)" = "$(jq -cS .checkpoint "$MQ_ROOT/tests/golden/store/$name.expected.json")" ]
  done
}

@test "ST-03 configuration files become strict JSON" {
  golden store-clean
  mq-storedump "$S" config -J | jq -r .file > "$T/files"
  grep -qx topics.json "$T/files"
  [ "$(mq-storedump "$S" config -J | jq -r 'select(.file == "delayOffset.json") | .value.offsetTable["1"]')" = 4 ]
}

@test "RocketMQ's clean store verifies clean, its crashed one is described" {
  golden store-clean
  run mq-storedump "$S" --verify --for rocketmq -q
  echo "$output"
  [ "$status" = 0 ]
  [ -z "$output" ]
  golden store-filter
  mq-storedump "$S" all --verify --for rocketmq -q
  golden store-crashed
  run mq-storedump "$S" all --verify -q
  echo "$output" | head -20
  [ "$status" = 1 ]
  grep -q 'abort:0: warning: no clean stop' <<< "$output"
  grep -q 'warning: .* the log holds .* more from position .*(the next start adds them)' <<< "$output"
  [ "$(grep -c ': error: ' <<< "$output")" = 0 ]
}

@test "a key leads to its record through the index" {
  golden store-clean
  key=$(mq-storedump "$S" commitlog -J --topic TopicOne | jq -r .id | head -1)
  [ "$(mq-storedump "$S" index --key "$key" -J | jq -r '.found + " " + .topic' | head -1)" = "record TopicOne" ]
  run mq-storedump "$S" index --key no-such-key
  [ "$status" = 1 ]
}

@test "a live store is read, verified and followed; a clean stop leaves nothing RocketMQ would refuse" {
  start_cluster
  seq 20000 | mq-send -t Live -q
  mq-storedump "$STORE" positions -J | jq -e '.state == "serving" and .wrote > 0' > /dev/null
  mq-storedump "$STORE" --verify
  mq-storedump "$STORE" commitlog --follow --topic Live > "$T/followed" 2>"$T/follow.log" 3>&- &
  follower=$!; PIDS+=("$follower")
  seq 20001 120000 | mq-send -t Live -q
  until_true 30 eval '[ "$(wc -l < "$T/followed")" = 120000 ]'
  kill -INT "$follower"
  local ended=0
  wait "$follower" || ended=$?
  [ "$ended" = 130 ]
  seq 120000 | sort > "$T/a"; sort "$T/followed" > "$T/b"
  cmp "$T/a" "$T/b"
  stop broker
  run mq-storedump "$STORE" --verify --for rocketmq
  echo "$output" | head
  [ "$status" = 0 ]
}

@test "commitlog -M | mq-send -M --keep-topic restores a store into an empty broker" {
  start_cluster
  seq 500 | mq-send -t One -q
  mq-send -t Two -m 'ünïcode' -T tag -k key -p name=value -q
  stop broker
  mv "$STORE" "$T/old"
  start_broker
  mq-storedump "$T/old" commitlog -M | mq-send -M --keep-topic -q
  [ "$(mq-consume -t One --from start -e | sort -n | uniq | wc -l)" = 500 ]
  [ "$(mq-consume -t Two --from start -e -f '%T %k %{name} %b')" = "tag key value ünïcode" ]
}

@test "damaged copies are named: a flipped byte, a cut file, swapped files" {
  golden store-clean
  printf '?' | dd of="$S/commitlog/00000000000000000000" bs=1 seek=90 conv=notrunc status=none
  run mq-storedump "$S" --verify -q
  [ "$status" = 1 ]
  grep -q "commitlog/00000000000000000000:0: error: body does not match its checksum" <<< "$output"
  golden store-clean
  truncate -s 500000 "$S/commitlog/00000000000001048576"
  run mq-storedump "$S" --verify --json -q
  [ "$status" = 1 ]
  [ "$(grep -m1 'has 500000 bytes' <<< "$output" | jq -r .severity)" = error ]
  golden store-clean; rm -rf "$S"; golden store-clean
  q=$S/consumequeue/FillTopic
  mv "$q/0/00000000000000000000" "$T/x"; mv "$q/1/00000000000000000000" "$q/0/"; mv "$T/x" "$q/1/00000000000000000000"
  run mq-storedump "$S" --verify -q
  [ "$status" = 1 ]
  grep -q "consumequeue/FillTopic/0/00000000000000000000:0: error: entry 0 names position" <<< "$output"
}

@test "a torn tail is a notice when printing and a fault when verifying" {
  golden store-clean
  end=$(jq .commitLogEnd "$MQ_ROOT/tests/golden/store/store-clean.expected.json")
  printf 'torn' | dd of="$S/commitlog/00000000000002097152" bs=1 seek=$((end - 2097152)) conv=notrunc status=none
  run --separate-stderr mq-storedump "$S" commitlog -J
  [ "$status" = 0 ]
  [ "$(wc -l <<< "$output")" = 1576 ]
  grep -q "torn tail at position $end" <<< "$stderr"
  run mq-storedump "$S" --verify -q
  [ "$status" = 1 ]
  grep -q "error: torn tail" <<< "$output"
}

@test "a file that is cut while it is read ends the run with status 8 and the position reached" {
  golden store-clean
  mq-storedump "$S" commitlog --follow -J > "$T/out" 2>"$T/err" 3>&- &
  follower=$!; PIDS+=("$follower")
  until_true 30 eval '[ "$(wc -l < "$T/out")" = 1576 ]'
  truncate -s 1000 "$S/commitlog/00000000000002097152"
  local ended=0
  wait "$follower" || ended=$?
  [ "$ended" = 8 ]
  grep -q "was cut to 1000 bytes while it was read (position reached: 2541117)" "$T/err"
}

@test "summary, usage, hex and redacted output" {
  golden store-clean
  [ "$(mq-storedump "$S" --summary -J | jq -r 'select(.kind == "queue" and .topic == "FillTopic" and .queueId == 0) | "\(.records) \(.minOffset) \(.maxOffset)"')" = "700 0 699" ]
  [ "$(mq-storedump "$S" --usage -J | jq -r 'select(.folder == "commitlog") | "\(.files) \(.bytes)"')" = "3 3145728" ]
  mq-storedump "$S" --hex 179 | grep -q 'field=physicalOffset value=179 hex=00000000000000B3'
  mq-storedump "$S" commitlog --format record --redact --to 179 | jq -e '.body == "[16 bytes]"' > /dev/null
  [ "$(mq-storedump "$S" commitlog --from 1 --to 400 -J | wc -l)" = 2 ]
}

@test "options that mean nothing are refused, parts that are missing are named" {
  golden store-clean
  run mq-storedump "$S" queue --grep x
  [ "$status" = 2 ]
  run mq-storedump "$S" index -M
  [ "$status" = 2 ]
  run mq-storedump "$S"
  [ "$status" = 2 ]
  run mq-storedump "$T/nowhere" all
  [ "$status" = 8 ]
  run mq-storedump "$S" positions
  [ "$status" = 6 ]
  run mq-storedump "$S" queue NoSuchTopic
  [ "$status" = 1 ]
}
