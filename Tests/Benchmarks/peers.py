"""Gets what memo is compared with: Debian's packages unpacked into .build/peers, and the C twin.

Nothing is installed: nullmailer and msmtp-mta would replace the machine's own mail transport agent.
"""

import fcntl
import os
import shutil
import subprocess


class Missing(Exception):
    """A peer that cannot be had here, and why."""


def output(*command, folder=None):
    """What a command prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Missing(f"{command[0]}: {last}")
    return done.stdout.strip()


def debian():
    """The name of this Debian, under which its packages are kept apart from another's."""
    with open("/etc/os-release", encoding="utf-8") as file:
        for line in file:
            if line.startswith("VERSION_CODENAME="):
                return line.partition("=")[2].strip()
    return "unknown"


def packages_to_add(package):
    """The package and the libraries that this machine lacks for it."""
    lines = output(
        "apt-get", "install", "--print-uris", "--no-install-recommends", "-qq", package
    ).splitlines()
    names = [line.split()[1].partition("_")[0] for line in lines]
    return [package] + [name for name in names if name.startswith("lib")]


def download(package, folder):
    """Downloads and unpacks a package into a folder, and tells its version."""
    files = os.path.join(folder, "deb")
    os.makedirs(files)
    try:
        output("apt-get", "download", *packages_to_add(package), folder=files)
    except Missing:
        output("apt-get", "update")
        output("apt-get", "download", *packages_to_add(package), folder=files)
    for name in os.listdir(files):
        path = os.path.join(files, name)
        output("dpkg-deb", "-x", path, os.path.join(folder, "root"))
        if name.startswith(package + "_"):
            version = output("dpkg-deb", "-f", path, "Version")
    # With its own user's rights a program would not look where it is told to.
    output("chmod", "-R", "u+rwX,a-s", os.path.join(folder, "root"))
    shutil.rmtree(files)
    return version


def unpacked(package, peers):
    """The folder with a package's files, fetched when it is needed first, and its version."""
    if not shutil.which("apt-get"):
        raise Missing("no apt-get")
    machine = output("dpkg", "--print-architecture")
    folder = os.path.join(peers, f"{package}-{debian()}-{machine}")
    os.makedirs(peers, exist_ok=True)
    with open(folder + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = os.path.join(folder, "complete")
        if not os.path.exists(complete):
            shutil.rmtree(folder, ignore_errors=True)
            version = download(package, folder)
            with open(complete, "w", encoding="utf-8") as file:
                file.write(version)
        with open(complete, encoding="utf-8") as file:
            return os.path.join(folder, "root"), file.read()


def library_path(root):
    """The folders for LD_LIBRARY_PATH in which an unpacked package finds what came with it."""
    folders = {path for path, _, names in os.walk(root) if any(".so" in name for name in names)}
    return ":".join(sorted(folders))


def twin(source, folder):
    """Compiles the C twin."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Missing("no C compiler")
    program = os.path.join(folder, "capture")
    output(compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-o", program, source, "-lcrypto")
    return program
