"""French throughout: no English word in what any screen, sheet, form, preview or refusal says in French."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.console_site import StorySite
from support.french import english_in
from support.table_story import TableStory

from controller.hand.terms import Verb

SHEETS = ("menu", "orders", "hands", "rules", "devices", "keys", "problem", *(f"seat&seat={seat}" for seat in (1, 2, 3)))
NAME = re.compile(r"Player \d")
"""What the story's players are called."""
MOMENTS = ("idle", "dealing", "held", "betting", "ended")


def story(moment: str) -> TableStory:
    told = TableStory({1: 100, 3: 100, 5: 100})
    if moment == "idle":
        return told
    told.start()
    if moment == "held":
        told.lay(told.draw(), "seat/3/down")
    elif moment != "dealing":
        told.deal()
        told.act(Verb.BRING_IN, 2)
        told.act(Verb.FOLD)
    if moment == "ended":
        told.act(Verb.FOLD)
    return told


def french_of(document: Any) -> Iterator[str]:
    """Every text of a JSON document that stands in both languages."""
    if isinstance(document, list):
        for one in document:
            yield from french_of(one)
    elif isinstance(document, dict):
        if document.keys() == {"en", "fr"}:
            yield document["fr"]
            return
        for key, value in document.items():
            if key.endswith("_fr"):
                yield value
            yield from french_of(value)


@pytest.mark.parametrize("moment", MOMENTS)
async def test_what_is_said_in_french_holds_no_english_word(moment: str) -> None:
    """At five moments: the screen, what opens over it, the forms that are listed there, and what is refused."""
    at = StorySite(story(moment))
    found = [at.pages.picture()]
    async with at.client:
        for sheet in SHEETS:
            listed = (await at.client.get(f"/api/v1/sheets?name={sheet}")).json()
            found.append(listed)
            opens = [item["opens"].replace("?", "&") for item in listed.get("items", ()) if item.get("opens")]
            found += [(await at.client.get(f"/api/v1/sheets?name={form}")).json() for form in opens]
        found += [
            (await at.client.get("/api/v1/sheets?name=none")).json(),
            (await at.client.post("/api/v1/preview", json={"command": {"type": "void_hand", "reason": "essai"}})).json(),
            (await at.client.post("/api/v1/commands", json={"key": "press-0001"})).json(),
        ]
    texts = [NAME.sub("", text) for document in found for text in french_of(document)]
    assert len(texts) > 100
    assert {text: odd for text in texts if (odd := english_in(text))} == {}
