#!/usr/bin/env python3
"""A server of mailboxes that makes faults on request: arguments and files as of faulty_smtp.py.

It knows what a search needs, and holds one message in the mailbox "Gesendete %Objekte", which has
the attribute \\Sent: Memo-ID 0193e4a0-0000-7000-8000-00000000aaaa, Message-ID <b-b-b-b@test.example>.

stages   connect greeting starttls tls capability capability2 login list examine search logout
actions  drop rst stall:S slow:S (as there) | no | bad | bye | text:LINE\\nLINE (lines for the usual
         ones, `TAG` standing for the tag) | many:N (N untagged lines more) | long:N (one of N octets)
greeting also preauth          tls   as there
capability, capability2   only:WORDS (in place of the usual ones; 2 is the one under TLS)
list     named:NAME (the mailbox of sent mail, as in the answer)
"""

import base64
import sys

sys.dont_write_bytecode = True
import faulty_smtp  # noqa: E402

NOTE, MESSAGE = "0193e4a0-0000-7000-8000-00000000aaaa", "<b-b-b-b@test.example>"
SENT = '"Gesendete %Objekte"'


class Session(faulty_smtp.Connection):
    """One client."""

    def answer_to(self, stage, tag, untagged, text="OK done"):
        self.stages.append(stage)
        action, argument = self.fault(stage)
        self.end(action, argument)
        if action == "slow":
            self.wait(float(argument))
        if action == "bye":
            self.send(b"* BYE closing\r\n")
            self.close()
        if action == "many":
            untagged = ["FLAGS (x%d)" % number for number in range(int(argument))] + untagged
        if action == "long":
            untagged = ["SEARCH " + "A" * int(argument)] + untagged
        lines = ["* " + line for line in untagged] + [tag + " " + text]
        if action in ("no", "bad"):
            lines = [tag + " " + action.upper() + " injected " + stage]
        if action == "text":
            lines = argument.replace("TAG", tag).split("\\n")
        self.send("".join(line + "\r\n" for line in lines).encode())
        return action not in ("no", "bad", "text")

    def run(self):
        self.sock.settimeout(600)
        self.stages.append("connect")
        self.end(*self.fault("connect"))
        if self.mode == "tls":
            self.start_tls()
        greeting = "PREAUTH" if self.fault("greeting")[0] == "preauth" else "OK"
        self.answer_to("greeting", "*", [], greeting + " hello")
        self.selected = None
        while True:
            line = self.line()
            tag, _, command = line.partition(" ")
            verb = command.split(" ")[0].upper()
            self.commands.append(" ".join(command.split(" ")[:2]) if verb == "LOGIN" else command)
            getattr(self, "do_" + verb.lower(), self.unknown)(tag, command)

    def unknown(self, tag, command):
        self.send((tag + " BAD what\r\n").encode())

    def do_capability(self, tag, command):
        stage = "capability2" if self.mode == "starttls" and self.is_tls else "capability"
        action, argument = self.fault(stage)
        words = "IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2 SPECIAL-USE"
        if self.mode == "starttls" and not self.is_tls:
            words += " STARTTLS"
        self.answer_to(stage, tag, ["CAPABILITY " + (argument if action == "only" else words)])

    def do_starttls(self, tag, command):
        if self.answer_to("starttls", tag, []):
            self.start_tls()

    def do_authenticate(self, tag, command):
        self.send(b"+ \r\n")
        response = self.line()
        self.logins.append([command.split(" ")[1], response])
        words = base64.b64decode(response).decode()
        user, password = faulty_smtp.USER, faulty_smtp.PASSWORD
        knows = words == "\0" + user + "\0" + password or faulty_smtp.TOKEN in words
        self.is_authenticated = self.answer_to("login", tag, [], "OK in" if knows else "NO no") and knows

    def do_list(self, tag, command):
        action, argument = self.fault("list")
        name = argument if action == "named" else SENT
        self.answer_to("list", tag, [
            'LIST (\\HasNoChildren) "/" INBOX', 'LIST (\\HasNoChildren \\Trash) "/" Trash',
            'LIST (\\HasNoChildren \\Sent) "/" ' + name])

    def do_examine(self, tag, command):
        self.selected = command[8:]
        if self.selected not in ("INBOX", SENT):
            return self.send((tag + " NO no such mailbox\r\n").encode())
        if not self.answer_to("examine", tag, ["1 EXISTS", "OK [UIDVALIDITY 1] ok"]):
            self.selected = None

    def do_uid(self, tag, command):
        if not self.is_authenticated or self.selected is None:
            return self.send((tag + " BAD nothing selected\r\n").encode())
        holds = self.selected == SENT and (NOTE in command or MESSAGE in command)
        self.answer_to("search", tag, ["SEARCH 7" if holds else "SEARCH"])

    def do_logout(self, tag, command):
        self.answer_to("logout", tag, ["BYE bye"])
        self.close()


if __name__ == "__main__":
    faulty_smtp.main(Session)
