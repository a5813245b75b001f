# bash completion for mq-reputd, printed by --emit=bash.
_mq_reputd() {
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
    --store|--store-path-root-dir)
      COMPREPLY=($(compgen -d -- "$cur"))
      return
      ;;
    --mapped-file-size-commit-log)
      COMPREPLY=()
      return
      ;;
    --mapped-file-size-consume-queue)
      COMPREPLY=()
      return
      ;;
    --max-hash-slot-num)
      COMPREPLY=()
      return
      ;;
    --max-index-num)
      COMPREPLY=()
      return
      ;;
    --flush-disk-type)
      COMPREPLY=($(compgen -W 'ASYNC_FLUSH SYNC_FLUSH' -- "$cur"))
      return
      ;;
    --transient-store-pool-size)
      COMPREPLY=()
      return
      ;;
    --flush-interval-consume-queue)
      COMPREPLY=()
      return
      ;;
    --flush-consume-queue-least-pages)
      COMPREPLY=()
      return
      ;;
    --flush-consume-queue-thorough-interval)
      COMPREPLY=()
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
    COMPREPLY=($(compgen -W '--once --rebuild --supervised --store --mapped-file-size-commit-log --mapped-file-size-consume-queue --message-index-enable --max-hash-slot-num --max-index-num --flush-disk-type --transient-store-pool-enable --transient-store-pool-size --flush-interval-consume-queue --flush-consume-queue-least-pages --flush-consume-queue-thorough-interval -c --config --strict -p --print-config --ready-fd --log-level --json -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_reputd mq-reputd
