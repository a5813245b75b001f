# bash completion for mq-consume, printed by --emit=bash.
_mq_topics() {
  timeout 0.3 mq-admin topic list 2>/dev/null | cut -f1
}
_mq_consume() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  case $prev in
    -t|--topic)
      COMPREPLY=($(compgen -W "$(_mq_topics)" -- "$cur"))
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
      COMPREPLY=()
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
