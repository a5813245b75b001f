# What mq-storedump says of damaged, half-lost and foreign-user stores, and its exit statuses for them.
bats_require_minimum_version 1.5.0
load helper

golden() { rm -rf "$T/s"; mkdir -p "$T/s"; tar xzf "$MQ_ROOT/tests/golden/store/$1.tar.gz" --strip-components=1 -C "$T/s"; S=$T/s; }
put() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
# faults [OPTION...]: --verify must find something; what it says is in $output.
faults() { run mq-storedump "$S" --verify -q "$@"; echo "$output"; [ "$status" = 1 ]; }
says() { grep -qE -- "$1" <<< "$output"; }

@test "a blank that lies hides nothing: notice, status 3, every other message" {
  golden store-clean
  put "$S/commitlog/00000000000000000000" 179 '\0\0\0\010\313\3241\224'
  run --separate-stderr mq-storedump "$S" commitlog -J
  [ "$status" = 3 ]
  [ "$(wc -l <<< "$output")" = 1575 ]
  grep -q 'at position 179 are damaged and left out: a blank that names another size' <<< "$stderr"
  run --separate-stderr mq-storedump "$S" --summary
  [ "$status" = 3 ]
  grep -q 'at position 179 are damaged' <<< "$stderr"
  faults
  says 'commitlog/00000000000000000000:179: error: a blank that names another size'
  # One of the right size over a record is no better.
  golden store-clean
  put "$S/commitlog/00000000000000000000" 179 '\0\017\377\115\313\3241\224'
  run --separate-stderr mq-storedump "$S" commitlog -J
  [ "$status" = 3 ]
  [ "$(wc -l <<< "$output")" = 1575 ]
}

@test "a broker keeps, skips and reports a blank that lies and a damaged body; every other message is served" {
  mkdir -p "$STORE"
  tar xzf "$MQ_ROOT/tests/golden/store/store-clean.tar.gz" --strip-components=1 -C "$STORE"
  rm -r "$STORE/consumequeue" "$STORE/index"
  put "$STORE/commitlog/00000000000000000000" 179 '\0\0\0\010\313\3241\224'
  put "$STORE/commitlog/00000000000000000000" 90 '?'
  start_namesrv
  start broker mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a \
    --mapped-file-size-commit-log 1048576 --mapped-file-size-consume-queue 6000 --max-hash-slot-num 500 --max-index-num 2000
  grep -q 'offset=179 to=358 .*damage below the last durable flush: kept and skipped' "$T/broker.log"
  grep -q 'store.recover.*end=2541117 records=1575 dropped_bytes=0' "$T/broker.log"
  grep -q 'offset=0 to=179 .*has a damaged body: kept, and served as it is' "$T/broker.log"
  [ "$(mq-consume -t FillTopic --from start -e -q -J | wc -l)" = 1400 ]
  run mq-admin health --broker "$READY"
  [[ $output == *"are skipped; bodies of messages that do not match their checksums are served as found: 1, the first one at position 0"* ]]
  mq-consume -t TopicOne --from start -e -J > "$T/out" 2> "$T/err"
  [ "$(grep -c 'queue . offset 0: the body does not match its checksum; handed over as it is' "$T/err")" = 1 ]
}

@test "a message is printed whatever time it claims; --time bounds only what it names" {
  golden store-clean
  put "$S/commitlog/00000000000000000000" 56 '\177\377\377\377\377\377\377\377'
  [ "$(mq-storedump "$S" commitlog -J | wc -l)" = 1576 ]
  [ "$(mq-storedump "$S" commitlog -J --time 2000-01-01T00:00:00Z.. | wc -l)" = 1576 ]
  [ "$(mq-storedump "$S" commitlog -J --time ..2100-01-01T00:00:00Z | wc -l)" = 1575 ]
  faults
  says 'warning: store time 9223372036854775807 lies in the future \[times\]'
}

@test "lost index files, topics and consumer offsets that cannot be are named" {
  golden store-clean
  rm -r "$S/index"
  faults
  says 'index:0: warning: there is no index, which the checkpoint says was durable'
  golden store-clean
  rm "$S/index/20261129190141757"
  faults
  [ "$(wc -l <<< "$output")" = 1 ]
  says 'warning: the index begins at position 1630024 while the log begins at 0; the keys of [0-9]+ records'
  golden store-clean
  rm "$S"/config/topics.json*
  faults
  says 'config/topics.json:0: warning: no configuration knows the topics of these messages: .*FillTopic,.* and 4 more'
  golden store-clean
  echo '{"offsetTable":{"TopicOne@g":{0:-1},"Nowhere@g":{0:7},"odd":{0:1}}}' > "$S/config/consumerOffset.json"
  faults
  says 'group g has offset -1 in TopicOne/0'
  says 'topic Nowhere, which there is not'
  says "'odd' is no topic@group"
}

@test "times of index files are compared with their records" {
  golden store-clean
  put "$S/index/20261129190141757" 7 '\1'
  faults
  says 'index/20261129190141757:0: error: begin time is'
  golden store-clean
  put "$S/index/20261129190141757" 15 '\1'
  faults
  says 'index/20261129190141757:8: error: end time is'
  golden store-clean
  put "$S/index/20261129190141757" $((40 + 500 * 4 + 9 * 20 + 12)) '\1'
  faults
  says "index/20261129190141757:$((40 + 500 * 4 + 9 * 20 + 12)): error: entry 9 lies"
}

@test "an index file of another size is one fault, one of other numbers of slots says what to do" {
  golden store-clean
  truncate -s 20200 "$S/index/20261129190141757"
  faults
  [ "$(grep -c index/20261129190141757 <<< "$output")" = 1 ]
  says 'index/20261129190141757:20200: error: has 20200 bytes where its neighbours have 42040'
  run --separate-stderr mq-storedump "$S" index -J
  [ "$status" = 3 ]
  [ "$(jq -r .file <<< "$output" | sort -u)" = 20261129190212689 ]
  grep -q 'has 20200 bytes where its neighbours have 42040' <<< "$stderr"
  golden store-clean
  rm "$S/index/"*
  head -c $((40 + 4 * 700 + 20 * 3000)) /dev/zero > "$S/index/20261129190141757"
  faults
  says 'are not the size of an index file \(.*--index-slots\)'
  rm "$S/index/"*; mkfifo "$S/index/20261129190141757"
  faults
  says 'index/20261129190141757:0: error: is a fifo and no index file'
}

@test "what RocketMQ would not start with: --for rocketmq" {
  golden store-clean
  echo x > "$S/index/12345"
  mkdir -p "$S/consumequeue/TopicOne/-1/junk"
  mq-storedump "$S" --verify -q
  faults --for rocketmq
  says 'index/12345:2: error: has 2 bytes where index files have 42040: RocketMQ would extend it'
  says "consumequeue/TopicOne/-1/junk:0: error: a folder is in this place: RocketMQ's broker would not start"
  golden store-clean
  rm "$S/checkpoint"; mkdir "$S/checkpoint"
  faults --for rocketmq
  says 'checkpoint:0: error: is no file'
}

@test "folders, loops and fifos among the log files are faults; what can be read is read" {
  golden store-clean
  mkdir "$S/commitlog/00000000000003145728"
  put "$S/commitlog/00000000000000000000" 90 '?'
  faults
  says '00000000000003145728:0: error: a folder has the name of a file'
  says 'commitlog/00000000000000000000:0: error: body does not match its checksum'
  golden store-clean
  rm "$S/commitlog/00000000000001048576"
  ln -s 00000000000001048576 "$S/commitlog/00000000000001048576"
  faults
  says '00000000000001048576:0: error: a link that leads nowhere has the name of a file'
  run --separate-stderr mq-storedump "$S" commitlog -J
  [ "$status" = 3 ]
  [ "$(wc -l <<< "$output")" -gt 900 ]
  grep -q 'no file holds these 1048576 bytes' <<< "$stderr"
  rm "$S/commitlog/00000000000001048576"; mkfifo "$S/commitlog/00000000000001048576"
  faults
  says '00000000000001048576:0: error: a fifo has the name of a file'
}

@test "exit statuses of what is no store, or only half of one" {
  golden store-clean
  : > "$S/checkpoint"
  run --separate-stderr mq-storedump "$S" all
  [ "$status" = 3 ]
  grep -q 'checkpoint has 0 bytes' <<< "$stderr"
  [ "$(grep -c 'kind=msg' <<< "$output")" = 1576 ]
  mkdir "$T/empty"
  for what in all commitlog --summary --verify; do
    run mq-storedump "$T/empty" $what
    [ "$status" = 1 ]
  done
  run mq-storedump "$T/empty" --plan
  [ "$status" = 1 ]
  [[ $output == *"there is no commit log in $T/empty"* ]]
  run mq-storedump "$T/empty" commitlog --verify
  [ "$status" = 2 ]
  S=$T/empty
  faults
  says 'empty/commitlog:0: error: there is no such folder, so this is no store'
  for what in all commitlog --summary --verify; do
    run mq-storedump /etc/passwd $what
    [ "$status" = 8 ]
  done
}

@test "texts name the place: garbage behind the end, a record that became prepared, both copies of a configuration" {
  golden store-clean
  put "$S/commitlog/00000000000002097152" 600000 'garbage'
  faults
  says 'torn tail: .*bytes that are no record lie from position 2697152 \(.*commitlog/00000000000002097152:600000\)'
  golden store-clean
  put "$S/commitlog/00000000000000000000" 39 '\4'
  faults
  says 'whose record is prepared and enters no queue'
  golden store-clean
  echo '{' > "$S/config/topics.json"; echo '{' > "$S/config/topics.json.bak"
  faults
  says 'config/topics.json:0: error: .*its .bak is not sound either'
  says 'config/topics.json.bak:0: error: '
}

@test "the active file cut under --follow on a running broker: status 8 and the position reached" {
  start_cluster
  seq 1000 | mq-send -t Cut -q
  mq-storedump "$STORE" commitlog --follow --topic Cut > "$T/out" 2>"$T/err" 3>&- &
  follower=$!; PIDS+=("$follower")
  until_true 30 eval '[ "$(wc -l < "$T/out")" = 1000 ]'
  stop broker KILL || true
  truncate -s 1000 "$STORE/commitlog/00000000000000000000"
  local ended=0
  wait "$follower" || ended=$?
  cat "$T/err"
  [ "$ended" = 8 ]
  grep -q 'was cut to 1000 bytes while it was read (position reached: ' "$T/err"
}

@test "another user may not ask for positions: status 5, and --verify of the live store has no error" {
  [ "$(id -u)" = 0 ] || skip "needs another user"
  command -v setpriv > /dev/null || skip "needs setpriv"
  start_cluster
  seq 5000 | mq-send -t Other -q
  chmod -R a+rX "$T"
  as_nobody() { setpriv --reuid 65534 --clear-groups "$(command -v mq-storedump)" "$@"; }
  as_nobody --version > /dev/null || skip "the programs are not for everybody"
  run as_nobody "$STORE" positions
  echo "$output"
  [ "$status" = 5 ]
  seq 60000 | mq-send -t Other -k key -q 3>&- &
  local sender=$!
  PIDS+=("$sender")
  for _ in 1 2 3; do
    chmod -R a+rX "$STORE" || true
    run as_nobody "$STORE" --verify -q
    echo "$output"
    [ "$(grep -c ': error: ' <<< "$output")" = 0 ]
  done
  wait "$sender"
}

@test "a live store under load with keys has no faults, again and again" {
  start_cluster
  mq-storedump "$STORE" positions -J | jq -e '.indexed >= 0' > /dev/null
  mq-admin bench send -t Bench --keys --duration 6s > "$T/bench.log" 2>&1 3>&- &
  local bench=$!
  PIDS+=("$bench")
  local i
  for i in 1 2 3 4 5; do
    run mq-storedump "$STORE" --verify -q
    echo "$output"
    [ "$status" = 0 ]
  done
  wait "$bench"
}

@test "an index file without its header, an empty log, lost queues of a system topic and our own small files are named" {
  golden store-clean
  for file in 20261129190141757 20261129190212689; do
    dd if=/dev/zero of="$S/index/$file" bs=40 count=1 conv=notrunc status=none
  done
  faults
  says 'index/20261129190141757:36: error: holds no entry though a file follows it'
  says 'index/20261129190212689:36: error: index count is 0, but there is an entry'
  golden store-filter
  truncate -s 0 "$S/commitlog/00000000000000000000"
  faults
  says 'commitlog/00000000000000000000:0: error: is empty'
  golden store-clean
  rm -r "$S/consumequeue/RMQ_SYS_TRANS_OP_HALF_TOPIC"
  faults
  says 'consumequeue/RMQ_SYS_TRANS_OP_HALF_TOPIC/0:0: error: RMQ_SYS_TRANS_OP_HALF_TOPIC/0 ends at queue offset 0'
  golden store-clean
  mkdir -p "$S/mq"
  echo 'mq-dispatched 1' > "$S/mq/dispatched"; echo '5 T' > "$S/mq/tombstones"; printf 'write \0\n' > "$S/mq/log-paths"
  faults
  says 'mq/dispatched:0: warning: dispatched marker: its sum is missing or wrong; the next start derives'
  says 'mq/tombstones:0: error: its sum is missing or wrong; a broker refuses the store'
  says 'mq/log-paths:0: error: line 1 names no directory; a broker refuses the store'
}
