# bash completion for mq-namesrv, printed by --emit=bash.
_mq_namesrv() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
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
