"""Dovecot and mbsync, which hand the notes on to clients behind them."""

import contextlib
import email
import email.policy
import glob
import imaplib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from clients import Client, Shown, install


def decoded(octets):
    """What a client behind shows of a message: the decoded subject, and the first text in it."""
    message = email.message_from_bytes(octets, policy=email.policy.default)
    body = message.get_body(("plain",))
    return str(message["Subject"]), body.get_content() if body else ""


def dovecot_sample():
    """The settings for the Dovecot that is here: 2.4 reads others than 2.3."""
    version = subprocess.run(["/usr/sbin/dovecot", "--version"], capture_output=True, text=True, check=True)
    return "dovecot-2.4.conf" if version.stdout.startswith("2.4") else "dovecot.conf"


class Dovecot(Client):
    package = "dovecot-imapd"
    name = "Dovecot (IMAP)"

    def setup(self, home):
        self.configuration = install(home, dovecot_sample(), ".config/memo/dovecot.conf")

    @contextlib.contextmanager
    def session(self, home):
        """A connection as a client that starts a program has it, already logged in."""
        saved = dict(os.environ)
        os.environ.clear()
        os.environ.update(home.environment)
        try:
            server = imaplib.IMAP4_stream(
                f"exec /usr/lib/dovecot/imap -k -c {self.configuration} 2>>{home.path}/dovecot.log")
        finally:
            os.environ.clear()
            os.environ.update(saved)
        try:
            yield server
        finally:
            server.logout()

    def show(self, home, folder, name):
        with self.session(home) as server:
            server.select(os.path.basename(folder), readonly=True)
            _, data = server.fetch("1:*", "(BODY.PEEK[])")
        messages = [decoded(part[1]) for part in data if isinstance(part, tuple)]
        listing = "\n".join(title for title, _ in messages)
        return Shown(listing, messages[0][1] if messages else "")

    def show_view(self, home, name):
        """By `memo view --imap`, as a graphical client would."""
        # As short as a real one: the names of Dovecot's sockets are limited to 107 octets.
        runtime = tempfile.mkdtemp(prefix="m")
        with open(home.path + "/imap.txt", "w+", encoding="utf-8") as output:
            view = subprocess.Popen([home.memo_program, "view", "--imap"], stdout=output,
                                    stderr=subprocess.STDOUT,
                                    env=home.environment | {"XDG_RUNTIME_DIR": runtime})
        try:
            settings = self.settings(home, view)
            server = self.connected(home, int(re.search(r"port (\d+)", settings)[1]), view)
            with contextlib.suppress(imaplib.IMAP4.error):
                server.login("memo", "a wrong password")
                raise AssertionError("any password will do")
            server.login("memo", re.search(r"password +(\S+)", settings)[1])
            server.select("sent", readonly=True)
            _, data = server.fetch("1:*", "(BODY.PEEK[])")
            server.logout()
        finally:
            view.send_signal(signal.SIGTERM)
            if view.wait() != 0:
                print(f"FAILED: memo view --imap ended with status {view.returncode}", flush=True)
            left = os.listdir(runtime + "/memo")
            shutil.rmtree(runtime)
        if left:
            raise RuntimeError(f"memo view --imap left {left}")
        messages = [decoded(part[1]) for part in data if isinstance(part, tuple)]
        return Shown("\n".join(title for title, _ in messages), messages[0][1])

    def settings(self, home, view):
        """What it tells to type in a client."""
        while view.poll() is None:
            text = self.printed(home)
            if "Ctrl-C" in text:
                return text
            time.sleep(0.02)
        raise RuntimeError(self.printed(home))

    def connected(self, home, port, view):
        while view.poll() is None:
            with contextlib.suppress(OSError):
                return imaplib.IMAP4("127.0.0.1", port)
            time.sleep(0.02)
        raise RuntimeError(self.printed(home))

    def printed(self, home):
        with open(home.path + "/imap.txt", encoding="utf-8") as file:
            return file.read()

    def change(self, home, folder, beside=None):
        with self.session(home) as server:
            server.select(os.path.basename(folder))
            if beside:
                beside()
            server.store("1", "+FLAGS", "(\\Flagged $Label1)")
            server.store("2", "+FLAGS", "(\\Deleted)")
            server.expunge()


    def refile(self, home, folder, target):
        """Moves the first note by the MOVE command."""
        with self.session(home) as server:
            server.select(os.path.basename(folder))
            status, answer = server._simple_command("MOVE", "1", target)  # RFC 6851
            if status != "OK":
                raise RuntimeError(f"MOVE: {answer}")


class Mbsync(Client):
    package = "isync"
    name = "mbsync"

    # Both ways, as one who keeps the notes on two machines has it.
    BOTH = """
MaildirStore memo
Path {mail}/
SubFolders Verbatim

MaildirStore copy
Path {home}/both/
SubFolders Verbatim

Channel memo
Far :memo:
Near :copy:
Patterns {folder}
Create Near
Sync All
Expunge Both
SyncState {home}/state/
"""

    def setup(self, home):
        install(home, "mbsyncrc", ".mbsyncrc")
        install(home, dovecot_sample(), ".config/memo/dovecot.conf")
        for name in ("Mail/memo", "both", "state", ".mbsync"):
            os.makedirs(f"{home.path}/{name}", exist_ok=True)

    def show(self, home, folder, name):
        home.run("mbsync", "-q", "memo")
        # The inbox of the Dovecot that it starts is sent.
        return self.copied(f"{home.path}/Mail/memo/INBOX")

    def copied(self, folder):
        messages = []
        for path in sorted(glob.glob(folder + "/*/*"), key=os.path.getmtime):
            if os.path.basename(os.path.dirname(path)) != "tmp":
                with open(path, "rb") as file:
                    messages.append(decoded(file.read()))
        messages.sort()
        return Shown("\n".join(title for title, _ in messages), messages[0][1] if messages else "")

    def change(self, home, folder, beside=None):
        name = os.path.basename(folder)
        with open(home.path + "/both.rc", "w", encoding="utf-8") as file:
            file.write(self.BOTH.format(mail=home.mail, home=home.path, folder=name))
        home.run("mbsync", "-q", "-c", "both.rc", "memo")
        if beside:
            beside()
        copies = [path for part in ("new", "cur") for path in glob.glob(f"{home.path}/both/{name}/{part}/*")]
        copies.sort(key=lambda path: message_date(path))
        for path, flag in zip(copies, "FT"):
            base, _, flags = os.path.basename(path).partition(":2,")
            os.rename(path, f"{home.path}/both/{name}/cur/{base}:2,{''.join(sorted(set(flags + flag)))}")
        home.run("mbsync", "-q", "-c", "both.rc", "memo")


def message_date(path):
    with open(path, "rb") as file:
        return email.message_from_bytes(file.read())["Message-ID"]


SERVERS = [Dovecot(), Mbsync()]
