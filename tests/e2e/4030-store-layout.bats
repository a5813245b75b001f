# What lies on the disk, with the means of the shell: a RocketMQ store, byte for byte.
load helper

hex() { od -An -v -tx1 -j "$2" -N "$3" "$1" | tr -d ' \n'; }
# Sizes of all files with that kind of path, each once.
sizes() { find "$STORE/$1" -type f -exec stat -c %s {} + | sort -u | tr '\n' ' '; }

@test "ST-01 ST-18 a sent message is a record with RocketMQ's magic at the position its id names" {
  start_cluster
  id=$(mq-send -t T -m hello --report /dev/stdout -q | cut -f3)
  offset_id=$(mq-consume -t T --from start -e -J | jq -r .offset_id)
  at=$((16#${offset_id:16}))
  log=$STORE/commitlog/00000000000000000000
  [ "$(hex "$log" $((at + 4)) 4)" = daa320a7 ]
  # Its size word leads to the end of the log.
  end=$(mq-storedump "$STORE" positions -J | jq .wrote)
  [ $((at + 16#$(hex "$log" "$at" 4))) = "$end" ]
  [ "$(mq-consume -t T --from start -e -J | jq -r .id)" = "$id" ]
}

@test "ST-02 ST-03 ST-04 ST-05 ST-14 the five kinds of files are where RocketMQ has them" {
  start_cluster --max-hash-slot-num 500 --max-index-num 2000
  mq-send -t T -k key -m hello --queue 0 -q
  until_true 10 test -e "$STORE/consumequeue/T/0/00000000000000000000"
  [ -e "$STORE/commitlog/00000000000000000000" ]
  [ -e "$STORE/abort" ]
  until_true 10 eval 'ls "$STORE/index" | grep -qE "^[0-9]{17}$"'
  jq -e '.topicConfigTable.T.writeQueueNums == 4' "$STORE/config/topics.json" > /dev/null
  stop broker
  [ "$(stat -c %s "$STORE/checkpoint")" = 4096 ]
  # Three times, of which the first two are those of the message.
  [ $((16#$(hex "$STORE/checkpoint" 0 8))) = "$(mq-storedump "$STORE" commitlog -J --epoch-ms | jq .stored)" ]
}

@test "ST-08 ST-09 files of a kind have one size, and the name of each is the position of its first byte" {
  start_cluster --max-hash-slot-num 500 --max-index-num 2000
  seq 60000 | mq-send -t T -q
  seq 3000 | awk '{printf "{\"body\":\"x\",\"keys\":[\"k%s\"]}\n", $1}' | mq-send -t T -J -q
  stop broker
  [ "$(sizes commitlog)" = "4194304 " ]
  [ "$(sizes consumequeue)" = "6000 " ]
  [ "$(sizes index)" = "42040 " ]
  local i=0 name
  for name in "$STORE"/commitlog/*; do
    [ "$(basename "$name")" = "$(printf %020d $((i * 4194304)))" ]
    i=$((i + 1))
  done
  [ $i -gt 2 ]
  ls "$STORE/consumequeue/T/0" | sed -n 2p | grep -qx 00000000000000006000
  # Each file but the last is full: a blank, of RocketMQ's magic, ends it.
  mq-storedump "$STORE" commitlog --format record | jq -r 'select(.kind == "blank") | .magic' | sort -u | grep -qx -- -875286124
}

@test "ST-10 ST-11 sizes are RocketMQ's unless set otherwise: 1 GiB of log, 6000000 bytes of queue" {
  start_namesrv
  start broker mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a --warm-window 1M
  mq-send -t T --queue 0 -m hello -q
  until_true 10 test -e "$STORE/consumequeue/T/0/00000000000000000000"
  [ "$(stat -c %s "$STORE/commitlog/00000000000000000000")" = 1073741824 ]
  [ "$(stat -c %s "$STORE/consumequeue/T/0/00000000000000000000")" = 6000000 ]
}

@test "ST-12 ST-36 a queue entry is position, size and the hash of the tag" {
  start_cluster
  mq-send -t T --queue 0 -T TagA -m hello -q
  mq-send -t T --queue 0 -T TagA -m again -q
  queue=$STORE/consumequeue/T/0/00000000000000000000
  until_true 10 eval '[ -e "$queue" ] && [ "$(hex "$queue" 20 8)" != 0000000000000000 ]'
  first=$((16#$(hex "$queue" 0 8))); size=$((16#$(hex "$queue" 8 4)))
  [ $((16#$(hex "$queue" 20 8))) = $((first + size)) ]
  # Java's hash of "TagA", in 64 bits.
  [ "$(hex "$queue" 12 8)" = 000000000027a807 ]
  [ "$(mq-storedump "$STORE" queue T 0 -J | jq -s length)" = 2 ]
}

@test "ST-28 ST-29 what was written becomes durable, and readers see no byte beyond what was written" {
  start_cluster
  seq 1000 | mq-send -t T -q
  wrote=$(mq-storedump "$STORE" positions -J | jq .wrote)
  until_true 20 eval '[ "$(mq-storedump "$STORE" positions -J | jq .flushed)" = "$wrote" ]'
  [ "$(mq-consume -t T --from start -e -J | jq -r .offset_id | sort | tail -1 | cut -c17-)" '<' "$(printf %016X "$wrote")" ]
  [ "$(mq-storedump "$STORE" commitlog -J | wc -l)" = 1000 ]
}

@test "ST-33 a new message is in its queue's file almost at once" {
  start_cluster
  queue=$STORE/consumequeue/T/0/00000000000000000000
  for i in 0 1 2; do
    mq-send -t T --queue 0 -m "$i" -q
    until_true 5 eval '[ "$(mq-storedump "$STORE" queue T 0 -J | wc -l)" = $((i + 1)) ]'
  done
}

@test "ST-15 a hundred topics share one growing log" {
  start_cluster
  for i in $(seq 100); do echo "{\"topic\":\"Topic$i\",\"body\":\"m\"}"; done | mq-send -J --keep-topic -q
  [ "$(mq-storedump "$STORE" commitlog -J | jq -r .topic | sort -u | wc -l)" = 100 ]
  [ "$(mq-storedump "$STORE" positions -J | jq .wrote)" -lt 4194304 ]
}

@test "ST-20 ST-24 the log is mapped by the broker that writes it" {
  start_cluster
  mq-send -t T -m hello -q
  grep -q "$STORE/commitlog/00000000000000000000" "/proc/$PID_broker/maps"
}

@test "ST-23 the broker knows the ends of its log and the store time of a queue's messages" {
  start_cluster
  for i in 1 2 3; do mq-send -t T --queue 0 -m "$i" -q; done
  stored=$(mq-consume -t T --queue 0 --from 1 -c 1 -J --epoch-ms -q | jq .stored)
  first=$(mq-consume -t T --queue 0 --from "@$stored" -e -q | head -1)
  [ "$first" = 2 ] || [ "$first" = 1 ]  # 1 when both came within a millisecond
  [ "$(mq-admin broker status --json | jq -r '.commitLogMinOffset // .info.commitLogMinOffset')" = 0 ]
  [ "$(mq-admin broker status --json | jq -r '.commitLogMaxOffset // .info.commitLogMaxOffset')" = "$(mq-storedump "$STORE" positions -J | jq .wrote)" ]
}

@test "thousands of tiny queue files hold up neither the dispatch nor the stop" {
  start_namesrv
  start broker mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a \
    --mapped-file-size-commit-log 65536 --mapped-file-size-consume-queue 400
  BROKER=$READY
  seq 15000 | mq-send -t T -q
  until_true 30 eval '[ "$(find "$STORE/consumequeue" -type f | wc -l)" -ge 700 ]'
  # The broker drains for ten seconds at most; what is not durable by then makes the stop incomplete.
  stop broker
  [ ! -e "$STORE/abort" ]
  start broker mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a \
    --mapped-file-size-commit-log 65536 --mapped-file-size-consume-queue 400
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 15000 ]
  mq-storedump "$STORE" --verify -q
}
