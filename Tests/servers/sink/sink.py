"""Builds and runs the submission server that takes everything, with a certificate made for it."""

import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Missing(Exception):
    """What is needed and is not here."""


def command(*words):
    """Runs a command that prints nothing of interest."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"{words[0]}: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")


def compiled(source, folder, *libraries):
    """A C program of the tests, compiled into a folder."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Missing("no C compiler")
    program = os.path.join(folder, os.path.basename(source).removesuffix(".c"))
    command(compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-o", program, source, *libraries)
    return program


class Sink:
    """A running server; its log tells what it saw."""

    def __init__(self, folder, address="127.0.0.1", within=(), options=()):
        """Starts it on an address, inside of a command as `ip netns exec NAME` where one is given."""
        os.makedirs(folder, exist_ok=True)
        self.log = os.path.join(folder, "log")
        self.authority = os.path.join(folder, "certificate.pem")
        key = os.path.join(folder, "key.pem")
        command(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=sink", "-addext", f"subjectAltName=IP:{address},DNS:localhost",
            "-keyout", key, "-out", self.authority,
        )
        program = compiled(os.path.join(HERE, "sink.c"), folder, "-lssl", "-lcrypto", "-lpthread")
        self.process = subprocess.Popen(
            [*within, program, self.authority, key, address, "0", self.log, *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        line = self.process.stdout.readline()
        if not line:
            raise Missing("the sink does not start")
        self.port = int(line)

    def events(self):
        """What it saw so far: the kinds of event, in their order, and the Message-IDs it took."""
        with open(self.log, encoding="utf-8") as file:
            return [line.rstrip("\n") for line in file]

    def messages(self):
        """The Message-IDs of the messages it took, in their order."""
        return [event.partition(" ")[2] for event in self.events() if event.startswith("message ")]

    def forget(self):
        """Empties the log."""
        os.truncate(self.log, 0)

    def close(self):
        """Ends it."""
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()
