"""The addresses of the seats' pages."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from support.console_site import StorySite
from support.mqtt_samples import TOPICS, arrived, seat_view
from support.table_story import TableStory

from controller.console.seat_gateway import SeatGateway
from controller.hand.commands import VoidHand
from controller.hand.variants import VariantCode
from controller.table.inputs import AnswerSeat, SetGame
from controller.table.player_calls import CALL_AGAIN_S
from controller.words.catalogue import Language


@pytest.fixture
def site() -> StorySite:
    return StorySite(TableStory({1: 100, 4: 100}))


async def test_a_page_is_served_for_each_seat_with_a_strict_policy(site: StorySite) -> None:
    """Nothing inline, nothing from elsewhere, no amount before it is live; in the table's language."""
    site.seats.on_message(arrived(TOPICS.seat(4), seat_view(4)))
    page = await site.client.get("/seat/4")
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert re.findall(r"<script(?! type=\"application/json\")(?! type=\"module\" src=\"/static/)", page.text) == []
    assert "style=" not in page.text
    assert 'class="stale"' in page.text
    assert "296" not in page.text
    assert "Dmitri" in page.text
    for seat in ("0", "9", "x", "1/down"):
        assert (await site.client.get(f"/seat/{seat}")).status_code in (404, 422)


async def test_every_text_of_the_page_is_there_in_both_languages(site: StorySite) -> None:
    """The script's own texts; a key of them that no catalogue has stops the server's start."""
    found = re.search(r'<script type="application/json" id="words">(.*?)</script>', (await site.client.get("/seat/1")).text)
    assert found is not None
    words = json.loads(found.group(1))
    assert set(words) == {language.value for language in Language}
    assert words["en"].keys() == words["fr"].keys()


async def test_an_echo_is_taken_and_nothing_but_an_echo(site: StorySite) -> None:
    """It changes nothing at the table; a command in its place is unreadable."""
    before = site.told.state
    body = {"epoch": 2, "seq": 7, "digest": "00000000", "display": "page-1"}
    assert (await site.client.post("/api/v1/seats/4/echo", json=body)).status_code == 202
    for wrong in ({**body, "verb": "fold"}, {**body, "digest": "x"}, {}, {**body, "seat": 3}):
        assert (await site.client.post("/api/v1/seats/4/echo", json=wrong)).status_code == 422
    assert (await site.client.post("/api/v1/seats/9/echo", json=body)).status_code == 422
    assert site.told.state is before


async def test_the_rules_in_force_are_told_in_words_with_their_fingerprint(site: StorySite) -> None:
    """To everybody at the table, in both languages, for the hand in play or else the next one."""
    told = (await site.client.get("/api/v1/rules")).json()
    assert told["fingerprint"] == site.told.state.setup().rules_hash
    assert told["title"] == {"en": "Stud high: the rules of this table", "fr": "Stud high\u00a0: les règles de cette table"}
    lines = [line for section in told["sections"] for line in section["lines"]]
    assert len(lines) > 40
    assert all(line["en"] and line["fr"] and line["en"] != line["fr"] for line in lines if "R-" in line["en"])
    site.told.start().deal()
    assert site.told.order(VoidHand("floor")) is None
    assert site.told.order(SetGame(VariantCode.RAZZ)) is None
    assert (await site.client.get("/api/v1/rules")).json()["title"]["en"] == "Razz: the rules of this table"


@pytest.mark.parametrize(("given", "theme"), [("", "dark"), ("?theme=light", "light"), ("?theme=dark", "dark")])
async def test_a_page_has_the_colours_that_its_address_names(site: StorySite, given: str, theme: str) -> None:
    """Dark unless it says otherwise; another word is refused."""
    assert f'data-theme="{theme}"' in (await site.client.get(f"/seat/4{given}")).text
    assert (await site.client.get("/seat/4?theme=pink")).status_code == 422


async def test_a_player_calls_the_floor_and_a_person_answers(site: StorySite) -> None:
    """On record once however often it is touched; it stops nothing; strip and seat say so until somebody has come."""
    told = site.told.start().deal()
    before, seq = told.hand, told.state.seq
    for _ in range(3):
        assert (await site.client.post("/api/v1/seats/4/call")).status_code == 200
    assert (told.state.asked, told.hand) == ((4,), before)
    assert told.state.seq == seq + 1
    assert site.screen["strip"]["devices"]["text"]["en"] == "Seat 4 asks for you"
    assert site.screen["strip"]["devices"]["text"]["fr"].startswith("Le siège 4 vous demande")
    sheets = {seat: str(site.pages.sheet("seat", {"seat": str(seat)}, "")) for seat in (1, 4)}
    assert ["form:answer_seat" in sheets[seat] for seat in (1, 4)] == [False, True]
    refused = told.order(AnswerSeat(1))
    assert refused is not None
    assert refused.code == "seat_asks_nothing"
    assert told.order(AnswerSeat(4)) is None
    assert (told.state.asked, told.hand) == ((), before)
    assert not site.screen["strip"]["devices"]["wrong"]


async def test_calls_of_a_seat_are_throttled_and_those_of_nobody_refused(
    site: StorySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answered a moment ago: wait, and how long is said; the other seats are not held up; an empty one asks for nothing."""
    now = [1000.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    call = lambda seat: site.client.post(f"/api/v1/seats/{seat}/call")  # noqa: E731
    assert (await call(4)).status_code == 200
    assert site.told.order(AnswerSeat(4)) is None
    now[0] += 5
    refused = await call(4)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "25")
    assert refused.json()["refusal"]["code"] == "called_just_now"
    assert (await call(1)).status_code == 200
    assert (await call(2)).status_code == 409
    assert (await call(9)).status_code == 422
    now[0] += CALL_AGAIN_S
    assert (await call(4)).status_code == 200
    assert site.told.state.asked == (1, 4)


async def test_a_full_seat_is_told_and_leaves_the_others_alone(site: StorySite) -> None:
    """503 for that seat, with its reason."""
    site.seats.streams[4].close()
    answer = await site.client.get("/api/v1/seats/4/stream")
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (503, "too_many_pages")


def test_without_a_broker_there_is_nothing_to_show() -> None:
    """A gateway that nobody serves has no picture of any seat."""
    assert all(stream.screen is None for stream in SeatGateway(TOPICS).streams.values())
