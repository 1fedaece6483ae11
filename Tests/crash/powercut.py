#!/usr/bin/env python3
"""Cuts the power at each system call of memo that has an effect, and looks at what is left.

On a real file system: the program is killed at a call; then the file system is shut down without
flushing its log, as xfstests' "godown" does (the SHUTDOWN ioctl with NOLOGFLUSH), unmounted, and mounted
again, which replays the journal. Needs root, a loop device and strace; runs in a mount namespace of its
own. Exit status 77, with the reason, where that cannot be done.
"""

import argparse
import fcntl
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import tracing
from verbs import SCENARIOS

SKIPPED = 77
SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2
SIZES = {"ext4": "32M", "xfs": "320M"}


class Unavailable(Exception):
    """Why no power can be cut here."""


def command(*argv):
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"{' '.join(argv)}: {done.stderr.strip()}")


class Disk:
    """A file system in a file."""

    def __init__(self, kind, options):
        self.kind, self.options = kind, options
        self.folder = tempfile.mkdtemp(prefix="memo-power-")
        self.image = os.path.join(self.folder, "image")
        self.mount_point = os.path.join(self.folder, "disk")
        os.mkdir(self.mount_point)
        command("truncate", "-s", SIZES[kind], self.image)
        command(f"mkfs.{kind}", "-q", self.image)
        self.mount()

    def mount(self):
        options = ",".join(["loop", *filter(None, [self.options])])
        command("mount", "-t", self.kind, "-o", options, self.image, self.mount_point)

    def unmount(self):
        # A helper that the killed program had started may still be on its way out.
        for _ in range(200):
            if subprocess.run(["umount", self.mount_point], capture_output=True).returncode == 0:
                return
            time.sleep(0.02)
        command("umount", self.mount_point)

    def sync(self):
        command("sync", "-f", self.mount_point)

    def cut(self):
        """Takes the power away, and comes up again."""
        descriptor = os.open(self.mount_point, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(descriptor)
        self.unmount()
        self.mount()

    def close(self):
        try:
            self.unmount()
        except Unavailable:
            subprocess.run(["umount", "--lazy", self.mount_point], capture_output=True)
            raise
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def attempt(scenario, disk, point):
    """One power cut; gives what is wrong. Without a point the power goes after the program's end."""
    home = os.path.join(disk.mount_point, "home")
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home, 0o700)
    scenario.prepare(home)
    disk.sync()
    if point is None:
        result = tracing.run(scenario.command, home)
    else:
        result = tracing.run_to(point, scenario.command, home)
    disk.cut()
    return scenario.check(home, tracing.Result(None, result.stdout))


def campaign(name, kind, options):
    """All power cuts of a scenario; gives their number and the bad ones."""
    bad = []
    scenario = SCENARIOS[name]()
    try:
        disk = Disk(kind, options)
        try:
            home = os.path.join(disk.mount_point, "home")
            scenario.prepare(home)
            every = dict.fromkeys(tracing.points(scenario.command, home, home))
            todo = [*(point for point in every if point.call in tracing.EFFECTS), None]
            for point in todo:
                problems = attempt(scenario, disk, point)
                if problems:
                    bad.append(f"power cut at {point or 'the end'}: {'; '.join(problems)}")
        finally:
            disk.close()
    finally:
        scenario.close()
    return len(todo), bad


def enter_namespace():
    """Starts this script again where its mounts are nobody else's."""
    if os.environ.get("MEMO_POWERCUT_INSIDE"):
        return
    if os.getuid() != 0:
        raise Unavailable("needs root")
    private = ["unshare", "--mount", "--propagation", "private"]
    if subprocess.run([*private, "true"], capture_output=True).returncode:
        raise Unavailable("no mount namespaces here")
    os.environ["MEMO_POWERCUT_INSIDE"] = "1"
    os.execvp("unshare", [*private, sys.executable, *sys.argv])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario", nargs="+", choices=sorted(SCENARIOS))
    parser.add_argument("--fs", choices=sorted(SIZES), default="ext4")
    parser.add_argument("--options", default="", help="mount options, as data=writeback")
    options = parser.parse_args()
    failed = False
    try:
        enter_namespace()
        Disk(options.fs, options.options).close()
    except Unavailable as reason:
        print(f"skipped: power cuts on {options.fs}: {reason}")
        sys.exit(SKIPPED)
    for name in options.scenario:
        start = time.monotonic()
        count, bad = campaign(name, options.fs, options.options)
        for line in bad[:20]:
            print(f"BAD {name}: {line}")
        if len(bad) > 20:
            print(f"BAD {name}: and {len(bad) - 20} more")
        where = " ".join(filter(None, [options.fs, options.options]))
        if count < 2:
            print(f"BAD {name}: it never touches its home")
        seconds = f"{time.monotonic() - start:.1f} s"
        what = f"power cut on {where} at the calls of {name}"
        print(f"{what}: {count} points, {len(bad)} bad, {seconds}", flush=True)
        failed = failed or bool(bad) or count < 2
    sys.exit(failed)


if __name__ == "__main__":
    main()
