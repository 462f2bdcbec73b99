"""What the loop must do, told a second time: from the words of the design alone, in forty lines.

Must not import anything of the loop: it would then agree with its faults.
"""

from __future__ import annotations

MOST, ALIKE = 5, 3


class Oracle:
    """The events that must leave for one change, and the count that must stand."""

    def __init__(self, most=MOST):
        self.most, self.events, self.count = most, [], 0
        self.open = self.paused = self.dead = self.done = self.merged = False
        self.alike, self.last, self.held, self.infra = 0, None, None, 0

    def red(self, print_, pusher="worker"):
        """A new commit is red with one failure; an empty print is a failure nobody can name."""
        if self.merged or self.done:
            return
        self._pushed(pusher)
        if self.open:
            return
        if pusher != "worker":
            self.events.append("needs_human")
            return
        self.infra = 0
        self._failed(print_)

    def _failed(self, print_):
        same = bool(print_) and print_ == self.last
        alike = self.alike + 1 if same else 1
        if self.count >= self.most or alike >= ALIKE:  # nobody is needed to stop
            self.events.append("circuit_breaker")
            self.open = True
            return
        if self.dead:
            self.held = print_
            return
        self.count, self.last, self.alike = self.count + 1, print_, alike
        self.events.append("pipeline_failed")

    def infrastructure(self):
        """A new commit of the worker's is red, and its runner failed."""
        if self.merged or self.done:
            return
        self._pushed("worker")
        if not self.open:
            self.infra += 1
            self.events.append("infra_suspected")

    def green(self, pusher="worker"):
        """A new commit is green."""
        if self.merged or self.done:
            return
        self._pushed(pusher)
        self.events.append("pipeline_passed")
        self.count = self.alike = self.infra = 0
        self.last, self.paused = None, False

    def canceled(self):
        """A person cancelled the pipeline of a new commit."""
        if self.merged or self.done:
            return
        self._pushed("worker")
        if not self.open:
            self.paused = True
            self.events.append("needs_human")

    def nothing(self):
        """An error, a running pipeline, a skipped one, a stale one, or the same reading again."""

    def unsaid(self):
        """A new commit of the worker's whose pipeline has no verdict yet."""
        if not (self.merged or self.done):
            self._pushed("worker")

    def _pushed(self, pusher):
        self.held = None
        self.paused = pusher != "worker" and not self.open

    def dies(self):
        self.dead = True

    def lives(self):
        self.dead = False
        if self.held is not None and not (self.open or self.paused or self.merged or self.done):
            print_, self.held = self.held, None
            self._failed(print_)

    def rearmed(self, by):
        if by == "human" and not (self.merged or self.done):
            self.open, self.count, self.alike, self.last, self.held = False, 0, 0, None, None
            self.paused, self.infra = False, 0

    def closed(self):
        if not (self.merged or self.done):
            self.done = True
            self.events.append("change_gone")

    def merges(self):
        if not self.done:
            self.merged = True

    def main_red(self):
        if self.merged and not self.done:
            self.events.append("main_pipeline_failed")

    def main_green(self):
        if self.merged:
            self.done = True
