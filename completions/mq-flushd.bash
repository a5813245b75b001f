# bash completion for mq-flushd, printed by --emit=bash.
_mq_flushd() {
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
    --warm-window)
      COMPREPLY=()
      return
      ;;
    --flush-disk-type)
      COMPREPLY=($(compgen -W 'ASYNC_FLUSH SYNC_FLUSH' -- "$cur"))
      return
      ;;
    --flush-interval-commit-log)
      COMPREPLY=()
      return
      ;;
    --flush-commit-log-least-pages)
      COMPREPLY=()
      return
      ;;
    --flush-commit-log-thorough-interval)
      COMPREPLY=()
      return
      ;;
    --transient-store-pool-size)
      COMPREPLY=()
      return
      ;;
    --commit-interval-commit-log)
      COMPREPLY=()
      return
      ;;
    --commit-commit-log-least-pages)
      COMPREPLY=()
      return
      ;;
    --commit-commit-log-thorough-interval)
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
    COMPREPLY=($(compgen -W '--once --supervised --store --mapped-file-size-commit-log --warm-window --warm-maped-file-enable --flush-disk-type --flush-interval-commit-log --flush-commit-log-timed --flush-commit-log-least-pages --flush-commit-log-thorough-interval --transient-store-pool-enable --transient-store-pool-size --commit-interval-commit-log --commit-commit-log-least-pages --commit-commit-log-thorough-interval -c --config --strict -p --print-config --ready-fd --log-level --json -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_flushd mq-flushd
