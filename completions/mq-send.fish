# fish completion for mq-send, printed by --emit=fish.
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
complete -c mq-send -s t -l topic -x -a '(__mq_names topics)' -d 'send to this topic; needed unless --keep-topic takes it from the records'
complete -c mq-send -s m -l message -x -d 'send this text as one message instead of reading files; repeatable'
complete -c mq-send -l format -x -a 'lines nul whole json msgpack' -d 'how the input is cut into messages'
complete -c mq-send -s 0 -l nul -d 'same as --format nul'
complete -c mq-send -s J -l json -d 'same as --format json: one JSON object a line'
complete -c mq-send -s M -l msgpack -d 'same as --format msgpack: one msgpack map a message'
complete -c mq-send -s D -l delimiter -x -d 'with lines: what ends a message instead of a newline, of any length; \\n \\r \\t \\0 \\\\ and \\xNN are understood; an empty one makes each input one message'
complete -c mq-send -l crlf -d 'with lines: strip one carriage return before the newline'
complete -c mq-send -l skip-empty -d 'send no message for an empty record'
complete -c mq-send -l keep-topic -d 'with json and msgpack: send each record to the topic it names'
complete -c mq-send -l keep-queue -d 'with json and msgpack: send each record to the queue number it names'
complete -c mq-send -s k -l key -x -d 'index every message under this key; repeatable'
complete -c mq-send -s T -l tag -x -d 'the tag of every message that has none of its own'
complete -c mq-send -s p -l property -x -d 'a user property for every message; repeatable'
complete -c mq-send -l key-field -x -d 'the key is field N of the body, from 1'
complete -c mq-send -l field-separator -x -d 'what separates fields of a body; the escapes of --delimiter'
complete -c mq-send -l key-json -x -d 'the key is the value at .PATH (.a.b[0]) of a JSON body'
complete -c mq-send -l queue -x -d 'send to queue N; without it messages go round all queues'
complete -c mq-send -l shard -x -d 'messages of one value go to one queue, in order'
complete -c mq-send -l shard-field -x -d 'the shard value is field N of the body'
complete -c mq-send -l shard-json -x -d 'the shard value is the value at .PATH of a JSON body'
complete -c mq-send -l mode -x -a 'sync async oneway' -d 'one message at a time, a window of requests, or without asking for an answer'
complete -c mq-send -l window -x -d 'requests in flight with async; 1 keeps the order even when a request is tried again'
complete -c mq-send -l batch -x -d 'put at most N messages into one request'
complete -c mq-send -l batch-bytes -x -d 'put at most SIZE bytes of messages into one request'
complete -c mq-send -l rate -x -d 'send at most N messages a second'
complete -c mq-send -l compress -d 'compress large bodies; such messages travel alone, not in batches'
complete -c mq-send -l compress-over -x -d 'with --compress: the smallest body that is compressed'
complete -c mq-send -l ack -x -a 'stored flushed' -d 'what counts as done: stored by the broker, or flushed to its disk (a broker with SYNC_FLUSH only then answers; a message it could not flush in time counts as not confirmed, status 3)'
complete -c mq-send -l timeout -x -d 'the time for one message over all its tries'
complete -c mq-send -l retries -x -d 'tries beyond the first, on another broker when there is one'
complete -c mq-send -l keep-going -d 'go on after a message that cannot be sent; the status is then 3'
complete -c mq-send -l dry-run -d 'read and check everything, connect to nothing, send nothing; print what would be sent as JSON'
complete -c mq-send -l report -r -F -d 'write a tab-separated line for each record: its number from 1, stored or failed, message id, broker, queue, offset, reason'
complete -c mq-send -l resume -r -F -d 'skip the records that this report says are stored; it may be the same file as --report, which then grows'
complete -c mq-send -l tee -d 'copy the input to stdout'
complete -c mq-send -l progress -d 'show progress on stderr; text only on a terminal, json a line every second'
complete -c mq-send -s n -l namesrv -x -d 'name servers to ask for routes, separated by semicolons or commas'
complete -c mq-send -l broker -x -d 'talk to this broker and ask no name server; host:port, [v6]:port or unix:/path'
complete -c mq-send -s q -l quiet -d 'no notices on stderr'
complete -c mq-send -l context -x -a '(__mq_names contexts)' -d 'take options that are not given from ~/.config/mq/NAME.conf (lines of option=value)'
complete -c mq-send -l print-config -d 'print every option with its value and where it came from, and leave'
complete -c mq-send -s v -l verbose -d 'say on stderr what is done; twice: every answer of a broker too'
complete -c mq-send -s h -l help -d 'print help and leave; -h prints one screen, --help everything'
complete -c mq-send -l version -d 'print the version and leave; with --json as an object'
