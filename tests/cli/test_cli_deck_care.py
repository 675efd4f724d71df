"""``deck quarantine|release|show|list`` and a recorded check: who, when, in two languages, and what comes of it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.cli.deck_care import load_deck
from controller.deck_care import DeckCare, DeckPassed, care_path, change_care, digest_of, load_care
from controller.deck_desk import write_deck
from controller.hand.cards import DECK, parse_card
from controller.tracking.life import Wear
from controller.tracking.registry import generate_registry

REGISTRY = generate_registry(random.Random(7), deck_id="D2")
AT = "2026-01-01T10:00:00.000Z"
PEOPLE = ("--by", "Ann", "--agreed-by", "Ben")


@pytest.fixture
def deck(tmp_path: Path) -> str:
    """An enrolled deck of which nothing is known."""
    path = tmp_path / "d2.toml"
    write_deck(path, REGISTRY)
    assert load_deck(path).deck_id == "D2"
    return str(path)


def care(deck: str) -> DeckCare:
    """What its file says."""
    return load_care(care_path(Path(deck)))


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command says as JSON."""
    assert main(["deck", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_deck_goes_into_quarantine_and_comes_out(deck: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One person takes it out of play; two put it back, and then it is to be checked."""
    assert main(["deck", "quarantine", deck, "--by", "Cleo", "--reason", "a bent corner", "--language", "en"]) == 0
    assert capsys.readouterr().out == "D2 is in quarantine: no further hand is started with it.\n"
    mark = care(deck).quarantine
    assert mark is not None
    assert (mark.by, mark.reason) == ("Cleo", "a bent corner")
    assert told(capsys, "show", deck)["state"] == "quarantined"
    assert main(["deck", "release", deck, *PEOPLE, "--language", "fr"]) == 0
    assert capsys.readouterr().out == "D2 n’est plus en quarantaine. Vérifiez le jeu avant de jouer.\n"
    assert [line["what"] for line in told(capsys, "show", deck)["log"]] == ["quarantined", "released"]
    assert told(capsys, "show", deck)["state"] == "unchecked"


def test_a_card_goes_into_quarantine(deck: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and bars its deck until it is released."""
    shown = told(capsys, "quarantine", deck, "--card", "7h", "--by", "Cleo", "--reason", "no answer")
    assert shown["cards"]["7h"]["quarantine"]["reason"] == "no answer"
    assert (shown["state"], shown["quarantine"]) == ("quarantined", None)
    main(["deck", "show", deck, "--language", "fr"])
    assert "7h est en quarantaine depuis" in capsys.readouterr().out
    told(capsys, "quarantine", deck, "--by", "Cleo", "--reason", "bent")
    assert main(["deck", "release", deck, *PEOPLE, "--language", "en"]) == 0
    assert "out of quarantine, but not 7h: replace" in capsys.readouterr().out
    assert told(capsys, "release", deck, "--card", "7h", *PEOPLE)["state"] == "unchecked"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("release", *PEOPLE), "the deck is in no quarantine: stud-table deck show"),
        (("release", "--card", "7h", *PEOPLE), "7h is in no quarantine: stud-table deck show"),
        (("release", "--by", "Ann", "--agreed-by", " ann"), "name two different people, one with --by and one with --agreed-by"),
        (("quarantine", "--by", " ", "--reason", "x"), "say who takes it out of play with --by, and why with --reason"),
        (("quarantine", "--by", "Ann", "--reason", "x", "--card", "1z"), "1z"),
        (("check", "--port", "/dev/none", "--by", "Ann"), "name two different people, one with --by and one with --agreed-by"),
    ],
)
def test_wrong_use_is_one_sentence_and_changes_nothing(
    deck: str, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    """Exit 2 with the way out."""
    assert main(["deck", arguments[0], deck, *arguments[1:]]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not care_path(Path(deck)).exists()


def test_a_file_that_is_none_is_named(deck: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The deck's file is missing, or its record is torn."""
    assert main(["deck", "show", str(tmp_path / "nowhere.toml")]) == 2
    assert "nowhere.toml cannot be read (No such file or directory): name the file of an enrolled deck" in capsys.readouterr().err
    care_path(Path(deck)).write_text("{", encoding="utf-8")
    for command in (("show", deck), ("list", deck), ("quarantine", deck, "--by", "Ann", "--reason", "x")):
        assert main(["deck", *command]) == 2
        assert "move it away and check the deck" in capsys.readouterr().err


def used(deck: str) -> None:
    """950 hands were played; one card is worn, and the shoe does not read it."""
    passed = DeckPassed(AT, "Ann", "Ben", "desk", digest_of(REGISTRY), "T1")
    wear = {card: Wear(10_000, 100) for card in DECK} | {parse_card("Qh"): Wear(9_000, 1_000, 4)}
    change_care(care_path(Path(deck)), lambda care: care.found(passed).played("j/1", 950).worn("", wear))


def test_the_life_of_a_deck_is_shown(deck: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Hands, check, and what should be replaced with the command for it; in French too (REG-42)."""
    used(deck)
    shown = told(capsys, "show", deck, "--life-hands", "1000")
    assert (shown["state"], shown["hands"], shown["checked"]["agreed_by"]) == ("in_play", 950, "Ben")
    assert shown["cards"]["Qh"] == {"hands": 950, "readings": 9_000, "miss_rate": 0.1, "unread": 4, "quarantine": None}
    assert [(sign["card"], sign["code"]) for sign in shown["warnings"]] == [
        (None, "deck.old"),
        ("Qh", "deck.worn"),
        ("Qh", "deck.unread"),
    ]
    main(["deck", "show", deck, "--life-hands", "0", "--language", "fr"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "D2\u00a0: 950 coups joués, en jeu."
    assert lines[1] == f"Vérifié {AT} par Ann, confirmé par Ben, desk."
    assert "--replace Qh" in lines[2]
    assert lines[4].startswith("Qh\u00a0: 10.0 %") or "10.0 %" in lines[4]


def test_several_decks_are_listed(deck: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, and one object for programs."""
    other = tmp_path / "d3.toml"
    write_deck(other, generate_registry(random.Random(8), deck_id="D3"))
    used(deck)
    main(["deck", "list", deck, str(other), "--language", "en"])
    assert capsys.readouterr().out.splitlines() == [
        f"D2 ({deck}): 950 hands played, warnings 2, in play",
        f"D3 ({other}): 0 hands played, warnings 0, to be checked",
    ]
    assert [row["deck"] for row in told(capsys, "list", deck, str(other))["decks"]] == ["D2", "D3"]
