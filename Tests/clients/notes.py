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


def fill(home):
    """Takes the notes, and puts them where the servers' answers would: 3 sent, 1 failed, 1 waits."""
    home.configure("[account]\nfrom = Jane Doe <me@test.example>\nto = me@test.example\n"
                   "[delivery]\nafter-capture = no\n")
    for name in ALL:
        # Clients sort by the Date field, which counts seconds.
        time.sleep(1.1)
        home.memo("-s", subject(name), "-", stdin=text(name) + "\n")
    for folder in ("sent", "failed"):
        for part in ("tmp", "new", "cur"):
            os.makedirs(f"{home.mail}/{folder}/{part}", mode=0o700)
    for path, name in zip(home.files("outbox"), ALL):
        if name in SENT:
            os.rename(path, f"{home.mail}/sent/cur/{os.path.basename(path)}:2,S")
        elif name == "delta":
            os.rename(path, f"{home.mail}/failed/cur/{os.path.basename(path)}:2,F")


# MARK: - Other forms than the sealed one

def plain(home):
    """Every note of sent as the message it is: `[history] protection = none`."""
    for path in home.files("sent"):
        header, body = message(home, path)
        rewrite(path, (header + "\n\n" + body).encode())


def pgp(home):
    """Every note of sent as PGP/MIME, as RFC 3156 and RFC 9788 have it."""
    make_key(home)
    for path in home.files("sent"):
        rewrite(path, encrypted(home, *message(home, path)).encode())


def message(home, path):
    """Header and body of a note, with the correspondents that only its outer header names."""
    header, _, body = home.memo("show", "--raw", os.path.basename(path)[:36]).partition("\n\n")
    with open(path, encoding="utf-8") as file:
        outer = file.read().partition("\n\n")[0]
    named = [field.split(":")[0].lower() for field in fields(header)]
    missing = [field for field in fields(outer)
               if field.split(":")[0].lower() in ("from", "to") and field.split(":")[0].lower() not in named]
    return "\n".join(missing + [header]), body


def rewrite(path, content):
    status = os.stat(path)
    with open(path + ".new", "wb", opener=private) as file:
        file.write(content)
    os.rename(path + ".new", path)
    os.utime(path, (status.st_mtime, status.st_mtime))


def make_key(home):
    os.makedirs(home.path + "/.gnupg", mode=0o700)
    home.run("gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "",
             "--quick-generate-key", "me@test.example", "default", "default", "never")


def fields(header):
    """The fields of a header, each with its continuation lines."""
    found = []
    for line in header.split("\n"):
        if line[:1] in " \t":
            found[-1] += "\n" + line
        else:
            found.append(line)
    return found


def encrypted(home, header, body):
    inner = []
    for field in fields(header):
        if field.lower().startswith("content-type:"):
            field += ';\n hp="cipher"; protected-headers="v1"'
        inner.append(field)
    entity = ("\n".join(inner) + "\n\n" + body).replace("\n", "\r\n")
    armor = home.run("gpg", "--batch", "--quiet", "--armor", "--trust-model", "always", "--encrypt",
                     "--recipient", "me@test.example", stdin=entity)
    outer = [f for f in fields(header)
             if f.split(":")[0].lower() in ("from", "to", "date", "message-id")]
    outer += ["Subject: [...]", "MIME-Version: 1.0",
              'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted";\n'
              ' boundary="=_outer"']
    return "\n".join(outer) + (
        "\n\n--=_outer\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n\n--=_outer\n"
        'Content-Type: application/octet-stream; name="encrypted.asc"\n'
        'Content-Disposition: inline; filename="encrypted.asc"\n\n' + armor + "\n--=_outer--\n")


def copy(home, folder):
    """The same home in another place."""
    shutil.copytree(home.path, folder, symlinks=True, ignore=shutil.ignore_patterns("S.*", "tmux"))
    return Home(folder, os.path.dirname(home.memo_program))
