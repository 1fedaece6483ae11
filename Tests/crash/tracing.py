"""Runs a program under strace(1): lists its system calls, and kills or fails it at one of them.

Only the program's first thread is traced: a helper it starts, as the shell of a password command, is
not the one to be killed. strace counts the calls of each name apart, so a point is a name and a number.
"""

import fcntl
import os
import re
import select
import subprocess
import tempfile
import termios
import time
from dataclasses import dataclass

TIMEOUT = 120
CALL = re.compile(r"([a-z0-9_]+)\(")
ENDS = {"execve", "exit_group", "exit"}

# The calls whose failure a program can be asked to survive: files, descriptors, memory, network.
FALLIBLE = set(
    """open openat creat read pread64 readv write writev pwrite64 close fsync fdatasync link linkat
    rename renameat renameat2 unlink unlinkat mkdir mkdirat ftruncate fchmod fchmodat flock fcntl
    newfstatat fstat statx getdents64 utimensat copy_file_range fallocate getrandom socket connect
    sendto recvfrom""".split()
)

# The calls that a signal can interrupt (signal(7)); the others never say EINTR.
INTERRUPTIBLE = set(
    """open openat read readv write writev close fsync fdatasync fcntl flock getrandom connect sendto
    recvfrom""".split()
)

# The calls that change something outside of the program: a file, a folder, what is durable, what a peer
# has got. Between two of them it makes no difference when the program dies.
EFFECTS = set(
    """open openat creat write writev pwrite64 fsync fdatasync link linkat rename renameat renameat2
    unlink unlinkat mkdir mkdirat ftruncate fchmod fchmodat utimensat copy_file_range fallocate
    connect sendto sendmsg shutdown""".split()
)


@dataclass(frozen=True)
class Point:
    """The entry to a system call: the ordinal-th call of that name."""

    call: str
    ordinal: int

    def __str__(self):
        return f"{self.call}#{self.ordinal}"


@dataclass(frozen=True)
class Result:
    """What came of a run. The status is negative for a signal, None when the machine died first."""

    status: int | None
    stdout: str
    stderr: str = ""


class Typed(list):
    """A command that asks on its terminal, and what is typed there, an answer a question."""

    def __init__(self, argv, answers):
        super().__init__(argv)
        self.answers = answers


def private(path, flags):
    """An opener for open() that makes files for the owner alone."""
    return os.open(path, flags, 0o600)


def run(argv, home, extra=()):
    """Runs a program to its end, with no environment but HOME and PATH."""
    environment = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", **dict(extra)}
    if isinstance(argv, Typed):
        return run_on_terminal(argv, argv.answers, environment)
    done = subprocess.run(
        argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT
    )
    return Result(
        done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )


def run_on_terminal(argv, answers, environment):
    """Runs a program with a terminal of its own, on which each question ends with a colon."""
    master, slave = os.openpty()
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            argv,
            env=environment,
            stdin=slave,
            stdout=subprocess.DEVNULL,
            stderr=messages,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        shown, answers, deadline = b"", list(answers), time.monotonic() + TIMEOUT
        while process.poll() is None and time.monotonic() < deadline:
            if not select.select([master], [], [], 0.02)[0]:
                continue
            try:
                shown += os.read(master, 4096)
            except OSError:  # nobody has the terminal open any more
                break
            if shown.endswith(b": ") and answers:
                os.write(master, answers.pop(0).encode() + b"\n")
                shown = b""
        process.wait(timeout=TIMEOUT)
        os.close(master)
        messages.seek(0)
        return Result(process.returncode, "", messages.read().decode(errors="replace"))


def traced(options, argv):
    """The command that runs a program under strace."""
    command = ["strace", *options, *argv]
    return Typed(command, argv.answers) if isinstance(argv, Typed) else command


def points(argv, home, since=None):
    """The points of a whole run, or those from the first call that names the folder `since`."""
    with tempfile.NamedTemporaryFile(prefix="trace-") as trace:
        run(traced(["-o", trace.name], argv), home)
        lines = open(trace.name, errors="replace").read().splitlines()
    found, counts, on = [], {}, since is None
    for line in lines:
        match = CALL.match(line)
        if not match:
            continue
        call = match.group(1)
        counts[call] = counts.get(call, 0) + 1
        on = on or (since in line and call != "execve")
        if on and call not in ENDS:
            found.append(Point(call, counts[call]))
    return found


def run_to(point, argv, home):
    """Runs a program, and kills it on entry to a call; the call is not done."""
    return _injected(point, "signal=KILL", argv, home)


def run_failing(point, error, argv, home):
    """Runs a program in which one call fails with an errno name; the call is not done."""
    return _injected(point, f"error={error}", argv, home)


def _injected(point, what, argv, home):
    # Only the call in question stops the program; the others run at full speed.
    options = ["-o", os.devnull, "-e", f"trace={point.call}"]
    options += ["-e", f"inject={point.call}:{what}:when={point.ordinal}"]
    return run(traced(options, argv), home)


def plausible(point, error):
    """Whether the call can be made to fail with that errno and a program should go on."""
    return point.call in (INTERRUPTIBLE if error == "EINTR" else FALLIBLE)
