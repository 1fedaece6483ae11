# Ports of test servers; to be sourced.

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
