"""Devices over HTTP: four facts and their ages, counters, and a line's antennas."""

from __future__ import annotations

import httpx

from controller.console.desk import Desk
from controller.console.http import make_api
from controller.words.catalogue import Language
from drivers.feig.identity import Expected
from drivers.ports import AntennaReport, DeviceReport, Fact, LinkState


async def test_each_device_is_shown_with_four_facts_and_their_ages() -> None:
    """Port, link, device and data fail apart from each other; a line's antennas stand under it, with counters beside."""
    swapped = Expected({1: "AA"}, None, {"BB": "felt-b/1"}).judge("felt-a", 1, 0x44, "BB")
    report = DeviceReport(
        "felt-a",
        "readers",
        "/dev/stud/felt-a",
        "software 3.03",
        Fact("open", 61.26),
        Fact("silent", 3.04),
        Fact("impaired", None, "0 of 1 antennas are scanned"),
        Fact("none", None),
        {"reopens": 2},
        (AntennaReport(1, LinkState.QUARANTINE, "another reader", "software 3.03", None, swapped),),
    )
    api = make_api(Desk(None, "T1", Language.EN), dict, "1.0", lambda: (report,))  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://table") as client:
        (shown,) = (await client.get("/api/v1/devices")).json()["devices"]
        sheet = (await client.get("/api/v1/sheets", params={"name": "devices"})).json()
    assert shown["port"] == {"state": "open", "age_s": 61.3, "detail": ""}
    assert shown["link"] == {"state": "silent", "age_s": 3.0, "detail": ""}
    assert shown["device"]["detail"] == "0 of 1 antennas are scanned"
    assert shown["data"]["age_s"] is None
    assert shown["counters"] == {"reopens": 2}
    assert shown["antennas"][0]["state"] == "quarantine"
    assert shown["trouble"] is None
    assert "swap the two cables back" in shown["antennas"][0]["trouble"]["text_en"]
    assert "remettez les deux câbles" in shown["antennas"][0]["trouble"]["text_fr"]
    [section] = sheet["sections"]
    said = [line["en"] for line in section["lines"]]
    assert section["title"]["en"] == "felt-a"
    assert said[0] == "readers: does not answer · heard 3.0 s ago"
    assert section["lines"][0]["fr"].endswith("entendu il y a 3,0 s")
    assert "swap the two cables back" in said[1]
    assert said[2] == "antenna 1: does not answer"
