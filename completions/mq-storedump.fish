# fish completion for mq-storedump, printed by --emit=fish.
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
complete -c mq-storedump -l verify -d 'check the whole store and print one fault a line; leave with status 1 when there is any'
complete -c mq-storedump -l for -x -a 'mq rocketmq' -d 'with --verify: rocketmq also names what RocketMQ\'s own broker would refuse or misread'
complete -c mq-storedump -l plan -d 'print what the next start of a broker would cut, fill up and build anew; leave with status 1 when bytes of the log are damaged or would be cut'
complete -c mq-storedump -l rebuild -x -d 'build consume queues, index, or both anew from the log: into --out, or with --in-place'
complete -c mq-storedump -l out -x -a '(__fish_complete_directories)' -d 'where --rebuild puts consumequeue and index; missing or empty'
complete -c mq-storedump -l in-place -d 'let what --rebuild builds take the place of the store\'s own; needs --yes and a store without a broker'
complete -c mq-storedump -s y -l yes -d 'really replace it'
complete -c mq-storedump -l diff -x -a '(__fish_complete_directories)' -d 'compare with another store: counts and the first difference; leave with status 1 when they differ'
complete -c mq-storedump -l summary -d 'print one line for each queue: records, smallest and largest offset, bytes, first and last time'
complete -c mq-storedump -l usage -d 'print files, bytes and allocated bytes of each folder of the store'
complete -c mq-storedump -l hex -x -d 'print what lies at position OFF of the commit log field by field'
complete -c mq-storedump -l follow -d 'with commitlog: at its end wait for more, until interrupted; at a low priority (nice 15)'
complete -c mq-storedump -l commit-log -x -d 'the directories of the commit log, of a store whose broker had storePathCommitLog'
complete -c mq-storedump -l from -x -d 'begin at this position of the commit log, or the next record behind it; with queue: at this queue offset'
complete -c mq-storedump -l to -x -d 'stop in front of this position or queue offset'
complete -c mq-storedump -s t -l topic -x -a '(__mq_names topics)' -d 'only records of this topic; repeatable'
complete -c mq-storedump -l time -x -d 'only records stored at A or later and before B; either may be left out'
complete -c mq-storedump -l grep -x -d 'only records whose body matches this extended regular expression'
complete -c mq-storedump -l key -x -d 'with index: only entries of this key, or of the message with this unique id'
complete -c mq-storedump -l format -x -a 'text lines nul whole json msgpack record' -d 'how a line is printed; record is JSON with every field of the record itself'
complete -c mq-storedump -s 0 -l nul -d 'same as --format nul'
complete -c mq-storedump -s J -l json -d 'same as --format json: one JSON object a line, also for faults and listings'
complete -c mq-storedump -s M -l msgpack -d 'same as --format msgpack: one msgpack map a message'
complete -c mq-storedump -s D -l delimiter -x -d 'with lines: what follows a body instead of a newline; \\n \\r \\t \\0 \\\\ and \\xNN are understood'
complete -c mq-storedump -l redact -d 'print sizes in place of bodies, keys and the values of user properties'
complete -c mq-storedump -l raw -d 'print bytes that are unsafe on a terminal as they are'
complete -c mq-storedump -l epoch-ms -d 'print times of messages as milliseconds since 1970'
complete -c mq-storedump -l line-buffered -d 'write after every message'
complete -c mq-storedump -l index-slots -x -d 'maxHashSlotNum of the broker that made the index files'
complete -c mq-storedump -l index-entries -x -d 'maxIndexNum of the broker that is to use what --rebuild builds'
complete -c mq-storedump -l queue-bytes -x -d 'mappedFileSizeConsumeQueue of the broker that is to use what --rebuild builds'
complete -c mq-storedump -l message-delay-level -x -d 'messageDelayLevel of the broker that made the store, for --verify and --rebuild'
complete -c mq-storedump -s q -l quiet -d 'no notices on stderr'
complete -c mq-storedump -l context -x -a '(__mq_names contexts)' -d 'take options that are not given from ~/.config/mq/NAME.conf (lines of option=value)'
complete -c mq-storedump -l print-config -d 'print every option with its value and where it came from, and leave'
complete -c mq-storedump -s h -l help -d 'print help and leave; -h prints one screen, --help everything'
complete -c mq-storedump -l version -d 'print the version and leave; with --json as an object'
