"""``watch``: its options. What it draws is seen in the end-to-end tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console
from support.table_runs import one_sentence
from support.venue_keys import VenueKeys

from controller.cli import main, watch
from controller.mqtt.client import Connection
from controller.tls import ClientTls
from controller.words.catalogue import Language


def test_watch_looks_where_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broker, table, seat and language."""
    seen: list[tuple[object, ...]] = []

    async def show(connection: object, topics: object, screen: Console, random: object, **how: object) -> None:
        seen.append((connection.host, connection.port, topics.root, how["seat"], how["language"]))  # type: ignore[attr-defined]

    monkeypatch.setattr(watch, "watch", show)
    arguments = ["watch", "--broker", "mqtt://10.0.0.1:99", "--seat", "3", "--venue", "v", "--table", "T9", "--language", "fr"]
    assert main(arguments) == 0
    assert seen == [("10.0.0.1", 99, "stud/v1/v/T9", 3, Language.FR)]


def test_watch_shows_the_certificate_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a folder that the venue's authority made; one that cannot be used is named before anything is drawn."""
    seen: list[object] = []

    async def show(connection: Connection, *_: object, **__: object) -> None:
        seen.append(connection.tls)

    monkeypatch.setattr(watch, "watch", show)
    venue = VenueKeys(tmp_path)
    folder = venue.issued("display-T12-seat-3")
    given = ["watch", "--broker", "mqtt://localhost:8883", "--seat", "3", "--identity"]
    assert main([*given, str(folder)]) == 0
    assert seen == [ClientTls(folder / "authority.pem", folder / "certificate.pem", folder / "key.pem")]
    assert main([*given, str(tmp_path / "none")]) == 2
    assert "--identity: " in (said := capsys.readouterr().err)
    assert one_sentence(said)


@pytest.mark.parametrize("options", [["--events", "--seat", "3"], ["--after", "5"], ["--events", "--after", "-1"]])
def test_options_of_watch_that_would_do_nothing_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks for a seat's events, or for a display from a record on, is told instead of shown something else."""
    assert main(["watch", *options]) == 2
    assert one_sentence(capsys.readouterr().err)


@pytest.mark.parametrize("seat", ["0", "9", "x"])
def test_seats_are_one_to_eight(seat: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Others are wrong use."""
    with pytest.raises(SystemExit):
        main(["watch", "--seat", seat])
    assert capsys.readouterr().err.count("\n") == 1
