# bash completion for mq-consume, printed by --emit=bash.
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
_mq_consume() {
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
    -g|--group)
      COMPREPLY=()
      return
      ;;
    --ack)
      COMPREPLY=($(compgen -W 'written none' -- "$cur"))
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
    --last)
      COMPREPLY=()
      return
      ;;
    --queue)
      COMPREPLY=()
      return
      ;;
    -T|--tags)
      COMPREPLY=()
      return
      ;;
    --grep)
      COMPREPLY=()
      return
      ;;
    -c|--count)
      COMPREPLY=()
      return
      ;;
    --wait)
      COMPREPLY=()
      return
      ;;
    --deadline)
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
    -f|--printf)
      COMPREPLY=()
      return
      ;;
    --dump)
      COMPREPLY=($(compgen -d -- "$cur"))
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
    COMPREPLY=($(compgen -W '-t --topic -g --group --ack --from --to --last --per-queue --follow --queue -T --tags --grep --wait-topic -c --count -e --exit-at-end --wait --deadline --format -0 --nul -J --json -M --msgpack -D --delimiter -f --printf --dump --raw --epoch-ms --line-buffered -n --namesrv --broker -q --quiet --context --print-config -v --verbose -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_consume mq-consume
