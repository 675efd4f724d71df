"""``replay`` and ``verify`` for people: what they print without ``--json``."""

from __future__ import annotations

import copy
import lzma
from pathlib import Path

import pytest
from support.table_runs import CORPUS, rehearsed_bodies, write_journal

from controller.cli import main
from controller.journal.verify import verify_chain


def test_a_replay_is_told_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts first, then one line for each hand that is refused or differs, with rule and reason."""
    ghosts = ["--set", "deal.ghost_cards_after_free_fold=false"]
    assert main(["replay", str(CORPUS / "real.jsonl"), *ghosts]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("158 hands: 156 agree, 0 differ, 2 refused")
    assert sorted(line.rpartition("(")[2] for line in rest) == ["bring_in.short=match_short)", "illegal by casino rules)"]
    assert main(["replay", str(CORPUS / "generated-ties.jsonl"), *ghosts]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("differs ") and "expected" in line and "R-POT" in line for line in lines)


def test_a_limit_ends_the_replay(capsys: pytest.CaptureFixture[str]) -> None:
    """The first hands of the first file."""
    assert main(["replay", str(CORPUS / "real.jsonl"), str(CORPUS / "generated-razz.jsonl"), "--limit", "3"]) == 0
    assert capsys.readouterr().out.startswith("3 hands: 3 agree")


def test_a_journal_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It holds, or it does not hold at an event for a reason; file and folder are both taken."""
    bodies = rehearsed_bodies(hands=1, seed=2)
    good = write_journal(tmp_path / "good", bodies)
    assert main(["verify", str(good)]) == 0
    assert capsys.readouterr().out.startswith(f"the journal holds: {len(bodies)} events, 1 hands, head ")
    forged = copy.deepcopy(bodies)
    index = next(index for index, body in enumerate(forged) if body["type"] == "AntePosted")
    forged[index]["chips"] += 1
    bad = write_journal(tmp_path / "bad", forged)
    assert main(["verify", str(bad / "journal.sqlite3")]) == 1
    said = capsys.readouterr().out
    why = f"the rules do not lead to this AntePosted; it holds up to event {index}"
    assert said == f"the journal does not hold at event {index + 1}: {why}\n"


def test_a_journal_that_lies_deeper_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The folder of a table is given instead of the journal's in it."""
    write_journal(tmp_path / "data", rehearsed_bodies(hands=1, seed=2))
    assert main(["verify", str(tmp_path)]) == 2
    expected = f"stud-table: there is no journal {tmp_path / 'journal.sqlite3'}; there is one in {tmp_path / 'data'}\n"
    assert capsys.readouterr().err == expected
    assert main(["verify", str(tmp_path / "data" / "keys")]) == 2
    assert "there is one" not in capsys.readouterr().err
    missing = tmp_path / "none" / "journal.sqlite3"
    missing.parent.mkdir()
    assert main(["verify", str(missing.parent)]) == 2
    assert capsys.readouterr().err == f"stud-table: there is no journal {missing}: name the folder of a table's journal\n"


@pytest.mark.parametrize("command", ["verify", "failures", "export", "backup"])
def test_an_empty_name_is_no_folder(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable that is not set names nothing; it was read as the folder that one stands in."""
    with pytest.raises(SystemExit) as ended:
        main([command, ""])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "the name is empty: name a file or a folder, or . for the folder that you are in" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["FOLDER"], "is a folder: name the files in it, as "),
        (["PACKED"], "is no UTF-8 text: unpack it first where it is packed (xz -dk"),
        (["PACKED", "--set", "foo=1"], "house rule 'foo' is unknown: docs/reference/house-rules.md lists all"),
        (["PACKED", "--set", "max_raises=4"], "house rule 'max_raises' is unknown: use one of cap.max_raises"),
        (["PACKED", "--limit", "0"], "'0' is no whole number from 1 on: give 1 or more, or leave the option out for all"),
        (["PACKED", "--limit", "-3"], "'-3' is no whole number from 1 on"),
    ],
)
def test_wrong_use_of_replay_is_one_sentence(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names what was given and the way out, and is short."""
    packed = tmp_path / "hands.jsonl.xz"
    packed.write_bytes(lzma.compress(b"{}\n"))
    given = [{"FOLDER": str(tmp_path), "PACKED": str(packed)}.get(word, word) for word in arguments]
    try:
        code: object = main(["replay", *given])
    except SystemExit as ended:
        code = ended.code
    error = capsys.readouterr().err
    assert code == 2
    assert says in error
    assert error.count("\n") == 1
    assert len(error) < 400


def test_a_head_is_taken_in_either_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the verifier that stands alone takes it: somebody copied it by hand."""
    bodies = rehearsed_bodies(hands=1, seed=2)
    head = verify_chain(write_journal(tmp_path, bodies)).head.hex()
    assert main(["verify", str(tmp_path), "--head", head.upper()]) == 0
    assert f"head {head}" in capsys.readouterr().out
    assert main(["verify", str(tmp_path), "--head", "AB" * 32]) == 1
