"""The text that is scraped, and who may scrape it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from controller.config_values import MetricsSection
from controller.console.http import make_api
from controller.gate.scrape import Scrape
from controller.histogram import Histogram
from controller.metrics.declared import Sample, counter, gauge, histogram
from controller.metrics.exposition import PROCESS, Exposition
from controller.words.catalogue import Language

CARDS = counter("stud_test_cards_total", "Cards.", "kind")
UP = gauge("stud_test_up", "Up.")
TOOK = histogram("stud_test_seconds", "Took.")


def test_each_kind_is_told_as_prometheus_reads_it() -> None:
    """A counter keeps its name, a histogram's buckets add up, each has the constant label, and what has no value is declared."""
    took = Histogram((0.1, 1.0))
    for value in (0.05, 0.5, 5.0):
        took.add(value)
    samples = [Sample(CARDS, 3, ('a"b',)), Sample(TOOK, took)]
    text = Exposition((CARDS, UP, TOOK), lambda: samples, ("table", "T1")).text().decode()
    assert 'stud_test_cards_total{kind="a\\"b",table="T1"} 3.0' in text
    assert "# TYPE stud_test_up gauge" in text
    told = {family.name: family for family in text_string_to_metric_families(text)}
    buckets = {one.labels["le"]: one.value for one in told["stud_test_seconds"].samples if "le" in one.labels}
    assert buckets == {"0.1": 1, "1.0": 2, "+Inf": 3}
    assert {name for name in told if name.startswith("process_")} == {one.name.removesuffix("_total") for one in PROCESS}


def test_what_is_not_declared_is_not_told() -> None:
    """A sample of a stranger is a fault of the program, and so is a histogram under a gauge's name."""
    with pytest.raises(KeyError):
        Exposition((UP,), lambda: [Sample(CARDS, 1, ("x",))]).text()
    with pytest.raises(TypeError, match="declared as gauge"):
        Exposition((UP,), lambda: [Sample(UP, Histogram((1.0,)))]).text()
    with pytest.raises(ValueError, match="_total"):
        counter("stud_test_cards", "Cards.")


ASKING = [
    ("127.0.0.1", True),
    ("127.8.0.1", True),
    ("::1", True),
    ("10.0.0.5", True),
    ("::ffff:10.0.0.5", True),
    ("10.1.0.77", True),
    ("10.0.0.6", False),
    ("10.1.1.1", False),
    ("fe80::1", False),
    ("testclient", False),
    ("", False),
]


@pytest.mark.parametrize(("host", "may"), ASKING)
def test_metrics_are_for_this_machine_and_whom_the_configuration_names(host: str, may: bool) -> None:
    """By the address alone; what is no address may not."""
    assert Scrape(allow=MetricsSection(allow=("10.0.0.5", "10.1.0.0/24")).networks()).admits(host) is may


@pytest.mark.parametrize(("host", "may"), [("10.1.0.7", True), ("10.0.0.6", False)])
async def test_the_route_asks_for_the_address_alone(host: str, may: bool) -> None:
    """Nobody signs in; everybody else is told in both languages, and gets nothing."""
    scrape = Scrape(lambda: b"stud_up 1\n", MetricsSection(allow=("10.0.0.5", "10.1.0.0/24")).networks())
    api: FastAPI = make_api(_Desk(), dict, "0", scrape=scrape)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api, client=(host, 1)), base_url="http://table") as client:
        answer = await client.get("/metrics")
    if may:
        assert (answer.status_code, answer.text) == (200, "stud_up 1\n")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    else:
        assert answer.status_code == 403
        assert answer.json()["refusal"]["code"] == "not_watching"
        assert "stud_up" not in answer.text


def test_an_address_that_is_none_is_refused_by_the_configuration() -> None:
    """Named with the way out."""
    with pytest.raises(ValueError, match=r"'10\.0\.0\.0/99' is no address and no network"):
        MetricsSection(allow=("10.0.0.0/99",))


class _Desk:
    language = Language.EN

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)
