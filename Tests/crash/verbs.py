"""What the crash tests do with the verbs that change notes there are: `memo resend` and `memo cancel`."""

import os

import notes
import tracing
import scenarios
from scenarios import SAVED, Scenario, program

REASON = b"Memo-Status: rejected rcpt 550\nMemo-Reply: 5.1.1 no such user\n"


class Verb(Scenario):
    """A verb for the first of two notes, which lies where the verb wants it."""

    def __init__(self, verb, folder, place, header=b""):
        super().__init__()
        self.capture_older("the note it is about", "another note")
        self.identifier = sorted(self.older)[0]
        self.command = [program("memo"), verb, self.identifier]
        [note] = [n for n in notes.Store(self.template).notes() if n.identifier == self.identifier]
        mail = os.path.dirname(os.path.dirname(os.path.dirname(note.path)))
        for part in ("tmp", "new", "cur"):
            os.makedirs(os.path.join(mail, folder, part), mode=0o700, exist_ok=True)
        content = open(note.path, "rb").read()
        target = os.path.join(mail, folder, place.replace("*", note.name))
        os.unlink(note.path)
        with open(target, "wb", opener=tracing.private) as file:
            file.write(header + content)
        # Nobody tried it a moment ago.
        os.utime(target, (1_600_000_000, 1_600_000_000))

    def check(self, home, result):
        store = notes.Store(home)
        contents, problems = store.contents()
        for identifier, content in self.older.items():
            if identifier != self.identifier and contents.get(identifier) != content:
                problems.append(f"{identifier}: lost or changed, and it was another one's turn")
        problems += self.judge(store, contents, result)
        again = tracing.run([program("memo"), "status"], home)
        if again.status not in (0, 1):
            problems.append(f"status fails: {again.status} {again.stderr.strip()[:120]}")
        return problems

    def folders(self, store):
        return [note.folder for note in store.notes() if note.identifier == self.identifier]


class ResendFailed(Verb):
    """A failed note is in failed/ or in outbox/ at any time, and in outbox/ once that is promised."""

    def __init__(self):
        super().__init__("resend", "failed", "cur/*:2,F", REASON)

    def judge(self, store, contents, result):
        problems = []
        if contents.get(self.identifier) != self.older[self.identifier]:
            problems.append("lost or changed")
        if result.status == SAVED and self.folders(store) != ["outbox"]:
            problems.append(f"said done, but it is in {self.folders(store)}")
        return problems


class ResendSent(Verb):
    """A delivered note stays; a new one is there once it is promised, whole or not at all."""

    def __init__(self):
        super().__init__("resend", "sent", "cur/*:2,S")

    def judge(self, store, contents, result):
        problems = []
        if self.folders(store) != ["sent"] or contents[self.identifier] != self.older[self.identifier]:
            problems.append("the delivered note is not as it was")
        new = [inside for identifier, inside in contents.items() if identifier not in self.older]
        if len(new) > 1 or any(b"the note it is about" not in inside for inside in new):
            problems.append("the new note is not what it should be")
        if any(f"References: <{self.identifier}@".encode() not in inside for inside in new):
            problems.append("the new note does not refer to the old one")
        if result.status == SAVED and len(new) != 1:
            problems.append("said done, but there is no new note")
        return problems


class Cancel(Verb):
    """A waiting note is there as it was or not at all, and gone once that is promised."""

    def __init__(self):
        super().__init__("cancel", "outbox", "cur/*,D=2:2,")

    def judge(self, store, contents, result):
        if self.identifier not in contents:
            return []
        problems = ["said cancelled, but it is there"] if result.status == SAVED else []
        if contents[self.identifier] != self.older[self.identifier]:
            problems.append("changed")
        return problems


SCENARIOS = scenarios.SCENARIOS | {
    "resend-failed": ResendFailed,
    "resend-sent": ResendSent,
    "cancel": Cancel,
}
