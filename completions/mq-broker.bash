# bash completion for mq-broker, printed by --emit=bash.
_mq_broker() {
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
    --broker-name)
      COMPREPLY=()
      return
      ;;
    --broker-cluster-name)
      COMPREPLY=()
      return
      ;;
    --broker-id)
      COMPREPLY=()
      return
      ;;
    --broker-role)
      COMPREPLY=($(compgen -W 'ASYNC_MASTER' -- "$cur"))
      return
      ;;
    --broker-ip1)
      COMPREPLY=()
      return
      ;;
    --listen)
      COMPREPLY=()
      return
      ;;
    --listen-port)
      COMPREPLY=()
      return
      ;;
    -n|--namesrv|--namesrv-addr)
      COMPREPLY=()
      return
      ;;
    --register-name-server-period)
      COMPREPLY=()
      return
      ;;
    --register-broker-timeout-mills)
      COMPREPLY=()
      return
      ;;
    --store|--store-path-root-dir)
      COMPREPLY=($(compgen -d -- "$cur"))
      return
      ;;
    --store-path-commit-log)
      COMPREPLY=()
      return
      ;;
    --read-only-commit-log-store-paths)
      COMPREPLY=()
      return
      ;;
    --multi-path-splitter)
      COMPREPLY=()
      return
      ;;
    --helpers)
      COMPREPLY=($(compgen -W 'spawn external' -- "$cur"))
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
    --max-message-size)
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
    --sync-flush-timeout)
      COMPREPLY=()
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
    --delete-when)
      COMPREPLY=()
      return
      ;;
    --file-reserved-time)
      COMPREPLY=()
      return
      ;;
    --clean-resource-interval)
      COMPREPLY=()
      return
      ;;
    --delete-commit-log-files-interval)
      COMPREPLY=()
      return
      ;;
    --disk-max-used-space-ratio)
      COMPREPLY=()
      return
      ;;
    --disk-space-clean-forcibly-ratio)
      COMPREPLY=()
      return
      ;;
    --disk-space-warning-level-ratio)
      COMPREPLY=()
      return
      ;;
    --broker-permission)
      COMPREPLY=()
      return
      ;;
    --default-topic-queue-nums)
      COMPREPLY=()
      return
      ;;
    --flush-consumer-offset-interval)
      COMPREPLY=()
      return
      ;;
    --short-polling-time-mills)
      COMPREPLY=()
      return
      ;;
    --max-transfer-bytes-on-message-in-memory)
      COMPREPLY=()
      return
      ;;
    --max-transfer-count-on-message-in-memory)
      COMPREPLY=()
      return
      ;;
    --max-msgs-num-batch)
      COMPREPLY=()
      return
      ;;
    --default-query-max-num)
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
    COMPREPLY=($(compgen -W '--broker-name --broker-cluster-name --broker-id --broker-role --broker-ip1 --listen --listen-port -n --namesrv --register-name-server-period --register-broker-timeout-mills --compressed-register --force-register --store --store-path-commit-log --read-only-commit-log-store-paths --multi-path-splitter --helpers --mapped-file-size-commit-log --mapped-file-size-consume-queue --message-index-enable --max-hash-slot-num --max-index-num --max-message-size --check-crc-on-recover --warm-window --warm-maped-file-enable --flush-disk-type --sync-flush-timeout --flush-interval-commit-log --flush-commit-log-least-pages --flush-commit-log-thorough-interval --flush-interval-consume-queue --flush-consume-queue-least-pages --flush-consume-queue-thorough-interval --delete-when --file-reserved-time --clean-resource-interval --delete-commit-log-files-interval --clean-file-forcibly-enable --disk-max-used-space-ratio --disk-space-clean-forcibly-ratio --disk-space-warning-level-ratio --broker-permission --auto-create-topic-enable --default-topic-queue-nums --auto-create-subscription-group --notify-consumer-ids-changed-enable --flush-consumer-offset-interval --long-polling-enable --short-polling-time-mills --max-transfer-bytes-on-message-in-memory --max-transfer-count-on-message-in-memory --max-msgs-num-batch --default-query-max-num --enable-detail-stat -c --config --strict -p --print-config --ready-fd --log-level --json -h --help --version' -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _mq_broker mq-broker
