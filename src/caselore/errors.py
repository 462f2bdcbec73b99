"""Every error that caselore raises, and the one mapper from an error to what a face shows.

    CaseloreError
    ├── WrongUse                  2  the call itself is wrong
    │   ├── BadInput                 a value cannot be taken as it is
    │   │   └── TooLarge                 it is larger than what is taken at once
    │   ├── Ambiguous                a short name fits several things
    │   └── Conflict                 a key of a request belongs to another one
    │       └── UnderWay                 the same request is under way
    ├── Refused                   3  a rule forbids it; nothing was written but the refusal
    │   ├── Unidentified             nobody said who is calling
    │   ├── GateRefused              this identity may not write that
    │   ├── GuardRefused             a guard holds the content
    │   └── NotGreen                 a log that is given as passing reads as failed
    ├── NotFound                  4  nothing is stored under that name
    └── Unavailable               5  something that is needed does not answer
        ├── ForgeUnavailable         the forge does not answer
        │   ├── ForgeLimited         it was asked too often
        │   ├── ForgeSlow            it did not answer in time
        │   └── ForgeGarbled         what it answered is no sound answer
        ├── ModelUnavailable         a language model does not answer
        │   ├── ModelBusy            it may be asked again later
        │   ├── ModelGarbled         what it wrote is not what was asked for
        │   └── ModelLimit           what may be spent on it is used up
        ├── StoreBusy                another process holds the store
        ├── StoreFull                no room on the disk
        ├── StoreReadOnly            the store cannot be written
        ├── StoreTooNew              written by a newer version
        └── StoreDamaged             the file is not a sound database

A class's docstring is its default message. Must not import anything of ours, nor hold logic
beyond the mapping.
"""

from __future__ import annotations

from dataclasses import dataclass


class CaseloreError(Exception):
    """Something went wrong; nothing that was stored before is lost."""

    exit_code = 1
    code = "error"
    hint = ""

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        """Keep what happened and what to do next; both default to the class's own words."""
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.hint = hint or type(self).hint


class WrongUse(CaseloreError):
    """The call is wrong; nothing was done."""

    exit_code = 2
    code = "wrong_use"
    hint = "See --help for the right form."


class BadInput(WrongUse):
    """A value cannot be taken as it is; nothing was done."""

    code = "bad_input"


class TooLarge(BadInput):
    """It is larger than what is taken at once; nothing was done."""

    code = "too_large"


class Conflict(WrongUse):
    """A key of a request belongs to another one; nothing was done."""

    code = "conflict"


class UnderWay(Conflict):
    """The first request with this Idempotency-Key is still under way."""

    hint = "Wait a moment, then send it again: it is done once."


class Ambiguous(WrongUse):
    """The name fits several things; nothing was done."""

    code = "ambiguous"
    hint = "Give the full id."


class Refused(CaseloreError):
    """Refused by a rule; nothing was changed."""

    exit_code = 3
    code = "refused"


class Unidentified(Refused):
    """It is not known who is calling; nothing was changed."""

    code = "unidentified"
    hint = (
        "Send `Authorization: Bearer TOKEN`; a person makes one with "
        "`caselore token create --role human --name YOU`."
    )


class GateRefused(Refused):
    """This identity may not write that; nothing was changed."""

    code = "gate_refused"
    hint = (
        "Only people confirm: run it at a terminal (`ssh -t`), or make a token once, "
        "`caselore token create --role human --name YOU`, and set CASELORE_TOKEN to it."
    )


class GuardRefused(Refused):
    """A guard holds this content; nothing was changed."""

    code = "guard_refused"


class NotGreen(Refused):
    """This log reads as a failed run; nothing was remembered."""

    code = "not_green"
    hint = "Give a passing run's log; if it did pass, `caselore green … --anyway` keeps it."


class NotFound(CaseloreError):
    """Nothing is stored under that name."""

    exit_code = 4
    code = "not_found"
    hint = "`caselore incidents` lists what is there."


class Unavailable(CaseloreError):
    """Something that is needed does not answer; nothing that was stored is lost."""

    exit_code = 5
    code = "unavailable"


class ForgeUnavailable(Unavailable):
    """The forge does not answer; nothing was changed by that."""

    code = "forge_unavailable"
    hint = "Try again later; what the forge has is read again from the start."

    def __init__(self, message: str = "", *, hint: str = "", again: bool = True) -> None:
        """Keep whether asking again can help."""
        super().__init__(message, hint=hint)
        self.again = again


class ForgeLimited(ForgeUnavailable):
    """The forge says that it was asked too often; nothing was changed by that."""

    code = "rate_limited"


class ForgeSlow(ForgeUnavailable):
    """The forge did not answer in time; nothing was changed by that."""

    code = "timeout"


class ForgeGarbled(ForgeUnavailable):
    """What the forge answered is no sound answer; nothing was changed by that."""

    code = "forge_garbled"

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        """Ask no second time: a proxy's page stays one."""
        super().__init__(message, hint=hint, again=False)


class ModelUnavailable(Unavailable):
    """The language model does not answer; nothing is lost, and nothing depends on it."""

    code = "model_unavailable"
    hint = "Run it again with --no-model: the diagnosis is complete without one."


class ModelBusy(ModelUnavailable):
    """The language model is busy."""

    code = "model_busy"

    def __init__(self, message: str = "", *, hint: str = "", after: float = 0.0) -> None:
        """Keep the seconds after which it wants to be asked again; 0 where it did not say."""
        super().__init__(message, hint=hint)
        self.after = after


class ModelGarbled(ModelUnavailable):
    """The language model answered something else than was asked for."""

    code = "model_garbled"


class ModelLimit(ModelUnavailable):
    """What may be spent on the language model is used up."""

    code = "model_limit"
    hint = "Raise the limit under [model_limits] in caselore.toml, or wait for the next day (UTC)."


class StoreBusy(Unavailable):
    """Another process holds the store; nothing of this call was written."""

    code = "store_busy"
    hint = "Try again in a moment."


class StoreFull(Unavailable):
    """No room is left on the disk; nothing of this call was written, older records are intact."""

    code = "store_full"
    hint = "Free some space and run the same command again."


class StoreReadOnly(Unavailable):
    """The store cannot be written; nothing was changed."""

    code = "store_read_only"
    hint = "Check the folder's permissions, or point CASELORE_HOME at a folder of yours."


class StoreTooNew(Unavailable):
    """The store was written by a newer caselore; it was left as it is."""

    code = "store_too_new"
    hint = "Update caselore, or point CASELORE_HOME at another folder."


class StoreDamaged(Unavailable):
    """The file is not a sound caselore database; it was left as it is."""

    code = "store_damaged"
    hint = "Restore a copy, or `caselore export` what can still be read."


INTERNAL = 70
"""Exit code of a fault of our own; not one that a script takes for an answer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as every face shows it."""

    code: str
    message: str
    hint: str
    exit_code: int

    def to_json(self) -> dict[str, dict[str, str]]:
        """Give the body of CONTRACT's HTTP errors."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


def problem(error: BaseException) -> Problem:
    """Map any error to its code, message, hint and exit code."""
    if isinstance(error, CaseloreError):
        return Problem(error.code, str(error), error.hint, error.exit_code)
    if isinstance(error, KeyboardInterrupt):
        return Problem("interrupted", "Interrupted; what was acknowledged is stored.", "", 130)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return Problem("unavailable", f"{place}{error.strerror or error}", "Check the path.", 5)
    hint = (
        "This is a fault of caselore; please report it with the command. Nothing stored is lost."
    )
    return Problem("internal", f"{type(error).__name__}: {error}", hint, INTERNAL)
