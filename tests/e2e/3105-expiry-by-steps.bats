load helper
load expiry

# trace_unlinks FILE: follows what mq-flushd removes; returns once it does.
trace_unlinks() {
  command -v strace > /dev/null || skip "no strace"
  strace -f -qq -ttt -e trace=unlink,unlinkat -o "$1" -p "$(helper_pid flushd)" 3>&- 2> "$T/strace.log" &
  PIDS+=($!)
  until_true 10 eval 'grep -q "TracerPid:.*[1-9]" /proc/$(helper_pid flushd)/status'
}
# removals FILE: time in milliseconds and name of each log file that went.
removals() { sed -nE 's|^[0-9]+ +([0-9]+)\.([0-9]{3}).*commitlog/([0-9]{20})".*= 0|\1\2 \3|p' "$1"; }
# Files of the commit log that a process has mapped, those that have no name any more among them.
mapped() { ls -l "/proc/$1/map_files" 2> /dev/null | grep -c "commitlog/$2" || true; }
page_table_kib() { awk '/^VmPTE/ { print $2 }' "/proc/$1/status"; }

@test "EX-05 expired files are looked for by themselves: first after six intervals, then at each" {
  [ "$(mq-broker -p | awk '$1 == "cleanResourceInterval" { print $2 }')" = 10000 ]
  hour=$(date +%-H)
  start_quick --clean-resource-interval 500 --delete-when "$hour;$(((hour + 1) % 24))"
  trace_unlinks "$T/trace"
  began=$(date +%s%3N)
  fill 6
  age 96 1
  until_true 10 eval '[ "$(first_file)" = 00000000000000065536 ]'
  # Nobody has asked. It took what is left of six intervals; mq-flushd had begun to count a little before us.
  read -r first _ <<< "$(removals "$T/trace")"
  [ $((first - began)) -ge 1500 ]
  # From then on each interval brings a look.
  for i in 2 3; do
    age 96 1
    until_true 5 eval '[ "$(removals "$T/trace" | wc -l)" = '$i' ]'
  done
  check_rest
}

@test "EX-09 files go one by one, oldest first, with a pause between two and not more than ten in one run" {
  start_quick --delete-commit-log-files-interval 200 --delete-when $(( ($(date +%-H) + 12) % 24 ))
  fill 16
  age 96 12
  trace_unlinks "$T/trace"
  mq-admin broker clean --expired-log > /dev/null
  until_true 15 eval '[ "$(first_file)" = 00000000000000786432 ]'
  removals "$T/trace" > "$T/removals"
  [ "$(wc -l < "$T/removals")" = 12 ]
  cut -d' ' -f2 "$T/removals" | sort -c
  awk 'NR > 1 && $1 - last < 195 { print "only", $1 - last, "ms before", $2; bad = 1 } { last = $1 } END { exit bad }' "$T/removals"
  check_rest
}

@test "EX-02 bug 142 however many files the log has, a process maps a bounded number of them" {
  # Thirty files of eight MiB, each read whole.
  start_namesrv
  start_broker --mapped-file-size-commit-log 8M --mapped-file-size-consume-queue 6000000 --clean-resource-interval 100 \
    --delete-commit-log-files-interval 20 --flush-interval-commit-log 50 --flush-commit-log-thorough-interval 100
  mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  half() { head -c 120M /dev/zero | tr '\0' x | fold -w 60000 | mq-send -t T --batch 1 -q; until_true 20 dispatched; }
  half
  [ "$(mq-consume -t T --from start -e -f '%o%n' | wc -l)" -gt 2000 ]
  tables=$(page_table_kib "$PID_broker")
  half
  [ "$(log_files)" -ge 28 ]
  [ "$(mq-consume -t T --from start -e -f '%o%n' | wc -l)" -gt 4000 ]
  # A window of sixteen for readers, the file that is written and the next one.
  [ "$(mapped "$PID_broker")" -le 20 ]
  [ "$(mapped "$(helper_pid flushd)")" -le 5 ]
  [ "$(mapped "$(helper_pid reputd)")" -le 20 ]
  # Page tables do not grow with the log: another fifteen files cost nothing (they would need 240 KiB).
  [ $(($(page_table_kib "$PID_broker") - tables)) -le 100 ]
  [ "$(page_table_kib "$PID_broker")" -le 65536 ]
  # What is removed gives its memory and its space back: nobody keeps it mapped.
  age 96 20
  mq-admin broker clean --expired-log > /dev/null
  until_true 15 eval '[ "$(log_files)" -le 12 ]'
  until_true 5 eval '[ "$(mapped "$PID_broker" ".*deleted")$(mapped "$(helper_pid flushd)" ".*deleted")$(mapped "$(helper_pid reputd)" ".*deleted")" = 000 ]'
}
