"""What the crash tests do to memo: a start state, a command, and what must hold whatever happens.

A scenario is made once for each worker. Its `check` is given a home as the crash left it, lists what is
wrong with it, and then goes on as a person would: the next run has to work.
"""

import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import notes
import tracing

REPOSITORY = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PROGRAMS = os.environ.get("MEMO_PROGRAMS", os.path.join(REPOSITORY, ".build", "release"))
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

# sysexits(3), as DESIGN §8 gives them to a capture.
SAVED, NOT_PROVEN_DURABLE = 0, 74


def program(name):
    return os.path.join(PROGRAMS, name)


def identifiers(text):
    return notes.UUID.findall(text)


def configure(home, text):
    path = os.path.join(home, ".config", "memo", "config")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "w", opener=tracing.private) as file:
        file.write(text)


class Scenario:
    """What the scenarios share: a template home, copied for each run."""

    errors_matter = False

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="memo-crash-", dir=SCRATCH)
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.template = os.path.join(self.folder, "template")
        os.mkdir(self.template, 0o700)
        configure(self.template, "[delivery]\nafter-capture = no\n")
        self.older = {}

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def prepare(self, home):
        """Puts the start state into an empty folder."""
        shutil.copytree(self.template, home, symlinks=True, dirs_exist_ok=True)

    def capture(self, home, *words):
        """A capture that nothing disturbs."""
        return tracing.run([program("memo"), "-v", *words], home)

    def capture_older(self, *texts):
        """Notes that are in the template already."""
        for text in texts:
            result = self.capture(self.template, text)
            if result.status != SAVED or len(identifiers(result.stdout)) != 1:
                raise SystemExit(f"memo -v does not capture: {result}")
        self.older, problems = notes.Store(self.template).contents()
        if problems or len(self.older) != len(texts):
            raise SystemExit(f"captures that nothing disturbed are wrong: {problems or self.older}")


class Capture(Scenario):
    """`memo -v WORDS`; the first one also makes the folders and the identity."""

    errors_matter = True
    text = "buy milk and twelve eggs"

    def __init__(self, first):
        super().__init__()
        self.command = [program("memo"), "-v", self.text]
        if not first:
            self.capture_older("an older note")

    def check(self, home, result):
        store = notes.Store(home)
        contents, problems = store.contents()
        new = {i: text for i, text in contents.items() if i not in self.older}
        problems += self._kept(contents) + self._promised(new, result)
        if result.status is not None and result.status >= 0:
            problems += self._said(new, result)
        return problems + self._next(home, store, contents)

    def _kept(self, contents):
        return [f"{i}: changed or lost" for i, text in self.older.items() if contents.get(i) != text]

    def _promised(self, new, result):
        """An identifier printed is a promise; what is visible holds the whole text."""
        text = self.text.encode()
        problems = [f"{i}: promised, not there" for i in identifiers(result.stdout) if i not in new]
        problems += [f"{i}: without its text" for i, inside in new.items() if text not in inside]
        return problems + (["more than one note"] if len(new) > 1 else [])

    def _said(self, new, result):
        """Exit status 0 or 74 if, and only if, the note is queued; and never a failure without a word."""
        queued = result.status in (SAVED, NOT_PROVEN_DURABLE)
        problems = []
        if queued and not new:
            problems.append("said saved, but nothing is queued")
        if new and not queued:
            problems.append("said not saved, but it is queued")
        if result.status != SAVED and not result.stderr.startswith("memo: "):
            problems.append(f"no word why: {result.stderr[:80]!r}")
        return problems

    def _next(self, home, store, before):
        """The next capture works, and changes nothing else."""
        result = self.capture(home, "the next note")
        if result.status != SAVED:
            return [f"the next capture fails: {result.status} {result.stderr.strip()[:120]}"]
        after, problems = store.contents()
        problems = [f"after the next capture: {problem}" for problem in problems]
        if len(after) != len(before) + 1 or any(after.get(i) != text for i, text in before.items()):
            problems.append("the next capture changed the older notes")
        return problems


class FaultyServer:
    """The submission server of Tests/servers/faulty, on a free port."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder)
        servers = os.path.join(REPOSITORY, "Tests", "servers")
        made = subprocess.check_output([os.path.join(servers, "certificates.sh")])
        self.certificates = made.decode().strip()
        script = os.path.join(servers, "faulty", "faulty_smtp.py")
        ports = ["--starttls", "0", "--tls", "0", "--plain", "0"]
        self.process = subprocess.Popen(
            ["python3", script, folder, *ports, "--tlsdir", self.certificates],
            stdin=subprocess.DEVNULL,
            stdout=open(os.path.join(folder, "out"), "w"),
            stderr=subprocess.STDOUT,
        )
        ready = os.path.join(folder, "ready")
        for _ in range(1000):
            if os.path.exists(ready) and os.path.getsize(ready):
                break
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        else:
            self.close()
        if self.process.poll() is not None:
            raise SystemExit("faulty server: " + open(os.path.join(folder, "out")).read()[-300:])
        self.ports = json.load(open(ready))

    def close(self):
        self.process.kill()
        self.process.wait()

    def accepted(self):
        """The messages taken whole, in order: (identifier, bytes)."""
        directory = os.path.join(self.folder, "accepted")
        for name in sorted(n for n in os.listdir(directory) if not n.endswith(".tmp")):
            message = open(os.path.join(directory, name), "rb").read().split(b"\n", 1)[1]
            message_id = notes.fields(message.replace(b"\r\n", b"\n")).get("message-id", "")
            yield (identifiers(message_id) or [""])[0], message

    def clear(self):
        directory = os.path.join(self.folder, "accepted")
        for name in os.listdir(directory):
            os.unlink(os.path.join(directory, name))


class Flush(Scenario):
    """`memo-send flush` of three notes, to a server that takes them all."""

    def __init__(self):
        super().__init__()
        self.command = [program("memo-send"), "flush"]
        self.capture_older("first note", "second note", "third note")
        self.server = FaultyServer(os.path.join(self.folder, "server"))
        self.settings = f"""\
[account]
from = Jane Doe <me@test.example>
to = me@test.example
server = smtp://localhost:{self.server.ports["starttls"]}
user = me@test.example
password-command = echo s3cret-pass
ca-file = {self.server.certificates}/ca.pem
[delivery]
after-capture = no
pace = off
"""

    def close(self):
        self.server.close()
        super().close()

    def prepare(self, home):
        super().prepare(home)
        configure(home, self.settings)
        self.server.clear()

    def check(self, home, result):
        store = notes.Store(home)
        contents, problems = store.contents()
        lost = [f"{i}: lost or changed" for i in self.older if contents.get(i) != self.older[i]]
        if lost:
            return problems + lost
        owned = self._owned(store)
        problems += self._recorded(store, owned)
        again = tracing.run([program("memo-send"), "flush", "--now"], home)
        if again.status != 0:
            problems.append(f"the next flush fails: {again.status} {again.stderr.strip()[:120]}")
        return problems + self._delivered(store, owned)

    def _copies(self):
        copies = {}
        for identifier, message in self.server.accepted():
            copies.setdefault(identifier, []).append(message)
        return copies

    def _owned(self, store):
        """How often each note may be at the server, as its name says; and whether that is final."""
        return {
            note.identifier: (1, True) if note.folder == "sent" else (note.count("A"), False)
            for note in store.notes()
        }

    def _recorded(self, store, owned):
        """No more is at the server than the names own up to, and what is in sent/ is there."""
        problems = [f"{note.identifier}: failed" for note in store.notes() if note.folder == "failed"]
        copies = self._copies()
        for identifier, (possible, final) in owned.items():
            count = len(copies.get(identifier, []))
            if count > possible or (final and count == 0):
                problems.append(f"{identifier}: {count} at the server, the name says {possible}")
        return problems

    def _delivered(self, store, owned):
        """After the next flush all are sent, once more at the most; those known as sent, not again."""
        contents, problems = store.contents()
        copies = self._copies()
        for note in store.notes():
            if note.folder != "sent":
                problems.append(f"{note.identifier}: still in {note.folder}")
        for identifier, content in self.older.items():
            possible, final = owned[identifier]
            count = len(copies.get(identifier, []))
            if contents.get(identifier) != content:
                problems.append(f"{identifier}: lost or changed by the next flush")
            if not 1 <= count <= possible + (not final):
                problems.append(f"{identifier}: {count} at the server, {possible} possible before")
            if len(set(copies.get(identifier, []))) > 1:
                problems.append(f"{identifier}: the copies differ")
        unknown = set(copies) - set(self.older)
        return problems + ([f"messages of no note: {unknown}"] if unknown else [])


class Keyring:
    """A key of gpg(1) in a folder of its own; whoever encrypts needs the public half alone."""

    def __init__(self, folder):
        self.home = os.path.join(folder, "g")
        os.mkdir(self.home, 0o700)
        made = self._gpg("--passphrase", "", "--status-fd", "1", "--quick-gen-key", "me@test.example",
                         "future-default", "default", "never")
        self.fingerprint = re.search(rb"KEY_CREATED \w ([0-9A-F]{40})", made).group(1).decode()

    def _gpg(self, *arguments, home=None, message=b""):
        command = ["gpg", "--homedir", home or self.home, "--batch", "--quiet", "--no-tty"]
        command += ["--pinentry-mode", "loopback", *arguments]
        return subprocess.run(command, input=message, capture_output=True, check=True).stdout

    def publish(self, home):
        """Puts the public key where gpg looks for it in a home."""
        folder = os.path.join(home, ".gnupg")
        os.mkdir(folder, 0o700)
        self._gpg("--no-autostart", "--import", home=folder, message=self._gpg("--export", self.fingerprint))

    def decrypt(self, message):
        try:
            return self._gpg("--decrypt", message=message)
        except subprocess.CalledProcessError as error:
            raise notes.NotOpened(error.stderr.decode(errors="replace").strip()) from error

    def close(self):
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "all"], capture_output=True)


class Protect(Scenario):
    """`memo-send flush` with three notes in sent/ and failed/ that are to be encrypted with OpenPGP."""

    settings = """\
[account]
from = Jane Doe <me@test.example>
to = me@test.example
server = smtp://localhost:9
user = me@test.example
password-command = echo s3cret-pass
[delivery]
after-capture = no
[gpg]
key = """

    def __init__(self):
        super().__init__()
        self.command = [program("memo-send"), "flush"]
        self.capture_older("first note", "second note", "third note")
        self.keyring = Keyring(self.folder)
        self.keyring.publish(self.template)
        configure(self.template, self.settings + self.keyring.fingerprint + "\n")
        mail = os.path.join(self.template, notes.DATA, "mail")
        for number, note in enumerate(notes.Store(self.template).notes()):
            folder, flags = ("failed", "F") if number == 2 else ("sent", "S")
            for place in ("tmp", "new", "cur"):
                os.makedirs(os.path.join(mail, folder, place), mode=0o700, exist_ok=True)
            os.rename(note.path, os.path.join(mail, folder, "cur", f"{note.name},S=12:2,{flags}"))

    def close(self):
        self.keyring.close()
        super().close()

    def check(self, home, result):
        problems = self._readable(home, finished=False)
        again = tracing.run(self.command, home)
        if again.status != 0:
            problems.append(f"the next flush fails: {again.status} {again.stderr.strip()[:120]}")
        return problems + self._readable(home, finished=True)

    def _readable(self, home, finished):
        """Each note is there once and whole: sealed, or encrypted with its sealed original kept."""
        store, problems, found = notes.Store(home), [], []
        key = open(os.path.join(home, notes.DATA, "identity", "key.pem"), "rb").read()
        for note in store.notes():
            found.append(note.identifier)
            message = open(note.path, "rb").read()
            try:
                if "multipart/encrypted" in notes.fields(message).get("content-type", ""):
                    inside = self.keyring.decrypt(message)
                    kept = os.path.join(home, ".cache", "memo", "sealed", note.identifier)
                    original = notes.open_note(open(kept, "rb").read(), [key])
                else:
                    inside = original = notes.open_note(message, [key])
                    if finished:
                        problems.append(f"{note.identifier}: still sealed")
            except (notes.NotOpened, OSError) as error:
                problems.append(f"{note.identifier}: {error}")
                continue
            if original != self.older.get(note.identifier):
                problems.append(f"{note.identifier}: its sealed original changed")
            if inside.split(b"\r\n\r\n")[1] != original.split(b"\r\n\r\n")[1]:
                problems.append(f"{note.identifier}: its text changed")
        if sorted(found) != sorted(self.older):
            problems.append(f"not each note once: {found}")
        return problems


class KeyChange(Scenario):
    """A command that changes the key or what is sealed to it: all notes stay readable."""

    passphrases = (None,)

    def __init__(self, *arguments):
        super().__init__()
        self.command = [program("memo"), "key", *arguments]
        self.capture_older("first note", "second note", "third note")

    def key(self, home, *arguments):
        return tracing.run([program("memo"), "key", *arguments], home)

    def contents(self, home):
        """What is in the notes, with whichever passphrase key.pem has."""
        for passphrase in self.passphrases:
            contents, problems = notes.Store(home, passphrase).contents()
            if not problems:
                break
        return contents, problems

    def check(self, home, result):
        contents, problems = self.contents(home)
        problems += [f"{i}: lost or changed" for i in self.older if contents.get(i) != self.older[i]]
        captured = self.capture(home, "the next note")
        if captured.status != SAVED:
            problems.append(f"the next capture fails: {captured.status} {captured.stderr[:120]}")
        again = tracing.run(self.command, home)
        if again.status != 0:
            problems.append(f"the next run fails: {again.status} {again.stderr[:120]}")
        after, more = self.contents(home)
        problems += [f"after the next run: {problem}" for problem in more]
        if len(after) != len(self.older) + 1 or any(after.get(i) != self.older[i] for i in self.older):
            problems.append("the next run lost or changed a note")
        return problems + self.left_behind(home)

    def left_behind(self, home):
        """After a whole run nothing unfinished lies about."""
        found = []
        for folder, _, names in os.walk(os.path.join(home, notes.DATA, "identity")):
            found += [os.path.join(folder, name) for name in names if name == ".unfinished"]
        return [f"left behind: {path}" for path in found]


class Rewrap(KeyChange):
    """`memo key rewrap` after a rotation."""

    def __init__(self):
        super().__init__("rewrap")
        if self.key(self.template, "rotate").status != 0:
            raise SystemExit("memo key rotate fails")


class Passphrase(KeyChange):
    """`memo key passphrase`, with an old key: at every instant one of the two passphrases fits."""

    passphrases = (None, b"one")

    def __init__(self):
        super().__init__("passphrase")
        if self.key(self.template, "rotate").status != 0:
            raise SystemExit("memo key rotate fails")
        # Once it is done, the first answer is for the present one, and the same three fit.
        self.command = tracing.Typed(self.command, ["one", "one", "one"])


class Keep(Scenario):
    """`memo-send flush` with notes in sent/ that are to be kept no longer, and some that are."""

    settings = Protect.settings.partition("[gpg]")[0] + "[history]\nkeep = 90d\n"

    def __init__(self):
        super().__init__()
        self.command = [program("memo-send"), "flush"]
        self.capture_older("it was sent just now")
        configure(self.template, self.settings)
        mail = os.path.join(self.template, notes.DATA, "mail")
        for folder in ("outbox", "sent", "failed"):
            for place in ("tmp", "new", "cur"):
                os.makedirs(os.path.join(mail, folder, place), mode=0o700, exist_ok=True)
        [note] = notes.Store(self.template).notes()
        os.rename(note.path, os.path.join(mail, "sent", "cur", f"{note.name}:2,S"))
        self.host = note.name[37:]
        self.cache = os.path.join(".cache", "memo", "sealed")
        os.makedirs(os.path.join(self.template, self.cache), mode=0o700)
        self.stay = [self._add(mail, days, "S") for days in (1, 2, 3)] + [self._add(mail, 300, "FS")]
        self.go = [self._add(mail, days, "S") for days in (400, 401, 402, 403)]
        self.deleted = self._original(self._identifier(5))

    @staticmethod
    def _identifier(days):
        digits = f"{int((time.time() - days * 86400) * 1000):012x}"
        return f"{digits[:8]}-{digits[8:]}-7000-8000-{days:012d}"

    def _original(self, identifier):
        with open(os.path.join(self.template, self.cache, identifier), "w", opener=tracing.private) as file:
            file.write("its sealed original\n")
        return identifier

    def _add(self, mail, days, flags):
        """A note in sent/ of so many days ago, in clear, with something in the cache."""
        identifier = self._original(self._identifier(days))
        name = f"{identifier}.{self.host}:2,{flags}"
        path = os.path.join(mail, "sent", "cur", name)
        with open(path, "w", opener=tracing.private) as file:
            file.write(f"Message-ID: <{identifier}@memo.invalid>\n\nnote of {days} days ago\n")
        moment = time.time() - days * 86400
        os.utime(path, (moment, moment))
        return identifier

    def check(self, home, result):
        problems = self._kept(home, finished=False)
        again = tracing.run(self.command, home)
        if again.status != 0:
            problems.append(f"the next flush fails: {again.status} {again.stderr.strip()[:120]}")
        return problems + self._kept(home, finished=True)

    def _kept(self, home, finished):
        """What is young or marked is as it was; what is old is whole or gone, its original last."""
        folder = os.path.join(home, notes.DATA, "mail", "sent", "cur")
        found = {name[:36]: os.path.join(folder, name) for name in os.listdir(folder)}
        originals = set(os.listdir(os.path.join(home, self.cache)))
        problems = [f"{i}: gone" for i in self.stay + list(self.older) if i not in found]
        problems += [f"{i}: its original is gone" for i in self.stay if i not in originals]
        for identifier in self.go:
            if identifier not in found:
                continue
            if finished:
                problems.append(f"{identifier}: still there")
            if identifier not in originals:
                problems.append(f"{identifier}: there without its original")
        for identifier in set(found) - set(self.older):
            if f"<{identifier}@memo.invalid>" not in open(found[identifier]).read():
                problems.append(f"{identifier}: changed")
        left = originals - set(self.stay)
        if finished and left:
            problems.append(f"originals of notes that are gone: {sorted(left)}")
        return problems


SCENARIOS = {
    "first-capture": lambda: Capture(first=True),
    "later-capture": lambda: Capture(first=False),
    "flush": Flush,
    "protect": Protect,
    "rotate": lambda: KeyChange("rotate"),
    "rewrap": Rewrap,
    "passphrase": Passphrase,
    "keep": Keep,
}
