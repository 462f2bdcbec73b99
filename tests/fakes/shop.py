"""A world with a machine on which workers really run, and patience until something is so.

Must not judge: it lets the dispatcher work, and says what there is.
"""

from __future__ import annotations

import os
import time

from caselore.repair.delivery import Dispatched, Dispatcher
from caselore.repair.kept import WORKER
from caselore.repair.workers.runs import Runs
from fakes.recordings import CHANGE
from fakes.repair_world import WATCHER, World

PATIENCE = 20


def until(true):
    """Wait until something is so; fail where it never is."""
    deadline = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)
    return found


class Shop(World):
    """A world with a machine on which workers run."""

    tokens = ()

    def __init__(self, path, profile):
        self.runs = Runs(path.parent / "runs")
        self.profile = profile
        self.secrets = {"PATH": os.environ["PATH"], "TOKEN": "glpat-secret", "KEY": "k"}
        super().__init__(path)

    @property
    def dispatcher(self):
        """Give a new one each time: whoever looks next continues."""
        return Dispatcher(
            self.account, {"coder": self.profile}, self.runs, lambda url: self.forge, WATCHER,
            lambda: self.now, holder="here",
            tokens=self.tokens,
            environment=lambda names: {k: v for k, v in self.secrets.items() if k in names},
        )  # fmt: skip

    def round(self):
        """Let this machine do all that is due, as its jobs would."""
        done, dispatcher = Dispatched(), self.dispatcher
        for run in dispatcher.runs():
            dispatcher.hear(done, run.folder.name)
        dispatcher.dismiss()
        for waiting in self.account.waiting(WORKER):
            dispatcher.bring(done, waiting)
        return done

    @property
    def run(self):
        return next(iter(self.runs.open()), None)

    def red(self, head):
        self.forge.push(CHANGE, head)
        self.forge.run(CHANGE)
        self.look()

    def ended(self):
        """Wait until the worker's run ended; give how."""
        return until(lambda: self.run.ended)

    def close(self):
        """End every worker, and what stays of them; the account is whole."""
        for box in self.runs.staying():
            box.dismiss()
        for run in self.runs.open():
            run.stop()
            until(lambda run=run: not run.alive)
        until(lambda: not list(self.runs.staying()))
        assert self.account.memory.ledger_verify().ok
        self.store.close()
