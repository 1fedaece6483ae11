#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

static int argument_count;
static char **arguments;

// glibc hands every constructor what main gets: the only way to the true argv, which has to be
// wiped, as Swift's CommandLine works on a copy.
__attribute__((constructor)) static void remember_arguments(int count, char **values)
{
  argument_count = count;
  arguments = values;
}

int clinux_argument_count(void) { return argument_count; }
char **clinux_arguments(void) { return arguments; }
char **clinux_environment(void) { return environ; }

const char *clinux_error_text(int number)
{
  const char *text = strerrordesc_np(number);
  return text ? text : "Unknown error";
}

int clinux_random(void *buffer, int64_t count)
{
  char *next = buffer;
  while (count > 0) {
    ssize_t got = getrandom(next, (size_t)count, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    next += got;
    count -= got;
  }
  return 0;
}

int clinux_rename_exclusive(int from_directory, const char *from, int to_directory,
                            const char *to)
{
  int result = renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS))
    return renameat(from_directory, from, to_directory, to);
  return result;
}

int clinux_rename_exchange(int from_directory, const char *from, int to_directory,
                           const char *to)
{
  int result = renameat2(from_directory, from, to_directory, to, RENAME_EXCHANGE);
  if (result == 0 || (errno != EINVAL && errno != ENOSYS))
    return result;
  if (faccessat(to_directory, to, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
    return -1;
  return renameat(from_directory, from, to_directory, to);
}

static struct flock whole_file(void)
{
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

int clinux_lock(int descriptor)
{
  struct flock lock = whole_file();
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int clinux_is_locked(int descriptor)
{
  struct flock lock = whole_file();
  if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0)
    return -1;
  return lock.l_type != F_UNLCK;
}

int clinux_hide_memory(void)
{
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0)
    return -1;
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int clinux_hold_standard_descriptors(void)
{
  for (int number = 0; number < 3; number++) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF)
      continue;
    // The lowest free number is this one: those below are open by now.
    if (open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY) != number)
      return -1;
  }
  return 0;
}

static int set_attributes(posix_spawnattr_t *attributes, int new_session)
{
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (new_session)
    flags |= POSIX_SPAWN_SETSID;
  int error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error)
    error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error)
    error = posix_spawnattr_setflags(attributes, flags);
  return error;
}

static int set_descriptors(posix_spawn_file_actions_t *actions, const int wanted[3])
{
  // A wanted descriptor may itself be 0, 1 or 2: each is parked above them first.
  int error = 0;
  for (int i = 0; i < 3 && !error; i++)
    if (wanted[i] >= 0)
      error = posix_spawn_file_actions_adddup2(actions, wanted[i], 10 + i);
  for (int i = 0; i < 3 && !error; i++)
    error = wanted[i] >= 0 ? posix_spawn_file_actions_adddup2(actions, 10 + i, i)
                           : posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
  return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

int clinux_spawn(const char *path, char *const arguments[], char *const environment[],
                 int input, int output, int messages, const char *directory, int new_session)
{
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  pid_t process = -1;
  int error = posix_spawnattr_init(&attributes);
  if (!error)
    error = posix_spawn_file_actions_init(&actions);
  if (!error)
    error = set_attributes(&attributes, new_session);
  if (!error)
    error = set_descriptors(&actions, (int[3]){input, output, messages});
  if (!error && directory)
    error = posix_spawn_file_actions_addchdir_np(&actions, directory);
  if (!error)
    error = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = error;
  return error ? -1 : process;
}

int clinux_process_handle(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_memory_file(void) { return memfd_create("", MFD_CLOEXEC); }

int clinux_watch_new(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int clinux_watch_add(int descriptor, const char *directory)
{
  return inotify_add_watch(descriptor, directory, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

int clinux_watch_network(void)
{
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE,
  };
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0)
    return -1;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
    return descriptor;
  close(descriptor);
  return -1;
}

int clinux_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC); }

int clinux_timer_set(int descriptor, int64_t seconds)
{
  // A time of 0 would switch the timer off.
  struct itimerspec time = {.it_value = {.tv_sec = seconds > 0 ? seconds : 1}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

static int stop_event = -1;
static volatile sig_atomic_t stopping;

static void stop(int number)
{
  (void)number;
  int saved = errno;
  uint64_t one = 1;
  stopping = 1;
  if (write(stop_event, &one, sizeof one) < 0)
    stopping = 1;
  errno = saved;
}

int clinux_catch_stop(void)
{
  static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
  // Without SA_RESTART, so that a wait ends.
  struct sigaction action = {.sa_handler = stop}, old;
  stop_event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (stop_event < 0)
    return -1;
  for (int i = 0; i < 3; i++)
    if (sigaction(numbers[i], NULL, &old) != 0 ||
        (old.sa_handler != SIG_IGN && sigaction(numbers[i], &action, NULL) != 0))
      return -1;
  return stop_event;
}

int clinux_is_stopping(void) { return stopping; }

static void empty(int descriptor)
{
  char buffer[8192];
  while (read(descriptor, buffer, sizeof buffer) > 0)
    ;
}

int clinux_wait(const int *descriptors, int *ready, int count)
{
  struct pollfd waiting[8];
  if (count > 8)
    count = 8;
  for (int i = 0; i < count; i++)
    waiting[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
  int number = poll(waiting, (nfds_t)count, -1);
  for (int i = 0; i < count; i++) {
    ready[i] = number > 0 && waiting[i].revents != 0;
    if (ready[i])
      empty(descriptors[i]);
  }
  return number < 0 && errno == EINTR ? 0 : number;
}

int clinux_columns(int descriptor)
{
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static const int terminal_signals[] = {SIGALRM, SIGHUP,  SIGINT,  SIGQUIT,
                                       SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
#define TERMINAL_SIGNALS (int)(sizeof terminal_signals / sizeof terminal_signals[0])

static volatile sig_atomic_t interrupting;

static void interrupt(int number) { interrupting = number; }

static int set_terminal(int terminal, int when, const struct termios *mode)
{
  // In the background it is refused with SIGTTOU, and waits until somebody brings us forward.
  while (tcsetattr(terminal, when, mode) != 0)
    if (errno != EINTR || interrupting)
      return -1;
  return 0;
}

// Signals come only while it waits, so that none slips in between a look and the wait.
static int read_line(int terminal, unsigned char *answer, int capacity, const sigset_t *open)
{
  int count = 0;
  for (;;) {
    unsigned char octet;
    struct pollfd waiting = {.fd = terminal, .events = POLLIN};
    int ready = ppoll(&waiting, 1, NULL, open);
    if (ready < 0 && errno == EINTR && !interrupting)
      continue;
    ssize_t got = ready < 0 ? -1 : read(terminal, &octet, 1);
    if (got < 0)
      return -1;
    if (got == 0 || octet == '\n') {
      if (got == 0 && count == 0)
        errno = ENODATA;
      else if (count > capacity)
        errno = E2BIG;
      else
        return count;
      return -1;
    }
    if (count < capacity)
      answer[count] = octet;
    count += count <= capacity;
  }
}

static int ask(int terminal, const char *question, void *answer, int capacity)
{
  struct termios shown, hidden;
  if (tcgetattr(terminal, &shown) != 0)
    return -1;
  hidden = shown;
  hidden.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
  hidden.c_lflag |= ICANON | ISIG;
  // Hidden first, then asked: what is typed at once is not shown either.
  if (set_terminal(terminal, TCSAFLUSH, &hidden) != 0)
    return -1;
  sigset_t ours, open;
  sigemptyset(&ours);
  for (int i = 0; i < TERMINAL_SIGNALS; i++)
    sigaddset(&ours, terminal_signals[i]);
  sigprocmask(SIG_BLOCK, &ours, &open);
  int count = write(terminal, question, strlen(question)) < 0 ? -1 : 0;
  if (count == 0)
    count = read_line(terminal, answer, capacity, &open);
  int error = errno;
  // With the signals held back this is done in the background too.
  tcsetattr(terminal, TCSADRAIN, &shown);
  // The line end that was typed was not shown.
  if (write(terminal, "\n", 1) < 0)
    error = errno;
  sigprocmask(SIG_SETMASK, &open, NULL);
  errno = error;
  return count;
}

int clinux_ask_hidden(int terminal, const char *question, void *answer, int capacity)
{
  struct sigaction action = {.sa_handler = interrupt}, old[TERMINAL_SIGNALS];
  interrupting = 0;
  for (int i = 0; i < TERMINAL_SIGNALS; i++)
    sigaction(terminal_signals[i], &action, &old[i]);
  int count = ask(terminal, question, answer, capacity);
  int error = errno;
  for (int i = 0; i < TERMINAL_SIGNALS; i++)
    sigaction(terminal_signals[i], &old[i], NULL);
  if (interrupting) {
    kill(getpid(), interrupting);
    error = EINTR;
    count = -1;
  }
  errno = error;
  return count;
}
