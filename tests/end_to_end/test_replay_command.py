"""``stud-table replay`` over the recorded hands: through the state machine, a simulated table, and real ports."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Final

import pytest
from support.table_runs import CORPUS, one_sentence

from controller.cli import main

GHOSTS: Final = ("--set", "deal.ghost_cards_after_free_fold=false")
"""Sites deal no more cards to a seat that folded with no bet to call."""
GENERATOR: Final = (
    *GHOSTS,
    *("--set", "bring_in.short=match_short"),
    *("--set", "odd_chip.policy=five_card_high_suit", "--set", "odd_chip.distribution=one_each"),
    *("--set", "hilo.same_winners_both_ways=two_step"),
)
"""House rules of the generated hands."""
FLAGGED: Final = "6923acaaacd5e51f"
"""The hand whose record says that no casino allows it: a raise to 7716 where it must be 8800."""
REAL: Final = CORPUS / "real.jsonl"
GENERATED: Final = sorted(CORPUS.glob("generated-*.jsonl"))
WHOLE: Final = sorted((CORPUS / "all").glob("generated-*.jsonl.xz"))
"""All 1380 generated hands, of which ``GENERATED`` is a choice."""


def replay(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON object of one replay."""
    code = main(["replay", *map(str, arguments), "--json"])
    told = capsys.readouterr()
    found: dict[str, Any] = json.loads(told.out)
    assert found.keys() >= {"hands", "agree", "differ", "refused", "seconds"}
    assert found["hands"] == found["agree"] + len(found["differ"]) + len(found["refused"])
    return code, found


def spread(file: Path, folder: Path, count: int) -> Path:
    """``count`` hands of a file, evenly spread over it, in a file of their own."""
    lines = file.read_text(encoding="utf-8").splitlines()
    step = max(1, len(lines) // count)
    chosen = folder / f"{file.stem}-{count}.jsonl"
    chosen.write_text("\n".join(lines[::step][:count]) + "\n", encoding="utf-8")
    return chosen


def unpacked(folder: Path) -> list[Path]:
    """All generated hands as files that can be replayed."""
    for packed in WHOLE:
        (folder / packed.stem).write_bytes(lzma.decompress(packed.read_bytes()))
    return sorted(folder.glob("generated-*.jsonl"))


def refused_at_the_wrong_action(found: dict[str, Any]) -> bool:
    """Whether the flagged hand is refused where it is illegal, by the rule of amounts."""
    flagged = [refused for refused in found["refused"] if refused["hand_id"] == FLAGGED]
    return [(one["event"], one["rule"], one["illegal_by_casino_rules"]) for one in flagged] == [
        ("street 3: seat 4 raise", "R-BET-11", True)
    ]


def test_every_real_hand_agrees_through_the_state_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """158 hands of real players: all agree but the illegal one, and one that names the house rule of its site."""
    code, found = replay(capsys, REAL, *GHOSTS)
    assert (code, found["hands"], found["agree"], found["differ"]) == (0, 158, 156, [])
    assert refused_at_the_wrong_action(found)
    site = [one for one in found["refused"] if one["hand_id"] != FLAGGED]
    assert [one["house_rule"] for one in site] == ["bring_in.short=match_short"]


def test_the_illegal_hand_alone_is_refused_by_the_sites_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """With the short bring-in as that site plays it, 157 agree; the exit code stays 0."""
    code, found = replay(capsys, REAL, *GHOSTS, "--set", "bring_in.short=match_short")
    assert (code, found["agree"], len(found["refused"])) == (0, 157, 1)
    assert refused_at_the_wrong_action(found)


def test_every_generated_hand_agrees_by_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """160 hands of all three games, ties among them, by the house rules of their generator."""
    assert len(GENERATED) == 4
    code, found = replay(capsys, *GENERATED, *GENERATOR)
    assert (code, found["hands"], found["agree"]) == (0, 160, 160)


def test_all_1380_generated_hands_agree_through_the_state_machine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """400 of each game and 180 with ties: nothing differs and nothing is refused."""
    code, found = replay(capsys, *unpacked(tmp_path), *GENERATOR)
    assert (code, found["hands"], found["agree"], found["differ"], found["refused"]) == (0, 1380, 1380, [], [])


def test_a_hand_by_other_house_rules_names_the_knob(capsys: pytest.CaptureFixture[str]) -> None:
    """By the preset's own rules each exception names the one knob that explains it; what none explains makes the exit code 1."""
    code, found = replay(capsys, CORPUS / "generated-stud.jsonl", *GHOSTS)
    assert code == 0
    assert {one["house_rule"] for one in found["refused"]} == {"bring_in.short=match_short"}
    code, found = replay(capsys, CORPUS / "generated-ties.jsonl", *GHOSTS)
    assert code == 1
    assert found["differ"]
    assert found["differ"][0].keys() == {"hand_id", "event", "expected", "got", "rule"}


@pytest.mark.parametrize("preset", ["seeds", "live_cash", "tournament"])
def test_every_preset_replays_every_file(capsys: pytest.CaptureFixture[str], preset: str) -> None:
    """No hand makes the machine fall over; without rake most agree, and the flagged one by no preset."""
    code, found = replay(capsys, REAL, *GENERATED, "--preset", preset, "--set", "rake.percent=0", "--set", "rake.cap=0")
    assert found["hands"] == 318
    assert code in (0, 1)
    assert any(one["hand_id"] == FLAGGED for one in (*found["refused"], *found["differ"]))
    assert found["agree"] > 260


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_one_game_alone(capsys: pytest.CaptureFixture[str], variant: str) -> None:
    """``--variant`` takes the hands of one game."""
    code, found = replay(capsys, *GENERATED, *GENERATOR, "--variant", variant)
    assert (code, found["agree"]) == (0, found["hands"])
    assert 40 <= found["hands"] < 80


@pytest.mark.timeout(300)
def test_real_hands_agree_through_a_simulated_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """25 of the real hands, spread over the file: bytes on lines in memory, readers, shoe, table and displays agree too."""
    code, found = replay(capsys, spread(REAL, tmp_path, 25), *GHOSTS, "--through", "devices")
    assert (code, found["hands"], found["differ"]) == (0, 25, [])
    assert all(one["illegal_by_casino_rules"] or one["house_rule"] for one in found["refused"])


def test_the_illegal_hand_is_refused_by_the_table_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The whole controller refuses it at the same action, by the same rule."""
    line = next(line for line in REAL.read_text(encoding="utf-8").splitlines() if FLAGGED in line)
    (tmp_path / "one.jsonl").write_text(line + "\n", encoding="utf-8")
    code, found = replay(capsys, tmp_path / "one.jsonl", *GHOSTS, "--through", "devices")
    assert (code, found["hands"]) == (0, 1)
    assert refused_at_the_wrong_action(found)


@pytest.mark.ports
def test_real_hands_agree_over_real_ports(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Two real hands over pseudo-terminals and a broker."""
    code, found = replay(capsys, spread(REAL, tmp_path, 2), *GHOSTS, "--through", "ports")
    assert (code, found["hands"], found["agree"]) == (0, 2, 2)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_all_hands_agree_through_a_simulated_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """All 158 real hands and all 1380 generated ones."""
    code, found = replay(capsys, REAL, *GHOSTS, "--through", "devices")
    assert (code, found["hands"], found["agree"], found["differ"]) == (0, 158, 156, [])
    assert refused_at_the_wrong_action(found)
    code, found = replay(capsys, *unpacked(tmp_path), *GENERATOR, "--through", "devices")
    assert (code, found["agree"], found["differ"]) == (0, 1380, [])


@pytest.mark.long
@pytest.mark.ports
@pytest.mark.timeout(1800)
def test_twenty_hands_agree_over_real_ports(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Twenty of the real hands, spread over the file."""
    code, found = replay(capsys, spread(REAL, tmp_path, 20), *GHOSTS, "--through", "ports")
    assert (code, found["hands"], found["differ"]) == (0, 20, [])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--set", "cap.max_raises"], "knob=value"),
        (["--set", "cap.no_such_knob=4"], "no_such_knob"),
        (["--set", "cap.max_raises=many"], "many"),
        (["--preset", "vegas"], "vegas"),
        (["--variant", "holdem"], "holdem"),
        (["--through", "walls"], "walls"),
    ],
)
def test_wrong_use_is_one_sentence(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    """Exit 2, and the value is named."""
    try:
        code = main(["replay", str(REAL), *arguments])
    except SystemExit as ended:
        code = int(str(ended.code))
    told = capsys.readouterr()
    assert (code, told.out) == (2, "")
    assert one_sentence(told.err)
    assert says in told.err


@pytest.mark.parametrize("text", ["this is no hand", '{"hand_id": "x"}'])
def test_a_file_that_is_no_record_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    """Exit 2, and file and line are named."""
    path = tmp_path / "bad.jsonl"
    path.write_text(text + "\n", encoding="utf-8")
    assert main(["replay", str(path), "--json"]) == 2
    told = capsys.readouterr()
    assert one_sentence(told.err)
    assert "bad.jsonl" in told.err
    assert main(["replay", str(tmp_path / "missing.jsonl")]) == 2
    assert one_sentence(capsys.readouterr().err)
