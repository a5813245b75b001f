load helper

# The commands of README.md's tour, as they stand there, in one shell; what they print is what the README says.
@test "the tour of the README works as written" {
  cd "$T"
  awk '/^```console tour/{on=1; next} /^```/{on=0} on' "$MQ_ROOT/README.md" > tour
  [ "$(grep -c '^\$ ' tour)" -gt 20 ]
  # Everything on ports of the test's own; the daemons leave with the test.
  {
    echo 'ns() { local l; read -r -t 20 l < ns.ready; MQ_NAMESRV=${l#ready }; export MQ_NAMESRV; }'
    echo 'mkfifo ns.ready'
    echo 'mq-namesrv() { echo $BASHPID > ns.pid; exec mq-namesrv --listen 127.0.0.1:0 --ready-fd 9 9> ns.ready; }'
    echo 'mq-broker() { [ -n "${MQ_NAMESRV:-}" ] || ns; command mq-broker --listen 127.0.0.1:0 --mapped-file-size-commit-log 64M "$@"; }'
    # The address is learned in the main shell as well.
    sed -n 's/^\$ //p' tour | sed -E 's/^(mq-namesrv .*&)$/\1 ns/; s|\./store|"$PWD/store"|'
  } > script
  bash script > out 2> err 3>&- || { kill -TERM "$(cat ns.pid)"; cat err; false; }
  grep -v '^\$ ' tour > expected
  diff expected out || { kill -TERM "$(cat ns.pid)"; false; }
  pkill -TERM -f -- "$T/store"
  kill -TERM "$(cat ns.pid)"
}
