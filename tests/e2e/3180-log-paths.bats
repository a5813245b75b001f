load helper

QUICK="--mapped-file-size-commit-log 64K --warm-window 64K --clean-resource-interval 100
  --delete-commit-log-files-interval 20 --flush-interval-commit-log 50 --flush-commit-log-thorough-interval 100"
fill() { seq -f '%01000g' 1 $((63 * $1)) | mq-send -t T -q; }
check_all() {
  [ "$(mq-consume -t T --from start -e -f '%o%n')" = "$(seq 0 $(($1 - 1)))" ]
}
until_dispatched() { until_true 10 eval '[ "$(mq-admin broker status --json | jq -r .dispatchBehindBytes)" = 0 ]'; }

@test "storePathCommitLog with several paths, one on another filesystem: written by turns, read from all, after a kill too" {
  other=$(mktemp -d /dev/shm/mq-e2e.XXXXXX)
  paths=$T/a,$other/b
  start_namesrv
  start_broker $QUICK --store-path-commit-log "$paths"
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  fill 6
  until_dispatched
  [ "$(ls "$T/a" | wc -l)" -ge 3 ]
  [ "$(ls "$other/b" | wc -l)" -ge 3 ]
  check_all 378
  mq-storedump "$STORE" --verify
  [ "$(mq-storedump "$STORE" commitlog --json | wc -l)" -ge 378 ]
  LISTEN=$BROKER
  kill -KILL "$PID_broker" $(helper_pid flushd) $(helper_pid reputd)
  # Without one of the paths there would be holes in the log.
  run timeout 10 mq-broker -n "$NS" --listen "$LISTEN" --store "$STORE" $SMALL $QUICK --store-path-commit-log "$T/a"
  [ "$status" = 2 ]
  [[ $output == *"$other/b holds "*" commit log files of this store and is not named any more"* ]]
  # From here on nothing new goes to the other filesystem, and what lies there is read, built from and expires.
  rm -r "$STORE/consumequeue"
  start_broker $QUICK --store-path-commit-log "$T/a" --read-only-commit-log-store-paths "$other/b"
  before=$(ls "$other/b")
  fill 4
  until_dispatched
  check_all 630
  [ "$(ls "$other/b")" = "$before" ]
  mq-storedump "$STORE" --verify
  touch -d '4 days ago' "$T"/a/*0000 "$T"/a/*{65536,131072,196608} "$other"/b/* 2>/dev/null || true
  mq-admin broker clean --expired-log > /dev/null
  until_true 10 eval '[ "$(mq-admin broker status --json | jq -r .commitLogMinOffset)" -gt 131072 ]'
  stop broker
  mq-reputd --once --rebuild --store "$STORE" --mapped-file-size-commit-log 64K --mapped-file-size-consume-queue 6000
  mq-flushd --once --store "$STORE" --mapped-file-size-commit-log 64K
  mq-storedump "$STORE" --verify
  rm -rf "$other"
}

@test "the splitter of the paths has RocketMQ's name in the environment" {
  start_namesrv
  env 'rocketmq.broker.multiPathSplitter=:' mq-broker -p --store-path-commit-log "$T/a:$T/b" | grep -q 'multiPathSplitter.*:'
  start broker env 'rocketmq.broker.multiPathSplitter=:' mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" \
    --broker-name broker-a $SMALL $QUICK --store-path-commit-log "$T/a:$T/b"
  BROKER=$READY
  fill 3
  [ "$(ls "$T/a" "$T/b" | grep -c '^[0-9]')" -ge 3 ]
  [ "$(ls "$T/b" | wc -l)" -ge 1 ]
}
