#!/usr/bin/env python3
"""A submission server that makes faults on request; standard library only, loopback only.

usage: faulty_smtp.py DIR [--starttls PORT] [--tls PORT] [--plain PORT] [--tlsdir DIR]
                      [--plans FILE] [--until-eof]

  DIR/plan        one plan a line; each connection to the three ports takes the first line off
  DIR/log         a JSON line for each connection that has ended, see Connection.record
  DIR/accepted/N  each message that came whole: a JSON line with the envelope, then its octets
  DIR/ready       JSON: the ports, and under "plans" those of each line of FILE; DIR/pid
  --plans FILE    each line is a plan with a STARTTLS and an implicit TLS port of its own, so that
                  clients at the same time do not mix; `A | B | C` gives the first connection to
                  a port A, the second B, every later one C
  --tlsdir DIR    certificates of mkcert.sh, made if there are none; DIR/tls by default
  --until-eof     ends when standard input does, that is, with the parent

Login: me@test.example / s3cret-pass, PLAIN or LOGIN, or its token ya29.t0ken by OAUTHBEARER or XOAUTH2,
where they are offered. A port 0 is replaced by a free one.

A plan is FAULT[;FAULT...], a fault is STAGE=ACTION[:ARG].
stages   connect banner ehlo starttls tls ehlo2 auth mail rcpt data body dot idle quit
         (ehlo2: EHLO after STARTTLS; idle: after the reply to a message)
actions  where a reply is due:
         CODE (450, 550 ...) | codetext:LINE | lines:LINE\\nLINE (a reply, verbatim)
         drop (FIN) | rst (RST) | stall:S (wait, then drop) | slow:S (wait, then go on)
         drip:MS (an octet every MS) | garbage:N (N octets that are no reply) | half | cont
         long:N (a line of N octets) | many:N (N lines more) | nul | nocrlf (bare LF)
         badcode (999) | extra (the reply twice) | esc esc4 esc5 (terminal escapes)
ehlo     strip:WORD (do not offer) | only:MECHANISMS | raw:LINE (in place of the AUTH line) | size:N
starttls inject (more replies in the packet of the 220)
tls      cert:NAME | drop | garbage:N | stall:S | tls1 | tls1_2
auth     any (takes every login) | json:OBJECT (the challenge that refuses a token)
body     drop:N | rst:N | stall:N (after N octets)
dot      drop, rst, stall ... act after the message was stored; CODE refuses it and stores nothing
idle     421 (say so and close) | drop
"""

import argparse
import base64
import json
import os
import random
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import warnings

USER, PASSWORD, TOKEN = "me@test.example", "s3cret-pass", "ya29.t0ken"
ORDINARY = {"", "strip", "only", "raw", "size", "inject", "cert", "tls1", "tls1_2", "any", "json"}
REFUSING = {"codetext", "lines", "badcode", "esc4", "esc5"}


class Gone(Exception):
    """The connection has ended, by either side."""


class Store:
    """The files that a test reads: what was accepted and what each connection did."""

    def __init__(self, directory):
        self.directory = directory
        self.lock = threading.Lock()
        self.count = 0
        self.open = set()
        os.makedirs(self.path("accepted"), exist_ok=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data):
        with open(self.path(name + ".tmp"), "wb") as file:
            file.write(data)
        os.rename(self.path(name + ".tmp"), self.path(name))

    def take_plan(self):
        with self.lock:
            try:
                with open(self.path("plan")) as file:
                    lines = [line for line in file.read().split("\n") if line.strip()]
            except FileNotFoundError:
                return ""
            if not lines:
                return ""
            self.write("plan", "".join(line + "\n" for line in lines[1:]).encode())
            return lines[0].strip()

    def accept(self, envelope, message):
        with self.lock:
            self.count += 1
            name = "accepted/%06d" % self.count
        self.write(name, json.dumps(envelope).encode() + b"\n" + message)

    def begin(self, connection):
        """Takes note of a connection; returns how many others their clients have not left."""
        with self.lock:
            others = sum(not other.client_is_gone() for other in self.open)
            self.open.add(connection)
            return others

    def end(self, connection):
        with self.lock, open(self.path("log"), "a") as file:
            self.open.discard(connection)
            file.write(json.dumps(connection.record()) + "\n")


class Plans:
    """The plans of a port's successive connections; the last one stays."""

    def __init__(self, line):
        self.lock = threading.Lock()
        self.plans = [plan.strip() for plan in line.split(" | ")]

    def take(self):
        with self.lock:
            return self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]


class Connection:
    """One client, served in a thread of its own."""

    def __init__(self, sock, port, mode, plan, store, tlsdir):
        self.sock, self.port, self.mode, self.store, self.tlsdir = sock, port, mode, store, tlsdir
        self.plan = plan
        self.faults = {}
        for fault in filter(None, plan.split(";")):
            stage, _, action = fault.strip().partition("=")
            name, _, argument = action.partition(":")
            self.faults[stage] = (name, argument)
        self.pending = b""
        self.is_tls = False
        self.is_authenticated = False
        self.sender, self.recipients = None, []
        # For the log.
        self.others = store.begin(self)
        self.stages, self.commands, self.logins = [], [], []
        self.stored = self.acked = 0
        self.error = ""

    def record(self):
        """What the log says: stages replied to, command lines (of AUTH only the mechanism),
        logins as sent in base64, messages stored, 250s to them that went out, and how many other
        connections were open when it began."""
        return {
            "port": self.port, "mode": self.mode, "plan": self.plan, "stages": self.stages,
            "commands": self.commands, "logins": self.logins, "stored": self.stored,
            "acked": self.acked, "tls": self.is_tls, "others": self.others, "err": self.error,
        }

    def fault(self, stage):
        return self.faults.get(stage, ("", ""))

    # Octets

    def send(self, data):
        self.sock.sendall(data)

    def line(self):
        while b"\n" not in self.pending:
            data = self.sock.recv(65536)
            if not data or len(self.pending) > 1 << 20:
                raise Gone
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return line.rstrip(b"\r").decode("utf-8", "surrogateescape")

    def close(self, reset=False):
        try:
            if reset:
                linger = struct.pack("ii", 1, 0)
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            else:
                self.sock.shutdown(socket.SHUT_RDWR)
            self.sock.close()
        except OSError:
            pass
        raise Gone

    def wait(self, seconds):
        """Sleeps, but ends early when the client goes away."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.client_is_gone():
                raise Gone
            time.sleep(0.02)

    def client_is_gone(self):
        poll = select.poll()
        try:
            poll.register(self.sock, select.POLLRDHUP)
        except ValueError:
            return True  # we have closed it ourselves
        return bool(poll.poll(0))

    # Faults that end a connection, at any stage

    def end(self, action, argument):
        if action == "drop":
            self.close()
        if action == "rst":
            self.close(reset=True)
        if action == "stall":
            self.wait(float(argument or 3600))
            self.close()

    # Replies

    def reply(self, stage, text):
        """Sends the reply that is due, or what the plan says; True when things go on as usual."""
        self.stages.append(stage)
        action, argument = self.fault(stage)
        self.end(action, argument)
        usual = text.encode() + b"\r\n"
        code = text[:3].encode()
        if action in ORDINARY:
            self.send(usual)
            return True
        if action.isdigit():
            enhanced = "4.3.0" if action[0] == "4" else "5.7.1"
            self.send(("%s %s injected %s\r\n" % (action, enhanced, stage)).encode())
            return False
        if action in ("slow", "drip"):
            return self.reply_slowly(action, float(argument), usual)
        return self.reply_oddly(action, argument, usual, code)

    def reply_slowly(self, action, argument, usual):
        if action == "slow":
            self.wait(argument)
            self.send(usual)
            return True
        for octet in usual:
            self.send(bytes([octet]))
            time.sleep(argument / 1000)
        return True

    def reply_oddly(self, action, argument, usual, code):
        escapes = b" \x1b]0;pwned\x07\x1b[2J\x1b[31mOK\x1b[8m \xc2\x9b31m \xe2\x80\xaegnp.exe\r\n"
        noise = random.Random(1).randbytes(int(argument or 64)) if action == "garbage" else b""
        octets, goes_on = {
            "codetext": lambda: (argument.encode() + b"\r\n", False),
            "lines": lambda: (argument.replace("\\n", "\r\n").encode() + b"\r\n", False),
            "garbage": lambda: (noise.replace(b"\n", b".") + b"\r\n", False),
            "long": lambda: (code + b" " + b"A" * int(argument) + b"\r\n", True),
            "many": lambda: (self.many(code, int(argument)) + usual, True),
            "esc": lambda: (code + escapes, code[:1] in b"23"),
            "esc4": lambda: (b"450 4.3.0 \x1b]0;pwned\x07\x1b[2J\x1b[31mdelivered\x1b[8m\r\n", False),
            "esc5": lambda: (b"550 5.7.1 \x1b]52;c;cm0=\x07\x1b[2J\x1b[1Adelivered\r\n", False),
            "nul": lambda: (code + b" a\0b\r\n", True),
            "nocrlf": lambda: (usual[:-2] + b"\n", True),
            "half": lambda: (usual[: max(1, len(usual) // 2)], None),
            "cont": lambda: (code + b"-more\r\n", None),
            "badcode": lambda: (b"999 what\r\n", False),
            "extra": lambda: (usual + usual, True),
        }[action]()
        self.send(octets)
        if goes_on is None:
            self.close()
        return goes_on

    @staticmethod
    def many(code, count):
        return b"".join(code + b"-line %d\r\n" % number for number in range(count))

    # TLS

    def start_tls(self):
        action, argument = self.fault("tls")
        self.stages.append("tls")
        self.end(action, argument)
        if action == "garbage":
            self.send(random.Random(1).randbytes(int(argument or 64)))
            self.wait(1)
            self.close()
        name = argument if action == "cert" else "srv"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if name in ("weakkey", "sha1") or action == "tls1":
            context.set_ciphers("ALL:@SECLEVEL=0")
        path = os.path.join(self.tlsdir, name)
        context.load_cert_chain(path + ".pem", path + ".key")
        if action == "tls1":
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
        if action == "tls1_2":
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        self.pending = b""  # what came in clear before the handshake is thrown away
        self.sock = context.wrap_socket(self.sock, server_side=True)
        self.is_tls = True

    # The session

    def serve(self):
        try:
            self.run()
        except Gone:
            pass
        except Exception as error:
            self.error = "%s: %s" % (type(error).__name__, error)
        try:
            self.sock.close()
        except OSError:
            pass
        self.store.end(self)

    def run(self):
        self.sock.settimeout(600)
        self.stages.append("connect")
        self.end(*self.fault("connect"))
        if self.mode == "tls":
            self.start_tls()
        if not self.reply("banner", "220 localhost ESMTP faulty"):
            self.refuse_all()
        verbs = {
            "EHLO": self.ehlo, "HELO": self.helo, "STARTTLS": self.starttls, "AUTH": self.auth,
            "MAIL": self.mail, "RCPT": self.rcpt, "DATA": self.data, "RSET": self.rset,
            "NOOP": lambda line: self.send(b"250 ok\r\n"), "QUIT": self.quit,
        }
        while True:
            line = self.line()
            verb = line.split(" ", 1)[0].upper()
            self.commands.append(" ".join(line.split(" ")[:2]) if verb == "AUTH" else line)
            verbs.get(verb, lambda line: self.send(b"500 5.5.2 ?\r\n"))(line)

    def refuse_all(self):
        while True:
            self.commands.append(self.line())
            self.send(b"421 4.3.0 closing\r\n")
            self.close()

    def ehlo(self, line):
        stage = "ehlo2" if self.is_tls and self.mode == "starttls" else "ehlo"
        action, argument = self.fault(stage)
        size = argument if action == "size" else 33554432
        words = ["localhost", "PIPELINING", "SIZE %s" % size, "8BITMIME", "SMTPUTF8",
                 "ENHANCEDSTATUSCODES"]
        if self.mode == "starttls" and not self.is_tls:
            words.append("STARTTLS")
        if self.is_tls or self.mode == "plain":
            login = {"only": "AUTH " + argument, "raw": argument}.get(action, "AUTH PLAIN LOGIN")
            words.append(login)
        if action == "strip":
            words = [word for word in words if not word.startswith(argument)]
        lines = ["250-" + word for word in words[:-1]] + ["250 " + words[-1]]
        self.reply(stage, "\r\n".join(lines))

    def helo(self, line):
        self.stages.append("helo")
        self.send(b"250 localhost\r\n")

    def starttls(self, line):
        if self.mode != "starttls" or self.is_tls:
            return self.send(b"503 5.5.1 no\r\n")
        if self.fault("starttls")[0] == "inject":
            self.stages.append("starttls")
            self.send(b"220 go\r\n250-localhost\r\n250-SIZE 1\r\n250 AUTH PLAIN\r\n235 ok\r\n"
                      b"250 ok\r\n250 ok\r\n354 go\r\n250 ok injected\r\n")
            self.start_tls()
        elif self.reply("starttls", "220 go"):
            self.start_tls()

    def auth(self, line):
        words = line.split(" ")
        mechanism = words[1].upper() if len(words) > 1 else ""
        initial = words[2] if len(words) > 2 else None
        if mechanism == "PLAIN":
            parts = [self.answer("", initial)]
            credentials = base64.b64decode(parts[0]).split(b"\0")[1:]
        elif mechanism == "LOGIN":
            parts = [self.answer("VXNlcm5hbWU6", initial), self.answer("UGFzc3dvcmQ6", None)]
            credentials = [base64.b64decode(part) for part in parts]
        elif mechanism in ("XOAUTH2", "OAUTHBEARER"):
            return self.auth_token(mechanism, self.answer("", initial))
        else:
            return self.send(b"504 5.5.4 no such mechanism\r\n")
        self.logins.append([mechanism] + parts)
        knows = credentials == [USER.encode(), PASSWORD.encode()] or self.fault("auth")[0] == "any"
        text = "235 2.7.0 ok" if knows else "535 5.7.8 bad credentials"
        self.is_authenticated = self.reply("auth", text) and knows

    def auth_token(self, mechanism, response):
        """A refused token is told of in a challenge, and only its answer gets the 535."""
        self.logins.append([mechanism, response])
        fields = base64.b64decode(response).split(b"\1")
        user = {"XOAUTH2": b"user=%s", "OAUTHBEARER": b"n,a=%s,"}[mechanism] % USER.encode()
        action, argument = self.fault("auth")
        knows = fields[0] == user and b"auth=Bearer " + TOKEN.encode() in fields
        if action == "json" or not (knows or action == "any"):
            refusal = argument or '{"status":"401","schemes":"bearer","scope":"https://mail.example/"}'
            self.logins[-1].append(self.answer(base64.b64encode(refusal.encode()).decode(), None))
            return self.send(b"535 5.7.8 bad token\r\n")
        self.is_authenticated = self.reply("auth", "235 2.7.0 ok")

    def answer(self, challenge, initial):
        if initial is not None:
            return initial
        self.send(b"334 " + challenge.encode() + b"\r\n")
        return self.line()

    def mail(self, line):
        if not self.is_authenticated and self.mode != "plain":
            self.stages.append("mail")
            self.send(b"530 5.7.0 authentication needed\r\n")
        elif self.reply("mail", "250 2.1.0 ok"):
            self.sender, self.recipients = line[5:], []

    def rcpt(self, line):
        if self.sender is None:
            self.send(b"503 5.5.1 MAIL first\r\n")
        elif self.reply("rcpt", "250 2.1.5 ok"):
            self.recipients.append(line[5:])

    def data(self, line):
        if not self.recipients:
            self.send(b"503 5.5.1 RCPT first\r\n")
        elif self.reply("data", "354 go on"):
            self.body()
            self.sender, self.recipients = None, []
            self.idle()

    def rset(self, line):
        self.sender, self.recipients = None, []
        self.send(b"250 ok\r\n")

    def quit(self, line):
        self.reply("quit", "221 bye")
        self.close()

    def idle(self):
        action, _ = self.fault("idle")
        if action == "421":
            self.send(b"421 4.4.2 idle for too long\r\n")
            self.close()
        if action == "drop":
            self.close()

    # The message

    def body(self):
        action, argument = self.fault("body")
        limit = int(argument or 0)
        self.stages.append("body")
        received = bytearray(self.pending)
        self.pending = b""
        searched = 0
        while not received.startswith(b".\r\n") and received.find(b"\r\n.\r\n", searched) < 0:
            if action and len(received) >= limit:
                self.end(action, "")
            searched = max(0, len(received) - 4)
            data = self.sock.recv(65536)
            if not data:
                raise Gone
            received += data
        if action:
            self.end(action, "")
        end = 0 if received.startswith(b".\r\n") else received.index(b"\r\n.\r\n") + 2
        self.pending = bytes(received[end + 3:])
        self.finish(bytes(received[:end]))

    def finish(self, message):
        action, _ = self.fault("dot")
        if not (action.isdigit() or action in REFUSING):
            envelope = {"from": self.sender, "rcpt": self.recipients, "tls": self.is_tls,
                        "plan": self.plan}
            self.store.accept(envelope, message)
            self.stored += 1
        if self.reply("dot", "250 2.0.0 ok queued"):
            self.acked += 1


def listen(address, port, mode, take_plan, store, tlsdir, served=Connection):
    """Serves a port in a thread of its own; returns the port."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Small, so that a client feels soon that nobody reads.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    listener.bind((address, port))
    listener.listen(512)
    port = listener.getsockname()[1]

    def loop():
        while True:
            sock, _ = listener.accept()
            connection = served(sock, port, mode, take_plan(), store, tlsdir)
            threading.Thread(target=connection.serve, daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    return port


def listen_by_plan(file, store, tlsdir, served):
    """Two ports for each line of the file."""
    ports = []
    for line in file.read().split("\n"):
        entry = {"plan": line}
        for mode in ("starttls", "tls"):
            plans = Plans(line)
            entry[mode] = listen("127.0.0.1", 0, mode, plans.take, store, tlsdir, served)
        ports.append(entry)
    return ports


def main(served=Connection):
    warnings.simplefilter("ignore")  # that TLS 1.0 is deprecated is the point
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--starttls", type=int, default=2590)
    parser.add_argument("--tls", type=int, default=2468)
    parser.add_argument("--plain", type=int, default=2591)
    parser.add_argument("--tlsdir")
    parser.add_argument("--plans", type=argparse.FileType("r"))
    parser.add_argument("--until-eof", action="store_true")
    options = parser.parse_args()

    store = Store(os.path.abspath(options.dir))
    tlsdir = options.tlsdir or store.path("tls")
    if not os.path.exists(os.path.join(tlsdir, "srv.pem")):
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.run([os.path.join(here, "..", "mkcert.sh"), tlsdir], check=True)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    ports = {}
    for mode in ("starttls", "tls", "plain"):
        ports[mode] = listen(
            "127.0.0.1", getattr(options, mode), mode, store.take_plan, store, tlsdir, served)
    try:
        ports["tls6"] = listen("::1", 0, "tls", store.take_plan, store, tlsdir, served)
    except OSError:
        pass  # no IPv6 on this machine
    if options.plans:
        ports["plans"] = listen_by_plan(options.plans, store, tlsdir, served)
    store.write("pid", str(os.getpid()).encode())
    store.write("ready", json.dumps(ports).encode())
    print(json.dumps(ports), flush=True)
    if options.until_eof:
        sys.stdin.buffer.read()
        os._exit(0)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
