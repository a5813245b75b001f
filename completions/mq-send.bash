# bash completion for mq-send, printed by --emit=bash.
_mq_topics() {
  timeout 0.3 mq-admin topic list 2>/dev/null | cut -f1
}
_mq_send() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  case $prev in
    -t|--topic)
      COMPREPLY=($(compgen -W "$(_mq_topics)" -- "$cur"))
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
      COMPREPLY=()
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
