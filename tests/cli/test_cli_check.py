"""``check`` for people and programs: what it prints, and its exit codes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import tomli_w

from controller.cli import main
from controller.cli.check import add_check_command
from controller.rehearsal import Play, config_for, registry_of
from controller.whole_file import write_whole
from simulators.rig import NINETEEN, SHOE_PORT, make_tags


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table none of whose devices is plugged in, and whose broker is not there."""
    ports = {name: str(tmp_path / name) for name in (SHOE_PORT, *NINETEEN)}
    raw = config_for(Play(speed=1.0), ports=ports, mqtt={"host": "127.0.0.1", "port": 1})
    write_whole(tmp_path / "deck.toml", registry_of(make_tags(random.Random(1))).toml())
    path = tmp_path / "table.toml"
    path.write_text(tomli_w.dumps(raw), encoding="utf-8")
    return str(path)


def test_people_read_the_rules_and_what_is_wrong_last(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    """House rules in words, then the problems with their remedies in the language asked for; exit 1."""
    assert callable(add_check_command)
    assert main(["check", table, "--language", "en"]) == 1
    out = capsys.readouterr().out
    assert "Problems: 8" in out
    assert "bring-in" in out.partition("Problems: 8")[0]
    last = out.splitlines()[-1]
    assert last == "- The broker at 127.0.0.1:1 does not answer: start mosquitto, or correct mqtt in the configuration."
    assert main(["check", table, "--language", "fr"]) == 1
    assert "branchez l’appareil, ou corrigez le port" in capsys.readouterr().out


def test_programs_read_one_object(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``ok`` and ``problems``, both languages beside each other, the posted card's hash; nothing on standard error."""
    assert main(["check", table, "--json"]) == 1
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    assert captured.err == ""
    assert told["ok"] is False
    assert {problem["code"] for problem in told["problems"]} == {"device.port_missing", "check.broker", "check.deck_not_checked"}
    assert told["problems"][0]["text_en"] != told["problems"][0]["text_fr"]
    assert len(told["rules"]) == 16


def test_a_deck_that_cannot_be_read_is_wrong_use(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and one sentence, as for any mistake in the files."""
    (Path(table).parent / "deck.toml").unlink()
    assert main(["check", table]) == 2
    assert "deck.toml cannot be read" in capsys.readouterr().err
