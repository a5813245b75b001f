# bash completion for mq-admin, printed by --emit=bash.
_mq_topics() {
  timeout 0.3 mq-admin topic list 2>/dev/null | cut -f1
}
_mq_admin() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  case $prev in
    -n|--namesrv)
      COMPREPLY=()
      return
      ;;
    --broker)
      COMPREPLY=()
      return
      ;;
    --timeout)
      COMPREPLY=()
      return
      ;;
    --context)
      COMPREPLY=()
      return
      ;;
    --cluster)
      COMPREPLY=()
      return
      ;;
    --read-queues)
      COMPREPLY=()
      return
      ;;
    --write-queues)
      COMPREPLY=()
      return
      ;;
    --perm)
      COMPREPLY=($(compgen -W 'rw r w' -- "$cur"))
      return
      ;;
    --wait)
      COMPREPLY=()
      return
      ;;
    -t|--topic)
      COMPREPLY=($(compgen -W "$(_mq_topics)" -- "$cur"))
      return
      ;;
    --format)
      COMPREPLY=($(compgen -W 'text lines nul whole json msgpack' -- "$cur"))
      return
      ;;
    --key)
      COMPREPLY=()
      return
      ;;
    --begin)
      COMPREPLY=()
      return
      ;;
    --end)
      COMPREPLY=()
      return
      ;;
    --max)
      COMPREPLY=()
      return
      ;;
    --connections)
      COMPREPLY=()
      return
      ;;
    --window)
      COMPREPLY=()
      return
      ;;
    --size)
      COMPREPLY=()
      return
      ;;
    --batch)
      COMPREPLY=()
      return
      ;;
    --duration)
      COMPREPLY=()
      return
      ;;
    -g|--group)
      COMPREPLY=()
      return
      ;;
    --pull-batch)
      COMPREPLY=()
      return
      ;;
    --rate)
      COMPREPLY=()
      return
      ;;
  esac
  local noun= verb= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* ]] && continue
    if [[ -z $noun ]]; then noun=$word; elif [[ -z $verb ]]; then verb=$word; fi
  done
  if [[ $cur != -* && -z $noun ]]; then
    COMPREPLY=($(compgen -W 'bench broker cluster health kv msg namesrv topic' -- "$cur"))
    return
  fi
  if [[ $cur != -* && -z $verb ]]; then
    case $noun in
      bench) COMPREPLY=($(compgen -W 'consume latency send' -- "$cur")) ;;
      broker) COMPREPLY=($(compgen -W 'config status' -- "$cur")) ;;
      cluster) COMPREPLY=($(compgen -W 'list' -- "$cur")) ;;
      health) COMPREPLY=($(compgen -W '' -- "$cur")) ;;
      kv) COMPREPLY=($(compgen -W 'delete get list put' -- "$cur")) ;;
      msg) COMPREPLY=($(compgen -W 'find get' -- "$cur")) ;;
      namesrv) COMPREPLY=($(compgen -W 'config drain undrain' -- "$cur")) ;;
      topic) COMPREPLY=($(compgen -W 'create delete list route show wait' -- "$cur")) ;;
    esac
    return
  fi
  case "$noun $verb" in
    'topic list') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic show') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic route') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic create') COMPREPLY=($(compgen -W '--cluster --read-queues --write-queues --perm --dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic delete') COMPREPLY=($(compgen -W '--cluster -y --yes --dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'topic wait') COMPREPLY=($(compgen -W '--wait -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'msg get') COMPREPLY=($(compgen -W '-t --topic --any-address --format --epoch-ms -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'msg find') COMPREPLY=($(compgen -W '-t --topic --key --begin --end --max --format --epoch-ms -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'cluster list') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'broker status') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'broker config') COMPREPLY=($(compgen -W '--cluster --dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'namesrv config') COMPREPLY=($(compgen -W '--dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'namesrv drain') COMPREPLY=($(compgen -W '--dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'namesrv undrain') COMPREPLY=($(compgen -W '--dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv put') COMPREPLY=($(compgen -W '--dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv get') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv delete') COMPREPLY=($(compgen -W '--dry-run -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'kv list') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'health ') COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'bench send') COMPREPLY=($(compgen -W '-t --topic --connections --window --size --batch --duration --keys --oneway -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'bench consume') COMPREPLY=($(compgen -W '-t --topic -g --group --pull-batch -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
    'bench latency') COMPREPLY=($(compgen -W '-t --topic -g --group --rate --size --duration -n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur")); return ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '-n --namesrv --broker --timeout --json --header -q --quiet --context --print-config -h --help --version' -- "$cur"))
  else
    COMPREPLY=()
  fi
}
complete -F _mq_admin mq-admin
