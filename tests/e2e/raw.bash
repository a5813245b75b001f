# Raw requests, for what no program of ours says: frames with a JSON header over bash's own /dev/tcp.

# put_frame HEADER [BODY]: writes one frame.
put_frame() {
  local header=$1 body=${2:-} words
  printf -v words '\\x%02x' $(bytes4 $((4 + ${#header} + ${#body}))) $(bytes4 ${#header})
  { printf '%b' "$words"; printf %s "$header$body"; }
}
bytes4() { echo $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)); }

# get_frame: reads one frame; ASK_HEADER and ASK_BODY are its parts.
get_frame() {
  local total header
  total=$((16#$(head -c 4 | od -An -tx1 | tr -d ' \n')))
  header=$((16#$(head -c 4 | od -An -tx1 | tr -d ' \n') & 16#ffffff))
  ASK_HEADER=$(head -c "$header")
  ASK_BODY=$(head -c $((total - 4 - header)))
}

# connect ADDRESS: opens a connection; PEER is its descriptor.
connect() { exec {PEER}<>"/dev/tcp/${1%:*}/${1##*:}"; }

# tell CODE EXT [BODY]: a request on PEER, without waiting for anything.
tell() {
  put_frame "{\"code\":$1,\"flag\":${FLAG:-0},\"language\":\"JAVA\",\"opaque\":7,\"version\":409,\"extFields\":$2}" \
    "${3:-}" >&"$PEER"
}

# ask ADDRESS CODE EXT [BODY]: one request on a connection of its own, and its answer; fails unless its code is 0.
ask() {
  connect "$1"
  tell "$2" "$3" "${4:-}"
  get_frame <&"$PEER"
  exec {PEER}>&-
  jq -e '.code == 0' <<<"$ASK_HEADER" > /dev/null || { echo "$ASK_HEADER"; return 1; }
}
ext() { jq -e -r ".extFields.$1" <<<"$ASK_HEADER"; }

# commit GROUP TOPIC QUEUE OFFSET, stored GROUP TOPIC QUEUE: an offset at $BROKER, written as an operator does, and read.
commit() {
  ask "$BROKER" 15 "{\"consumerGroup\":\"$1\",\"topic\":\"$2\",\"queueId\":\"$3\",\"commitOffset\":\"$4\"}"
}
stored() {
  ask "$BROKER" 14 "{\"consumerGroup\":\"$1\",\"topic\":\"$2\",\"queueId\":\"$3\",\"setZeroIfNotFound\":\"false\"}" &&
    ext offset
}
