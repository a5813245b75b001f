# bash completion for mq-admin, printed by --emit=bash.
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
    --context)
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
    COMPREPLY=($(compgen -W '' -- "$cur"))
    return
  fi
  if [[ $cur != -* && -z $verb ]]; then
    case $noun in
    esac
    return
  fi
  case "$noun $verb" in
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '-n --namesrv --broker -q --quiet -v --verbose --context --print-config -h --help --version' -- "$cur"))
  else
    COMPREPLY=()
  fi
}
complete -F _mq_admin mq-admin
