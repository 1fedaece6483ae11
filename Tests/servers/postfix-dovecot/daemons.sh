# Starts Postfix and Dovecot and ends when one of them does; sourced by ../inside.sh.
/usr/lib/postfix/sbin/master -c /mnt/postfix &
postfix=$!
/usr/sbin/dovecot -F -c /mnt/dovecot/dovecot.conf &
dovecot=$!
trap 'kill "$postfix" "$dovecot" 2>/dev/null || true' TERM
# The end of either ends both.
wait -n || true
kill "$postfix" "$dovecot" 2>/dev/null || true
wait "$postfix" "$dovecot" || true
