"""The bodies that the HTTP face takes, as typed forms; their bounds are those of the memory.

Must not judge content: the guards and the gate do.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from caselore.faces.http import paging

Name = Annotated[str, Field(max_length=500)]
Text = Annotated[str, Field(max_length=20_000)]
Link = Annotated[str, Field(max_length=4_000)]


class Body(BaseModel):
    """A body in which a field that nobody knows is a mistake worth saying."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nothing(cls, given: Any) -> Any:
        """Take null for what is not given, as scripts write what they do not know."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value is not None}


_ONE_OR_MANY = BeforeValidator(lambda one: [one] if isinstance(one, str) else one)


class Failure(Body):
    """A failed job and its log."""

    log: str = Field(strict=True, description="The whole log, as the job printed it.")
    service: Name = Field("", examples=["payment-service"])
    stage: Name = Field("", examples=["deploy"])
    environment: Name = Field("", examples=["production"])
    branch: Name = Field("", examples=["main"])
    commit: Name = Field("", examples=["9f2c1ab"])
    deployment: Name = Field("", description="Number or name of the run.", examples=["1057"])
    url: Link = Field("", examples=["https://ci.example/jobs/1057"])
    green: str | None = Field(
        None, strict=True, description="The log of a passing run of the same job."
    )


class Verdict(Body):
    """What a person confirms."""

    cause: Text = ""
    resolution: Text = ""
    result: Literal["succeeded", "failed"]
    as_proposed: bool = Field(
        False, description="Take from the proposal what is not given: one step for a person."
    )
    why_failed: Text = ""
    precedents: Annotated[list[Name], _ONE_OR_MANY] = Field(
        default_factory=list,
        max_length=50,
        description="Ids or deployments that it follows.",
        validation_alias=AliasChoices("precedents", "precedent"),
    )
    proof: Annotated[list[Link], _ONE_OR_MANY] = Field(default_factory=list, max_length=50)


class Why(Body):
    """A reason, kept in the ledger."""

    why: Text


class Join(Why):
    """Which other signature is the same failure, and why."""

    into: Link = Field(description="A signature, or an incident that has it.")


class Token(Body):
    """Who will hold a new token."""

    role: Literal["reader", "ci", "agent", "human", "admin"]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    expires: Name = Field("", description="A day or a time, ISO 8601; without one it lasts.")


class Unlike(Why):
    """Two incidents that are not the same."""

    other: Name


class Proposal(Body):
    """What it may have been; waits for a person."""

    cause: Text = ""
    resolution: Text = ""


class Change(Body):
    """The change that mended a job."""

    diff: str = Field(strict=True, max_length=2_000_000, description="A unified diff.")
    model: Literal["", "none"] = Field("", description="`none` asks no model.")


class Track(Body):
    """A change, and the worker that opened it."""

    change: Link = Field(examples=["https://git.example/pay/-/merge_requests/42"])
    worker: Name = Field(examples=["claude-code"])
    session: Name = Field("", description="Of the worker, so that it can be taken up again.")
    logins: list[Name] = Field(
        default_factory=list, max_length=20, description="Under which names the worker pushes."
    )


class Filters(Body):
    """What a precedent must match."""

    service: Name = ""
    environment: Name = ""
    branch: Name = ""
    family: Name = ""
    status: Name = ""
    since: Annotated[Name, Field(description="A day or a time, ISO 8601.")] = ""
    until: Name = ""


class Question(Body):
    """Words, or an incident, to recall precedents for: exactly one of the two."""

    query: Annotated[str, Field(max_length=100_000)] | None = None
    incident: Name | None = None
    limit: int = Field(5, ge=1, le=100)
    filters: Filters = Filters()


class Search(Body):
    """Words to find events by."""

    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    limit: int = Field(10, ge=1, le=100)


class Wanted(Body):
    """Which incidents to list; empty means any."""

    status: Literal[
        "",
        "observed",
        "proposed",
        "confirmed",
        "refuted",
        "quarantined",
        "retracted",
        "superseded",
    ] = ""
    service: Name = ""
    environment: Name = ""
    branch: Name = ""
    family: Name = ""
    signature: Name = ""
    commit_id: Name = Field("", alias="commit")
    since: Name = Field("", description="A day or a time, ISO 8601.")
    until: Name = ""
    limit: int = Field(paging.USUAL, ge=paging.LEAST, le=paging.MOST)
    cursor: Name = Field("", description="`next_cursor` of the page before.")
