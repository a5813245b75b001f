# Shared by kill and soak: a name server and a broker with its helpers on a store of their own, below a new directory.
# Used by `source`, from the top of the tree; sets dir, pause's pipe and an exit trap. Whoever sources it sets
# store (the broker's directory) and settings (an array of its options) before start_broker.
: "${BUILD:=build/release}"
PATH=$(realpath "$BUILD"):$PATH; export PATH
unset MQ_NAMESRV NAMESRV_ADDR MQ_CONTEXT
dir=$(mktemp -d "${TMPDIR:-/tmp}/mq-crash.XXXXXX")
export HOME=$dir
listen=127.0.0.1:0 namesrv= broker= store=
# A pipe nobody writes to: reading from it with a timeout is a pause.
mkfifo "$dir/quiet"; exec {quiet}<>"$dir/quiet"
pause() { read -r -t "$1" -u "$quiet" || true; }

# What a killed broker's transient pool leaves in memory; the next start on the store takes it.
remove_pool() { [ ! -d "${store:-}" ] || rm -f "/dev/shm/mq-pool-$(stat -c %d-%i "$store")"*; }
cleanup() {
  pkill -CONT -f -- "--store $dir" 2>/dev/null; pkill -KILL -f -- "--store $dir" 2>/dev/null
  local job; for job in $namesrv $(jobs -p); do kill -KILL "$job"; wait "$job"; done 2>/dev/null
  remove_pool; rm -rf "$dir"
}
trap cleanup EXIT

wait_ready() { local line=; read -r -t 30 line < "$1"; [ "${line%% *}" = ready ] || return 1; address=${line#ready }; }
start_namesrv() {
  mkfifo "$dir/ns.ready"
  mq-namesrv --listen 127.0.0.1:0 --ready-fd 9 9> "$dir/ns.ready" 2>> "$dir/namesrv.log" & namesrv=$!
  wait_ready "$dir/ns.ready" || return 1
  export MQ_NAMESRV=$address
}
# At the same address as the one before it.
start_broker() {
  rm -f "$dir/br.ready"; mkfifo "$dir/br.ready"
  mq-broker --store "$store" --listen "$listen" --broker-name crash "${settings[@]}" \
    --ready-fd 9 9> "$dir/br.ready" 2>> "$dir/broker.log" & broker=$!
  wait_ready "$dir/br.ready" || return 1
  listen=$address
}
helper() { pgrep -f -- "mq-$1 --store $store" | head -1; }
