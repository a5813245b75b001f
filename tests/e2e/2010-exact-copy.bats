load helper

# Bodies with NUL and newline, several keys, Unicode, properties, 1 MiB.
fill() {
  mq-send -t A -m 'plain' -T tag -k k1 -k k2
  mq-send -t A -m 'ünïcode 每一行 😀' -k 'schlüssel' -p 'name=wört=with=equals' -p 'other=a,b'
  printf 'nul\0and\nnewline\n' | mq-send -t A --format whole -T '标签'
  head -c 1048576 /dev/urandom | mq-send -t A --format whole -k big
  : | mq-send -t A --format whole /dev/null
  for i in $(seq 50); do head -c $((i * 97)) /dev/urandom | mq-send -t A --format whole -q -k "k$i"; done
}

# Everything of a message but what the new broker must make anew.
canonical() {
  mq-consume -t "$1" --from start -e -J |
    jq -cS '{tag, keys, flag, properties: (.properties | del(.UNIQ_KEY, .CLUSTER, .MSG_REGION, .TRACE_ON)), body, body_base64}' | sort
}

@test "mq-consume -M | mq-send -M is an exact copy" {
  start_cluster
  fill
  mq-consume -t A --from start -e -M | mq-send -t B -M
  canonical A > "$T/a"; canonical B > "$T/b"
  [ "$(wc -l < "$T/a")" = 55 ]
  cmp "$T/a" "$T/b"
}

@test "mq-consume -J | mq-send -J is an exact copy" {
  start_cluster
  fill
  mq-consume -t A --from start -e -J | mq-send -t B -J
  canonical A > "$T/a"; canonical B > "$T/b"
  [ "$(wc -l < "$T/a")" = 55 ]
  cmp "$T/a" "$T/b"
}
