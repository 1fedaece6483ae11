#!/usr/bin/env python3
"""A small mail submission server on the loopback interface, for samples/try.

It takes mail over TLS from one user and stores it in a Maildir just as it came.
RFC 5321 and 6409 as far as one friendly client needs them; STARTTLS (RFC 3207) or TLS from the
first octet (RFC 8314); AUTH PLAIN (RFC 4616) and LOGIN. Not for use on a network.

    submission-server.py FOLDER [SMTPS-PORT SMTP-PORT]

FOLDER holds certificate.pem and key.pem (the server's), login (one line, user:password), and the
mail in Maildir/. The ports (0 means any free one) are printed as `SMTPS SMTP` when it is ready.
"""

import base64
import hmac
import os
import socketserver
import ssl
import sys
import threading
import time

LONGEST_LINE = 1002
LARGEST_MESSAGE = 30 << 20


class Maildir:
    """A folder of messages: written in tmp, then renamed into new. See maildir(5)."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.count = 0
        for part in ("tmp", "new", "cur"):
            os.makedirs(os.path.join(path, part), mode=0o700, exist_ok=True)

    def store(self, message):
        with self.lock:
            self.count += 1
            name = f"{int(time.time())}.{os.getpid()}_{self.count}.localhost"
        unfinished = os.path.join(self.path, "tmp", name)
        with open(unfinished, "xb") as file:
            file.write(message)
            file.flush()
            os.fsync(file.fileno())
        os.rename(unfinished, os.path.join(self.path, "new", name))


class Session(socketserver.StreamRequestHandler):
    """One connection."""

    timeout = 60
    secured = False

    def setup(self):
        if self.server.implicit_tls:
            self.begin_tls()
        super().setup()

    def begin_tls(self):
        self.request.settimeout(self.timeout)
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        self.secured = True

    def handle(self):
        self.user = self.sender = self.recipient = None
        self.reply("220 localhost ready")
        while True:
            line = self.read_line()
            verb, _, rest = line.partition(" ")
            command = getattr(self, "do_" + verb.lower(), None)
            if command is None:
                self.reply("500 5.5.1 not known here")
            elif command(rest) == "close":
                return

    def reply(self, *lines):
        self.wfile.write("".join(line + "\r\n" for line in lines).encode("ascii"))

    def read_line(self):
        line = self.rfile.readline(LONGEST_LINE)
        if not line.endswith(b"\r\n"):
            raise ConnectionError("no whole line")
        return line[:-2].decode("ascii", "replace")

    # The greeting, TLS and the login.

    def do_ehlo(self, _):
        self.sender = self.recipient = None
        offer = "AUTH PLAIN LOGIN" if self.secured else "STARTTLS"
        self.reply("250-localhost", f"250-SIZE {LARGEST_MESSAGE}", "250 " + offer)

    def do_starttls(self, _):
        if self.secured:
            self.reply("503 5.5.1 TLS is on already")
            return
        self.reply("220 go ahead")
        self.begin_tls()
        super().setup()  # Nothing read before TLS counts after it.

    def do_auth(self, rest):
        if not self.secured:
            self.reply("530 5.7.0 STARTTLS first")
            return
        mechanism, _, initial = rest.partition(" ")
        if mechanism.upper() == "PLAIN":
            _, user, password = self.ask("", initial).split(b"\0")
        elif mechanism.upper() == "LOGIN":
            user, password = self.ask("Username:", initial), self.ask("Password:")
        else:
            self.reply("504 5.5.4 PLAIN or LOGIN")
            return
        if hmac.compare_digest(user + b":" + password, self.server.login):
            self.user = user
            self.reply("235 2.7.0 welcome")
        else:
            self.reply("535 5.7.8 user or password is wrong")

    def ask(self, question, answer=""):
        if not answer:
            self.reply("334 " + base64.b64encode(question.encode()).decode())
            answer = self.read_line()
        return base64.b64decode(answer)

    # A message.

    def do_mail(self, rest):
        if self.user is None:
            self.reply("530 5.7.0 log in first")
            return
        self.sender = rest
        self.reply("250 2.1.0 ok")

    def do_rcpt(self, rest):
        if self.sender is None:
            self.reply("503 5.5.1 MAIL first")
            return
        self.recipient = rest
        self.reply("250 2.1.5 ok")

    def do_data(self, _):
        if self.recipient is None:
            self.reply("503 5.5.1 RCPT first")
            return
        self.reply("354 end with a dot on a line of its own")
        message = self.read_message()
        self.sender = self.recipient = None
        if message is None:
            self.reply("552 5.3.4 too large")
        else:
            self.server.maildir.store(message)
            self.reply("250 2.0.0 stored")

    def read_message(self):
        """The message with LF line ends, as a Maildir has them; None if it is too large."""
        lines, size = [], 0
        while (line := self.rfile.readline()) != b".\r\n":
            if not line:
                raise ConnectionError("the message has no end")
            size += len(line)
            if size <= LARGEST_MESSAGE:
                lines.append(line.removeprefix(b".").replace(b"\r\n", b"\n"))
        return b"".join(lines) if size <= LARGEST_MESSAGE else None

    def do_rset(self, _):
        self.sender = self.recipient = None
        self.reply("250 2.0.0 ok")

    def do_noop(self, _):
        self.reply("250 2.0.0 ok")

    def do_quit(self, _):
        self.reply("221 2.0.0 bye")
        return "close"


class Server(socketserver.ThreadingTCPServer):
    """Listens on one port of 127.0.0.1."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port, implicit_tls, tls, login, maildir):
        super().__init__(("127.0.0.1", port), Session)
        self.implicit_tls, self.tls, self.login, self.maildir = implicit_tls, tls, login, maildir

    def handle_error(self, request, client_address):
        print("submission-server:", repr(sys.exc_info()[1]), file=sys.stderr)


def main(folder, smtps_port=0, smtp_port=0):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.minimum_version = ssl.TLSVersion.TLSv1_2
    tls.load_cert_chain(os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem"))
    with open(os.path.join(folder, "login"), "rb") as file:
        login = file.readline().rstrip(b"\n")
    maildir = Maildir(os.path.join(folder, "Maildir"))
    servers = [
        Server(int(smtps_port), True, tls, login, maildir),
        Server(int(smtp_port), False, tls, login, maildir),
    ]
    print(*(server.server_address[1] for server in servers), flush=True)
    for server in servers[1:]:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    servers[0].serve_forever()


if __name__ == "__main__":
    os.umask(0o077)
    main(*sys.argv[1:])
