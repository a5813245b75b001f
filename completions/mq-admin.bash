# bash completion for mq-admin, printed by --emit=bash.
_mq_names() {
  if [[ $1 == contexts ]]; then
    local file
    for file in "${XDG_CONFIG_HOME:-$HOME/.config}"/mq/*.conf; do
      [[ -e $file ]] && file=${file##*/} && echo "${file%.conf}"
    done
    return
  fi
  local -a typed where=()
  local i
  read -ra typed <<< "${COMP_LINE:-}"
  for ((i = 1; i < ${#typed[@]}; i++)); do
    case ${typed[i]} in
      -n|--namesrv|--broker|--context) where+=("${typed[i]}" "${typed[i + 1]//[\'\"]/}") ;;
      --namesrv=*|--broker=*|--context=*) where+=("${typed[i]//[\'\"]/}") ;;
    esac
  done
  timeout 0.3 mq-admin complete "$1" -q "${where[@]}" 2>/dev/null
}
_mq_admin() {
  local cur prev word noun= verb= i place=0
  local -a words=("${COMP_WORDS[@]:0:COMP_CWORD + 1}")
  if [[ -n ${COMP_LINE:-} ]]; then
    read -ra words <<< "${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=('')
  fi
  cur=${words[${#words[@]} - 1]}
  prev=
  ((${#words[@]} > 1)) && prev=${words[${#words[@]} - 2]}
  if [[ $cur == --*=* ]]; then prev=${cur%%=*} cur=${cur#*=}; fi
  COMPREPLY=()
  case $prev in
    --watch)
      COMPREPLY=()
      return
      ;;
    --columns)
      COMPREPLY=()
      return
      ;;
    --sort)
      COMPREPLY=()
      return
      ;;
    -n|--namesrv)
      COMPREPLY=()
      return
      ;;
    --broker)
      COMPREPLY=()
      return
      ;;
    --timeout)
      COMPREPLY=()
      return
      ;;
    --context)
      COMPREPLY=($(compgen -W "$(_mq_names contexts)" -- "$cur"))
      return
      ;;
    --cluster)
      COMPREPLY=($(compgen -W "$(_mq_names clusters)" -- "$cur"))
      return
      ;;
    --read-queues)
      COMPREPLY=()
      return
      ;;
    --write-queues)
      COMPREPLY=()
      return
      ;;
    --perm)
      COMPREPLY=($(compgen -W 'rw r w' -- "$cur"))
      return
      ;;
    --wait)
      COMPREPLY=()
      return
      ;;
    --retry-queues)
      COMPREPLY=()
      return
      ;;
    --retry-max)
      COMPREPLY=()
      return
      ;;
    --broker-id)
      COMPREPLY=()
      return
      ;;
    --slow-broker-id)
      COMPREPLY=()
      return
      ;;
    --max)
      COMPREPLY=()
      return
      ;;
    -t|--topic)
      COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur"))
      return
      ;;
    --to)
      COMPREPLY=()
      return
      ;;
    --undo)
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    --queue)
      COMPREPLY=()
      return
      ;;
    --broker-name)
      COMPREPLY=($(compgen -W "$(_mq_names brokers)" -- "$cur"))
      return
      ;;
    --save-undo)
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    --format)
      COMPREPLY=($(compgen -W 'text lines nul whole json msgpack' -- "$cur"))
      return
      ;;
    --key)
      COMPREPLY=()
      return
      ;;
    --begin)
      COMPREPLY=()
      return
      ;;
    --end)
      COMPREPLY=()
      return
      ;;
    --connections)
      COMPREPLY=()
      return
      ;;
    --window)
      COMPREPLY=()
      return
      ;;
    --size)
      COMPREPLY=()
      return
      ;;
    --batch)
      COMPREPLY=()
      return
      ;;
    --duration)
      COMPREPLY=()
      return
      ;;
    -g|--group)
      COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur"))
      return
      ;;
    --pull-batch)
      COMPREPLY=()
      return
      ;;
    --rate)
      COMPREPLY=()
      return
      ;;
  esac
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    case $word in
      --batch|--begin|--broker|--broker-id|--broker-name|--cluster|--columns|--connections|--context|--duration|--end|--format|--group|--key|--max|--namesrv|--perm|--pull-batch|--queue|--rate|--read-queues|--retry-max|--retry-queues|--save-undo|--size|--slow-broker-id|--sort|--timeout|--to|--topic|--undo|--wait|--watch|--window|--write-queues|-g|-n|-t) ((i++)) ;;
      -*) ;;
      *) if [[ -z $noun ]]; then noun=$word; elif [[ -z $verb ]]; then verb=$word; else ((place++)); fi ;;
    esac
  done
  if [[ $cur != -* && -z $noun ]]; then
    COMPREPLY=($(compgen -W 'bench broker cluster group health kv msg namesrv offset topic help' -- "$cur"))
    return
  fi
  if [[ $cur != -* && -z $verb ]]; then
    case $noun in
      help) COMPREPLY=($(compgen -W 'bench broker cluster group health kv msg namesrv offset topic' -- "$cur")) ;;
      bench) COMPREPLY=($(compgen -W 'consume latency send' -- "$cur")) ;;
      broker) COMPREPLY=($(compgen -W 'clean config list status' -- "$cur")) ;;
      cluster) COMPREPLY=($(compgen -W 'list' -- "$cur")) ;;
      group) COMPREPLY=($(compgen -W 'create delete lag list members show status update' -- "$cur")) ;;
      kv) COMPREPLY=($(compgen -W 'delete get list put' -- "$cur")) ;;
      msg) COMPREPLY=($(compgen -W 'find get' -- "$cur")) ;;
      namesrv) COMPREPLY=($(compgen -W 'config drain undrain' -- "$cur")) ;;
      offset) COMPREPLY=($(compgen -W 'reset show skip' -- "$cur")) ;;
      topic) COMPREPLY=($(compgen -W 'create delete list route show stats update wait' -- "$cur")) ;;
    esac
    return
  fi
  if [[ $cur != -* ]]; then
    case "$noun $verb $place" in
      'topic show 0') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'topic route 0') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'topic stats 0') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'topic create 0') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'topic update 0') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'topic delete 0') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'topic wait 0') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'group show 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'group create 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'group update 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'group delete 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'group lag 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'group status 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'group members 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'offset show 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'offset show 1') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'offset reset 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'offset reset 1') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'offset skip 0') COMPREPLY=($(compgen -W "$(_mq_names groups)" -- "$cur")) ;;
      'offset skip 1') COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur")) ;;
      'broker status 0') COMPREPLY=($(compgen -W "$(_mq_names brokers)" -- "$cur")) ;;
      'broker clean 0') COMPREPLY=($(compgen -W "$(_mq_names brokers)" -- "$cur")) ;;
      'namesrv drain 0') COMPREPLY=($(compgen -W "$(_mq_names brokers)" -- "$cur")) ;;
      'namesrv undrain 0') COMPREPLY=($(compgen -W "$(_mq_names brokers)" -- "$cur")) ;;
    esac
    return
  fi
  case "$noun $verb" in
    'topic list') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic show') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic route') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic stats') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic create') COMPREPLY=($(compgen -W '--cluster --read-queues --write-queues --perm --order --force --dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic update') COMPREPLY=($(compgen -W '--cluster --read-queues --write-queues --perm --order --force --dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic delete') COMPREPLY=($(compgen -W '--cluster -y --yes --dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic wait') COMPREPLY=($(compgen -W '--wait -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group list') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group show') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group create') COMPREPLY=($(compgen -W '--cluster --consume-enable --consume-from-min --broadcast --retry-queues --retry-max --broker-id --slow-broker-id --notify --dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group update') COMPREPLY=($(compgen -W '--cluster --consume-enable --consume-from-min --broadcast --retry-queues --retry-max --broker-id --slow-broker-id --notify --dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group delete') COMPREPLY=($(compgen -W '--cluster --offsets --topics --force -y --yes --dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group lag') COMPREPLY=($(compgen -W '--max -t --topic --watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group status') COMPREPLY=($(compgen -W '-t --topic --watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'group members') COMPREPLY=($(compgen -W '--producers --watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'offset show') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'offset reset') COMPREPLY=($(compgen -W '--to --undo --queue --broker-name --apply --save-undo --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'offset skip') COMPREPLY=($(compgen -W '--queue --broker-name --apply --save-undo --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'msg get') COMPREPLY=($(compgen -W '-t --topic --any-address --format --epoch-ms -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'msg find') COMPREPLY=($(compgen -W '-t --topic --key --begin --end --max --format --epoch-ms -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'cluster list') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'broker list') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'broker status') COMPREPLY=($(compgen -W '--cluster --watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'broker config') COMPREPLY=($(compgen -W '--cluster --dry-run --watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'broker clean') COMPREPLY=($(compgen -W '--cluster --expired-queues --unused-topics --expired-log --dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'namesrv config') COMPREPLY=($(compgen -W '--dry-run --watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'namesrv drain') COMPREPLY=($(compgen -W '--dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'namesrv undrain') COMPREPLY=($(compgen -W '--dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv put') COMPREPLY=($(compgen -W '--dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv get') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv delete') COMPREPLY=($(compgen -W '--dry-run --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv list') COMPREPLY=($(compgen -W '--watch --header --columns --sort -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'health ') COMPREPLY=($(compgen -W '--strict -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'bench send') COMPREPLY=($(compgen -W '-t --topic --connections --window --size --batch --duration --keys --oneway -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'bench consume') COMPREPLY=($(compgen -W '-t --topic -g --group --pull-batch -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'bench latency') COMPREPLY=($(compgen -W '-t --topic -g --group --rate --size --duration -n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json -v --verbose -q --quiet --context --print-config -h --help --version' -- "$cur"))
  fi
}
complete -F _mq_admin mq-admin
