"""Devices as HTTP shows them: the four facts of each one's health with their ages, and its counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller.console.sheets import text_sheet
from controller.words.catalogue import Language, text
from controller.words.said import Said, joined, plain, say
from drivers.ports import AntennaReport, DeviceReport, Fact, LinkState, Trouble


def device_view(report: DeviceReport) -> dict[str, Any]:
    """A report as plain values; ages in seconds."""
    return {
        "name": report.name,
        "kind": report.kind,
        "address": report.address,
        "identity": report.identity,
        "port": _fact(report.port),
        "link": _fact(report.link),
        "device": _fact(report.device),
        "data": _fact(report.data),
        "counters": dict(report.counters),
        "trouble": _trouble(report.trouble),
        "antennas": [_antenna(antenna) for antenna in report.antennas],
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {"state": fact.state, "age_s": _rounded(fact.age_s), "detail": fact.detail}


def _antenna(part: AntennaReport) -> dict[str, Any]:
    return {
        "antenna": part.antenna,
        "state": part.state.value,
        "detail": part.detail,
        "identity": part.identity,
        "scan_age_s": _rounded(part.scan_age_s),
        "trouble": _trouble(part.trouble),
    }


def _trouble(trouble: Trouble | None) -> dict[str, str] | None:
    """Why a device is not used, with the remedy, in both languages."""
    if trouble is None:
        return None
    key = f"device.{trouble.code}"
    return {
        "code": trouble.code,
        "text_en": text(key, Language.EN, **trouble.values),
        "text_fr": text(key, Language.FR, **trouble.values),
    }


def _rounded(age_s: float | None) -> float | None:
    return None if age_s is None else round(age_s, 1)


def devices_sheet(reports: Sequence[DeviceReport], displays: Sequence[Said] = ()) -> dict[str, Any]:
    """Every device at a glance, for people: whether it answers, what is wrong with it and the remedy; a line's antennas below.
    ``displays`` are the lines of the seats' displays."""
    sections: list[tuple[Said | None, list[Said]]] = [(plain(report.name), _lines(report)) for report in reports]
    if displays:
        sections.append((say("ui.displays"), list(displays)))
    return text_sheet(say("ui.menu.devices"), sections)


def _lines(report: DeviceReport) -> list[Said]:
    answers = report.link.state == "ok"
    head = say("ui.device.line", name=report.kind, link=say("ui.device.up" if answers else "ui.device.down"))
    lines = [joined([head, *_age("ui.device.heard", report.link.age_s), *_age("ui.device.used", report.data.age_s)], " · ")]
    troubles = (report.trouble, *(antenna.trouble for antenna in report.antennas))
    lines += [say(f"device.{trouble.code}", **trouble.values) for trouble in troubles if trouble is not None]
    for antenna in report.antennas:
        state = say("ui.device.up" if antenna.state is LinkState.UP else "ui.device.down")
        line = say("ui.device.antenna", n=antenna.antenna, state=state)
        lines.append(joined([line, *_age("ui.device.scan", antenna.scan_age_s)], " · "))
    return lines


def _age(key: str, age_s: float | None) -> list[Said]:
    """How long ago something was, in seconds with one decimal; nothing for what never was."""
    if age_s is None:
        return []
    said = f"{age_s:.1f}"
    return [{one.value: text(key, one, s=said.replace(".", ",") if one is Language.FR else said) for one in Language}]
