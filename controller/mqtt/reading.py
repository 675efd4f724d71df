"""Payloads as a reader takes them: also those of a newer release, with fields and words that this one does not know.

A publisher's models refuse any other field, so that nothing hidden can slip out. A reader that refused them too would be deaf to
a table that was upgraded first: it takes what it knows, and keeps the rest with it, so that a copy loses nothing and a link
still fits.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from controller.mqtt.payloads import Part

Model = TypeVar("Model", bound=BaseModel)


def read(model: type[Model], payload: bytes | str) -> Model:
    """The message. ``ValidationError`` for one that lacks something or says it in another way than this release knows."""
    try:
        return model.model_validate_json(payload)
    except ValidationError as error:
        if any(problem["type"] != "extra_forbidden" for problem in error.errors(include_url=False, include_input=False)):
            raise
    return model.model_validate_json(payload, extra="allow")


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
