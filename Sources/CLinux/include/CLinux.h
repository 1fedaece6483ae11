#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>

// What Swift's Glibc module lacks, as plain functions. Each returns -1 with errno set where
// it fails, unless it says otherwise.

// The words for an error number, never NULL. The corresponding C function is strerrordesc_np(3).
const char *clinux_error_text(int number);

// The arguments and the environment that the kernel gave this process, not copies of them.
int clinux_argument_count(void);
char **clinux_arguments(void);
char **clinux_environment(void);

// getrandom(2) for the whole buffer.
int clinux_random(void *buffer, int64_t count);

// renameat2(2) with RENAME_NOREPLACE; plain renameat(2) where the file system has no flags.
int clinux_rename_exclusive(int from_directory, const char *from, int to_directory,
                            const char *to);

// Lets two files change places; where the file system cannot, `from` replaces `to`, which must exist
// all the same: renameat2(2) with RENAME_EXCHANGE.
int clinux_rename_exchange(int from_directory, const char *from, int to_directory,
                           const char *to);

// An open-file-description write lock on the whole file, without waiting: F_OFD_SETLK.
int clinux_lock(int descriptor);

// 1 while another open file description holds a lock on the file, else 0: F_OFD_GETLK.
int clinux_is_locked(int descriptor);

// No core file, no ptrace and no /proc/PID/environ for others: setrlimit(2), prctl(2).
int clinux_hide_memory(void);

// Opens /dev/null in the place of each of the descriptors 0, 1 and 2 that is closed, so that no
// file of ours gets its number; the wrong way round, so that reading or writing it stays an error.
int clinux_hold_standard_descriptors(void);

// Starts a program with the given descriptors (-1: /dev/null) as 0, 1 and 2 and no others, in
// directory `directory` (NULL: the current one), with all signals at their default and none
// blocked; in a new session where `new_session` is not 0. Returns the process id.
int clinux_spawn(const char *path, char *const arguments[], char *const environment[],
                 int input, int output, int messages, const char *directory, int new_session);

// A descriptor that is ready to read once the child has ended, closed on exec: pidfd_open(2).
int clinux_process_handle(int process);

// A pipe whose ends (the reading one first) are closed on exec: pipe2(2).
int clinux_pipe(int ends[2]);

// An empty file in memory, without a name, closed on exec: memfd_create(2).
int clinux_memory_file(void);

// A descriptor that becomes readable when a file appears in one of the watched directories:
// inotify(7).
int clinux_watch_new(void);
int clinux_watch_add(int descriptor, const char *directory);

// A descriptor that becomes readable when a link, address or route changes: rtnetlink(7).
int clinux_watch_network(void);

// A descriptor that becomes readable at a time of day, in seconds since 1970, and when the clock
// is set: timerfd_create(2).
int clinux_timer(void);
int clinux_timer_set(int descriptor, int64_t seconds);

// Has SIGTERM, SIGINT and SIGHUP ask the program to stop, instead of ending it; returns a
// descriptor that becomes readable then. A signal that is ignored stays so.
int clinux_catch_stop(void);
int clinux_is_stopping(void);

// Waits until one of the descriptors is readable; those that are, are marked with 1 in `ready`
// and emptied. Returns how many, 0 also when a signal came: poll(2).
int clinux_wait(const int *descriptors, int *ready, int count);

// Writes the question to a terminal and reads a line that is not shown, without its end. Returns
// how many octets it has, 0 for an empty one; E2BIG for one longer than `capacity`, ENODATA at the
// end of input. A signal that would end or stop the process does so after the terminal shows again
// what is typed; when the process lives on, EINTR: to be asked anew. tcsetattr(3).
int clinux_ask_hidden(int terminal, const char *question, void *answer, int capacity);

// The columns of the terminal behind the descriptor, 0 where there is none: TIOCGWINSZ.
int clinux_columns(int descriptor);

#endif
