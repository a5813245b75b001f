# bash completion for mq-send, printed by --emit=bash.
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
_mq_send() {
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
    -t|--topic)
      COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur"))
      return
      ;;
    -m|--message)
      COMPREPLY=()
      return
      ;;
    --format)
      COMPREPLY=($(compgen -W 'lines nul whole json msgpack' -- "$cur"))
      return
      ;;
    -D|--delimiter)
      COMPREPLY=()
      return
      ;;
    -k|--key)
      COMPREPLY=()
      return
      ;;
    -T|--tag)
      COMPREPLY=()
      return
      ;;
    -p|--property)
      COMPREPLY=()
      return
      ;;
    --key-field)
      COMPREPLY=()
      return
      ;;
    --field-separator)
      COMPREPLY=()
      return
      ;;
    --key-json)
      COMPREPLY=()
      return
      ;;
    --queue)
      COMPREPLY=()
      return
      ;;
    --shard)
      COMPREPLY=()
      return
      ;;
    --shard-field)
      COMPREPLY=()
      return
      ;;
    --shard-json)
      COMPREPLY=()
      return
      ;;
    --mode)
      COMPREPLY=($(compgen -W 'sync async oneway' -- "$cur"))
      return
      ;;
    --window)
      COMPREPLY=()
      return
      ;;
    --batch)
      COMPREPLY=()
      return
      ;;
    --batch-bytes)
      COMPREPLY=()
      return
      ;;
    --rate)
      COMPREPLY=()
      return
      ;;
    --compress-over)
      COMPREPLY=()
      return
      ;;
    --ack)
      COMPREPLY=($(compgen -W 'stored flushed' -- "$cur"))
      return
      ;;
    --timeout)
      COMPREPLY=()
      return
      ;;
    --retries)
      COMPREPLY=()
      return
      ;;
    --report)
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    --resume)
      COMPREPLY=($(compgen -f -- "$cur"))
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
    --context)
      COMPREPLY=($(compgen -W "$(_mq_names contexts)" -- "$cur"))
      return
      ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '-t --topic -m --message --format -0 --nul -J --json -M --msgpack -D --delimiter --crlf --skip-empty --keep-topic --keep-queue -k --key -T --tag -p --property --key-field --field-separator --key-json --queue --shard --shard-field --shard-json --mode --window --batch --batch-bytes --rate --compress --compress-over --ack --timeout --retries --fault-delay --keep-going --dry-run --report --resume --tee --progress -n --namesrv --broker -q --quiet --context --print-config -v --verbose -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_send mq-send
