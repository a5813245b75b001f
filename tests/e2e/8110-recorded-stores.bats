# Stores that RocketMQ's broker left behind, run by ours: every message is served by offset, by key and by id, the store
# takes new ones, and what is there after a clean stop is what RocketMQ would accept.
load helper

# As the recorded stores' broker.conf has it.
RECORDED="--mapped-file-size-commit-log 1048576 --mapped-file-size-consume-queue 6000 --max-hash-slot-num 500 --max-index-num 2000"

# truth NAME: topic, queue, queue offset, offset id, of every message that entered a queue.
truth() {
  zcat "$MQ_ROOT/tests/golden/store/$1.records.jsonl.gz" |
    jq -r 'select(.kind == "msg") | select((.sysFlag / 4 | floor) % 4 | . == 0 or . == 2) | [.topic, .queueId, .queueOffset, .msgId] | @tsv' | sort
}

# some FILE: a hundred lines of it, evenly; all of them with ALL=1 (each costs a process or two).
some() {
  local every=$(($(wc -l < "$1") / 100 + 1))
  [ -z "${ALL:-}" ] || every=1
  awk -v every="$every" 'NR % every == 0' "$1"
}

run_recorded() {
  mkdir -p "$STORE"
  tar xzf "$MQ_ROOT/tests/golden/store/$1.tar.gz" --strip-components=1 -C "$STORE"
  start_namesrv
  start broker mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $RECORDED
  BROKER=$READY
  # RocketMQ does not list the topic of the marks of ended transactions, so nobody can consume it there either.
  truth "$1" > "$T/all"
  grep -v '^RMQ_SYS_TRANS_OP_HALF_TOPIC' "$T/all" > "$T/truth"
  cut -f1 "$T/truth" | sort -u > "$T/topics"

  # By offset: all queues of all topics, bodies as the producer gave them.
  local topic
  while IFS= read -r topic; do
    mq-consume --broker "$BROKER" -t "$topic" --from start -e -J -q |
      jq -r '[.topic, .queue, .offset, .offset_id] | @tsv'
  done < "$T/topics" | sort > "$T/served"
  diff "$T/truth" "$T/served"
  # Whole bodies, by checksum.
  mkdir "$T/bodies"
  while IFS= read -r topic; do mq-consume --broker "$BROKER" -t "$topic" --from start -e -q --dump "$T/bodies"; done < "$T/topics"
  (cd "$T/bodies" && find . -type f -exec sha256sum {} +) | cut -d' ' -f1 | sort > "$T/sums"
  zcat "$MQ_ROOT/tests/golden/store/$1.records.jsonl.gz" |
    jq -r 'select(.kind == "msg" and .topic != "RMQ_SYS_TRANS_OP_HALF_TOPIC") | select((.sysFlag / 4 | floor) % 4 | . == 0 or . == 2) | .decompressedSha256' | sort > "$T/sums.truth"
  cmp "$T/sums" "$T/sums.truth"

  # By id: each record names itself.
  some "$T/all" > "$T/some"
  cut -f4 "$T/some" | while IFS= read -r id; do
    mq-admin msg get "$id" --broker "$BROKER" --json --epoch-ms | jq -r '[.topic, .queue, .offset, .offset_id] | @tsv'
  done | sort | diff - "$T/some"
  # By the client's own id (UNIQ_KEY) and by key (KEYS). Retries and delays share them.
  zcat "$MQ_ROOT/tests/golden/store/$1.records.jsonl.gz" |
    jq -r 'select(.kind == "msg" and .properties.UNIQ_KEY != null and .sysFlag < 4) | [.topic, .properties.UNIQ_KEY] | @tsv' > "$T/ids"
  [ "$(wc -l < "$T/ids")" -gt 50 ]
  while IFS=$'\t' read -r topic id; do
    [ "$(mq-admin msg get "$id" -t "$topic" --broker "$BROKER" --json -q | jq -r .id | sort -u)" = "$id" ] || { echo "id $id of $topic"; return 1; }
  done < <(some "$T/ids")
  zcat "$MQ_ROOT/tests/golden/store/$1.records.jsonl.gz" |
    jq -r 'select(.kind == "msg" and .properties.KEYS != null and .sysFlag < 4) | .topic as $t | .msgId as $id | .properties.KEYS | split(" ")[] | select(. != "") | [$t, ., $id] | @tsv' > "$T/keys"
  [ "$(wc -l < "$T/keys")" -gt 5 ]
  while IFS=$'\t' read -r topic key id; do
    mq-admin msg find -t "$topic" --key "$key" --max 64 --broker "$BROKER" --json -q | jq -r .offset_id | grep -qx "$id" ||
      { echo "key $key of $topic does not find $id"; return 1; }
  done < <(some "$T/keys")

  # New ones behind the old ones.
  local before after
  before=$(grep -c '^TopicOne	' "$T/truth")
  seq 50 | mq-send -t TopicOne -k fresh -q
  [ "$(mq-consume -t TopicOne --from start -e -q -J | wc -l)" = $((before + 50)) ]
  [ "$(mq-consume -t TopicOne --last 1 -q)" = 50 ]
  [ "$(mq-admin msg find -t TopicOne --key fresh --json --max 64 -q | wc -l)" = 50 ]
  stop broker
  run mq-storedump "$STORE" all --verify --for rocketmq -q
  echo "$output" | head -20
  [ "$status" = 0 ]
  [ -z "$output" ]
}

@test "ST-16 RocketMQ's store after a clean stop: served whole, continued, left clean" { run_recorded store-clean; }
@test "RC-09 RocketMQ's store after kill -9, queues and index behind: served whole, continued, left clean" { run_recorded store-crashed; }
@test "a store with filter bit maps: served whole, continued, left clean" { run_recorded store-filter; }
