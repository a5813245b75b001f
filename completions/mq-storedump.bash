# bash completion for mq-storedump, printed by --emit=bash.
_mq_topics() {
  timeout 0.3 mq-admin topic list 2>/dev/null | cut -f1
}
_mq_storedump() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  case $prev in
    --for)
      COMPREPLY=($(compgen -W 'mq rocketmq' -- "$cur"))
      return
      ;;
    --hex)
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
      COMPREPLY=($(compgen -W "$(_mq_topics)" -- "$cur"))
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
    --message-delay-level)
      COMPREPLY=()
      return
      ;;
    --context)
      COMPREPLY=()
      return
      ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '--verify --for --summary --usage --hex --follow --from --to -t --topic --time --grep --key --format -0 --nul -J --json -M --msgpack -D --delimiter --redact --raw --epoch-ms --line-buffered --index-slots --message-delay-level -q --quiet --context --print-config -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_storedump mq-storedump
