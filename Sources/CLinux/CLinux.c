#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
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

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_columns(int descriptor)
{
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
