load helper

all() { mq-consume -t "$1" --from start -e "${@:2}"; }

@test "delimiters of any length, NUL, CR LF, empty and unterminated records" {
  start_cluster
  printf 'a<EOM>b<EO<EOM>c' | mq-send -q -t D1 --queue 0 -D '<EOM>'
  [ "$(all D1 -f '[%b]')" = "[a][b<EO][c]" ]
  printf 'a\0b\n\0' | mq-send -q -t D2 --queue 0 -0
  [ "$(all D2 -f '[%x]')" = "[61][620A]" ]
  printf 'a\r\n\r\n\nb' | mq-send -q -t D3 --queue 0 --crlf
  [ "$(all D3 -f '[%b]')" = "[a][][][b]" ]
  printf 'a\n\nb\n' | mq-send -q -t D4 --queue 0 --skip-empty
  [ "$(all D4 -f '[%b]')" = "[a][b]" ]
  run mq-send -t D5 < /dev/null
  [ "$status" = 0 ]
  [[ $output == "sent 0 stored 0 failed 0 in "* ]]
}

@test "a report says what became of each record, and resuming sends the rest" {
  start_cluster
  seq 100 | mq-send -q -t R --report "$T/r.tsv"
  [ "$(cut -f2 "$T/r.tsv" | sort | uniq -c | tr -s ' ')" = " 100 stored" ]
  sed -i '/^7\t/d; /^8\t/d' "$T/r.tsv"
  seq 100 | mq-send -t R --report "$T/r.tsv" --resume "$T/r.tsv" 2> "$T/err"
  grep -q '^sent 2 stored 2 failed 0 in' "$T/err"
  [ "$(all R | sort -n | uniq -c | awk '$1 == 2 { print $2 }' | xargs)" = "7 8" ]
}

@test "a bad record stops the run with its number; --keep-going goes on; status 3 when part was stored" {
  start_cluster
  printf '{"body":"a"}\nnonsense\n{"body":"b"}\n' > "$T/in"
  run mq-send -t B -J --window 1 --batch 1 "$T/in"
  [ "$status" = 3 ]
  [[ $output == *"record 2"* ]]
  run mq-send -t B -J --keep-going "$T/in"
  [ "$status" = 3 ]
  [[ $output == *"sent 2 stored 2 failed 1 in "* ]]
  (echo a; head -c 5000000 /dev/zero | tr '\0' x; echo; echo b) > "$T/long"
  run mq-send -t B2 --keep-going "$T/long"
  [ "$status" = 3 ]
  [[ $output == *"record 2"* ]]
  [ "$(all B2 | sort | xargs)" = "a b" ]
}

@test "attributes and their refusal" {
  start_cluster
  mq-send -q -t A -T tag -k k1 -k k2 -p 'where=Beijing,China=1' -m body
  [ "$(all A -f '%T|%k|%{where}|%b')" = "tag|k1 k2|Beijing,China=1|body" ]
  for wrong in novalue "$(printf 'a=1\002TAGS\001evil')" TAGS=x; do
    run mq-send -t A -p "$wrong" -m x
    [ "$status" = 2 ]
  done
  run mq-send -t A -p a=1 -p a=2 -m x
  [ "$status" = 2 ]
  [[ $output == *"'a' is given twice"* ]]
  for body in '{{.Count}}' '%s %k \n' '$HOME' '@x' '-'; do mq-send -q -t Asis --queue 0 -m "$body"; done
  [ "$(all Asis)" = "$(printf '%s\n' '{{.Count}}' '%s %k \n' '$HOME' '@x' '-')" ]
}

@test "equal shard values share a queue in order; fields and JSON paths give keys" {
  start_cluster
  for i in $(seq 300); do echo "$((i % 7)),$i"; done | mq-send -q -t S --shard-field 1 --key-field 2 --field-separator ,
  all S -f '%q %b %k%n' > "$T/out"
  [ "$(awk '{ split($2, f, ","); print f[1], $1 }' "$T/out" | sort -u | wc -l)" = 7 ]
  awk '{ split($2, f, ","); if (f[2] < last[f[1]] + 0 || f[2] != $3) exit 1; last[f[1]] = f[2] }' "$T/out"
  echo '{"a":{"b":["x"]}}' | mq-send -q -t J --key-json '.a.b[0]'
  [ "$(all J -f %k)" = x ]
}

@test "dry runs connect to nothing; tee copies the input; rate holds back" {
  [ "$(printf 'a\nb\n' | mq-send -q -n 127.0.0.1:1 -t X --dry-run | jq -r .body | xargs)" = "a b" ]
  start_cluster
  seq 5 > "$T/in"
  mq-send -q -t Tee --tee "$T/in" | cmp - "$T/in"
  begin=$(date +%s%N)
  seq 11 | mq-send -q -t Rate --rate 20/s
  [ $(( ($(date +%s%N) - begin) / 1000000 )) -ge 450 ]
  seq 10 | mq-send -t P --progress=json 2> "$T/err"
  grep '^{' "$T/err" | tail -1 | jq -e '.stored == 10 and .done'
}

@test "statuses: nobody there 6, unreadable input 8, signals 128+n after what is in flight" {
  run mq-send -n 127.0.0.1:1 -t X -m x --timeout 1s
  [ "$status" = 6 ]
  start_cluster
  run mq-send -t X /nonexistent
  [ "$status" = 8 ]
  mkfifo "$T/in"
  mq-send -t Sig "$T/in" 2> "$T/err" & pid=$!
  exec {in}> "$T/in"
  echo one >&$in
  until_true 5 sh -c 'mq-consume -q -t Sig --from start -e | grep -q one'
  kill -TERM $pid
  status=0; wait $pid || status=$?
  exec {in}>&-
  [ "$status" = 143 ]
  grep -q '^sent 1 stored 1 failed 0' "$T/err"
}
