# Limits of a process that a store runs into, set while it runs and taken away again: a refusal that names them, and
# afterwards everything goes on where it stopped.
load helper
load expiry

command -v prlimit > /dev/null || skip_all=1
setup_limits() { [ -z "${skip_all:-}" ] || skip "no prlimit"; }
# tight PID: no more address space than it uses now.
tight() { prlimit --pid "$1" --as=$(($(awk '/^VmSize/ { print $2 }' "/proc/$1/status") * 1024 + ${2:-0})):; }
loose() { prlimit --pid "$1" --as=unlimited: --fsize=unlimited:; }
health_says() { mq-admin health > "$T/health" 2>&1 || true; grep -q "$1" "$T/health"; }
well() { mq-admin health -q && dispatched; }

@test "bug 32 mq-reputd cannot map a queue file: sends are refused with the cause, and nothing is skipped afterwards" {
  setup_limits
  start_quick
  mq-send -t T -m 0 -q
  until_true 10 dispatched
  reputd=$(helper_pid reputd)
  tight "$reputd"
  # Each topic is a queue file to be mapped. Some go into what the process still has.
  for i in $(seq 400); do
    printf '%s\n' "$i" | mq-send -t "T$i" -q --retries 0 2>> "$T/send.log" || break
  done
  sent=$((i - 1))
  until_true 10 health_says 'sends are refused: a consume queue cannot be written: Cannot allocate memory'
  run mq-send -t T -m refused --retries 0
  [ "$status" -ne 0 ]
  [[ ${output,,} == *"14 service_not_available"* ]]
  # The limit and what is used of it.
  until_true 5 grep -qE 'reput.*Cannot allocate memory \([0-9]+ mappings of vm.max_map_count=[0-9]+, [0-9]+ bytes of address space of [0-9]+\)' "$T/broker.log"
  [ "$(helper_pid reputd)" = "$reputd" ]
  loose "$reputd"
  until_true 10 well
  [ "$(helper_pid reputd)" = "$reputd" ]
  for i in $(seq "$sent"); do [ "$(mq-consume -t "T$i" --from start -e)" = "$i" ]; done
  mq-storedump "$STORE" --verify --index-slots 100
}

@test "bug 32 mq-flushd cannot make the next file: code 14 with the cause, and sends go on once it can" {
  setup_limits
  start_quick
  fill 2
  # The size of a file that is being made, not its number.
  prlimit --pid "$(helper_pid flushd)" --fsize=32768:
  seq -f %01000g 1 2000 | mq-send -t T --retries 0 -q 2> "$T/send.log" || true
  until_true 10 health_says 'sends are refused: the next commit log file cannot be made: File too large'
  grep -q 'File too large (a file may have 32768 bytes)".*the next commit log file cannot be made' "$T/broker.log"
  run mq-send -t T -m refused --retries 0
  [[ ${output,,} == *"14 service_not_available"* ]]
  loose "$(helper_pid flushd)"
  until_true 10 well
  not grep -q 'helper.exit' "$T/broker.log"
  mq-send -t T -m after -q
  [ "$(mq-consume -t T --from start -e | tail -1)" = after ]
  mq-storedump "$STORE" --verify --index-slots 100
}

@test "bug 32 the broker cannot map an old file: consumers wait, nobody is moved past what cannot be read" {
  setup_limits
  start_namesrv
  start_broker --mapped-file-size-commit-log 8M
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  seq -f %020000g 1 2500 | mq-send -t T -q
  until_true 10 dispatched
  tight "$PID_broker" 3000000
  mq-consume -t T --from start -c 2500 > "$T/all" 2> "$T/consume.log" 3>&- &
  consumer=$!
  PIDS+=("$consumer")
  until_true 10 grep -q 'pull.read.*Cannot allocate memory (' "$T/broker.log"
  [ "$(wc -l < "$T/all")" -lt 2500 ]
  loose "$PID_broker"
  wait "$consumer"
  [ "$(sha256sum < "$T/all")" = "$(seq -f %020000g 1 2500 | sha256sum)" ]
}

# group_of_128_mib: a control group of that much memory, as $GROUP; version 1 or 2, whichever is there.
group_of_128_mib() {
  [ "$(id -u)" = 0 ] || skip "control groups need root"
  if [ -d /sys/fs/cgroup/memory ]; then
    GROUP=/sys/fs/cgroup/memory/mq-e2e-$$
    mkdir "$GROUP" 2> /dev/null && echo 128M > "$GROUP/memory.limit_in_bytes" || skip "no control group of version 1"
  else
    GROUP=/sys/fs/cgroup/mq-e2e-$$
    mkdir "$GROUP" 2> /dev/null && echo 128M > "$GROUP/memory.max" || skip "no control group of version 2"
  fi
}
rss_anon_kib() { awk '/^RssAnon/ { print $2 }' "/proc/$1/status"; }

@test "bug 140 a store many times the memory of its container: nobody is killed, and private memory stays below 64 MiB" {
  not_sanitized "needs memory of its own"
  group_of_128_mib
  start_namesrv
  mkfifo "$T/broker.ready"
  bash -c 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"' _ "$GROUP" mq-broker -n "$NS" --listen 127.0.0.1:0 \
    --store "$STORE" --broker-name broker-a --mapped-file-size-commit-log 64M --warm-window 16M --ready-fd 9 \
    9> "$T/broker.ready" 3>&- >> "$T/broker.log" 2>&1 &
  PID_broker=$!
  PIDS+=("$PID_broker")
  read -r -t 30 _ BROKER < "$T/broker.ready"
  # The limit is read from the group and printed.
  grep -q 'limits.*memory=134217728 .*because="\?control group' "$T/broker.log"
  grep -q "$PID_broker" "$GROUP/cgroup.procs"
  mq-admin topic create T > /dev/null
  # Five hundred clients that are there, and some that send as fast as they can: three times the limit.
  bash -c 'for i in $(seq 500); do exec {fd}<>"/dev/tcp/${1/:/\/}" || exit 1; done; echo held > "$2"; read -r <&3' _ "$BROKER" "$T/held" \
    3<&"$QUIET_FD" 2> /dev/null &
  PIDS+=($!)
  until_true 20 test -e "$T/held"
  head -c 400M /dev/zero | tr '\0' x | fold -w 32000 | mq-send -t T --window 32 -q
  sent=$(mq-admin topic stats T --columns messages | sum)
  [ "$sent" -ge 13000 ]
  # All of it is read again, most of it from the disk.
  [ "$(mq-consume -t T --from start -e -f '%o%n' | wc -l)" = "$sent" ]
  for pid in "$PID_broker" "$(helper_pid flushd)" "$(helper_pid reputd)"; do
    echo "private memory of $pid: $(rss_anon_kib "$pid") KiB" >> "$T/memory.log"
    [ "$(rss_anon_kib "$pid")" -lt 65536 ]
  done
  not grep -q 'helper.exit' "$T/broker.log"
  kill -0 "$PID_broker"
  [ "$(($(mq-admin broker status --json | jq -r .connections)))" -ge 500 ]
  stop broker
  rmdir "$GROUP" || true
}
