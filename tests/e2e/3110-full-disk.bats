load helper

# A filesystem of 200 MiB of its own, where the machine allows it.
mount_small() {
  mkdir -p "$T/disk"
  [ "$(id -u)" = 0 ] || skip "mounting a small filesystem needs root"
  mount -t tmpfs -o size=200m tmpfs "$T/disk" 2> "$T/mount.err" || skip "no small filesystem: $(cat "$T/mount.err")"
  STORE=$T/disk/store
}
teardown() {
  local pid
  for pid in "${PIDS[@]}"; do kill -KILL "$pid" 2>/dev/null; done
  for pid in "${PIDS[@]}"; do wait "$pid" 2>/dev/null; done
  pkill -KILL -f -- "--store $T" 2>/dev/null
  umount -l "$T/disk" 2>/dev/null
  if [ -z "${BATS_TEST_COMPLETED:-}" ]; then
    local log
    for log in "$T"/*.log; do echo "--- $log"; tail -40 "$log"; done
  fi
  rm -rf "$T"
}
# Everything acknowledged, and nothing twice that was sent once.
check_acknowledged() {
  awk -F'\t' '$2 == "stored" { print $1 }' "$T/report" | sort > "$T/acked"
  [ "$(wc -l < "$T/acked")" -gt 1000 ]
  mq-consume -t T --from start -e -f '%b%n' | cut -d' ' -f1 | sort > "$T/found"
  [ -z "$(comm -23 "$T/acked" "$T/found")" ]
}
lines() { seq "$1" "$2" | awk -v pad="$(printf '%01000d' 0)" '{ print $1, pad }'; }
full() { mq-admin health | grep -qi 'sends are refused: .*\(disk is full\|no space\)'; }

@test "bug 61 EX-07 a disk filled to the brim refuses with code 14, and serves again without a restart" {
  mount_small
  head -c 60M /dev/zero > "$T/disk/early"
  # Nothing is refused but for the disk, however busy the machine is.
  start_cluster --clean-file-forcibly-enable=false --flush-interval-commit-log 50 \
    --broker-fast-failure-enable=false --os-page-cache-busy-time-out-mills 60000
  lines 1 130000 | mq-send -t T --report "$T/report" --retries 0 -q 2> "$T/send.log" 3>&- &
  sender=$!
  until_true 60 full
  wait $sender || true
  # Sends were refused before anything could fail.
  grep -q 'disk is full' "$T/send.log" "$T/report"
  # The rest goes to somebody else, to the last byte: nothing of ours can be written, and nothing breaks.
  cat /dev/zero > "$T/disk/foreign" 2> /dev/null || true
  [ "$(df --output=avail "$T/disk" | tail -1)" -lt 100 ]
  run mq-send -t T -m x --retries 0
  [ "$status" -ne 0 ]
  check_acknowledged
  # A group can still be served, though its offset finds no room on the disk.
  [ "$(timeout 60 mq-consume -t T -g G -c 3 | wc -l)" = 3 ]
  mq-admin topic create Later > /dev/null 2>&1 || true
  rm "$T/disk/foreign" "$T/disk/early"
  until_true 20 mq-admin health -q
  mq-send -t T -m "after" -q
  mq-consume -t T --from start -e -f '%b%n' | grep -qx after
  check_acknowledged
  # Nobody was killed, by SIGBUS or otherwise.
  not grep -q 'helper.exit' "$T/broker.log"
  kill -0 "$PID_broker"
  until_true 20 eval '[ "$(mq-admin broker status --json | jq -r .dispatchBehindBytes)" = 0 ]'
  mq-storedump "$STORE" --verify
}

@test "EX-07 forced cleaning keeps a small disk going under a long load" {
  mount_small
  start_cluster --flush-interval-commit-log 50 --delete-commit-log-files-interval 10
  # Twice what fits.
  lines 1 180000 | mq-send -t T --report "$T/report" --retries 50 --timeout 60s -q
  [ "$(grep -c stored "$T/report")" = 180000 ]
  [ "$(mq-admin broker status --json | jq -r .commitLogMinOffset)" -gt 0 ]
  mq-consume -t T --from start -e -f '%b%n' | cut -d' ' -f1 > "$T/found"
  # What is still there is the newest, and it is whole.
  grep -qx 180000 "$T/found"
  [ "$(sort -u "$T/found" | wc -l)" -gt 50000 ]
  not grep -q 'helper.exit' "$T/broker.log"
  until_true 20 eval '[ "$(mq-admin broker status --json | jq -r .dispatchBehindBytes)" = 0 ]'
  mq-storedump "$STORE" --verify
}

@test "a disk that is full to others alone: the next commit log file finds no space, and is made later" {
  mount_small
  # The levels never say that it is full: only the allocation does.
  start_cluster --clean-file-forcibly-enable=false --disk-space-warning-level-ratio 1
  lines 1 100 | mq-send -t T -q
  cat /dev/zero > "$T/disk/foreign" 2> /dev/null || true
  lines 101 20000 | mq-send -t T --report "$T/report" --retries 0 -q 2> "$T/send.log" || true
  until_true 10 full
  run mq-send -t T -m x --retries 0
  [ "$status" -ne 0 ]
  [[ ${output,,} == *"14 service_not_available: "*"no space"* ]]
  # A full disk does not keep a broker from starting either, and it knows at once.
  LISTEN=$BROKER
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  start_broker --clean-file-forcibly-enable=false --disk-space-warning-level-ratio 1
  rm "$T/disk/foreign"
  until_true 20 mq-admin health -q
  until_true 5 mq-send -t T -m after -q  # the next try to make a file comes within a second
  mq-consume -t T --from start -e -f '%b%n' | grep -qx after
  not grep -q 'helper.exit' "$T/broker.log"
  until_true 20 eval '[ "$(mq-admin broker status --json | jq -r .dispatchBehindBytes)" = 0 ]'
  mq-storedump "$STORE" --verify
}

@test "a full disk: whoever changes topics, groups or offsets is told what is not saved; it is saved once there is space" {
  mount_small
  start_cluster --clean-file-forcibly-enable=false --disk-space-warning-level-ratio 1
  LISTEN=$BROKER
  mq-admin topic create T > /dev/null
  cat /dev/zero > "$T/disk/foreign" 2> /dev/null || true
  local change
  for change in "topic create Later" "group create G"; do
    run mq-admin $change
    [ "$status" = 4 ]
    [[ $output == *"in effect, but not saved: "*"No space left on device"* ]]
  done
  mq-admin health | grep -q 'warning: .*not saved: .*topics.json.*No space left.*subscriptionGroup.json'
  # A first send cannot make a topic either, and says why at once.
  run mq-send -t Fresh -m x --retries 0
  [[ $output == *"topic[Fresh] cannot be made: "*"No space left on device"* ]]
  rm "$T/disk/foreign"
  until_true 10 mq-admin health --strict -q
  stop broker
  start_broker
  mq-admin topic list | grep -qx Later
  mq-admin group list | grep -qx G
}
