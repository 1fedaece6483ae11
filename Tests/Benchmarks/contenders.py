"""Sets up memo, the C twin and the peers in one folder, each with a home of its own.

Each is set up as its manual says, with what it does beside the capture taken away where that would speak
against it: msmtpq asks a `ping` that says no at once, nullmailer has no queue runner to wake.
"""

import os
import shutil
import subprocess

from measuring import Contender, Failed
from peers import Missing, library_path, output, twin, unpacked

ADDRESS = "me@example.org"
# A port on which nothing answers: the sender that a capture starts finds no server.
SETTINGS = f"""[account]
from = Jane Doe <{ADDRESS}>
to = {ADDRESS}
server = smtps://127.0.0.1:9
user = {ADDRESS}
password-command = echo secret

[delivery]
after-capture = %s
"""


class Bench:
    """The folder of a run: the note, and a place for each contender."""

    def __init__(self, folder, programs, peers):
        self.folder, self.programs, self.peers = folder, programs, peers
        self.versions = {}
        # 1 KiB of ASCII text in lines, as one types it.
        line = "The quick brown fox jumps over the lazy dog; all work and no play\n"
        self.text = (line * 16)[:1023] + "\n"
        self.note = self.write("note", self.text)
        self.mail = self.write(
            "mail", f"From: {ADDRESS}\nTo: {ADDRESS}\nSubject: The quick brown fox\n\n{self.text}"
        )

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    def maildir(self, name):
        for part in ("tmp", "new", "cur"):
            os.makedirs(self.path(name, part))
        return self.path(name)

    def environment(self, home, **more):
        """What every contender finds around it: little, and the same."""
        return {"HOME": home, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", **more}


def count(folder, suffix=""):
    """The files in a folder, those with a leading dot left out."""
    return sum(name.endswith(suffix) and name[0] != "." for name in os.listdir(folder))


# MARK: - memo


def program(bench, name, *files):
    """A folder with memo, and beside it what else it is to find there."""
    os.makedirs(bench.path(name), exist_ok=True)
    for file in ("memo", *files):
        shutil.copy2(os.path.join(bench.programs, file), bench.path(name, file))
    return bench.path(name, "memo")


def memo(bench, name, folder, sends="no", words=False, files=(), **environment):
    """memo with a home in which it has captured before, so that the identity is made."""
    executable = program(bench, f"{folder}/bin", *files)
    home = bench.path(folder, "home")
    bench.write(f"{folder}/home/.config/memo/config", SETTINGS % "no")
    surroundings = bench.environment(home, **environment)
    first = subprocess.run([executable, "first"], env=surroundings, capture_output=True, check=False)
    if first.returncode != 0:
        raise Failed(f"{name}: {first.stderr.decode(errors='replace').strip()}")
    bench.write(f"{folder}/home/.config/memo/config", SETTINGS % sends)
    arguments = bench.text.split() if words else []
    new = os.path.join(home, ".local/share/memo/mail/outbox/new")
    return Contender(
        name,
        lambda number: [executable, *arguments],
        lambda number: surroundings,
        lambda: count(new) - 1,
        stdin="/dev/null" if words else bench.note,
    )


def identity(bench, folder, file):
    """A file of the identity of a memo set up before."""
    return bench.path(folder, "home/.local/share/memo/identity", file)


def first_capture(bench):
    """memo in a home that holds its settings and nothing else."""
    executable = program(bench, "first/bin")
    settings = os.path.dirname(bench.write("first/config/memo/config", SETTINGS % "no"))

    def home(number):
        return bench.path("first/homes", str(number))

    return Contender(
        "memo, the first capture ever",
        lambda number: [executable],
        lambda number: bench.environment(home(number), XDG_CONFIG_HOME=os.path.dirname(settings)),
        lambda: sum(
            count(os.path.join(home(number), ".local/share/memo/mail/outbox/new"))
            for number in os.listdir(bench.path("first/homes"))
        ),
        stdin=bench.note,
        before=lambda number: os.makedirs(home(number)),
    )


# MARK: - The others


def c_twin(bench, source, certificate):
    """The obvious C program, sealing for the same certificate."""
    executable = twin(source, bench.folder)
    folder = bench.maildir("twin")
    return Contender(
        "C twin: CMS_encrypt, shared libcrypto",
        lambda number: [executable, certificate, folder],
        lambda number: bench.environment(bench.folder),
        lambda: count(os.path.join(folder, "new")),
        stdin=bench.note,
    )


def nullmailer(bench):
    """nullmailer-inject, which hands the mail to its nullmailer-queue; nothing is encrypted."""
    root, version = unpacked("nullmailer", bench.peers)
    bench.versions["nullmailer"] = version
    for folder in ("conf", "queue/queue", "queue/tmp"):
        os.makedirs(bench.path("nullmailer", folder))
    bench.write("nullmailer/conf/me", "example.org\n")
    os.mkfifo(bench.path("nullmailer/queue/trigger"))
    environment = bench.environment(
        bench.folder,
        NULLMAILER_TEST_PREFIX=bench.path("nullmailer"),
        NULLMAILER_QUEUE=os.path.join(root, "usr/sbin/nullmailer-queue"),
    )
    return Contender(
        "nullmailer-inject (clear text)",
        lambda number: [os.path.join(root, "usr/bin/nullmailer-inject")],
        lambda number: environment,
        lambda: count(bench.path("nullmailer/queue/queue")),
        stdin=bench.mail,
    )


def mdeliver(bench):
    """mblaze's delivery into a Maildir: one fsync, no encryption."""
    root, version = unpacked("mblaze", bench.peers)
    bench.versions["mblaze"] = version
    folder = bench.maildir("mdeliver")
    return Contender(
        "mdeliver (clear text, one fsync)",
        lambda number: [os.path.join(root, "usr/bin/mdeliver"), folder],
        lambda number: bench.environment(bench.folder),
        lambda: count(os.path.join(folder, "new")),
        stdin=bench.mail,
    )


def gpg(bench):
    """gpg's encryption to a key of the same strength; nothing is synced."""
    executable = shutil.which("gpg")
    if not executable:
        raise Missing("no gpg")
    home = bench.path("gpg")
    os.makedirs(home, mode=0o700)
    os.makedirs(bench.path("gpg-out"))
    options = [executable, "--homedir", home, "--batch", "--quiet", "--no-tty"]
    generate = ("--passphrase", "", "--quick-generate-key", ADDRESS, "default", "default", "never")
    try:
        output(*options, *generate)
    finally:
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)
    bench.versions["gpg"] = output(executable, "--version").split()[2]

    def argv(number):
        to = ("--trust-model", "always", "--armor", "--encrypt", "--recipient", ADDRESS)
        return [*options, *to, "--output", bench.path("gpg-out", str(number))]

    return Contender(
        "gpg -e -a (no fsync)",
        argv,
        lambda number: bench.environment(bench.folder),
        lambda: count(bench.path("gpg-out")),
        stdin=bench.note,
    )


def msmtpq(bench):
    """msmtp's queue, a shell script, offline; neither synced nor encrypted."""
    root, version = unpacked("msmtp", bench.peers)
    bench.versions["msmtp"] = version
    os.makedirs(bench.path("msmtpq/queue"))
    os.makedirs(bench.path("msmtpq/bin"))
    os.symlink(shutil.which("false"), bench.path("msmtpq/bin/ping"))
    environment = bench.environment(
        bench.path("msmtpq"),
        MSMTP=os.path.join(root, "usr/bin/msmtp"),
        LD_LIBRARY_PATH=library_path(root),
        MSMTPQ_Q=bench.path("msmtpq/queue"),
        MSMTPQ_LOG=bench.path("msmtpq/log"),
        EMAIL_CONN_TEST="P",
        EMAIL_QUEUE_QUIET="t",
    )
    environment["PATH"] = bench.path("msmtpq/bin") + ":" + environment["PATH"]
    return Contender(
        "msmtpq, offline (clear text, no fsync)",
        lambda number: [os.path.join(root, "usr/libexec/msmtp/msmtpq/msmtpq"), ADDRESS],
        lambda number: environment,
        lambda: count(bench.path("msmtpq/queue"), ".mail"),
        stdin=bench.mail,
    )
