load helper

anonymous_kib() { awk '/^RssAnon/ {print $2}' "/proc/$1/status"; }

@test "a flood of garbage changes nothing: no crash, anonymous memory flat, a sender beside it unaffected" {
  [ -x "$BUILD/garbage_load" ] || skip "garbage_load is not built"
  start_cluster
  local corpus=$MQ_ROOT/tests/golden/wire peer name
  seq 1000 | mq-send -t Beside -q
  # What grows once and stays (tables, buffers, the log's own lines) has grown after the first round.
  for peer in "$BROKER" "$NS"; do garbage_load "$peer" --connections 300 --frames 1000 --seed 1 --corpus "$corpus"; done
  local broker_before ns_before
  broker_before=$(anonymous_kib "$PID_broker"); ns_before=$(anonymous_kib "$PID_namesrv")
  # The sender goes on for as long as the flood does, and every line of it is stored.
  while [ ! -e "$T/over" ]; do seq 100; done | mq-send -t Beside --rate 5000/s --report "$T/report" 2> "$T/sender.log" 3>&- &
  local sender=$!
  until_true 10 test -s "$T/report"
  for peer in "$BROKER" "$NS"; do
    run garbage_load "$peer" --connections "${GARBAGE_CONNECTIONS:-1000}" --frames "${GARBAGE_FRAMES:-5000}" --seed 2 --corpus "$corpus"
    echo "$output"
    [ "$status" = 0 ]
  done
  touch "$T/over"
  wait "$sender"
  [ "$(grep -vc '	stored	' "$T/report")" = 0 ]
  [ "$(mq-consume -t Beside --from start -e | wc -l)" = $((1000 + $(wc -l < "$T/report"))) ]
  echo "anonymous KiB: broker $broker_before -> $(anonymous_kib "$PID_broker"), name server $ns_before -> $(anonymous_kib "$PID_namesrv")"
  kill -0 "$PID_broker"; kill -0 "$PID_namesrv"
  # A sanitizer keeps freed memory for a while.
  local allowed=4096
  case $BUILD in *asan | *tsan) allowed=262144 ;; esac
  [ $(($(anonymous_kib "$PID_broker") - broker_before)) -lt $allowed ]
  [ $(($(anonymous_kib "$PID_namesrv") - ns_before)) -lt $allowed ]
  # One line a peer, guess and minute: the log is not flooded either.
  [ "$(grep -c 'remoting.garbage' "$T/broker.log")" -lt 100 ]
  # No name that came over the wire became a path.
  [ -z "$(find "$STORE" -name '*passwd*')" ]
}

@test "languages and versions nobody knows are served" {
  start_cluster
  for language in NODE_JS RUST KLINGON; do
    run ask "$NS" "{\"code\":106,\"language\":\"$language\",\"version\":65535,\"opaque\":7}"
    [[ $output == *'"opaque":7'* ]]
    [[ $output == *broker-a* ]]
  done
}

@test "names that try to be paths are refused and leave nothing behind" {
  start_cluster
  local sent='"b":"../../escape","a":"g","c":"TBW102","d":"4","e":"0","f":"0","g":"0","h":"0"'
  run ask "$BROKER" "{\"code\":310,\"opaque\":1,\"extFields\":{$sent}}" body
  [[ $output == *'"opaque":1'* && $output != *'"code":0'* ]]
  run ask "$BROKER" '{"code":17,"opaque":2,"extFields":{"topic":"../x","readQueueNums":"1","writeQueueNums":"1","perm":"6"}}'
  [[ $output == *'"opaque":2'* && $output != *'"code":0'* ]]
  run ask "$BROKER" '{"code":35,"opaque":3,"extFields":{"clientID":"../../c","producerGroup":"/etc/passwd"}}'
  [[ $output == *'"opaque":3'* ]]
  [ -z "$(find "$T" -name '*escape*' -o -name x)" ]
}

@test "a misspelt field is named in the answer" {
  start_cluster
  run ask "$NS" '{"code":101,"opaque":4,"extFields":{"namespace":"n","kee":"k"}}'
  [[ $output == *'key is missing'* ]]
}
