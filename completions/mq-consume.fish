# fish completion for mq-consume, printed by --emit=fish.
function __mq_names
  if test $argv[1] = contexts
    set -l folder $HOME/.config
    set -q XDG_CONFIG_HOME; and set folder $XDG_CONFIG_HOME
    for file in $folder/mq/*.conf
      string replace -r '.*/(.*)\.conf$' '$1' -- $file
    end
    return
  end
  set -l where
  set -l take 0
  for token in (commandline -opc)[2..-1]
    if test $take = 1
      set -a where $token
      set take 0
      continue
    end
    switch $token
      case -n --namesrv --broker --context
        set -a where $token
        set take 1
      case '--namesrv=*' '--broker=*' '--context=*'
        set -a where $token
    end
  end
  timeout 0.3 mq-admin complete $argv[1] -q $where 2>/dev/null
end
complete -c mq-consume -f
complete -c mq-consume -s t -l topic -x -a '(__mq_names topics)' -d 'read this topic; repeatable'
complete -c mq-consume -l from -x -d 'where to begin: start, end (new messages only), an OFFSET of every queue, a TIME, or -DURATION before now'
complete -c mq-consume -l to -x -d 'stop before this: end (as it is at the start), an OFFSET of every queue or its end if it is shorter, or a TIME'
complete -c mq-consume -l last -x -d 'the newest N messages over all queues by store time, oldest first'
complete -c mq-consume -l per-queue -d 'with --last: N messages of every queue'
complete -c mq-consume -l follow -d 'after --last go on with new messages, as tail -f does'
complete -c mq-consume -l queue -x -d 'read queue N of every broker only; repeatable'
complete -c mq-consume -s T -l tags -x -d 'only messages with one of these tags'
complete -c mq-consume -l grep -x -d 'only messages whose body matches this extended regular expression; compared here, not at the broker'
complete -c mq-consume -l wait-topic -d 'wait for a topic that does not exist yet'
complete -c mq-consume -s c -l count -x -d 'leave after N messages'
complete -c mq-consume -s e -l exit-at-end -d 'leave when every queue is read to its end'
complete -c mq-consume -l wait -x -d 'leave with status 7 after this time without a message'
complete -c mq-consume -l deadline -x -d 'leave after this time in all; with status 7 when --count is not reached'
complete -c mq-consume -l format -x -a 'lines nul whole json msgpack' -d 'how a message is printed'
complete -c mq-consume -s 0 -l nul -d 'same as --format nul'
complete -c mq-consume -s J -l json -d 'same as --format json: one JSON object a line'
complete -c mq-consume -s M -l msgpack -d 'same as --format msgpack: one msgpack map a message'
complete -c mq-consume -s D -l delimiter -x -d 'with lines: what follows a body instead of a newline; \\n \\r \\t \\0 \\\\ and \\xNN are understood'
complete -c mq-consume -s f -l printf -x -d 'print messages by this format; -f help lists what it may contain'
complete -c mq-consume -l dump -x -a '(__fish_complete_directories)' -d 'write each body to a file of its own in DIR instead of stdout, named by topic, broker, queue and offset'
complete -c mq-consume -l raw -d 'print bytes that are unsafe on a terminal as they are'
complete -c mq-consume -l epoch-ms -d 'print times as milliseconds since 1970'
complete -c mq-consume -l line-buffered -d 'write after every message, not only when no further one is ready'
complete -c mq-consume -s n -l namesrv -x -d 'name servers to ask for routes, separated by semicolons or commas'
complete -c mq-consume -l broker -x -d 'talk to this broker and ask no name server; host:port, [v6]:port or unix:/path'
complete -c mq-consume -s q -l quiet -d 'no notices on stderr'
complete -c mq-consume -l context -x -a '(__mq_names contexts)' -d 'take options that are not given from ~/.config/mq/NAME.conf (lines of option=value)'
complete -c mq-consume -l print-config -d 'print every option with its value and where it came from, and leave'
complete -c mq-consume -s v -l verbose -d 'say on stderr what is done; twice: every answer of a broker too'
complete -c mq-consume -s h -l help -d 'print help and leave; -h prints one screen, --help everything'
complete -c mq-consume -l version -d 'print the version and leave; with --json as an object'
