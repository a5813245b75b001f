load helper

# cli.md section 1: every exit status, by name; and stdout never carries anything but data.

# Runs a form that must fail so: the status, a message on stderr, nothing on stdout.
fails() {  # STATUS COMMAND...
  local want=$1 got=0; shift
  "$@" > "$T/stdout" 2> "$T/stderr" < /dev/null || got=$?
  [ "$got" = "$want" ] || { echo "status $got instead of $want: $*"; cat "$T/stderr"; return 1; }
  [ -s "$T/stderr" ] || { echo "nothing on stderr: $*"; return 1; }
  [ ! -s "$T/stdout" ] || { echo "on stdout: $*"; cat "$T/stdout"; return 1; }
}

@test "status 0: done" {
  start_cluster
  mq-admin topic create T > /dev/null
  echo x | mq-send -t T
  [ "$(mq-consume -t T --from start -e)" = x ]
  until_true 10 mq-admin health -q
}

@test "status 1: the answer is no, and stdout stays empty" {
  start_cluster
  mq-admin topic create T > /dev/null
  fails 1 mq-admin topic show Nope
  fails 1 mq-admin topic route Nope
  fails 1 mq-admin topic stats Nope
  fails 1 mq-admin topic update Nope --perm r
  fails 1 mq-admin topic delete Nope --yes
  fails 1 mq-admin group show nope
  fails 1 mq-admin group delete nope --yes
  fails 1 mq-admin group lag nope
  fails 1 mq-admin group members nope
  fails 1 mq-admin offset show nope
  fails 1 mq-admin offset reset G Nope --to end
  fails 1 mq-admin msg find -t T --key none
  fails 1 mq-admin kv get ns nothing
  fails 1 mq-admin broker status nobody
  fails 1 mq-admin namesrv drain nobody
  fails 1 mq-admin broker config get nothing
}

@test "status 2: usage or configuration, nothing was tried, and stdout stays empty" {
  fails 2 mq-admin
  fails 2 mq-admin nonsense
  fails 2 mq-admin topic nonsense
  fails 2 mq-admin topic show
  fails 2 mq-admin topic show a b
  fails 2 mq-admin topic list --nonsense
  fails 2 mq-admin topic list --timeout soon
  fails 2 mq-admin topic list --columns nonsense
  fails 2 mq-admin topic list --sort nonsense
  fails 2 mq-admin topic show 'a/b'
  fails 2 mq-admin group show 'a/b'
  fails 2 mq-admin topic list -n nonsense:port
  fails 2 mq-admin topic list --broker nonsense
  fails 2 mq-admin offset reset G T
  fails 2 mq-admin offset reset G T --to nowhere
  fails 2 mq-admin offset reset G T --to end --save-undo "$T/undo"
  fails 2 mq-admin broker clean
  fails 2 mq-admin updateTopic -t
  fails 2 mq-admin queryMsgTraceById
  fails 2 mq-admin msg get 123
  fails 2 mq-send --nonsense
  fails 2 mq-send -t T --window many
  fails 2 mq-consume --nonsense
  fails 2 mq-consume -t T --from nowhere
  fails 2 mq-storedump --nonsense
  for daemon in mq-namesrv mq-broker mq-flushd mq-reputd; do fails 2 $daemon --nonsense; done
}

@test "status 3: one of two brokers is silent; the others' answers are printed and it is named" {
  start_cluster
  start other mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$T/other" --broker-name broker-b $SMALL
  until_true 10 bash -c "[ \$(mq-admin broker list | wc -l) = 2 ]"
  mq-admin topic create T > /dev/null
  mq-admin group create G > /dev/null
  mq-admin offset reset G T --to end --apply > /dev/null
  kill -STOP "$PID_other"
  local form
  for form in "cluster list" "topic stats T" "group list" "group show G" "group lag G" "broker config get maxMessageSize" \
    "topic create T --read-queues 9 --write-queues 9" "offset show G T" "broker status"; do
    local got=0
    # shellcheck disable=SC2086
    mq-admin $form --timeout 1s > "$T/stdout" 2> "$T/stderr" || got=$?
    [ $got = 3 ] || { echo "status $got: $form"; cat "$T/stdout" "$T/stderr"; kill -CONT "$PID_other"; return 1; }
    # The silence of one leaves time for the other, however many questions there are.
    if ! grep -q broker-a "$T/stdout" && ! grep -qx G "$T/stdout"; then
      echo "nothing of broker-a: $form"; cat "$T/stderr"; kill -CONT "$PID_other"; return 1
    fi
    if ! grep -q broker-b "$T/stderr"; then echo "not named: $form"; cat "$T/stderr"; kill -CONT "$PID_other"; return 1; fi
  done
  kill -CONT "$PID_other"
}

@test "the brokers are asked at once under one timeout" {
  start_cluster
  start other mq-broker -n "$NS" --listen 127.0.0.1:0 --store "$T/other" --broker-name broker-b $SMALL
  until_true 10 bash -c "[ \$(mq-admin broker list | wc -l) = 2 ]"
  kill -STOP "$PID_broker" "$PID_other"
  local began=$EPOCHREALTIME got=0
  mq-admin topic create T --timeout 1s > "$T/stdout" 2> "$T/stderr" || got=$?
  local took=$(( (${EPOCHREALTIME/./} - ${began/./}) / 1000 ))
  kill -CONT "$PID_broker" "$PID_other"
  [ $got = 6 ]
  [ ! -s "$T/stdout" ]
  [ $took -ge 900 ] && [ $took -lt 1900 ] || { echo "took $took ms"; return 1; }
}

@test "status 4: refused for good" {
  start_cluster --auto-create-topic-enable false
  fails 4 bash -c 'echo x | mq-send -t Nope'
  fails 4 mq-consume -t Nope -e
}

@test "status 5: not allowed" {
  start_cluster
  mq-admin topic create T > /dev/null
  echo x | mq-send -t T -q
  mq-admin group create G --consume-enable false > /dev/null
  fails 5 mq-admin bench consume -t T -g G
  mq-admin group create TOOLS_CONSUMER --consume-enable false > /dev/null
  fails 5 mq-consume -t T --from start -e
  mq-admin broker config set brokerPermission=4 > /dev/null
  fails 5 bash -c 'echo x | mq-send -t T'
}

@test "status 6: unreachable, and stdout stays empty" {
  for form in "topic list" "topic show T" "topic create T" "topic delete T --yes" "group list" "group lag G" \
    "group create G" "offset show G T" "offset reset G T --to end" "cluster list" "broker list" "broker status" \
    "msg find -t T --key k" "kv get a b" "namesrv config" "broker config get" "topic stats T"; do
    # shellcheck disable=SC2086
    fails 6 mq-admin $form -n 127.0.0.1:1 --timeout 500ms
  done
  fails 6 bash -c 'echo x | mq-send -t T -n 127.0.0.1:1 --timeout 500ms --retries 0'
  fails 6 mq-consume -t T -n 127.0.0.1:1 -e
}

@test "status 7: waited in vain" {
  start_cluster --auto-create-topic-enable false
  fails 7 mq-admin topic wait Nope --wait 200ms
  mq-admin topic create T > /dev/null
  fails 7 mq-consume -t T --wait 200ms
}

@test "status 8: local trouble" {
  start_cluster
  fails 8 bash -c 'mq-admin topic list > /dev/full'
  fails 8 mq-send -t T "$T/no-such-file"
  fails 8 mq-admin offset reset --undo "$T/no-such-file"
}

@test "status 128+n: ended by a signal" {
  start_cluster
  mq-admin topic create T > /dev/null
  mq-consume -t T --from start > "$T/out" 2> "$T/err" 3>&- &
  local pid=$! got=0
  PIDS+=($pid)
  until_true 5 bash -c "mq-admin broker status --json 2>/dev/null | grep -qE 'heldPulls\"[: ]+\"?[1-9]'"
  kill -TERM $pid
  wait $pid || got=$?
  [ $got = 143 ]
}
