load helper

# A store whose next file mq-flushd, once stopped, no longer makes.
stopped_flushd() {
  start_cluster --mapped-file-size-commit-log 64K "$@"
  seq 10 | mq-send -t T -q
  kill -STOP "$(helper_pid flushd)"
}
fill() { for i in $(seq 60); do head -c 20000 /dev/zero | tr '\0' x; echo; done; }

@test "bug 56: sends that wait for the next file are held, then refused as busy with figures; nothing is lost or stored twice" {
  stopped_flushd
  fill | mq-send -t T --window 64 --batch 1 --retries 0 --timeout 9s --report "$T/report" 2> "$T/send.log" || true
  grep -q SYSTEM_BUSY "$T/send.log"
  grep -qE 'waited [0-9]+ ms for the next commit log file; [0-9]+ sends \([0-9]+ bytes\) are held; slowest step: ' "$T/send.log"
  local stored; stored=$(grep -c stored "$T/report")
  [ "$stored" -lt 60 ]
  kill -CONT "$(helper_pid flushd)"
  until_true 10 mq-admin health -q
  mq-send -t T -m after -q
  [ "$(mq-consume -t T --from start -e | grep -c xxx)" = "$stored" ]
}

@test "bug 56: mq-send backs off and succeeds by itself when the broker is no longer busy" {
  stopped_flushd
  fill | mq-send -t T --window 64 --batch 1 --timeout 30s -v --report "$T/report" 2> "$T/send.log" 3>&- &
  local sender=$!
  # Refused at least once before it goes on.
  until_true 15 grep -q 'trying .* again in .*SYSTEM_BUSY' "$T/send.log"
  kill -CONT "$(helper_pid flushd)"
  wait $sender
  [ "$(grep -c stored "$T/report")" = 60 ]
  [ "$(mq-consume -t T --from start -e | grep -c xxx)" = 60 ]
}

@test "the settings of overload protection are there, live, with RocketMQ's defaults" {
  start_cluster
  while read -r key value other; do
    [ "$(mq-admin broker config get "$key")" = "$(printf 'broker-a\t%s\t%s' "$key" "$value")" ]
    mq-admin broker config set "$key=$other" > /dev/null
    [ "$(mq-admin broker config get "$key")" = "$(printf 'broker-a\t%s\t%s' "$key" "$other")" ]
  done <<< "osPageCacheBusyTimeOutMills 1000 1500
brokerFastFailureEnable true false
waitTimeMillsInSendQueue 200 300
waitTimeMillsInPullQueue 5000 6000
waitTimeMillsInHeartbeatQueue 31000 32000"
}
