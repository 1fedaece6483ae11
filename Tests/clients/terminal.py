"""A program on a terminal of its own, in tmux, as a person would use it."""

import subprocess
import time


class Terminal:
    """One tmux server with one program in it; ended with `close`, whatever the program does."""

    def __init__(self, command, environment, folder):
        self.socket = folder + "/tmux"
        self.environment = environment
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", command)

    def tmux(self, *words):
        done = subprocess.run(
            ["tmux", "-S", self.socket, *words], env=self.environment, capture_output=True,
            text=True, check=False)
        return done.stdout

    def screen(self):
        """What is on the screen; empty once the program has ended."""
        return self.tmux("capture-pane", "-p")

    def wait(self, *texts, seconds=8, count=1):
        """The screen as soon as it shows one of the texts so often, else as it is when time is over."""
        deadline = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if any(screen.count(text) >= count for text in texts) or time.monotonic() > deadline:
                return screen
            time.sleep(0.05)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def ended(self, seconds=8):
        """Whether the program ends in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self.tmux("list-sessions"):
                return True
            time.sleep(0.05)
        return False

    def close(self):
        self.tmux("kill-server")
