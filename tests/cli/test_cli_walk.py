"""``stud-table walk``: for people, step by step, and as JSON."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.walk import step_through, tell_plain
from controller.walk import walk
from controller.words.catalogue import Language, text

RELEASED = Path(__file__).parents[1] / "data/releases/0.1.0/journal"


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of two hands that the first release played."""
    return shutil.copytree(RELEASED, tmp_path_factory.mktemp("copy") / "data")


def test_it_prints_every_step_where_nobody_can_press_a_key(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Marked as a recall (REG-03), with journal and head, and a line for each record."""
    assert main(["walk", str(journal), "--language", "fr"]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = walk(journal)
    assert lines[0] == text("ui.recall", Language.FR)
    assert found.chain.head.hex() in lines[1]
    numbers = [int(line[:8]) for line in lines if line[:8].strip().isdecimal()]
    assert numbers == [event.seq for hand in found.hands for event in hand.events]
    assert any("(R-BRING-" in line and "pot 3" in line for line in lines)


def test_json_and_one_hand(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each hand as the floor tells it; a hand that is not there is wrong use."""
    assert main(["walk", str(journal), "--hand", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], [hand["hand"] for hand in told["hands"]]) == (True, [2])
    assert told["hands"][0]["steps"][0]["seq"] == told["hands"][0]["first"]
    assert main(["walk", str(journal), "--hand", "77"]) == 2
    assert "holds no hand 77" in capsys.readouterr().err
    assert main(["walk", str(journal / "gone")]) == 2
    assert "there is no journal" in capsys.readouterr().err


def test_a_journal_that_was_cut_short_exits_with_1(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a head that was noted elsewhere."""
    assert main(["walk", str(journal), "--head", "0" * 64, "--language", "en"]) == 1
    assert "DOES NOT HOLD" in capsys.readouterr().out


def test_step_by_step(journal: Path) -> None:
    """On, back, the next hand, the one before, the end: with the table after each step."""

    def keys(*pressed: str) -> str:
        left: Iterator[str] = iter(pressed)
        told: list[str] = []

        def ask(asked: str) -> str:
            told.append(f"<{asked.partition(':')[0]}>")
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        step_through(walk(journal).hands, Language.EN, ask=ask, tell=told.append)
        return "".join(told)

    whole = keys("", "", "b", "n", "p", "q", "")
    assert [part.partition(">")[0] for part in whole.split("<")[1:]] == [
        "step 1 of 63",
        "step 2 of 63",
        "step 3 of 63",
        "step 2 of 63",
        "step 1 of 33",
        "step 1 of 63",
    ]
    assert "seat 1: 199" in whole
    assert "seat 2" not in whole
    assert keys("n", *[""] * 33, "").count("step 33 of 33") == 1
    assert keys("p").count("step 1 of 63") == 2


def test_odd_numbers_and_terminals(journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """More hands than a machine counts are all of them; a terminal of few letters gets the rest as question marks."""
    assert main(["walk", str(journal), "--hands", "9" * 30, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["hands"]) == 2
    plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", plain)
    assert main(["walk", str(journal), "--hand", "1", "--language", "fr"]) == 0
    plain.flush()
    assert b"K?" in plain.buffer.getvalue()  # type: ignore[attr-defined]


def test_a_name_gives_the_terminal_no_order(capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes, bells and letters that turn the line round are shown as what they are; accents and hard spaces stay."""
    tell_plain("  12  \x1b[2JAnn\x07\u202e\u9b31: relève\u00a0!\n")
    assert capsys.readouterr().out == "  12  \ufffd[2JAnn\ufffd\ufffd\u9b31: relève\u00a0!\n"
