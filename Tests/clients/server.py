"""The submission server of the tests, to which memo sends while a client has its folders open."""

import json
import os
import subprocess
import time


class Server:
    def __init__(self, folder, root):
        self.folder = folder
        os.makedirs(folder)
        made = subprocess.run([root + "/Tests/servers/certificates.sh"], capture_output=True, text=True,
                              check=True)
        self.certificates = made.stdout.strip().splitlines()[-1]
        script = root + "/Tests/servers/faulty/faulty_smtp.py"
        self.process = subprocess.Popen(
            ["python3", script, folder, "--starttls", "0", "--tls", "0", "--plain", "0", "--tlsdir",
             self.certificates], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not os.path.exists(folder + "/ready"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the submission server did not start")
            time.sleep(0.05)
        with open(folder + "/ready", encoding="utf-8") as file:
            self.port = json.load(file)["starttls"]

    def settings(self):
        return (
            "[account]\nfrom = Jane Doe <me@test.example>\nto = me@test.example\n"
            f"server = smtp://localhost:{self.port}\nuser = me@test.example\n"
            f"password-command = echo s3cret-pass\nca-file = {self.certificates}/ca.pem\n"
            "[delivery]\nafter-capture = no\npace = off\n")

    def plan(self, line):
        """What it does to the next connection."""
        with open(self.folder + "/plan", "w", encoding="utf-8") as file:
            file.write(line + "\n")

    def accepted(self):
        """The messages it took, in their order."""
        folder = self.folder + "/accepted"
        names = sorted(name for name in os.listdir(folder) if not name.endswith(".tmp"))
        found = []
        for name in names:
            with open(f"{folder}/{name}", encoding="utf-8", errors="replace") as file:
                found.append(file.read())
        return found

    def stop(self):
        self.process.terminate()
        self.process.wait()
