"""Payloads as a reader takes them: also those of a newer release, with fields and words that this one does not know.

A publisher's models refuse any other field, so that nothing hidden can slip out. A reader that refused them too would be deaf to
a table that was upgraded first. What is shown to people is still what is known here alone; a copy of events keeps the rest with
them, so that it loses nothing and a link still fits.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from controller.mqtt.payloads import Part

Model = TypeVar("Model", bound=Part)


def read(model: type[Model], payload: bytes | str) -> Model:
    """What is known of the message: a field that is not leaves no trace. ``ValidationError`` for one that lacks something or says
    it in another way than this release knows."""
    return _read(model, payload, "ignore")


def read_whole(model: type[Model], payload: bytes | str) -> Model:
    """The message with everything in it, for copies and links. ``ValidationError`` as for ``read``, and for what is no JSON value
    of its own: a number that is none, or has no end."""
    found = _read(model, payload, "allow")
    if is_newer(found) and not _is_json(whole(found, found.model_dump())):
        wrong = {"type": "finite_number", "loc": (), "input": None}
        raise ValidationError.from_exception_data(model.__name__, [wrong])  # type: ignore[list-item]
    return found


def _read(model: type[Model], payload: bytes | str, extra: Literal["allow", "ignore"]) -> Model:
    try:
        return model.model_validate_json(payload)
    except ValidationError as error:
        if any(problem["type"] != "extra_forbidden" for problem in error.errors(include_url=False, include_input=False)):
            raise
    return model.model_validate_json(payload, extra=extra)


def _is_json(value: object) -> bool:
    """Whether every number in it is one."""
    match value:
        case dict():
            return all(map(_is_json, value.values()))
        case list() | tuple():
            return all(map(_is_json, value))
        case float():
            return isfinite(value)
        case _:
            return True


def is_newer(part: Part) -> bool:
    """Whether a newer release told it: there are fields in it, or in its parts, that this one does not know."""
    return part.model_extra is not None


def whole(part: Part, known: dict[str, Any]) -> dict[str, Any]:
    """``known``, what this release makes of ``part``, with the fields that it does not know; null ones are left out."""
    if not is_newer(part):
        return known
    found: dict[str, Any] = {}
    for name, value in known.items():
        inner = getattr(part, name)
        if isinstance(inner, tuple):
            found[name] = [whole(one, told) if isinstance(one, Part) else told for one, told in zip(inner, value, strict=True)]
        else:
            found[name] = whole(inner, value) if isinstance(inner, Part) else value
    return found | {name: _told(value) for name, value in (part.model_extra or {}).items() if value is not None}


def _told(value: Any) -> Any:
    """A value without its nulls, as content of events is hashed and kept."""
    if isinstance(value, dict):
        return {name: _told(one) for name, one in value.items() if one is not None}
    return [_told(one) for one in value] if isinstance(value, list) else value
