bats_require_minimum_version 1.5.0
load helper

# refuses TEXT... -- COMMAND...: it ends by itself with a status of its own, never says that it is ready, and one line
# of stderr names every text. The command "broker" is one on the test's own store.
refuses() {
  local texts=() text line found=
  while [ "$1" != -- ]; do texts+=("$1"); shift; done
  shift
  [ "$1" != broker ] || set -- mq-broker -n 127.0.0.1:1 --listen 127.0.0.1:0 --store "$STORE" $SMALL "${@:2}"
  rm -f "$T/ready"
  run timeout 20 "$@" --ready-fd 9 9> "$T/ready"
  [ "$status" -ne 0 ] && [ "$status" -ne 124 ] && [ "$status" -lt 128 ]
  [ ! -s "$T/ready" ]
  while read -r line; do
    for text in "${texts[@]}"; do [[ $line == *"$text"* ]] || continue 2; done
    found=1
  done <<< "$output"
  [ -n "$found" ] || { echo "$output"; return 1; }
}

@test "bug 144 a start that fails says where and why in one line, and is never ready" {
  start_namesrv
  # A port in use.
  refuses "$NS" "already in use" -- mq-broker -n "$NS" --listen "$NS" --store "$STORE"
  refuses "$NS" "already in use" -- mq-namesrv --listen "$NS"
  # A configuration that cannot be: file and line.
  echo 'listenPort=abc' > "$T/bad.conf"
  refuses "bad.conf:1" listenPort -- broker -c "$T/bad.conf"
  refuses nowhere.conf "No such file" -- broker -c "$T/nowhere.conf"
  # Something that is no directory where the store should be.
  echo x > "$T/file"
  refuses "$T/file" "not a directory" -- mq-broker --listen 127.0.0.1:0 --store "$T/file/store"
}

@test "bug 144 a directory that may not be read or written is named" {
  [ "$(id -u)" = 0 ] || skip "becoming somebody else needs root"
  command -v setpriv > /dev/null || skip "no setpriv"
  chmod 755 "$T"
  mkdir -m 700 "$STORE"
  refuses "$STORE" "Permission denied" -- setpriv --reuid=65534 --regid=65534 --clear-groups \
    "$BUILD/mq-broker" -n 127.0.0.1:1 --listen 127.0.0.1:0 --store "$STORE"
}

@test "bug 144 a store that this version cannot read is refused by the file that says so" {
  start_cluster
  mq-send -t T -m x -q
  stop broker
  # A record of RocketMQ 5's second format.
  log=$STORE/commitlog/00000000000000000000
  printf '\xda\xa3\x20\xab' | dd of="$log" bs=1 seek=4 conv=notrunc status=none
  rm "$STORE/mq/dispatched"
  refuses "RocketMQ 5.x" "position 0" -- broker
  # The file stays as it is.
  [ "$(od -An -tx1 -j 4 -N 4 "$log" | tr -d ' ')" = daa320ab ]
}

@test "bug 144 no space for the first file is said with the file and its size" {
  [ "$(id -u)" = 0 ] || skip "mounting a small filesystem needs root"
  mkdir "$T/disk"
  mount -t tmpfs -o size=1m tmpfs "$T/disk" 2> "$T/mount.err" || skip "no small filesystem: $(cat "$T/mount.err")"
  STORE=$T/disk/store
  refuses 4194304 "$STORE/commitlog/00000000000000000000" "No space left" -- broker || { umount -l "$T/disk"; false; }
  umount -l "$T/disk"
}

@test "what a broker refuses to start on, a plan refuses in the same line with status 8, and verification names" {
  start_cluster
  mq-admin topic create T > /dev/null
  seq 10 | mq-send -t T -q
  stop broker
  cp -a "$STORE" "$T/base"
  local odd line
  for odd in 'rm -rf consumequeue/T/0; echo x > consumequeue/T/0' 'rm -r index; echo x > index' \
    'rm commitlog/0*0; mkdir commitlog/00000000000000000000' 'ln -s /nowhere checkpoint.new; mv checkpoint.new checkpoint' \
    'printf "write %s\n" "$T/gone" > mq/log-paths'; do
    rm -rf "$STORE"; cp -a "$T/base" "$STORE"
    (cd "$STORE" && eval "$odd")
    run -8 timeout 20 mq-broker -n 127.0.0.1:1 --listen 127.0.0.1:0 --store "$STORE" $SMALL
    line=$(grep '^mq-broker: ' <<< "$output" | head -1)
    line=${line#mq-broker: }
    [ -n "$line" ]
    run -8 mq-storedump "$STORE" --plan
    [[ $output == *"$line"* ]]
    run -1 mq-storedump "$STORE" --verify
  done
}

# whole FILE: JSON from end to end, but for the numbers that RocketMQ has as keys.
whole() { sed -E 's/([{,][[:space:]]*)([0-9]+):/\1"\2":/g' "$1" | jq -e . > /dev/null; }

# The same for every table that the broker keeps, made by the broker itself.
@test "bug 43 each damaged table falls back to its backup, which stays good; the bad one is kept aside; both bad refuse" {
  start_cluster
  LISTEN=$BROKER
  # Two lives: each file is replaced once at least.
  for i in 1 2; do
    [ "$i" = 1 ] || { stop broker; start_broker; }
    mq-admin topic create "T$i" > /dev/null
    mq-admin group create "G$i" > /dev/null
    seq 4 | mq-send -t "T$i" -q
    mq-consume -t "T$i" -g "G$i" -c 2 > /dev/null
  done
  stop broker
  local file path kind all="topics subscriptionGroup consumerOffset"
  for file in $all; do
    [ -s "$STORE/config/$file.json.bak" ]
    cp "$STORE/config/$file.json" "$STORE/config/$file.json.bak" "$T/"
  done
  restore() { for file in $all; do cp "$T/$file.json" "$T/$file.json.bak" "$STORE/config/"; rm -f "$STORE/config/$file.json.damaged" "$T/$file.bad"; done; }
  for kind in zero half tail noise missing; do
    restore
    for file in $all; do
      path=$STORE/config/$file.json
      case $kind in
        zero) : > "$path" ;;
        half) head -c $(($(stat -c %s "$path") / 2)) "$T/$file.json" > "$path" ;;
        tail) tail -c 40 "$T/$file.json" >> "$path" ;;
        noise) head -c 500 /dev/urandom > "$path" ;;
        missing) rm "$path"; continue ;;
      esac
      cp "$path" "$T/$file.bad"
    done
    # A plan says the same beforehand.
    mq-storedump "$STORE" --plan > "$T/plan" || true
    : > "$T/broker.log"
    start_broker
    for file in $all; do
      grep -q "config.load.*$file.json" "$T/broker.log"
      [ ! -e "$T/$file.bad" ] || { grep -q "$file.json.*its .bak takes its place" "$T/plan"; cmp "$T/$file.bad" "$STORE/config/$file.json.damaged"; }
      whole "$STORE/config/$file.json.bak"
    done
    mq-admin topic list | grep -qx T1
    mq-admin group list | grep -qx G1
    [ "$(mq-consume -t T1 -g G1 -c 2 --from start | wc -l)" = 2 ]
    stop broker
    # Whatever was saved since, both are whole.
    for file in $all; do whole "$STORE/config/$file.json"; whole "$STORE/config/$file.json.bak"; done
  done
  for file in $all; do
    restore
    path=$STORE/config/$file.json
    echo '{"x' > "$path"; echo '{"y' > "$path.bak"
    refuses "$file.json:" "$file.json.bak" -- broker
    [[ $output == *"move both files away to start with built-in defaults"* ]]
    [ "$(cat "$path" "$path.bak")" = $'{"x\n{"y' ]
    : > "$path"; rm "$path.bak"
    refuses "$file.json is empty" "$file.json.bak is missing" -- broker
  done
}

@test "a fifo in the place of a table, a marker, the tombstones, the log paths or the checkpoint holds nobody: it is no file" {
  mkdir -p "$STORE/config" "$STORE/mq"
  local name
  for name in config/topics.json config/consumerOffset.json.bak mq/dispatched mq/tombstones mq/log-paths checkpoint; do
    mkfifo "$STORE/$name"
    refuses "$STORE/$name is no file" -- broker
    run timeout 10 mq-storedump "$STORE" --plan
    [ "$status" = 8 ]
    [[ $output == *"$name is no file"* ]]
    run timeout 10 mq-storedump "$STORE" --verify
    [ "$status" = 1 ]
    [[ $output == *"$name"*"is no file"* ]]
    rm "$STORE/$name"
  done
}

# What the refusal says works for somebody who has no copy.
@test "a log file that was cut and has no copy: the start names the command after which the rest is served" {
  start_cluster
  LISTEN=$BROKER
  mq-admin topic create T --read-queues 1 --write-queues 1 > "$T/created"
  seq -f '%04g '"$(printf 'x%.0s' {1..4000})" 1500 | mq-send -t T -q
  log=$STORE/commitlog/00000000000000000000
  [ "$(ls "$STORE/commitlog" | wc -l)" -ge 2 ]
  for how in TERM KILL; do
    stop broker "$how" || [ "$how" = KILL ]
    until_true 10 eval '! helper_pid flushd > /dev/null && ! helper_pid reputd > /dev/null'
    for size in 1048576 1000000; do
      truncate -s "$size" "$log"
      refuses "$log has $size bytes" -- broker
      command=$(grep -o 'truncate -s [0-9]* [^ ]*' <<< "$output" | head -1)
      [ "$command" = "truncate -s 4194304 $log" ]
    done
    $command
    start_broker
    mq-consume -t T --from start -e 2> "$T/consume.log" | cut -c-4 > "$T/read"
    # All that lie wholly before the cut and behind the file, in order, each once.
    [ "$(head -1 "$T/read")" = 0001 ] && [ "$(tail -1 "$T/read")" = 1500 ]
    sort -cu "$T/read"
    before=$(awk '$1 < 600' "$T/read" | wc -l)
    [ "$before" -ge 230 ] && [ "$before" -le 250 ]
    [ "$(awk '$1 > 1100' "$T/read" | wc -l)" = 400 ]
    run -1 mq-storedump "$STORE" --verify
    [[ $output == *"$(basename "$log")"* ]]
  done
}
