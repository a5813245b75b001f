load helper

# http ANSWER_FILE: serves the file's bytes to every question, as they are. Sets URL.
http() {
  perl -MIO::Socket::INET -e '
    my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 0) or die;
    $| = 1; print $s->sockport, "\n";
    while (my $c = $s->accept) {
      my $q = ""; while (my $l = <$c>) { last if $l =~ /^\r?$/; }
      open my $f, "<", $ARGV[0]; local $/; my $text = <$f>; print {$c} $text; close $c;
    }' "$1" > "$T/http.port" 3>&- &
  PIDS+=($!)
  until_true 10 test -s "$T/http.port"
  URL="http://127.0.0.1:$(cat "$T/http.port")/rocketmq/nsaddr"
}

@test "NS-49 the address of the name servers comes from an HTTP server" {
  start_cluster
  printf 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n127.0.0.1:1;%s\n' "$NS" > "$T/answer"
  http "$T/answer"
  unset MQ_NAMESRV
  seq 5 | MQ_NAMESRV=$URL mq-send -q -t T
  [ "$(mq-consume -q -n "$URL" -t T -e | wc -l)" = 5 ]
  [ "$(NAMESRV_ADDR=$URL mq-consume -q -t T -g g -e | wc -l)" = 5 ]
  mq-admin topic list -n "$URL" | grep -qx T
}

@test "NS-49 an address server that does not help is named, with the reason" {
  printf 'HTTP/1.0 404 Not Found\r\n\r\nnothing here\n' > "$T/answer"
  http "$T/answer"
  run mq-consume -n "$URL" -t T -e
  [ "$status" = 6 ] && [[ $output == *"address server $URL: HTTP status 404 Not Found"* ]]
  printf 'HTTP/1.0 200 OK\r\n\r\n<html>\n' > "$T/answer"
  run mq-consume -n "$URL" -t T -e
  [ "$status" = 6 ] && [[ $output == *"does not answer with addresses"* ]]
  run mq-admin topic list -n "$URL"
  [ "$status" = 6 ]
  run mq-consume -n http://127.0.0.1:1/x -t T -e
  [ "$status" = 6 ] && [[ $output == *"address server http://127.0.0.1:1/x"* ]]
  run mq-consume -n https://127.0.0.1/x -t T -e
  [ "$status" = 2 ]
}
