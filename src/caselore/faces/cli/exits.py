"""Maps whatever a command raises to a short message and CONTRACT's exit code.

Must not let a traceback through, nor write to standard output.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace

import typer

from caselore import settings
from caselore.errors import Problem, problem
from caselore.faces.terminal import Paper, safe, say

# Typer carries its own copy of click since 0.16; its classes are reached through what it exports.
_CLICK_ERROR = typer.BadParameter.__mro__[2]


class ReaderLeft(Exception):
    """Whoever read standard output closed it, as `| head` does."""


class Interrupted(Exception):
    """The person at the keyboard stopped the command."""


def run(command: Callable[[], object], *, as_json: bool) -> int:
    """Run a parsed command line and give the exit code."""
    try:
        code = command()
        sys.stdout.flush()
    except (ReaderLeft, BrokenPipeError):
        return _quiet_end()
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 1
    except (Interrupted, KeyboardInterrupt, typer.Abort):
        return report(problem(KeyboardInterrupt()), as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the one place where every error becomes a message
        if _lost_output(error):
            _drop_output()
        return report(_problem(error), as_json=as_json)
    return code if isinstance(code, int) else 0


def _problem(error: Exception) -> Problem:
    if isinstance(error, _CLICK_ERROR):
        return _usage(error)
    if isinstance(error, FileNotFoundError):
        return Problem("not_found", f"There is no file {error.filename}.", "Check the path.", 4)
    if isinstance(error, IsADirectoryError):
        return Problem("wrong_use", f"{error.filename} is a folder.", "Give a file.", 2)
    if isinstance(error, OSError) and _lost_output(error):
        words = f"The output could not be written: {error.strerror}."
        return Problem("unavailable", words, "Free some space, or write to another place.", 5)
    return problem(error)


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def _lost_output(error: Exception) -> bool:
    """Say whether what failed was writing the answer itself: such an error names no file."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM and not error.filename


def _usage(error: Exception) -> Problem:
    message = getattr(error, "format_message", lambda: str(error))()
    message = message.replace(": Value error, ", ": ", 1)  # the parser's own word
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "caselore"
    return Problem("wrong_use", message, f"`{path} --help` shows the form and an example.", 2)


def failed(error: Exception, *, as_json: bool) -> int:
    """Report one error without ending the command; give its exit code."""
    return report(_problem(error), as_json=as_json)


def report(found: Problem, *, as_json: bool) -> int:
    """Say on standard error what happened and what to do; give the exit code.

    A message may repeat what was typed, which may be a secret.
    """
    from caselore.guards.secrets import redact  # noqa: PLC0415 - only where something went wrong

    found = replace(found, message=redact(found.message).text, hint=redact(found.hint).text)
    if as_json:
        say(json.dumps(found.to_json()))
        return found.exit_code
    paper = Paper.of(sys.stderr, no_color=settings.colourless())
    lines = paper.wrap(found.message, first="caselore: ", indent="  ")
    if found.hint:
        lines += paper.wrap(found.hint, first="  -> ", indent="     ")
    lines[0] = lines[0].replace("caselore:", paper.ink("caselore:", "red", "bold"), 1)
    say("\n".join(lines))
    return found.exit_code


def _quiet_end() -> int:
    """End as a program whose reader has left (`| head`): silently, and not as a failure."""
    _drop_output()
    return 0


def _drop_output() -> None:
    """Let what is still buffered go nowhere: Python would fail on it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(message: str) -> None:
    """Write one warning to standard error."""
    say(f"caselore: {safe(message)}")
