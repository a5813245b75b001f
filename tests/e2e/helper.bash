# Shared by every .bats file: daemons of the test's own, on ephemeral ports, with the store in the test's directory.
# Nothing here sleeps: a daemon says when it is ready, everything else is waited for by its own condition.

: "${BUILD:=build/release}"
MQ_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case $BUILD in /*) ;; *) BUILD=$MQ_ROOT/$BUILD ;; esac
export PATH="$BUILD:$PATH"
# Nothing of the person's own configuration reaches a test.
unset MQ_NAMESRV NAMESRV_ADDR MQ_CONTEXT MQ_ACCESS_KEY MQ_SECRET_KEY
export LC_ALL=C.UTF-8
# Small files, so that rolling is part of every test.
SMALL="--mapped-file-size-commit-log 4M --mapped-file-size-consume-queue 6000 --warm-window 1M"

setup() {
  T=$(mktemp -d "${TMPDIR:-/tmp}/mq-e2e.XXXXXX")
  export HOME=$T
  PIDS=()
  STORE=$T/store
  # A pipe nobody writes to: reading from it with a timeout is the pause between two looks.
  mkfifo "$T/quiet"; exec {QUIET_FD}<>"$T/quiet"
}

teardown() {
  local pid
  for pid in "${PIDS[@]}"; do kill -KILL "$pid" 2>/dev/null; done
  # Helpers of a killed broker leave by themselves; those of a stopped one are resumed so that they can.
  pkill -CONT -f -- "--store $T" 2>/dev/null
  for pid in "${PIDS[@]}"; do wait "$pid" 2>/dev/null; done
  if [ -z "${BATS_TEST_COMPLETED:-}" ]; then
    local log
    for log in "$T"/*.log; do
      [ -e "$log" ] && { echo "--- $(basename "$log")"; tail -40 "$log"; }
    done
  fi
  pkill -KILL -f -- "--store $T" 2>/dev/null
  # A sanitizer's report in a daemon's log fails the test that saw it, whatever else went well.
  local report
  report=$(grep -hE 'ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|runtime error:' "$T"/*.log 2>/dev/null | head -5)
  rm -rf "$T"
  [ -z "$report" ] || { echo "$report"; return 1; }
}

# start NAME COMMAND...: starts a daemon in the background and waits for its ready line. Sets READY (the address) and
# PID_NAME; the daemon's stderr is $T/NAME.log.
start() {
  local name=$1; shift
  local fifo=$T/$name.ready
  rm -f "$fifo"; mkfifo "$fifo"
  "$@" --ready-fd 9 9>"$fifo" 3>&- >>"$T/$name.log" 2>&1 &
  local pid=$!
  PIDS+=("$pid")
  printf -v "PID_${name//-/_}" %s "$pid"
  local line=
  read -r -t "${READY_TIMEOUT:-30}" line < "$fifo"
  rm -f "$fifo"
  case $line in
    ready\ *) READY=${line#ready } ;;
    *) echo "$name did not become ready"; tail -20 "$T/$name.log"; return 1 ;;
  esac
}

start_namesrv() { start "${1:-namesrv}" mq-namesrv --listen "${2:-127.0.0.1:0}"; export NS=$READY MQ_NAMESRV=$READY; }
# start_broker [OPTION...]: one broker with small files on $STORE.
start_broker() { start broker mq-broker -n "$NS" --listen "${LISTEN:-127.0.0.1:0}" --store "$STORE" --broker-name broker-a $SMALL "$@"; BROKER=$READY; }
start_cluster() { start_namesrv && start_broker "$@"; }

# stop NAME [SIGNAL]: ends a daemon and gives its exit status.
stop() {
  local var="PID_${1//-/_}"
  kill "-${2:-TERM}" "${!var}"
  wait "${!var}"
}

# until_true SECONDS COMMAND...: runs the command until it succeeds; it is the condition that is waited for.
until_true() {
  local end=$((SECONDS + $1)); shift
  until "$@"; do
    [ $SECONDS -lt $end ] || { echo "waited in vain for: $*"; return 1; }
    read -r -t 0.05 -u "$QUIET_FD" || true
  done
}

# Kills a helper and waits for the next one.
kill_helper() { until_true 10 eval 'kill -KILL $(helper_pid '"$1"') 2>/dev/null'; until_true 10 helper_pid "$1" > /dev/null; }
helper_pid() { pgrep -f -- "mq-$1 --store $STORE"; }

# not COMMAND...: fails when it succeeds. A plain `!` never ends a test, unless it is the last line.
not() { if "$@"; then echo "succeeded: $*"; return 1; fi; }

# not_sanitized WHY: leaves a test out of the runs under a sanitizer.
not_sanitized() { case $BUILD in *asan | *tsan) skip "a sanitizer $1" ;; esac; }

# sum: of the numbers on stdin, one a line.
sum() { awk '{ n += $1 } END { print n + 0 }'; }

# missing N FILE...: how many of the numbers 1 to N are on no line of the files.
missing() { local n=$1; shift; cat "$@" | sort -u | comm -13 - <(seq "$n" | sort) | wc -l; }

# frame HEADER [BODY]: a frame with a JSON header, as printf text.
frame() {
  local header=$1 body=${2:-}
  printf -v FRAME '\\x%02x\\x%02x\\x%02x\\x%02x' $(bytes4 $((4 + ${#header} + ${#body})))
  printf -v WORD '\\x%02x\\x%02x\\x%02x\\x%02x' $(bytes4 ${#header})
  printf '%b' "$FRAME$WORD"; printf %s "$header$body"
}
bytes4() { echo $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)); }
# exchange ADDRESS: sends the frame on stdin, prints the whole answer, length word and all.
exchange() {
  timeout 5 bash -c '
    exec 5<>"/dev/tcp/${1/:/\/}"; cat >&5
    head -c 4 <&5 > "$2"; cat "$2"
    head -c $((16#$(od -An -tx1 "$2" | tr -d " "))) <&5' _ "$1" "$T/length-word"
}
# ask ADDRESS HEADER [BODY]: the answer's header and body, as they came.
ask() { frame "$2" "${3:-}" | exchange "$1" | tail -c +9; }
