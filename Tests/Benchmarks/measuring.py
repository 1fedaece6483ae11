"""Runs whole programs in turns, from posix_spawn to exit, and compares what they took.

A shared machine is noisy, so nothing is measured after another thing but everything beside it: each round
runs every contender once, in an order that turns from round to round. Ratios are told twice, as the ratio
of two medians and as the median of the ratios within each round; where they disagree, the machine was not
quiet enough.
"""

import ctypes
import os
import signal
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Contender:
    """A program to be run once a round."""

    name: str
    argv: Callable[[int], list[str]]
    environment: Callable[[int], dict[str, str]]
    delivered: Callable[[], int]
    stdin: str = "/dev/null"
    before: Callable[[int], None] = lambda number: None
    runs: list["Run"] = field(default_factory=list)

    def median(self):
        return statistics.median(run.milliseconds for run in self.runs)


@dataclass(frozen=True)
class Run:
    """What one run took, its children's share included where it waited for them."""

    milliseconds: float
    processor_milliseconds: float
    page_faults: int


class Failed(Exception):
    """A program that should have been measured did not do its work."""


def quartiles(values):
    """The first quartile, the median and the third."""
    return statistics.quantiles(values, n=4, method="inclusive")


def adopt_orphans():
    """Makes what a contender leaves running a child of this process, so that it can be found and ended."""
    PR_SET_CHILD_SUBREAPER = 36
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def children():
    """The processes whose parent is this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = file.read().rpartition(b")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found.append(int(name))
    return found


def end_what_is_left():
    """Ends every process that the last run left behind, and what those leave in turn."""
    while left := children():
        for process in left:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def run_once(contender, number, folder):
    """Runs a contender from posix_spawn to exit.

    Only the spawn and the wait lie between the two looks at the clock.
    """
    contender.before(number)
    argv, environment = contender.argv(number), contender.environment(number)
    messages = os.path.join(folder, "messages")
    descriptors = [
        (os.POSIX_SPAWN_OPEN, 0, contender.stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    begin = time.perf_counter_ns()
    process = os.posix_spawn(argv[0], argv, environment, file_actions=descriptors)
    _, status, usage = os.wait4(process, 0)
    end = time.perf_counter_ns()
    end_what_is_left()
    if status != 0:
        with open(messages, encoding="utf-8", errors="replace") as file:
            said = file.read().strip()
        raise Failed(f"{contender.name}: exit status {os.waitstatus_to_exitcode(status)}: {said}")
    return Run((end - begin) / 1e6, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_minflt)


def run_rounds(contenders, rounds, folder, warming=3):
    """Runs every contender once a round; the first rounds fill the caches and are not counted."""
    for number in range(warming + rounds):
        turn = number % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            run = run_once(contender, number, folder)
            if number >= warming:
                contender.runs.append(run)
    for contender in contenders:
        if contender.delivered() != warming + rounds:
            raise Failed(
                f"{contender.name}: {warming + rounds} runs left {contender.delivered()} notes"
            )


def excess(contender, other):
    """How many milliseconds more a contender takes than another, round by round, as quartiles."""
    return quartiles([a.milliseconds - b.milliseconds for a, b in zip(contender.runs, other.runs)])


@dataclass(frozen=True)
class Ratio:
    """How long one contender takes for each unit of time of another."""

    of_medians: float
    first_quartile: float
    median: float
    third_quartile: float


def ratio(contender, other):
    """The ratio of two contenders' times, round by round."""
    pairs = [a.milliseconds / b.milliseconds for a, b in zip(contender.runs, other.runs)]
    return Ratio(contender.median() / other.median(), *quartiles(pairs))
