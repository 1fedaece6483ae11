# Starts Exim and ends with it; sourced by ../inside.sh.
/usr/sbin/exim4 -C /mnt/exim.conf -bdf -q5s &
exim=$!
trap 'kill "$exim" 2>/dev/null || true' TERM
wait "$exim" || true
