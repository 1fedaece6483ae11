# What the start.sh of servers in a namespace share; to be sourced.

# Says why and ends; 77: cannot run here.
fail() {
  echo "start.sh: $1" >&2
  exit "${2:-1}"
}

need_namespaces() {
  [ "$(id -u)" = 0 ] || fail 'needs root' 77
  unshare --mount --pid --fork --propagation private true || fail 'no namespaces here' 77
}

# Whether something listens at a port.
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Below the range the kernel gives to clients, or a connection of another test could take it.
free_port() {
  local port
  while :; do
    port=$((10000 + RANDOM % 20000))
    answers "$port" || break
  done
  echo "$port"
}
