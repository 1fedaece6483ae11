#!/usr/bin/env python3
"""Builds the states a power cut could leave behind memo, from one trace of it, and checks each.

In the manner of ALICE (Pillai et al., "All file systems are not created equal", OSDI 2014), stricter
than ext4, as POSIX allows: at each point every operation that no fsync has made durable may be lost,
alone or with others, and data may be torn.

  fsync(file)       makes that file's earlier data durable, not its name
  fsync(directory)  makes that directory's earlier name changes durable
  rename            is atomic; with --split-rename the old name may stay beside the new one when the
                    directories differ and that of the old name is not yet synced
"""

import argparse
import hashlib
import itertools
import os
import random
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass

import tracing
from scenarios import SCENARIOS

# MARK: - Operations


@dataclass(frozen=True)
class Data:
    file: int
    offset: int
    data: bytes


@dataclass(frozen=True)
class Truncate:
    file: int
    length: int


@dataclass(frozen=True)
class Add:
    """A name made in a directory: by creation, link, or half of a split rename."""

    path: str
    file: int


@dataclass(frozen=True)
class Remove:
    path: str
    # The second half of a split rename is not there without the first.
    needs: "Add | None" = None


@dataclass(frozen=True)
class Rename:
    source: str
    target: str
    file: int


@dataclass(frozen=True)
class MakeFolder:
    path: str


@dataclass(frozen=True)
class Sync:
    file: int


@dataclass(frozen=True)
class SyncFolder:
    path: str


@dataclass(frozen=True)
class Said:
    """What the program wrote to its standard output."""

    text: bytes


def folders(operation):
    """The directories whose fsync makes an operation durable."""
    parent = os.path.dirname
    match operation:
        case Add(path=path) | Remove(path=path) | MakeFolder(path=path):
            return {parent(path)}
        case Rename(source=source, target=target):
            return {parent(source), parent(target)}
    return set()


# MARK: - Reading the trace

LINE = re.compile(r"([a-z0-9_]+)\((.*)\) += (-?\d+)")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
DESCRIPTOR = re.compile(r"(\d+)<((?:\\x[0-9a-f]{2})*)")
# The directory argument before each path of openat, linkat, renameat and the like.
BESIDE = re.compile(r'(?:AT_FDCWD|\d+)(?:<((?:\\x[0-9a-f]{2})*)>)?, *"')


def unhex(text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m.group(1), 16)]), text.encode())


class Reader:
    """Turns the lines of `strace -y -xx` into operations on the folder `root`."""

    def __init__(self, root, files):
        self.root = root
        self.names = {path: number for number, path in enumerate(files)}
        self.count = len(self.names)
        self.open = {}  # descriptor: [file, offset]
        self.operations = []

    def inside(self, path):
        return path == self.root or path.startswith(self.root + "/")

    def read(self, lines):
        for line in lines:
            match = LINE.match(line)
            if match and int(match.group(3)) >= 0:
                self.call(match.group(1), match.group(2), int(match.group(3)))
        return self.operations

    def call(self, name, arguments, result):
        paths = self.paths(arguments)
        descriptor = DESCRIPTOR.match(arguments)
        number = int(descriptor.group(1)) if descriptor else None
        place = os.path.normpath(unhex(descriptor.group(2)).decode()) if descriptor else ""
        if name in ("open", "openat", "creat"):
            self.opened(name, arguments, result, paths[0])
        elif name in ("write", "writev", "pwrite64"):
            self.wrote(name, arguments, result, number)
        elif name in ("fsync", "fdatasync"):
            if number in self.open:
                self.operations.append(Sync(self.open[number][0]))
            elif self.inside(place):
                self.operations.append(SyncFolder(place))
        elif name == "ftruncate" and number in self.open:
            self.operations.append(Truncate(self.open[number][0], int(arguments.rsplit(",", 1)[1])))
        elif name in ("link", "linkat", "rename", "renameat", "renameat2"):
            self.moved(name, *paths)
        elif name in ("unlink", "unlinkat") and paths[0] in self.names:
            self.names.pop(paths[0])
            self.operations.append(Remove(paths[0]))
        elif name in ("mkdir", "mkdirat") and self.inside(paths[0]):
            self.operations.append(MakeFolder(paths[0]))
        elif name == "close":
            self.open.pop(number, None)

    def paths(self, arguments):
        beside = [unhex(b).decode() if b else "/" for b in BESIDE.findall(arguments)]
        strings = [unhex(s).decode(errors="replace") for s in STRING.findall(arguments)]
        beside += ["/"] * len(strings)
        return [os.path.normpath(os.path.join(b, s)) for b, s in zip(beside, strings)]

    def opened(self, name, arguments, result, path):
        if not self.inside(path):
            return
        if path not in self.names and ("O_CREAT" in arguments or name == "creat"):
            self.names[path] = self.count
            self.count += 1
            self.operations.append(Add(path, self.names[path]))
        elif path in self.names and "O_TRUNC" in arguments:
            self.operations.append(Truncate(self.names[path], 0))
        if path in self.names:
            self.open[result] = [self.names[path], 0]

    def wrote(self, name, arguments, result, number):
        data = b"".join(unhex(s) for s in STRING.findall(arguments))[:result]
        if number == 1:
            self.operations.append(Said(data))
        if number not in self.open:
            return
        file, offset = self.open[number]
        if name == "pwrite64":
            offset = int(re.findall(r", (\d+)$", arguments)[0])
        else:
            self.open[number][1] += result
        self.operations.append(Data(file, offset, data))

    def moved(self, name, source, target):
        if source not in self.names or not self.inside(target):
            return
        file = self.names[source]
        self.names[target] = file
        if name.startswith("link"):
            self.operations.append(Add(target, file))
        else:
            self.names.pop(source)
            self.operations.append(Rename(source, target, file))


def trace(command, home):
    with tempfile.NamedTemporaryFile(prefix="trace-") as log:
        options = ["-y", "-xx", "-s", "16777216", "-e", "trace=%file,%desc", "-o", log.name]
        result = tracing.run(["strace", *options, *command], home)
        return open(log.name, errors="replace").read().splitlines(), result


def split_renames(operations):
    for operation in operations:
        if isinstance(operation, Rename) and len(folders(operation)) == 2:
            added = Add(operation.target, operation.file)
            yield from (added, Remove(operation.source, needs=added))
        else:
            yield operation


# MARK: - States


class Disk:
    """The start state, and what operations make of it."""

    def __init__(self, root):
        self.root, self.folders, self.files = root, [], {}
        for path, _, names in os.walk(root):
            self.folders.append(path)
            for name in sorted(names):
                self.files[os.path.join(path, name)] = open(os.path.join(path, name), "rb").read()

    def after(self, operations):
        """Folders and files after operations, each given with how much of its data arrived."""
        names = {path: number for number, path in enumerate(self.files)}
        contents = {number: bytearray(data) for number, data in enumerate(self.files.values())}
        made = set(self.folders)
        for operation, arrived in operations:
            match operation:
                case Add(path, file):
                    names[path] = file
                    contents.setdefault(file, bytearray())
                case Remove(path):
                    names.pop(path, None)
                case Rename(source, target, file):
                    names.pop(source, None)
                    names[target] = file
                    contents.setdefault(file, bytearray())
                case MakeFolder(path):
                    made.add(path)
                case Truncate(file, length):
                    del contents.setdefault(file, bytearray())[length:]
                case Data(file, offset, data):
                    self.store(contents.setdefault(file, bytearray()), offset, arrived(data))
        made = {folder for folder in made if self.reachable(folder, made)}
        return made, {p: bytes(contents[f]) for p, f in names.items() if os.path.dirname(p) in made}

    def reachable(self, folder, made):
        while folder != self.root:
            if folder not in made:
                return False
            folder = os.path.dirname(folder)
        return True

    @staticmethod
    def store(content, offset, data):
        content.extend(b"\0" * (offset - len(content)))
        content[offset : offset + len(data)] = data


TORN = {
    "whole": lambda data: data,
    "half": lambda data: data[: len(data) // 2],
    "zeros": lambda data: bytes(len(data)),
}


def durable(operations):
    """The numbers of the operations that an fsync among them has made durable."""
    kept = set()
    for number, operation in enumerate(operations):
        for earlier in range(number):
            before = operations[earlier]
            match operation:
                case Sync(file) if isinstance(before, (Data, Truncate)) and before.file == file:
                    kept.add(earlier)
                case SyncFolder(path) if path in folders(before):
                    kept.add(earlier)
    return kept


def subsets(optional, limit, chance):
    """All choices among the operations that may be lost, or a sample when they are many."""
    if len(optional) <= limit:
        sizes = range(len(optional) + 1)
        return itertools.chain.from_iterable(itertools.combinations(optional, size) for size in sizes)
    chosen = [(), tuple(optional)]
    chosen += [tuple(y for y in optional if y != x) for x in optional] + [(x,) for x in optional]
    chosen += [tuple(optional[:end]) for end in range(len(optional))]
    return chosen + [tuple(x for x in optional if chance.random() < 0.5) for _ in range(500)]


def stands(operation, past, kept):
    """Whether what an operation follows from is kept: a rename never loses both names."""
    needs = operation.needs if isinstance(operation, Remove) else None
    return needs is None or past.index(needs) in kept


def states(disk, operations, limit, chance):
    """Each state that can be there after a power cut: (folders, files, what was said, how it came)."""
    for cut in range(len(operations) + 1):
        past = operations[:cut]
        must = durable(past)
        effects = [n for n, o in enumerate(past) if not isinstance(o, (Sync, SyncFolder, Said))]
        optional = [n for n in effects if n not in must]
        said = b"".join(o.text for o in past if isinstance(o, Said))
        for choice in subsets(optional, limit, chance):
            kept = [n for n in effects if n in must or n in choice]
            if not all(stands(past[n], past, kept) for n in kept):
                continue
            data = [n for n in choice if isinstance(past[n], Data)][:3]
            for torn, how in [(None, "whole"), *itertools.product(data, ("half", "zeros"))]:
                done = [(past[n], TORN[how if n == torn else "whole"]) for n in kept]
                lost = [type(past[n]).__name__ for n in optional if n not in choice]
                how = f"cut after {cut} of {len(operations)}, lost {lost}, data {how}"
                yield *disk.after(done), said, how


def fingerprint(root, made, files, said):
    listed = sorted((path[len(root) :], hashlib.sha1(data).digest()) for path, data in files.items())
    return hashlib.sha1(repr((sorted(made), listed, said)).encode()).digest()


def lay_out(home, root, made, files):
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home, 0o700)
    for folder in sorted(made):
        os.makedirs(home + folder[len(root) :], mode=0o700, exist_ok=True)
    for path, data in files.items():
        with open(home + path[len(root) :], "wb", opener=tracing.private) as file:
            file.write(data)


# MARK: - Campaign


def campaign(name, split, limit, seed):
    """All states of a scenario; gives the numbers of operations and of states, and the bad ones."""
    scenario = SCENARIOS[name]()
    try:
        root = os.path.join(scenario.folder, "root")
        scenario.prepare(root)
        disk = Disk(root)
        lines, result = trace(scenario.command, root)
        if result.status != 0:
            raise SystemExit(f"{name} fails without any power cut: {result}")
        operations = Reader(root, disk.files).read(lines)
        if split:
            operations = list(split_renames(operations))
        home, seen, bad = os.path.join(scenario.folder, "home"), set(), []
        for made, files, said, how in states(disk, operations, limit, random.Random(seed)):
            mark = fingerprint(root, made, files, said)
            if mark in seen:
                continue
            seen.add(mark)
            lay_out(home, root, made, files)
            problems = scenario.check(home, tracing.Result(None, said.decode(errors="replace")))
            if problems:
                bad.append(f"{how}: {'; '.join(problems)}")
    finally:
        scenario.close()
    return len(operations), len(seen), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenario", nargs="+", choices=["first-capture", "later-capture"])
    parser.add_argument("--split-rename", action="store_true")
    parser.add_argument(
        "--limit", type=int, default=11, help="all subsets of up to so many operations, else a sample"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = False
    for name in options.scenario:
        start = time.monotonic()
        operations, count, bad = campaign(name, options.split_rename, options.limit, options.seed)
        for line in bad[:8]:
            print(f"BAD {name}: {line}")
        if count < 2:
            print(f"BAD {name}: it never touches its home")
        seconds = f"{time.monotonic() - start:.1f} s"
        what = f"states of a power cut in {name}: {operations} operations"
        print(f"{what}, {count} states, {len(bad)} bad, {seconds}", flush=True)
        failed = failed or bool(bad) or count < 2
    sys.exit(failed)


if __name__ == "__main__":
    main()
