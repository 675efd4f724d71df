"""The seats' displays on the dealer's console."""

from __future__ import annotations

from support.console_site import StorySite
from support.mqtt_samples import device
from support.table_story import TableStory

from controller.console.seat_health import display_lines, with_displays
from controller.console.site import Pages
from controller.mqtt.payloads import Device, DeviceHealth, Words
from controller.words.said import say

WELL = {"wrong": False, "text": say("ui.devices.ok")}


def displays(**health: DeviceHealth) -> dict[str, Device]:
    """``d4_page`` is the display ``page`` of seat 4."""
    names = {name: f"display-{name[1]}-{name[3:]}" for name in health}
    return {names[name]: device(names[name]).model_copy(update={"health": found}) for name, found in health.items()}


def test_good_displays_are_not_spoken_of() -> None:
    """Grey is normal."""
    assert with_displays(WELL, {}) is WELL
    assert with_displays(WELL, displays(d3_a=DeviceHealth.OK)) is WELL


def test_a_seat_whose_display_differs_or_is_gone_is_named() -> None:
    """In both languages, beside a device that does not answer."""
    found = with_displays(WELL, displays(d3_a=DeviceHealth.DEGRADED, d4_a=DeviceHealth.LOST))
    assert found["wrong"]
    assert found["text"]["en"] == "Display of seat 3 shows something else · Display of seat 4 not live"
    assert found["text"]["fr"].startswith("L’écran du siège 3 montre autre chose · Écran du siège 4")
    down = {"wrong": True, "text": say("ui.devices.bad", names="shoe")}
    assert with_displays(down, displays(d4_a=DeviceHealth.LOST))["text"]["en"].startswith("shoe: not answering · ")


def test_a_page_that_was_closed_is_no_matter_while_its_seat_has_another() -> None:
    """One that differs is, whatever the other shows."""
    assert with_displays(WELL, displays(d3_a=DeviceHealth.LOST, d3_b=DeviceHealth.OK)) is WELL
    assert with_displays(WELL, displays(d3_a=DeviceHealth.DEGRADED, d3_b=DeviceHealth.OK))["wrong"]


async def test_the_console_shows_it_in_strip_and_devices() -> None:
    """What the publisher knows reaches the dealer."""
    site = StorySite(TableStory({1: 100, 4: 100}))
    words = Words(en="Cover it.", fr="Couvrez-le.")
    seen = {name: one.model_copy(update={"text": words}) for name, one in displays(d4_a=DeviceHealth.DEGRADED).items()}
    assert display_lines(displays(d3_a=DeviceHealth.OK)) == [say("ui.display.ok", n=3)]
    pages = Pages(site.desk, displays=lambda: seen)
    assert pages.picture()["screen"]["strip"]["devices"]["text"]["en"].endswith("Display of seat 4 shows something else")
    assert display_lines(seen) == [{"en": "Cover it.", "fr": "Couvrez-le."}]
    sheet = pages.sheet("devices", {}, "")
    assert sheet is not None
    assert "Cover it." in str(sheet)


async def test_a_broker_that_is_away_is_said_at_once() -> None:
    """REG-14: by the next beat of the page, whether a display was ever heard or not; beside a device that does not answer."""
    site = StorySite(TableStory({1: 100, 4: 100}))
    there = True
    pages = Pages(site.desk, broker=lambda: there)
    assert not pages.picture()["screen"]["strip"]["devices"]["wrong"]
    there = False
    found = pages.picture()["screen"]["strip"]["devices"]
    assert (found["wrong"], found["text"]) == (True, say("ui.broker.lost"))
    down = {"wrong": True, "text": say("ui.devices.bad", names="shoe")}
    both = with_displays(down, displays(d4_a=DeviceHealth.LOST), broker=False)["text"]["en"]
    assert both == "shoe: not answering · Displays not live: no broker"
