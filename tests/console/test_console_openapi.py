"""The OpenAPI document and the address agree: no request made from it is answered with 5xx, and each answer is as described."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from support.console_site import StorySite
from support.people_site import PeopleSite, people_file
from support.table_story import TableStory

FEW: Final = 6
MANY: Final = 1_000
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
STREAMS: Final = ("GET /api/v1/stream", "GET /api/v1/seats/{seat}/stream")
"""They end when the page goes: test_console_stream and test_console_seat_stream read them."""
SCHEMA: Final = schemathesis.openapi.from_dict(StorySite(TableStory({1: 100})).pages_document())
OPERATIONS: Final = {
    operation.label: operation for found in SCHEMA.get_all_operations() if (operation := found.ok()).label not in STREAMS
}


class Asked:
    """An address in a hand, asked by one client."""

    def __init__(self, folder: Path, *, people: bool) -> None:
        told = TableStory({1: 100, 3: 100, 5: 100}).start().deal()
        self.site = PeopleSite(told, people_file(folder / "people.json")) if people else StorySite(told)

    async def client(self) -> Any:
        return await self.site.at_desk("Ann") if isinstance(self.site, PeopleSite) else self.site.client

    async def ask(self, client: Any, case: Any) -> None:
        """Send what ``case`` describes and hold the answer against the document."""
        if case.path == "/api/v1/snapshot" and is_number(case.query.get("wait", 0)):
            case.query = {**case.query, "wait": 0}  # or a question about what is to come takes ten seconds
        sent = case.as_transport_kwargs(base_url="http://table")
        answer = await client.request(
            sent["method"],
            sent["url"],
            params=sent.get("params"),
            headers=dict(sent.get("headers") or {}),
            json=sent.get("json"),
            content=sent.get("data"),
        )
        case.validate_response(answer, checks=CHECKS)


def is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def asked(folder: Path, name: str, examples: int, *, people: bool) -> None:
    with asyncio.Runner() as runner:
        at = Asked(folder, people=people)
        client = runner.run(at.client())
        operation = OPERATIONS[name]
        good, bad = (operation.as_strategy(generation_mode=mode) for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE))

        @seed(6)
        @settings(max_examples=examples, database=None, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=st.one_of(good, bad))
        def each(case: Any) -> None:
            runner.run(at.ask(client, case))

        each()
        runner.run(client.aclose())


@pytest.mark.parametrize("people", [False, True], ids=["open", "people"])
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_each_answer_is_as_the_document_describes_it(tmp_path: Path, name: str, people: bool) -> None:
    """Whether the request is as described or not."""
    asked(tmp_path, name, FEW, people=people)


@pytest.mark.long
@pytest.mark.parametrize("people", [False, True], ids=["open", "people"])
@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_each_of_many_answers_is_as_the_document_describes_it(tmp_path: Path, name: str, people: bool) -> None:
    """The same with a thousand requests each."""
    asked(tmp_path, name, MANY, people=people)
