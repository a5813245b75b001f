# Readers and mq-reputd at the places where a log goes on: the roll to the next file, and what is not published yet.
load helper

ROLL="--mapped-file-size-commit-log 64K --mapped-file-size-consume-queue 6000 --warm-window 64K --max-hash-slot-num 100 --max-index-num 400
  --flush-interval-commit-log 50 --flush-commit-log-thorough-interval 100"
eval "$(declare -f teardown | sed '1s/teardown/teardown_store/')"
# A pool is not in the store's directory.
teardown() {
  local pool status
  pool=/dev/shm/mq-pool-$(stat -c %d-%i "$STORE" 2> /dev/null)
  teardown_store; status=$?
  rm -f "$pool" "$pool.aside"
  return $status
}
positions() { mq-storedump "$STORE" positions -J; }
caught_up() { positions | jq -e '.dispatched == .wrote' > /dev/null; }
# messages WRITER N: lines "WRITER NUMBER xxx..." of all sizes from a byte to 60 KiB, the same at every call.
messages() {
  awk -v w="$1" -v n="$2" 'BEGIN { srand(w); pad = "x"; while (length(pad) < 61440) pad = pad pad
    for (i = 1; i <= n; i++) print w, i, substr(pad, 1, i % 5 == 0 ? 1 : 1 + int(rand() * 61000)) }'
}
no_trouble() { not grep -E 'store\.walk|queue\.read|pull\.damage|pull\.read|store\.reput.*(gap|taken|jump|cannot)|helper\.exit' "$T/broker.log"; }

# ROLL_MESSAGES: of each writer. A minute of it: ROLL_MESSAGES=1500.
@test "bug 31 readers at the tail meet the roll to the next file again and again, and get every message once, in order" {
  start_namesrv
  start_broker $ROLL
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  n=${ROLL_MESSAGES:-40}
  readers=()
  for r in 1 2 3 4 5 6 7 8; do
    mq-consume -t T --from start -c $((4 * n)) --deadline 100s > "$T/read.$r" 2>> "$T/readers.log" 3>&- &
    readers+=($!)
  done
  writers=()
  for w in 1 2 3 4; do
    messages "$w" "$n" | mq-send -t T --queue $((w - 1)) --window 1 --batch 1 -q 2>> "$T/writers.log" 3>&- &
    writers+=($!)
  done
  wait "${writers[@]}"
  wait "${readers[@]}"
  for w in 1 2 3 4; do messages "$w" "$n" | sha256sum > "$T/sent.$w"; done
  for r in 1 2 3 4 5 6 7 8; do
    for w in 1 2 3 4; do grep "^$w " "$T/read.$r" | sha256sum | cmp - "$T/sent.$w"; done
  done
  # Each file but the last ends with a blank, and the next one has exactly the name that follows.
  until_true 10 caught_up
  [ "$(ls "$STORE/commitlog" | wc -l)" -gt 20 ]
  diff <(ls "$STORE/commitlog") <(seq -f %020.0f 0 65536 $((65536 * ($(ls "$STORE/commitlog" | wc -l) - 1))))
  no_trouble
  stop broker
  mq-storedump "$STORE" --verify --index-slots 100
}

# STOPS: how often the writer is stopped; 200 for a long run.
stop_and_look() {
  local i
  # It sends until there were enough stops.
  awk -v stop="$T/enough" 'BEGIN { for (;;) { print ++i; if (i % 100 == 0 && (getline line < stop) > 0) exit } }' |
    mq-send -t T --window 2 --batch 1 --timeout 60s -q 2> "$T/send.log" 3>&- &
  local sender=$!
  PIDS+=("$sender")
  for ((i = 0; i < ${STOPS:-15}; i++)); do
    read -r -t "0.0$((RANDOM % 10))" -u "$QUIET_FD" || true
    kill -STOP "$PID_broker"
    # mq-reputd follows as far as it can: up to whatever the writer had come to in the middle of its work.
    read -r -t "0.0$((RANDOM % 5))" -u "$QUIET_FD" || true
    kill -CONT "$PID_broker"
    positions | jq -e '.dispatched <= .readable and .readable <= .wrote' > /dev/null
  done
  echo enough > "$T/enough"
  wait "$sender"
  until_true 20 caught_up
  local sent
  sent=$(mq-admin topic stats T --columns messages | sum)
  [ "$sent" -ge 100 ]
  mq-consume -t T --from start -e > "$T/all"
  [ "$(wc -l < "$T/all")" = "$sent" ]
  [ "$(sort -n "$T/all" | uniq | wc -l)" = "$sent" ]
  [ "$(sort -n "$T/all" | tail -1)" = "$sent" ]
  no_trouble
}

@test "bug 57 the writer is stopped at any line while mq-reputd follows: it never reads past what is published" {
  start_namesrv
  start_broker $ROLL
  stop_and_look
}

@test "bug 57 the same with a transient pool, where what is written is not yet what may be read" {
  start_namesrv
  start_broker $ROLL --transient-store-pool-enable true --transient-store-pool-size 3 --commit-interval-commit-log 20
  stop_and_look
}
