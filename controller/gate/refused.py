"""Refusals of what never came before the table's rules, in both languages, and the answers as the OpenAPI document tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel

from controller.words.catalogue import Language
from controller.words.said import Said, plain, say


class RefusalAnswer(BaseModel):
    """Why something was refused: the rule it stands on, a code for programs, and one sentence in each language."""

    rule: str
    code: str
    seq: int
    message: str
    message_en: str
    message_fr: str


class RefusedAnswer(BaseModel):
    """Nothing was done. ``picture``: the table as it is now, where the sender saw an older one or does not drive."""

    ok: Literal[False]
    refusal: RefusalAnswer
    picture: dict[str, Any] | None = None


class TakenAnswer(BaseModel):
    """It was done, at that number of the journal."""

    ok: Literal[True]
    seq: int


class PersonAnswer(BaseModel):
    """Who is signed in."""

    name: str
    role: Literal["dealer", "floor", "surveillance", "engineer", "auditor"]


class SessionAnswer(BaseModel):
    """What a console's session stands for."""

    access: Literal["open", "people"]
    console: str
    locked: bool
    person: PersonAnswer | None
    may: bool


class ApprovalAnswer(BaseModel):
    """A consent, for one order and ``seconds``."""

    ok: Literal[True]
    approval: str
    name: str
    role: Literal["dealer", "floor", "surveillance", "engineer", "auditor"]
    seconds: int


class DrivingAnswer(BaseModel):
    """The console that drives."""

    console: str
    name: str
    can_return: bool


class WheelAnswer(BaseModel):
    """Which console drives the table; nobody's name while none does."""

    driver: DrivingAnswer | None


class EventStreamResponse(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


def answers(model: type[BaseModel] | None = None, *also: int) -> dict[int | str, dict[str, Any]]:
    """What an endpoint answers, for the OpenAPI document: ``model`` when it does what was asked; refusals by status ``also``."""
    told: dict[int | str, dict[str, Any]] = {200: {"model": model}} if model is not None else {}
    return told | {status: {"model": RefusedAnswer, "description": REFUSALS[status]} for status in also}


REFUSALS: Final[Mapping[int, str]] = {
    400: "The body cannot be read",
    401: "Nobody is signed in, or the proof is nobody's",
    403: "The person may not, or the request comes from elsewhere",
    404: "There is no such thing",
    409: "Refused by the rules, or what it answers has passed",
    413: "The body is longer than any command",
    422: "A part of the request is not as described",
    429: "Too often: wait",
    503: "The table has stopped, or is full",
}
EVERYWHERE: Final = answers(None, 400, 401, 403, 422, 503)
"""What any address may answer."""


def refused_answer(
    status: int, language: Language, code: str, said: Said, *, rule: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A refusal in the form that the table's rules give it. ``language`` is that of ``message``."""
    texts = {"message": said[language.value], **{f"message_{one}": words for one, words in said.items()}}
    refusal = {"rule": rule, "code": code, "seq": 0, **texts}
    return JSONResponse({"ok": False, "refusal": refusal}, status_code=status, headers=headers)


def problem_said(problem: Mapping[str, Any]) -> Said:
    """What is wrong with a request, and where; never the value itself. ``problem`` is pydantic's."""
    kind = str(problem["type"])
    if kind == "json_invalid":
        return say("unread.json")
    parts = [str(part) for part in problem["loc"] if part not in ("body", "query", "path", "header")]
    if kind == "union_tag_invalid":
        return say("unread.what", where=plain(".".join((*parts, "type"))), what=say("unread.none_of_them"))
    where = plain(".".join(parts)) if parts else say("unread.body")
    context = problem.get("ctx", {})
    for name, key in (
        ("ge", "unread.at_least"),
        ("le", "unread.at_most"),
        ("gt", "unread.more_than"),
        ("lt", "unread.less_than"),
    ):
        if name in context:
            return say("unread.what", where=where, what=say(key, n=str(context[name])))
    return say("unread.what", where=where, what=say(f"unread.{_kind(kind)}"))


def _kind(kind: str) -> str:
    if kind in _KINDS:
        return _KINDS[kind]
    if kind.endswith(("_type", "_parsing", "_from_float")):
        return "other_kind"
    return "not_possible"


_LIMITS: Final = {"ge": "unread.at_least", "le": "unread.at_most", "gt": "unread.more_than", "lt": "unread.less_than"}
_KINDS: Final = {
    "missing": "missing",
    "union_tag_not_found": "no_type",
    "no_decision": "no_decision",
    "extra_forbidden": "not_expected",
    "literal_error": "none_of_them",
    "enum": "none_of_them",
    "string_too_long": "too_long",
    "too_long": "too_long",
    "string_too_short": "too_short",
    "too_short": "too_short",
    "string_pattern_mismatch": "other_form",
    "timezone_aware": "no_zone",
}
