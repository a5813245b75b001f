bats_require_minimum_version 1.5.0
load helper

@test "RC-11 RC-12 what was acknowledged survives power cuts and kills, recovery cut short again and again included" {
  crash_lab power --seed 1 --rounds 16 --base "/dev/shm/mq-e2e.$$"
  # Operations against a model, with deaths at every step of the code.
  crash_lab model --seed 1 --rounds 3 --base "/dev/shm/mq-e2e.$$"
}

@test "RC-02 RC-04 RC-10 an abort file means recovery; queues without a log are destroyed" {
  start_cluster
  seq 50 | mq-send -t T -q
  stop broker
  grep -q 'after a clean stop' "$T/broker.log"
  touch "$STORE/abort"
  start_broker
  grep -q 'after an unclean stop' "$T/broker.log"
  [ "$(mq-consume -t T --from start -e | wc -l)" = 50 ]
  ls -R "$STORE/consumequeue" | grep -q '^[0-9]\{20\}$'
  stop broker
  rm "$STORE"/commitlog/*
  run -1 mq-storedump "$STORE" --plan
  [[ $output == *"commitlog:0: lost: no log file is left, and records up to position "* ]]
  start_broker
  mq-admin health | grep -q "warning: .*the commit log is damaged: all its files were gone"
  until_true 10 eval '! ls -R "$STORE/consumequeue" | grep -q "^[0-9]\{20\}\$"'
  [ "$(mq-consume -t T --from start -e | wc -l)" = 0 ]
}

@test "RC-03 a log file larger than all others is refused by name and size, not mapped" {
  start_cluster
  seq 50 | mq-send -t T -q
  stop broker
  truncate -s 5000000 "$STORE/commitlog/00000000000000000000"
  run timeout 20 mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$STORE" --broker-name broker-a $SMALL
  [ "$status" = 8 ]
  [[ $output == *"commitlog/00000000000000000000 has 5000000 bytes"* ]]
}
