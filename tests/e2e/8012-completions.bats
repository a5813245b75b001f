load helper

# The three shells complete nouns, verbs, options and what the cluster knows. Each shell is driven for real.

# 300 milliseconds for the question, the rest for starting processes; the best of some tries, for a busy machine.
MILLISECONDS_ALLOWED=600

# offers SHELL_complete LINE WANTED: on a busy machine the cluster may answer too late for one try.
offers() { [ "$("$1" "$2")" = "$3" ]; }
bash_complete() {  # LINE
  (
    source "$MQ_ROOT/completions/mq-admin.bash"
    COMP_LINE=$1 COMP_POINT=${#1}
    read -ra COMP_WORDS <<< "$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _mq_admin
    printf '%s\n' "${COMPREPLY[@]}" | sort
  )
}

@test "bash completes nouns, verbs, options, topics and groups of the live cluster" {
  start_cluster
  mq-admin topic create OrdersA > /dev/null
  mq-admin topic create OrdersB > /dev/null
  mq-admin group create billing > /dev/null
  bash_complete "mq-admin to" | grep -qx topic
  until_true 20 offers bash_complete "mq-admin topic st" stats
  bash_complete "mq-admin topic create --re" | grep -qx -- --read-queues
  until_true 20 offers bash_complete "mq-admin topic show Ord" $'OrdersA\nOrdersB'
  until_true 20 offers bash_complete "mq-admin group lag bil" billing
  until_true 20 offers bash_complete "mq-admin offset reset billing Ord" $'OrdersA\nOrdersB'
  until_true 20 offers bash_complete "mq-admin broker status brok" broker-a
  [ "$(bash_complete "mq-admin topic create T --perm r" | tr '\n' ' ')" = "r rw " ]
  # Options in front of the noun, and where to ask taken from the line.
  unset MQ_NAMESRV
  until_true 20 offers bash_complete "mq-admin -n $NS topic show Ord" $'OrdersA\nOrdersB'
  until_true 20 offers bash_complete "mq-admin topic show --namesrv=$NS Ord" $'OrdersA\nOrdersB'
  mkdir -p "$HOME/.config/mq"; touch "$HOME/.config/mq/prod.conf"
  until_true 20 offers bash_complete "mq-admin --context pr" prod
}

@test "bash completes topics and groups for mq-consume, also behind an equal sign" {
  start_cluster
  mq-admin topic create Rides > /dev/null
  mq-admin group create billing > /dev/null
  consume_complete() {  # LINE
    (
      source "$MQ_ROOT/completions/mq-consume.bash"
      COMP_LINE=$1 COMP_POINT=${#1}
      _mq_consume
      printf '%s\n' "${COMPREPLY[@]}" | sort
    )
  }
  until_true 20 offers consume_complete "mq-consume -t Rides -g bil" billing
  until_true 20 eval 'consume_complete "mq-consume -t Rides -g " | grep -qx billing'
  until_true 20 offers consume_complete "mq-consume --topic=R" Rides
  until_true 20 offers consume_complete "mq-consume --group=b" billing
}

@test "a completion is silent and quick when the cluster cannot be reached" {
  local try began took
  for try in {1..20}; do
    began=$EPOCHREALTIME
    [ -z "$(MQ_NAMESRV=192.0.2.1:9876 bash_complete "mq-admin topic show x" 2>&1)" ]
    took=$(( (${EPOCHREALTIME/./} - ${began/./}) / 1000 ))
    [ $took -lt $MILLISECONDS_ALLOWED ] && return 0
  done
  echo "took $took ms"
  return 1
}

@test "zsh completes nouns, verbs, options and topics" {
  for file in "$MQ_ROOT"/completions/_*; do head -1 "$file" | grep -q '^#compdef mq-'; done
  command -v zsh > /dev/null || skip "no zsh here; the first lines were checked"
  for file in "$MQ_ROOT"/completions/_*; do zsh -n "$file"; done
  start_cluster
  mq-admin topic create OrdersA > /dev/null
  # A shell in a terminal of its own: TAB is pressed, and what the line has become is printed.
  cat > "$T/drive" <<'Z'
zmodload zsh/zpty
complete_line() {
  local out= chunk
  zpty z zsh -f -i
  zpty -w z "PS1=; fpath=($MQ_COMPLETIONS \$fpath); autoload -Uz compinit; compinit -u -D; print READY\$((1+1))"
  while zpty -r z chunk; do [[ $chunk == *READY2* ]] && break; done
  zpty -w z "show() { print -r -- \"<\$BUFFER>\" > $1; zle accept-line }; zle -N show; bindkey '^X' show; print READY\$((2+2))"
  while zpty -r z chunk; do [[ $chunk == *READY4* ]] && break; done
  zpty -n -w z "$2"$'\t\x18'
  local i
  for ((i = 0; i < 200; i++)); do [[ -s $1 ]] && break; zselect -t 5; done
  zpty -d z
}
zmodload zsh/zselect
complete_line $1 $2
Z
  local line
  export MQ_COMPLETIONS=$MQ_ROOT/completions
  for line in "mq-admin top|mq-admin topic" "mq-admin topic sta|mq-admin topic stats" \
    "mq-admin topic show Ord|mq-admin topic show OrdersA" "mq-admin -n $NS topic show Ord|mq-admin -n $NS topic show OrdersA" \
    "mq-admin topic create --read|mq-admin topic create --read-queues"; do
    # Names of topics are offered only when the cluster answers in time: on a busy machine TAB is pressed again.
    pressed() {
      rm -f "$T/line"
      timeout 60 zsh -f "$T/drive" "$T/line" "${line%|*}" 3>&- > "$T/zsh.out" 2>&1 || true
      [[ $(cat "$T/line" 2>/dev/null) == "<${line#*|}"* ]]
    }
    until_true 20 pressed || { echo "wanted ${line#*|}"; cat "$T/line" "$T/zsh.out"; return 1; }
  done
}

@test "fish completes nouns, verbs, options, topics and groups" {
  [ "$(ls "$MQ_ROOT"/completions/*.fish | wc -l)" = 8 ]
  command -v fish > /dev/null || skip "no fish here; the files are there"
  for file in "$MQ_ROOT"/completions/*.fish; do fish -n "$file"; done
  start_cluster
  mq-admin topic create OrdersA > /dev/null
  mq-admin group create billing > /dev/null
  fish_complete() { fish --no-config -c "source '$MQ_ROOT/completions/mq-admin.fish'; complete -C '$1'" 3>&- | cut -f1; }
  fish_complete "mq-admin to" | grep -qx topic
  until_true 20 offers fish_complete "mq-admin topic st" stats
  fish_complete "mq-admin topic create --re" | grep -qx -- --read-queues
  until_true 20 offers fish_complete "mq-admin topic show Ord" OrdersA
  until_true 20 offers fish_complete "mq-admin -n $NS topic show Ord" OrdersA
  until_true 20 offers fish_complete "mq-admin offset reset billing Ord" OrdersA
  until_true 20 offers fish_complete "mq-admin group lag bil" billing
  not grep -q -- --read-queues <(fish_complete "mq-admin topic show --")
}
