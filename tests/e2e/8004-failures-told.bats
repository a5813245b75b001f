load helper

@test "bug 122 a record without an end is refused at the limit, once" {
  start_cluster
  run timeout 20 mq-send -t T /dev/zero
  [ "$status" = 8 ]
  [ "$(grep -c 'cannot send record 1: it is longer than' <<< "$output")" = 1 ]
}

@test "a signal ends a sender in the middle of a record that never ends" {
  start_cluster
  # With --keep-going the rest of such a record is passed over, for as long as there is more of it.
  mq-send -t T --keep-going /dev/zero 2> "$T/err" 3>&- & local pid=$!
  PIDS+=("$pid")
  until_true 20 grep -q 'record 1: it is longer than' "$T/err"
  kill -TERM $pid
  gone() { ! kill -0 $pid 2>/dev/null; }
  until_true 10 gone
  local status=0; wait $pid || status=$?
  [ "$status" = 143 ]
}

@test "with --keep-going each failure is said once" {
  start_cluster
  run mq-send -t T --keep-going --format json - <<< $'nonsense\n{"body":"x"}\n{}'
  [ "$status" = 3 ]
  [ "$(grep -c 'record 1: ' <<< "$output")" = 1 ]
  [ "$(grep -c 'record 3: ' <<< "$output")" = 1 ]
  run mq-send -t T --keep-going "$T/missing" /dev/null
  [ "$status" = 8 ]
  [ "$(grep -c "$T/missing" <<< "$output")" = 1 ]
  # --quiet leaves the first one.
  run mq-send -q -t T --keep-going --format json - <<< $'nonsense\n{}'
  [ "$(grep -c . <<< "$output")" = 1 ] && [[ $output == *'cannot send record 1: '* ]]
}

@test "output that cannot be written is said as such" {
  start_cluster
  mq-send -q -t T -m x
  local status=0
  mq-consume -t T -e > /dev/full 2> "$T/err" || status=$?
  [ "$status" = 8 ]
  [ "$(cat "$T/err")" = 'mq-consume: cannot write standard output: No space left on device' ]
}

@test "when no name server answers, all of them are named" {
  run mq-consume -n '127.0.0.1:1;127.0.0.1:2' -t T -e
  [ "$status" = 6 ]
  [[ $output == *'127.0.0.1:1: '*'127.0.0.1:2: '* ]]
  run mq-send -n '127.0.0.1:1;127.0.0.1:2' -t T -m x --timeout 300ms
  [ "$status" = 6 ]
  [[ $output == *'127.0.0.1:1: '*'127.0.0.1:2: '* ]]
}
