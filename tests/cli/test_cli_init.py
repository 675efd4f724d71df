"""``init``: by options, by questions in either language, and never over a file that is there."""

from __future__ import annotations

import errno
import io
import os
import tomllib
from pathlib import Path

import pytest

from controller.cli import init, main
from controller.config import load_config, parse_config
from controller.floor_config import load_floor_config


class Terminal(io.StringIO):
    """Answers that a person types."""

    def isatty(self) -> bool:
        return True


def answered(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(init.sys, "stdin", Terminal("".join(f"{line}\n" for line in lines)))


def test_by_options_nothing_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written loads; ``check`` says first what is missing; a second time the file is there."""
    words = ["init", "table", "--out", str(tmp_path / "T7"), "--name", "T7", "--seats", "7", "--stakes", "5/10/20/40", "--yes"]
    assert main([*words, "--user", "T7", "--state", "."]) == 0
    config = load_config(tmp_path / "T7/table.toml")
    assert (config.table.name, config.game.stakes.big, len(config.readers)) == ("T7", 40, 5)
    assert config.readers[4].port == "/dev/stud-table/T7/felt-e"
    assert (config.mqtt and config.mqtt.username, config.http.port, config.access) == ("T7", 8080, "people")
    capsys.readouterr()
    assert main(["check", str(tmp_path / "T7/table.toml")]) == 2
    assert capsys.readouterr().err.endswith("deck.toml cannot be read: No such file or directory\n")
    assert main(words) == 2
    assert "is there already: name another folder with --out" in capsys.readouterr().err


def test_addresses_and_folders_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets of an IPv6 address are no part of it; what is half of one is asked for again. A file is no folder."""
    words = ["init", "table", "--yes", "--out", str(tmp_path / "T1"), "--http"]
    for odd in ("[::1", "[::1:8080", "a b:8080", "x/y:8080", "[]:8080", ":8080", "x:" + "9" * 5000):
        assert main([*words, odd]) == 2
        assert capsys.readouterr().err == "stud-table: --http: write host:port, as 127.0.0.1:8080\n"
    assert main([*words, "[::1]:8081"]) == 0
    http = load_config(tmp_path / "T1/table.toml").http
    assert (http.host, http.port) == ("::1", 8081)
    capsys.readouterr()
    (tmp_path / "file").touch()
    assert main(["init", "floor", "--yes", "--out", str(tmp_path / "file")]) == 2
    assert "cannot be written (Not a directory): name another place with --out" in capsys.readouterr().err


def test_a_disk_that_is_full_leaves_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is there that the next run would take for somebody's; a whole one may be read by its group alone."""
    words = ["init", "table", "--out", str(tmp_path), "--yes"]

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert main(words) == 2
    assert "No space left" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(words) == 0
    assert (tmp_path / "table.toml").stat().st_mode & 0o137 == 0


def test_questions_are_asked_again_until_they_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ports are chosen by number; what cannot be is said in the language of the questions."""
    monkeypatch.setattr(init, "ports_found", lambda: ["/dev/serial/by-path/a", "/dev/serial/by-path/b"])
    answers = ("nice", "T2", "", "poker", "razz", "", "1/2/3", "", "3", "9", "1", "", "2", "", "oui", "", "", "", "non", "")
    answered(monkeypatch, *answers)
    assert main(["init", "table", "--out", str(tmp_path), "--language", "fr"]) == 0
    config = load_config(tmp_path / "table.toml")
    assert (config.table.venue, config.table.language, config.game.variant) == ("nice", "fr", "razz")
    assert config.shoe is not None
    assert (config.shoe.port, config.readers[0].port, config.access) == ("/dev/serial/by-path/a", "/dev/serial/by-path/b", "open")
    assert config.readers[0].antennas["1"] == "seat/1"
    said = capsys.readouterr().err
    assert said.count("Impossible\u00a0: ") == 3
    assert "  2  /dev/serial/by-path/b\n" in said


def test_questions_that_nobody_answers_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal was closed."""
    answered(monkeypatch, "nice")
    assert main(["init", "table", "--out", str(tmp_path)]) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_floor_by_questions_and_without_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a table of people alone."""
    answered(monkeypatch, "", "postgresql://floor@db/floor", "", "broker:1884", "floor", "", "")
    assert main(["init", "floor", "--out", str(tmp_path)]) == 0
    floor = load_floor_config(tmp_path / "floor.toml")
    assert (floor.venue, floor.mqtt.port, floor.mqtt.username, floor.store.url[:10]) == ("main-room", 1884, "floor", "postgresql")
    assert main(["init", "table", "--out", str(tmp_path), "--shoe", "-", "--readers", "-", "--yes"]) == 0
    assert load_config(tmp_path / "table.toml").devices == ()


def test_encrypted_connections_name_the_certificates_of_the_venue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As ``keys issue`` calls their folders, with the port and the refusal of plain connections that go with them."""
    assert main(["init", "table", "--out", str(tmp_path), "--name", "T2", "--tls", "--yes"]) == 0
    raw = tomllib.loads((tmp_path / "table.toml").read_text(encoding="utf-8"))
    assert (raw["production"], raw["mqtt"]["port"], raw["mqtt"]["cert_file"]) == (True, 8883, "table-T2/certificate.pem")
    assert raw["http"]["key_file"] == "table-T2/key.pem"
    assert parse_config(raw, "table.toml").mqtt is not None
    assert "floor" not in raw
    capsys.readouterr()


@pytest.mark.parametrize(
    "words",
    [
        ["--stakes", "1/2"],
        ["--seats", "9"],
        ["--http", "here"],
        ["--shoe", "a,b"],
        ["--shoe-driver", "none"],
        ["--readers", "3"],
        ["--seats", "2", "--readers", "a,b,c,d"],
        ["--venue", "two words"],
        ["--open", "--http", "0.0.0.0:80"],
    ],
)
def test_wrong_options_are_one_sentence(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, and nothing is written."""
    assert main(["init", "table", "--out", str(tmp_path), "--yes", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_names_of_ports_that_stay_are_found(tmp_path: Path) -> None:
    """Not ``ttyUSB0``, which is whichever was found first."""
    for name in ("ttyUSB0", "stud-table/T1/shoe", "serial/by-path/pci-1"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert init.ports_found(tmp_path) == [str(tmp_path / "stud-table/T1/shoe"), str(tmp_path / "serial/by-path/pci-1")]


def test_a_table_takes_orders_of_the_floor_whose_key_it_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The public half lies beside its configuration; without it no floor orders there."""
    assert main(["init", "table", "--out", str(tmp_path), "--yes", "--floor-key", "floor.key.pub"]) == 0
    raw = tomllib.loads((tmp_path / "table.toml").read_text(encoding="utf-8"))
    assert raw["floor"] == {"public_key_file": "floor.key.pub"}
    capsys.readouterr()
