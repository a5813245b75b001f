load helper

@test "bug 129 an offset that no queue reaches is said, with how a time is written" {
  start_cluster
  seq 5 | mq-send -q -t T
  run mq-consume -t T --from 1769860800 -e
  [ "$status" = 0 ]
  [[ $output == *"no queue reaches offset 1769860800"*"@1769860800"* ]]
  run mq-consume -q -t T --from 1769860800 -e
  [ -z "$output" ]
  # One queue that is long enough is what was asked for.
  run mq-consume -t T --from 0 -e
  [[ $output != *"no queue reaches"* ]]
}

@test "of --to and --exit-at-end the first end counts" {
  start_cluster
  seq 10 | mq-send -q -t W --queue 0 --window 1
  [ "$(mq-consume -t W --from 3 --to 5 -e | xargs)" = "4 5" ]
  [ "$(mq-consume -t W --from 8 --to 50 -e | xargs)" = "9 10" ]
  [ "$(mq-consume -t W --from start --to 2001-01-01T00:00:00Z -e | wc -l)" = 0 ]
  [ "$(mq-consume -t W --from start --to 2100-01-01T00:00:00Z -e | wc -l)" = 10 ]
  [ "$(mq-consume -t W --from start --to end -e | wc -l)" = 10 ]
}

@test "input that is not what it should be is local trouble: status 8, the record named once" {
  start_cluster
  mq-send -q -t T -m x
  run mq-send -t T -J <<< '{"body":'
  [ "$status" = 8 ] && [[ $output == *"send record 1: "* && $output != *"record 1: record 1"* ]]
  run mq-send -t T -M < <(printf 'no msgpack')
  [ "$status" = 8 ] && [[ $output == *"send record 1: "* && $output != *"record 1: record 1"* ]]
  run mq-send -t T -M < <(printf '\x81\xa4body\xa5ab')
  [ "$status" = 8 ] && [[ $output == *"record 1: it is cut off"* ]]
  run mq-send -t T --key-field 3 <<< 'one two'
  [ "$status" = 8 ] && [[ $output == *"no field 3"* ]]
  # What was sent before makes it partly done.
  run mq-send -t T -J < <(printf '{"body":"a"}\n{"body":\n')
  [ "$status" = 3 ]
}

@test "--crlf takes the CR of a line end, not that of an unterminated record" {
  start_cluster
  printf 'a\r\nb\r' | mq-send -q -t T --queue 0 --window 1 --crlf
  [ "$(mq-consume -t T -e | od -c | head -1)" = "$(printf 'a\nb\r\n' | od -c | head -1)" ]
}

@test "a batch that is split because of one illegal message is said without -v" {
  start_cluster --max-message-size 1000
  { seq 5; head -c 2000 /dev/zero | tr '\0' x; echo; seq 6 9; } > "$T/in"
  run mq-send -t T --keep-going "$T/in"
  [ "$status" = 3 ]
  [[ $output == *"go one by one"*"order may have changed"* ]]
}
