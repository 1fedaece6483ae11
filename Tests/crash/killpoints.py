#!/usr/bin/env python3
"""Kills memo, or makes it fail, at each of its system calls, and looks at what is left.

As SQLite tests its file layer: fail the first call, then the second, until nothing fails. The state
after each point must be one that the design allows, and the next run must work.
Needs strace. The programs are those of $MEMO_PROGRAMS, else of .build/release.
"""

import argparse
import os
import shutil
import sys
import threading
import time

import tracing
from verbs import SCENARIOS


def trials(scenario, home, errors, whole, effects):
    """The trials of a scenario: a point, and the errno to fail with or None to be killed."""
    scenario.prepare(home)
    every = tracing.points(scenario.command, home, None if whole else home)
    every = [p for p in dict.fromkeys(every) if not effects or p.call in tracing.EFFECTS]
    if not errors:
        return [(point, None) for point in every]
    return [(p, error) for error in errors for p in every if tracing.plausible(p, error)]


def attempt(scenario, home, point, error):
    """One trial; gives what is wrong."""
    shutil.rmtree(home, ignore_errors=True)
    scenario.prepare(home)
    if error is None:
        result = tracing.run_to(point, scenario.command, home)
    else:
        result = tracing.run_failing(point, error, scenario.command, home)
    problems = scenario.check(home, result)
    if error is not None and result.status < 0:
        problems.append(f"ended by signal {-result.status}")
    if error == "EINTR" and result.status != 0:
        problems.append(f"an interrupted call shows: {result.status} {result.stderr.strip()[:80]}")
    return [f"{problem} (status {result.status})" for problem in problems]


def campaign(name, errors, whole, effects, workers):
    """All trials of a scenario, shared among workers; gives their number and the bad ones."""
    scenarios = [SCENARIOS[name]() for _ in range(workers)]
    homes = [os.path.join(scenario.folder, "home") for scenario in scenarios]
    bad = []
    try:
        todo = trials(scenarios[0], homes[0], errors, whole, effects)

        def work(number):
            for point, error in todo[number::workers]:
                try:
                    problems = attempt(scenarios[number], homes[number], point, error)
                except Exception as failure:  # a trial that cannot be judged is a bad one
                    problems = [f"{type(failure).__name__}: {failure}"]
                if problems:
                    bad.append(f"{error or 'kill'} at {point}: {'; '.join(problems)}")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for scenario in scenarios:
            scenario.close()
    return len(todo), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario", nargs="+", choices=sorted(SCENARIOS))
    parser.add_argument("--errors", help="fail with these, as ENOSPC,EIO, instead of killing")
    parser.add_argument(
        "--whole", action="store_true", help="from its start on, not from its first file in the home"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--effects", action="store_true", help="at calls that change something outside of it only"
    )
    options = parser.parse_args()
    errors = options.errors.split(",") if options.errors else []
    failed = False
    for name in options.scenario:
        start = time.monotonic()
        count, bad = campaign(name, errors, options.whole, options.effects, options.workers)
        for line in bad[:20]:
            print(f"BAD {name}: {line}")
        if len(bad) > 20:
            print(f"BAD {name}: and {len(bad) - 20} more")
        what = f"fail ({options.errors})" if errors else "kill"
        if count < 1:
            print(f"BAD {name}: it never touches its home")
        seconds = f"{time.monotonic() - start:.1f} s"
        print(f"{what} at the calls of {name}: {count} points, {len(bad)} bad, {seconds}", flush=True)
        failed = failed or bool(bad) or count == 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
