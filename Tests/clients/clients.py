"""What each mail client shows of a folder, and how it changes one, by its own commands.

Each client has `show(home, folder, name)`, which gives what it printed in listing the folder and in
opening the note of that name, and `change(home, folder)`, which flags the first note and deletes the
second where the client can. Settings are the samples, verbatim, wherever they serve.
"""

import os
import re
import shutil

from notes import subject, text
from terminal import Terminal

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "samples", "clients")


def install(home, sample, place):
    """Puts a sample where its client reads it."""
    target = os.path.join(home.path, place)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(os.path.join(SAMPLES, sample), target)
    os.chmod(target, 0o600)
    return target


class Shown:
    """What a client printed: the listing, and the opened note."""

    def __init__(self, listing, opened):
        self.listing, self.opened = listing, opened


class Client:
    package = None
    # Packages it needs that are no libraries by their names.
    others = ()
    batch = True
    # How it is given to `memo view`; `{}` and all.
    view = None

    @property
    def name(self):
        return self.package

    def setup(self, home):
        pass

    def change(self, home, folder, beside=None):
        """Left out by clients that only read."""


# MARK: - In a terminal

class Mutt(Client):
    package = "mutt"
    batch = False
    ready = "---Mutt"

    def setup(self, home):
        self.rc = install(home, "muttrc", ".muttrc")
        install(home, "mailcap", ".mailcap")

    def command(self, folder):
        return f"{self.package} -n -F {self.rc} -f '{folder}'"

    def start(self, home, command):
        return Terminal(command, home.environment, home.path)

    def look(self, home, command, name):
        terminal = self.start(home, command)
        try:
            listing = terminal.wait(self.ready)
            # The oldest note is the first.
            terminal.keys("1", "Enter")
            terminal.wait("\n1/", "-- (all)", seconds=1)
            terminal.keys("Enter")
            opened = terminal.wait(text(name))
            terminal.keys("q")
            terminal.wait(self.ready)
            listing_after = terminal.wait(self.ready)
            terminal.keys("x")
            terminal.ended()
            return Shown(listing, opened + listing_after)
        finally:
            terminal.close()

    def show(self, home, folder, name):
        return self.look(home, self.command(folder), name)

    def view_command(self, home):
        return f"{home.memo_program} view -- {self.command('{}/sent')}"

    def show_view(self, home, name):
        return self.look(home, self.view_command(home), name)

    def change(self, home, folder, beside=None):
        terminal = self.start(home, self.command(folder))
        try:
            terminal.wait(self.ready)
            if beside:
                beside()
            terminal.keys("1", "Enter")
            terminal.keys("F")
            terminal.keys("2", "Enter")
            terminal.keys("d")
            terminal.keys("$")
            terminal.wait("([yes]/no)", "purge", "Purge", seconds=3)
            terminal.keys("y")
            terminal.wait("deleted", "Msgs:", seconds=2)
            terminal.keys("q")
            if not terminal.ended(2):
                terminal.keys("y")
                terminal.ended()
        finally:
            terminal.close()


    def refile(self, home, folder, target):
        """Saves the first note into another folder."""
        terminal = self.start(home, self.command(folder))
        try:
            terminal.wait(self.ready)
            terminal.keys("1", "Enter")
            terminal.keys("s")
            terminal.wait("Save", seconds=3)
            terminal.keys("C-u")
            terminal.keys("-l", f"{os.path.dirname(folder)}/{target}")
            terminal.keys("Enter")
            terminal.wait("2", "create", seconds=1)
            terminal.keys("$")
            terminal.wait("([yes]/no)", "purge", "Purge", seconds=3)
            terminal.keys("y")
            terminal.wait("deleted", "Msgs:", seconds=2)
            terminal.keys("q")
            if not terminal.ended(2):
                terminal.keys("y")
                terminal.ended()
        finally:
            terminal.close()


class Neomutt(Mutt):
    package = "neomutt"
    ready = "NeoMutt"


class Aerc(Client):
    package = "aerc"
    batch = False

    def setup(self, home):
        install(home, "aerc/accounts.conf", ".config/aerc/accounts.conf")
        install(home, "aerc/aerc.conf", ".config/aerc/aerc.conf")

    def look(self, home, command, name):
        terminal = Terminal(command, home.environment, home.path)
        try:
            listing = terminal.wait(subject(""), "[...]", count=3)
            # The newest note is the first; `G` goes to the oldest.
            terminal.keys("G")
            terminal.wait(subject(name), seconds=1)
            terminal.keys("Enter")
            opened = terminal.wait(text(name))
            terminal.keys(":quit", "Enter")
            terminal.ended(3)
            return Shown(listing, opened)
        finally:
            terminal.close()

    def show(self, home, folder, name):
        return self.look(home, "aerc", name)

    def show_view(self, home, name):
        script = os.path.join(SAMPLES, "aerc/view")
        return self.look(home, f"{home.memo_program} view {script} {{}}", name)

    def change(self, home, folder, beside=None):
        accounts = home.path + "/.config/aerc/accounts.conf"
        with open(accounts, encoding="utf-8") as file:
            settings = file.read()
        with open(accounts, "w", encoding="utf-8") as file:
            file.write(settings.replace("= sent", "= " + os.path.basename(folder)))
        terminal = Terminal("aerc", home.environment, home.path)
        try:
            terminal.wait("[...]")
            if beside:
                beside()
            terminal.keys(":flag", "Enter")
            terminal.keys("j")
            terminal.keys(":delete", "Enter")
            terminal.wait("deleted", "Deleted", seconds=3)
            terminal.keys(":quit", "Enter")
            terminal.ended(3)
        finally:
            terminal.close()


# MARK: - In batch mode

class Notmuch(Client):
    package = "notmuch"

    def setup(self, home):
        self.config = install(home, "notmuch-config", ".notmuch-config")

    def run(self, home, *words):
        return home.run("notmuch", *words)

    def show(self, home, folder, name):
        self.run(home, "new", "--quiet")
        where = f"folder:{os.path.basename(folder)}"
        listing = self.run(home, "search", "--sort=oldest-first", where)
        ids = self.run(home, "search", "--output=messages", "--sort=oldest-first", where).split()
        return Shown(listing, self.run(home, "show", "--decrypt=true", ids[0]) if ids else "")

    def show_view(self, home, name):
        view = os.path.join(SAMPLES, "notmuch-view")
        # Found by a word of its text, which the index has.
        listing = home.memo("view", view, "{}", "folder:sent")
        return Shown(listing, home.memo("view", view, "{}", text(name)))

    def change(self, home, folder, beside=None):
        self.run(home, "new", "--quiet")
        if beside:
            beside()
        ids = self.run(home, "search", "--output=messages", "--sort=oldest-first",
                       f"folder:{os.path.basename(folder)}").split()
        self.run(home, "tag", "+flagged", "--", ids[0])
        self.run(home, "tag", "-unread", "+deleted", "--", ids[1])


# Debian has no msort but under this name.
SORT = "sort=$(command -v msort || echo mblaze-sort); "


class Mblaze(Client):
    package = "mblaze"

    def setup(self, home):
        install(home, "mblaze-filter", ".mblaze/filter")

    def show(self, home, folder, name):
        shell = SORT + 'mlist "$1" | $sort -d | mseq -S >/dev/null; mscan :; echo ====; mshow 1'
        listing, _, opened = home.run("sh", "-c", shell, "sh", folder).partition("====")
        return Shown(listing, opened)

    def show_view(self, home, name):
        view = os.path.join(SAMPLES, "mblaze-view")
        return Shown(home.memo("view", view, "{}/sent"), home.memo("view", view, "{}/sent", "1"))

    def change(self, home, folder, beside=None):
        home.run("sh", "-c", SORT + 'minc "$1"; mlist "$1" | $sort -d | mseq -S >/dev/null', "sh", folder)
        if beside:
            beside()
        home.run("sh", "-c", "mflag -F 1; mflag -T 2")


class Nail(Client):
    package = "s-nail"

    def setup(self, home):
        install(home, "mailrc", ".mailrc")

    def session(self, home, command, commands):
        return home.run(*command, stdin=commands)

    def look(self, home, command):
        output = self.session(home, command, "headers\necho ====\ntype 1\nexit\n")
        listing, _, opened = output.partition("====")
        return Shown(listing, opened)

    def show(self, home, folder, name):
        return self.look(home, ["s-nail", "-S", "sort=date", "-f", folder])

    def show_view(self, home, name):
        return self.look(
            home, [home.memo_program, "view", "--", "s-nail", "-S", "sort=date", "-f", "{}/sent"])

    def change(self, home, folder, beside=None):
        if beside:
            beside()
        self.session(home, ["s-nail", "-S", "sort=date", "-f", folder],
                     "flag 1\ndelete 2\nquit\n")


class Mu(Client):
    package = "maildir-utils"
    others = ("guile-3.0-libs",)
    name = "mu"

    def look(self, home, run, folder):
        run("mu", "init", f"--muhome={home.path}/mu", f"--maildir={os.path.dirname(folder)}")
        run("mu", "index", f"--muhome={home.path}/mu", "--quiet")
        listing = run("mu", "find", f"--muhome={home.path}/mu", "--sortfield=date", "--fields=d s",
                      f"maildir:/{os.path.basename(folder)}")
        path = run("mu", "find", f"--muhome={home.path}/mu", "--sortfield=date", "--fields=l",
                   f"maildir:/{os.path.basename(folder)}").split("\n")[0]
        return Shown(listing, run("mu", "view", "--decrypt", path))

    def show(self, home, folder, name):
        return self.look(home, home.run, folder)

    def show_view(self, home, name):
        script = ('mu init --muhome="$TMPDIR/mu" --maildir="$1" >/dev/null && '
                  'mu index --muhome="$TMPDIR/mu" --quiet && '
                  'mu find --muhome="$TMPDIR/mu" --sortfield=date --fields="d s" maildir:/sent; '
                  'echo ====; for file in "$1"/sent/cur/*; do mu view "$file"; break; done')
        listing, _, opened = home.memo("view", "--", "sh", "-c", script, "sh", "{}").partition("====")
        return Shown(listing, opened)


CLIENTS = [Mutt(), Neomutt(), Aerc(), Notmuch(), Mblaze(), Nail(), Mu()]
