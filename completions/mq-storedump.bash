# bash completion for mq-storedump, printed by --emit=bash.
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
_mq_storedump() {
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
    --for)
      COMPREPLY=($(compgen -W 'mq rocketmq' -- "$cur"))
      return
      ;;
    --rebuild)
      COMPREPLY=()
      return
      ;;
    --out)
      COMPREPLY=($(compgen -d -- "$cur"))
      return
      ;;
    --diff)
      COMPREPLY=($(compgen -d -- "$cur"))
      return
      ;;
    --hex)
      COMPREPLY=()
      return
      ;;
    --commit-log)
      COMPREPLY=()
      return
      ;;
    --from)
      COMPREPLY=()
      return
      ;;
    --to)
      COMPREPLY=()
      return
      ;;
    -t|--topic)
      COMPREPLY=($(compgen -W "$(_mq_names topics)" -- "$cur"))
      return
      ;;
    --time)
      COMPREPLY=()
      return
      ;;
    --grep)
      COMPREPLY=()
      return
      ;;
    --key)
      COMPREPLY=()
      return
      ;;
    --format)
      COMPREPLY=($(compgen -W 'text lines nul whole json msgpack record' -- "$cur"))
      return
      ;;
    -D|--delimiter)
      COMPREPLY=()
      return
      ;;
    --index-slots)
      COMPREPLY=()
      return
      ;;
    --index-entries)
      COMPREPLY=()
      return
      ;;
    --queue-bytes)
      COMPREPLY=()
      return
      ;;
    --message-delay-level)
      COMPREPLY=()
      return
      ;;
    --context)
      COMPREPLY=($(compgen -W "$(_mq_names contexts)" -- "$cur"))
      return
      ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '--verify --for --plan --rebuild --out --in-place -y --yes --diff --summary --usage --hex --follow --commit-log --from --to -t --topic --time --grep --key --format -0 --nul -J --json -M --msgpack -D --delimiter --redact --raw --epoch-ms --line-buffered --index-slots --index-entries --queue-bytes --message-delay-level -q --quiet --context --print-config -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_storedump mq-storedump
