// A submission server that takes everything, as quickly as it can: for measuring, and for many notes.
// It keeps nothing of a message but its Message-ID.
//
// usage: sink CERTIFICATE KEY ADDRESS PORT LOG [quickack]      (PORT 0: a free one; TLS from the start)
//   quickack   what a client sends is acknowledged at once, and not with the next answer or after 40 ms as
//              usual: some clients write in small pieces, and wait for that word before the next one
//
// The port is the first line of standard output. LOG gets a line for each event, whole at once:
// "connection", "login", "mail", and "message <...>" when a message was taken, before the 250 goes out.
// It ends when standard input does.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static SSL_CTX *context;
static int log_file;
static int quickly;

struct session {
  SSL *tls;
  char input[65536];
  int start, end;
  char identity[256];
};

// The kernel goes back to its usual way by itself, so it is told again and again.
static void acknowledge_at_once(const SSL *tls)
{
  int on = 1;
  if (quickly)
    setsockopt(SSL_get_fd(tls), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

static void shake_hands(const SSL *tls, int where, int result)
{
  (void)where;
  (void)result;
  acknowledge_at_once(tls);
}

static void tell(const char *event, const char *detail)
{
  char line[320];
  int length = snprintf(line, sizeof line, "%s%s%s\n", event, *detail ? " " : "", detail);
  if (write(log_file, line, (size_t)length) != length)
    perror("sink: log");
}

// The next line without its end, cut to fit; the length, or -1 at the end of the connection.
static int next_line(struct session *session, char *line, int size)
{
  int length = 0;
  for (;;) {
    if (session->start == session->end) {
      acknowledge_at_once(session->tls);
      int count = SSL_read(session->tls, session->input, sizeof session->input);
      if (count <= 0)
        return -1;
      session->start = 0;
      session->end = count;
    }
    char octet = session->input[session->start++];
    if (octet == '\n')
      break;
    if (length < size - 1)
      line[length++] = octet;
  }
  if (length > 0 && line[length - 1] == '\r')
    length--;
  line[length] = '\0';
  return length;
}

static int reply(struct session *session, const char *text)
{
  return SSL_write(session->tls, text, (int)strlen(text)) > 0 ? 0 : -1;
}

// Reads a message to its dot; -1 when the connection ends before.
static int take_message(struct session *session)
{
  char line[1024];
  int is_header = 1;
  *session->identity = '\0';
  while (next_line(session, line, sizeof line) >= 0) {
    if (strcmp(line, ".") == 0)
      return 0;
    if (*line == '\0')
      is_header = 0;
    if (is_header && strncasecmp(line, "Message-ID: ", 12) == 0)
      snprintf(session->identity, sizeof session->identity, "%.255s", line + 12);
  }
  return -1;
}

static int begins(const char *line, const char *verb)
{
  return strncasecmp(line, verb, strlen(verb)) == 0;
}

// Answers a command; -1 when the session is over.
static int answer(struct session *session, const char *line)
{
  if (begins(line, "EHLO"))
    return reply(session, "250-localhost\r\n250-SIZE 33554432\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN\r\n");
  if (begins(line, "AUTH PLAIN ")) {
    tell("login", "");
    return reply(session, "235 2.7.0 ok\r\n");
  }
  if (begins(line, "AUTH PLAIN")) {
    char secret[1024];
    if (reply(session, "334 \r\n") != 0 || next_line(session, secret, sizeof secret) < 0)
      return -1;
    tell("login", "");
    return reply(session, "235 2.7.0 ok\r\n");
  }
  if (begins(line, "MAIL"))
    tell("mail", "");
  if (begins(line, "MAIL") || begins(line, "RCPT") || begins(line, "RSET") || begins(line, "NOOP"))
    return reply(session, "250 2.1.0 ok\r\n");
  if (begins(line, "DATA")) {
    if (reply(session, "354 go on\r\n") != 0 || take_message(session) != 0)
      return -1;
    tell("message", session->identity);
    return reply(session, "250 2.0.0 ok queued\r\n");
  }
  if (begins(line, "QUIT")) {
    reply(session, "221 2.0.0 bye\r\n");
    return -1;
  }
  return reply(session, "500 5.5.2 ?\r\n");
}

static void *serve(void *argument)
{
  int descriptor = (int)(long)argument;
  int on = 1;
  struct session *session = calloc(1, sizeof *session);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  session->tls = SSL_new(context);
  SSL_set_fd(session->tls, descriptor);
  tell("connection", "");
  if (SSL_accept(session->tls) == 1 && reply(session, "220 localhost ESMTP sink\r\n") == 0) {
    char line[4096];
    while (next_line(session, line, sizeof line) >= 0 && answer(session, line) == 0)
      ;
  }
  SSL_shutdown(session->tls);
  SSL_free(session->tls);
  close(descriptor);
  free(session);
  return NULL;
}

static int listen_on(const char *address, int port)
{
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t size = sizeof name;
  if (inet_pton(AF_INET, address, &name.sin_addr) != 1)
    return -1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&name, size) != 0 || listen(listener, 512) != 0 ||
      getsockname(listener, (struct sockaddr *)&name, &size) != 0)
    return -1;
  printf("%d\n", ntohs(name.sin_port));
  fflush(stdout);
  return listener;
}

static void *end_with_input(void *unused)
{
  char octet;
  while (read(0, &octet, 1) > 0 || errno == EINTR)
    ;
  _exit(0);
  return unused;
}

int main(int count, char **arguments)
{
  if (count != 6 && !(count == 7 && strcmp(arguments[6], "quickack") == 0)) {
    fprintf(stderr, "usage: sink CERTIFICATE KEY ADDRESS PORT LOG [quickack]\n");
    return 64;
  }
  quickly = count == 7;
  signal(SIGPIPE, SIG_IGN);
  context = SSL_CTX_new(TLS_server_method());
  if (SSL_CTX_use_certificate_chain_file(context, arguments[1]) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, arguments[2], SSL_FILETYPE_PEM) != 1) {
    ERR_print_errors_fp(stderr);
    return 1;
  }
  SSL_CTX_set_info_callback(context, shake_hands);
  log_file = open(arguments[5], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int listener = listen_on(arguments[3], atoi(arguments[4]));
  if (log_file < 0 || listener < 0) {
    perror("sink");
    return 1;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, end_with_input, NULL);
  for (;;) {
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor < 0)
      continue;
    if (pthread_create(&thread, NULL, serve, (void *)(long)descriptor) == 0)
      pthread_detach(thread);
    else
      close(descriptor);
  }
}
