"""``deck enrol|check``: wrong use, and a deck on a pseudo-terminal that is checked by its tags."""

from __future__ import annotations

import asyncio
import io
import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.table_runs import one_sentence, stud_table

from controller.cli import main
from controller.cli.deck import _on_return
from controller.cli.parsing import WRONG_USE
from controller.deck_care import care_path, digest_of, load_care
from controller.deck_desk import write_deck
from controller.hand.cards import DECK
from controller.tracking.registry import generate_registry, parse_registry_toml
from simulators.feig_reader import FeigReaders
from simulators.ports import PseudoTerminal

REGISTRY = generate_registry(random.Random(7))


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    """An enrolled deck."""
    path = tmp_path / "deck.toml"
    write_deck(path, REGISTRY)
    return path


def test_wrong_use_is_one_sentence(deck: Path, tmp_path: Path) -> None:
    """A deck that is there already, a set without a name, a card that is none, a file that is no deck: exit 2."""
    broken = tmp_path / "broken.toml"
    broken.write_text("deck = 1", encoding="utf-8")
    port = ("--port", "/dev/none")
    for arguments in (
        ("enrol", deck, *port, "--set", "S1"),
        ("enrol", tmp_path / "new.toml", *port),
        ("enrol", deck, *port, "--replace", "1z"),
        ("check", broken, *port),
    ):
        done = stud_table("deck", *arguments)
        assert done.returncode == 2, arguments
        assert one_sentence(done.stderr), done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "BYTES"), "is no text: name the file of an enrolled deck"),
        (("list", "DECK", "BYTES"), "is no text: name the file of an enrolled deck"),
        (
            ("check", "DECK", "--port", "/dev/none", "--antenna", "255"),
            "'255' is no address on a line: give a number from 0 to 254",
        ),
        (("check", "NOWHERE", "--port", "/dev/none"), "name the file of an enrolled deck"),
        (("enrol", "NOWHERE", "--port", "/dev/none", "--set", "S1"), "could not be written: there is no folder"),
        (("enrol", "NEW", "--port", "/dev/none", "--set", "S1\n"), "--set 'S1\\n' is no name: write it in letters"),
        (("enrol", "NEW", "--port", "/dev/none", "--set", "S1", "--deck", " "), "--deck ' ' is no name: write it in letters"),
    ],
)
def test_what_cannot_be_is_told_before_a_card_is_laid(
    arguments: tuple[str, ...], says: str, deck: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fifty-two cards are not laid in vain, and a file of bytes is no traceback: exit 2, one sentence, nothing told before."""
    raw = tmp_path / "bytes.toml"
    raw.write_bytes(b"\xff\xfe")
    names = {"DECK": deck, "BYTES": raw, "NEW": tmp_path / "new.toml", "NOWHERE": tmp_path / "no" / "new.toml"}
    try:
        code = main(["deck", *(str(names.get(word, word)) for word in arguments)])
    except SystemExit as ended:  # the parser's
        code = int(str(ended.code))
    said = capsys.readouterr()
    assert (code, said.out) == (WRONG_USE, "")
    assert says in said.err
    assert one_sentence(said.err)


def test_a_folder_that_cannot_be_written_is_told_before_a_card_is_laid(
    deck: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that is read-only, for a replaced card and for a check that is to be recorded."""
    monkeypatch.setattr("controller.cli.deck_care.os.access", lambda *_: False)
    port = ("--port", "/dev/none")
    for words in (
        ("enrol", str(deck), *port, "--replace", "Qh"),
        ("check", str(deck), *port, "--by", "Ann", "--agreed-by", "Ben"),
    ):
        assert main(["deck", *words]) == WRONG_USE
        assert "could not be written: give the folder" in capsys.readouterr().err


def test_return_takes_a_card_back_and_the_end_of_input_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a terminal's input is no Return, and is not read for ever."""
    done: list[str] = []
    desk = SimpleNamespace(back=lambda: done.append("back"))
    loop = SimpleNamespace(remove_reader=lambda _: done.append("deaf"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    for _ in range(2):
        _on_return(desk, loop)  # type: ignore[arg-type]
    assert done == ["back", "deaf"]


async def at_the_desk(tmp_path: Path, tags: tuple[str, ...], *arguments: str | Path) -> tuple[int, dict[str, object]]:
    """Run ``deck`` at a simulated FEIG reader on which ``tags`` lie."""
    port = PseudoTerminal(tmp_path / "desk")
    reader = FeigReaders(port, addresses=(1,), tags=lambda _: tags, rng=random.Random(1))
    port.replug()
    assert reader.inventories == 0
    try:
        done = await asyncio.to_thread(stud_table, "deck", *arguments, "--port", str(port.path), "--parity", "none", "--json")
    finally:
        port.close()
    return done.returncode, json.loads(done.stdout)


@pytest.mark.ports
async def test_a_whole_deck_and_one_that_is_not(deck: Path, tmp_path: Path) -> None:
    """Exit 0 with 52 of 52; exit 1 with the missing card and the foreign tag told."""
    tags = tuple(REGISTRY.tag(card) for card in DECK)
    assert await at_the_desk(tmp_path, tags, "check", deck) == (
        0,
        {"cards": 52, "missing": [], "duplicates": [], "foreign": 0, "ok": True, "recorded": False},
    )
    short = (*tags[1:], "E0040199AABBCCDD")
    code, found = await at_the_desk(tmp_path, short, "check", deck, "--seconds", "6")
    assert (code, found["missing"], found["foreign"]) == (1, [DECK[0].text], 1)


@pytest.mark.ports
async def test_a_check_by_two_people_is_recorded(deck: Path, tmp_path: Path) -> None:
    """What passed may be played, and what then fails may not; who checked and at which reader stands in the log (REG-41)."""
    tags = tuple(REGISTRY.tag(card) for card in DECK)
    people = ("--by", "Ann", "--agreed-by", "Ben")
    _, found = await at_the_desk(tmp_path, tags, "check", deck, *people)
    assert found["recorded"] is True
    passed = load_care(care_path(deck)).passed
    assert passed is not None
    assert (passed.by, passed.agreed_by, passed.digest, passed.used) == ("Ann", "Ben", digest_of(REGISTRY), "")
    assert passed.machine == f"feig at {tmp_path / 'desk'}, antenna 1"
    code, _ = await at_the_desk(tmp_path, tags[1:], "check", deck, *people, "--seconds", "6")
    care = load_care(care_path(deck))
    assert (code, care.passed, [line["what"] for line in care.log]) == (1, None, ["checked", "check_failed"])


@pytest.mark.ports
async def test_one_card_is_enrolled_anew(deck: Path, tmp_path: Path) -> None:
    """The new card lies on the reader: it has the new tag, the others theirs."""
    code, found = await at_the_desk(tmp_path, ("E0040199AABBCCDD",), "enrol", deck, "--replace", DECK[0].text)
    assert (code, found["cards"]) == (0, 52)
    written = parse_registry_toml(deck.read_text(encoding="utf-8"))
    assert written.tag(DECK[0]) == "E0040199AABBCCDD"
    assert all(written.tag(card) == REGISTRY.tag(card) for card in DECK[1:])
    care = load_care(care_path(deck))
    assert care.enrolled == digest_of(written)
    assert (care.log[-1]["what"], care.log[-1]["card"]) == ("replaced", DECK[0].text)
    assert care.log[-1]["by"]
