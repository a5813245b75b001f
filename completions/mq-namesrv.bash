# bash completion for mq-namesrv, printed by --emit=bash.
_mq_namesrv() {
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
    --listen)
      COMPREPLY=()
      return
      ;;
    --listen-port)
      COMPREPLY=()
      return
      ;;
    --kv-config-path)
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    --config-store-path)
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    -c|--config)
      COMPREPLY=($(compgen -f -- "$cur"))
      return
      ;;
    --ready-fd)
      COMPREPLY=()
      return
      ;;
    --log-level)
      COMPREPLY=($(compgen -W 'debug info warn error' -- "$cur"))
      return
      ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '--listen --listen-port --kv-config-path --config-store-path --order-message-enable -c --config --strict -p --print-config --ready-fd --log-level --json -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_namesrv mq-namesrv
