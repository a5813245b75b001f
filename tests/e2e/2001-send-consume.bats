load helper

@test "ENV-26 ENV-27 a million lines in, the same million lines out, right after the send" {
  start_namesrv
  start broker mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --mapped-file-size-commit-log 64M
  seq 1000000 | mq-send -t T -q
  [ "$(mq-consume -t T --from start -e | sort -n | uniq | wc -l)" = 1000000 ]
}

@test "PR-18 DX-18 a send to a new topic makes it with four queues" {
  start_cluster
  echo x | mq-send -t Fresh
  until_true 3 bash -c 'mq-admin topic route Fresh >/dev/null 2>&1'
  mq-admin topic route Fresh --json | jq -e '.queueDatas[0].readQueueNums == 4 and .queueDatas[0].writeQueueNums == 4'
}

@test "PR-18 without auto-creation an unknown topic is refused for good (status 4) and nothing appears" {
  start_cluster --auto-create-topic-enable=false
  run mq-send -t Unknown -m x --timeout 3s
  [ "$status" = 4 ]
  [[ $output == *"topic create"* ]]
  [ ! -e "$STORE/consumequeue/Unknown" ]
  not grep -q Unknown "$STORE/config/topics.json"
}

@test "topics keep their messages apart, and order within a queue is kept" {
  start_cluster
  mq-admin topic create One --read-queues 1 --write-queues 1
  seq 5000 | mq-send -t One --window 1
  seq 5001 6000 | mq-send -t Other
  [ "$(mq-consume -t One --from start -e | sha256sum)" = "$(seq 5000 | sha256sum)" ]
}

@test "the exact bytes of a body come back: empty, NUL, newline, 1 MiB" {
  start_cluster
  printf 'a\0b\nc' > "$T/odd"; : > "$T/empty"; head -c 1048576 /dev/urandom > "$T/big"
  for f in odd empty big; do
    mq-send -t "T$f" --format whole "$T/$f" -q
    mq-consume -t "T$f" --from start -e --format whole > "$T/$f.out"
    cmp "$T/$f" "$T/$f.out"
  done
}

@test "a body above the limit is refused by number, and the rest goes on only with --keep-going" {
  start_cluster --max-message-size 1000
  { echo one; head -c 2000 /dev/zero | tr '\0' x; echo; echo three; } > "$T/in"
  run mq-send -t T --keep-going "$T/in"
  [ "$status" = 3 ]
  [[ $output == *2* ]]
  [ "$(mq-consume -t T --from start -e | sort | tr '\n' ' ')" = "one three " ]
}

@test "FI-01 FI-03 tags filter by hash at the broker and by text at the consumer" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1
  mq-send -t T -T Aa -m first; mq-send -t T -T BB -m second; mq-send -t T -T Aa -m third; mq-send -t T -m none
  [ "$(mq-consume -t T -T Aa --from start -e | tr '\n' ' ')" = "first third " ]
  [ "$(mq-consume -t T -T 'BB || C' --from start -e)" = second ]
  [ "$(mq-consume -t T --from start -e | wc -l)" = 4 ]
}

@test "PL-08 a waiting consumer gets a message at once, and a filtered one keeps waiting" {
  start_cluster
  mq-send -t T -m before
  mq-consume -t T -T Yes --from end -c 1 > "$T/out" 3>&- &
  local consumer=$!
  until_true 5 bash -c "mq-admin broker status --json --broker $BROKER 2>/dev/null | grep -qE 'heldPulls\"[: ]+\"?[1-9]'"
  mq-send -t T -T No -m other
  mq-send -t T -T Yes -m wanted
  wait $consumer
  [ "$(cat "$T/out")" = wanted ]
}

@test "several topics in one consumer, and an end that was fixed at the start" {
  start_cluster
  seq 10 | mq-send -t A; seq 11 20 | mq-send -t B
  [ "$(mq-consume -t A -t B --from start -e | sort -n | tr '\n' ' ')" = "$(seq 20 | tr '\n' ' ')" ]
}

@test "a consumer of a missing topic leaves with 4 and a hint, in under two seconds" {
  start_cluster
  echo x | mq-send -t Orders
  local begin=$SECONDS
  run mq-consume -t Ordes -e
  [ "$status" = 4 ]
  [[ $output == *Orders* ]]
  [ $((SECONDS - begin)) -le 2 ]
}

@test "local tools reach the broker through its Unix socket, whatever the length of the path" {
  STORE=$T/$(printf 'd%.0s' {1..100})/$(printf 'e%.0s' {1..100})
  start_cluster
  seq 100 | mq-send --broker "unix:$STORE/mq/broker.sock" -t T
  [ "$(mq-consume --broker "unix:$STORE/mq/broker.sock" -t T --from start -e | wc -l)" = 100 ]
}
