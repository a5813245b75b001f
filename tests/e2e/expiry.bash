# For tests of expiry: a log of many small files that are looked at often.

# Small files, a look ten times a second: the first run comes after 0.6 s.
QUICK="--mapped-file-size-commit-log 64K --mapped-file-size-consume-queue 200 --max-hash-slot-num 100 --max-index-num 50
  --warm-window 64K --clean-resource-interval 100 --delete-commit-log-files-interval 20
  --flush-interval-commit-log 50 --flush-commit-log-thorough-interval 100"
start_quick() { start_namesrv && start_broker $QUICK "$@"; }

# Messages of a kilobyte in one queue, until the log has so many files.
fill() {
  mq-admin topic list | grep -qx T || mq-admin topic create T --read-queues 1 --write-queues 1 > /dev/null
  seq -f "%0${2:-1000}g" 1 $((63 * $1)) | mq-send -t T -q
  until_true 10 dispatched
}
dispatched() { [ "$(status dispatchBehindBytes)" = 0 ] && [ "$(status remainHowManyDataToFlush)" = '0 B' ]; }
status() { mq-admin broker status --json | jq -r ".$1"; }
log_files() { ls "$STORE/commitlog" | wc -l; }
first_file() { ls "$STORE/commitlog" | head -1; }
# age HOURS N: makes the oldest N files look so old.
age() { ls "$STORE/commitlog" | head -"$2" | sed "s|^|$STORE/commitlog/|" | xargs touch -d "$1 hours ago"; }
stats() { mq-admin topic stats T --columns queue,min,max | tr '\t' ' '; }
set_live() { mq-admin broker config set "$@" > /dev/null; }
# Every number from the minimum on, once and in order, and nothing before it.
check_rest() {
  read -r _ min max <<< "$(stats)"
  [ "$min" -gt 0 ]
  [ "$(mq-consume -t T --from start -e -f '%o%n')" = "$(seq "$min" $((max - 1)))" ]
}

