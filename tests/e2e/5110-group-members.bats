load helper

# member NAME [OPTION...]: a member of group g in the background; its lines go to $T/NAME.out. Sets PID_NAME.
member() {
  local name=$1; shift
  mq-consume -v -t T -g g "$@" > "$T/$name.out" 2> "$T/$name.log" 3>&- &
  printf -v "PID_$name" %s $!
  PIDS+=($!)
}
lines() { cat "$T"/*.out | wc -l; }
lines_are() { [ "$(lines)" -ge "$1" ]; }
# What a member's last word about topic T was: how many queues are its own.
owns() { [ "$(grep -oE 'topic T: [0-9]+ queues' "$T/$1.log" | tail -1 | grep -oE '[0-9]+')" = "$2" ]; }

@test "RB-04 CO-02 bug 89 three members share eight queues; one joins, one leaves, one dies, and nothing is lost" {
  start_cluster
  mq-admin topic create T --read-queues 8 --write-queues 8 > /dev/null
  member a; member b; member c
  until_true 30 owns a 3; until_true 30 owns b 3; until_true 30 owns c 2
  # Two thousand messages a second all the while.
  seq 30000 | mq-send -q -t T --rate 2000/s --batch 10 3>&- & local sender=$!
  until_true 30 lines_are 3000
  member d
  until_true 30 owns d 2
  until_true 30 lines_are 8000
  stop a TERM || [ $? = 143 ]
  until_true 30 owns d 2; until_true 30 owns b 3
  until_true 30 lines_are 14000
  # Up to here nobody was killed: no message came twice.
  [ "$(cat "$T"/*.out | sort | uniq -d | wc -l)" = 0 ]
  stop b KILL || [ $? = 137 ]
  until_true 30 owns c 4; until_true 30 owns d 4
  wait $sender
  all_there() { [ "$(missing 30000 "$T"/*.out)" = 0 ]; }
  until_true 60 all_there
  # Twice came at most what the killed one had printed and not committed: less than its share of five seconds.
  local twice; twice=$(cat "$T"/*.out | sort | uniq -d | wc -l)
  echo "twice: $twice"
  [ "$twice" -lt 5000 ]
  cat "$T"/[acd].out | sort | uniq -d | wc -l | grep -qx 0
  stop c TERM || [ $? = 143 ]
  stop d TERM || [ $? = 143 ]
}

@test "RB-11 the fifth member of four queues waits, and takes over when one leaves" {
  start_cluster
  mq-admin topic create T --read-queues 4 --write-queues 4 > /dev/null
  local i
  for i in 1 2 3 4 5; do member "m$i"; done
  idle() { for i in 1 2 3 4 5; do owns "m$i" 0 && { IDLE=m$i; return 0; }; done; return 1; }
  settled() { local n=0 j; for j in 1 2 3 4 5; do owns "m$j" 1 && n=$((n + 1)); done; [ $n = 4 ] && idle; }
  until_true 30 settled
  local leaver=m1; [ "$IDLE" != m1 ] || leaver=m2
  local begin=$SECONDS
  stop $leaver TERM || [ $? = 143 ]
  until_true 10 owns "$IDLE" 1
  [ $((SECONDS - begin)) -le 5 ]
}

@test "CN-08 a member that is killed is missed at once: its queues go on at the others" {
  start_cluster
  mq-admin topic create T --read-queues 2 --write-queues 2 > /dev/null
  member a; member b
  until_true 30 owns a 1; until_true 30 owns b 1
  local begin=$SECONDS
  stop b KILL || [ $? = 137 ]
  seq 100 | mq-send -q -t T --batch 1
  all() { [ "$(sort -n "$T/a.out" "$T/b.out" | uniq | wc -l)" = 100 ]; }
  until_true 15 all
  [ $((SECONDS - begin)) -le 10 ]
}

@test "bug 82 members that want different tags are told so" {
  start_cluster
  seq 4 | mq-send -q -t T
  member a
  until_true 30 owns a 4
  member b -T x
  until_true 30 grep -q "with tags '\*', this one with 'x'" "$T/b.log"
  until_true 60 grep -q "with tags 'x', this one with '\*'" "$T/a.log"
}

@test "bug 102 a member that stood still goes on where it was, and repeats nothing" {
  start_cluster
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  member a
  until_true 30 owns a 1
  seq 100 | mq-send -q -t T
  until_true 10 lines_are 100
  kill -STOP "$PID_a"
  seq 101 200 | mq-send -q -t T
  kill -CONT "$PID_a"
  until_true 10 lines_are 200
  stop a TERM || [ $? = 143 ]
  [ -z "$(mq-consume -q -t T -g g -e)" ]
  [ "$(sort "$T/a.out" | uniq -d | wc -l)" = 0 ]
}
