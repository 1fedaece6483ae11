"""A home with notes in each state, and in each form in which they may lie on disk."""

import glob
import os
import shutil
import subprocess
import time

SENT = ["alpha", "beta", "gamma"]
ALL = SENT + ["delta", "epsilon"]


def subject(name):
    return f"Subject-{name}"


def text(name):
    return f"text-{name}: Grüße"


class Home:
    """A user's home, thrown away with the run."""

    def __init__(self, folder, programs):
        self.path = folder
        self.memo_program = programs + "/memo"
        self.environment = {
            "HOME": folder, "USER": "me", "SHELL": "/bin/sh",
            "PATH": programs + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "TERM": "screen", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TMPDIR": folder + "/tmp",
            "XDG_RUNTIME_DIR": folder + "/run",
        }
        for name in ("tmp", "run", ".config/memo"):
            os.makedirs(f"{folder}/{name}", mode=0o700, exist_ok=True)

    @property
    def mail(self):
        return self.path + "/.local/share/memo/mail"

    def configure(self, text):
        path = self.path + "/.config/memo/config"
        with open(path, "w", encoding="utf-8", opener=private) as file:
            file.write(text)

    def run(self, *command, stdin="", seconds=60, environment=None):
        """What a command of this home prints, on both streams."""
        done = subprocess.run(
            command, env=environment or self.environment, input=stdin.encode(), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, cwd=self.path)
        return done.stdout.decode(errors="replace")

    def memo(self, *words, stdin=""):
        return self.run(self.memo_program, *words, stdin=stdin)

    def files(self, folder):
        """The paths of the notes in a folder, oldest first."""
        found = [
            path for part in ("new", "cur") for path in glob.glob(f"{self.mail}/{folder}/{part}/*")
        ]
        return sorted(found, key=os.path.basename)

    def ids(self, folder):
        return [os.path.basename(path)[:36] for path in self.files(folder)]


def private(path, flags):
    return os.open(path, flags, 0o600)


def fill(homes, server):
    """Takes the notes in each home and lets memo send them: 3 are sent, 1 fails, 1 waits.

    Each home's settings say in which form they then lie there.
    """
    for name in ALL:
        # Clients sort by the Date field, which counts seconds.
        time.sleep(1.1)
        for home in homes:
            home.memo("-s", subject(name), "-", stdin=text(name) + "\n")
            if name == "delta":
                server.plan("dot=550")
            if name != "epsilon":
                home.memo("flush")
    for home in homes:
        counts = [len(home.ids(folder)) for folder in ("sent", "failed", "outbox")]
        if counts != [3, 1, 1]:
            raise RuntimeError(f"{home.path}: {counts}: " + home.memo("flush", "--now"))


def make_key(home):
    """An OpenPGP key without a passphrase; its fingerprint."""
    os.makedirs(home.path + "/.gnupg", mode=0o700)
    home.run("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "",
             "--quick-generate-key", "me@test.example", "default", "default", "never")
    listed = home.run("gpg", "--batch", "--with-colons", "--list-secret-keys")
    return next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))


def copy(home, folder):
    """The same home in another place."""
    shutil.copytree(home.path, folder, symlinks=True, ignore=shutil.ignore_patterns("S.*", "tmux"))
    return Home(folder, os.path.dirname(home.memo_program))
