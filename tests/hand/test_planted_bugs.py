"""Known mistakes of poker engines, planted one by one: the tests of the hand must catch each.

A bug that survives is a hole in the tests; a bug whose text is no longer found means that this table must be brought up to date.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Bug(NamedTuple):
    """A mistake: where it is planted, what becomes of what, and which tests are asked."""

    name: str
    file: str
    was: str
    becomes: str
    tests: str = "tests/hand"


BUGS = (
    Bug("cap one raise late", "betting.py", "current.raises >= rules.max_raises", "current.raises > rules.max_raises"),
    Bug("half a bet is not enough", "betting.py", "return 2 * increment >= size if", "return 2 * increment > size if"),
    Bug("completion never counts", "betting.py", "counts = current.bet or (over_post and", "counts = current.bet or (False and"),
    Bug("bring-in does not reopen", "betting.py", "entry.acted is Acted.BEFORE_BET:", "False:"),
    Bug(
        "big bet met by a small raise",
        "betting.py",
        "big_made=current.big_made or (pair and",
        "big_made=current.big_made or (False and",
    ),
    Bug("short post sets the price", "betting.py", "match = stakes.bring_in\n", "match = post\n"),
    Bug(
        "bring-in by the highest suit",
        "openers.py",
        "return (int(card), 0) if by_suit",
        "return (card.rank * 4 - card.suit, 0) if by_suit",
    ),
    Bug(
        "razz bring-in with aces high",
        "openers.py",
        "return (-ace_low_order(card), 0) if by_suit",
        "return (-int(card), 0) if by_suit",
    ),
    Bug("high board opens razz", "openers.py", "min(boards) if ace_low else max(boards)", "max(boards)"),
    Bug("last card of the stub dealt", "dealing.py", "needed = live + 2", "needed = live + 1"),
    Bug("common card from two cards", "dealing.py", "COMMUNITY if stub >= 3 else", "COMMUNITY if stub >= 2 else"),
    Bug("burns never reused", "dealing.py", "if stub + reserve >= needed:", "if False:"),
    Bug("no burns at all", "dealing.py", "burn = state.setup.rules.burns_before(street) and", "burn = False and"),
    Bug("odd chips to the last", "pots.py", "for seat in order[:odd]:", "for seat in order[len(order) - odd :]:"),
    Bug(
        "odd unit to the low half", "pots.py", "low_half = chips // unit // 2 * unit", "low_half = -(-chips // unit // 2) * unit"
    ),
    Bug(
        "lowest suit gets the odd chip",
        "pots.py",
        "return sorted(seats, key=five, reverse=True)",
        "return sorted(seats, key=five)",
    ),
    Bug("same winners split twice", "pots.py", "if high == low and rules.same_winners", "if False and rules.same_winners"),
    Bug("uncalled bet stays", "pots.py", "excess = highest - second\n", "excess = 0\n"),
    Bug("dead poster gets it back", "pots.py", "excess = min(excess, owner.total - owner.forced)", "pass"),
    Bug("rake rounded up", "pots.py", "rake = total * rules.rake_percent // 100", "rake = -(-total * rules.rake_percent // 100)"),
    Bug("no wheel", "evaluation.py", "wheel = mask << 1 | mask >> 12", "wheel = mask << 1"),
    Bug("nine-low qualifies", "evaluation.py", "mask = _low_mask(cards) & 0xFF", "mask = _low_mask(cards) & 0x1FF"),
    Bug("substantial action one early", "windows.py", "return state.acts >= 2\n", "return state.acts >= 1\n"),
    Bug("folds count as chips in", "windows.py", "state.acts_with_chips >= 1)", "state.acts_with_chips >= 0)"),
    Bug("first to act shows before the bettor", "showdown.py", "state.round.last_wager if state.street == 7 else 0", "0"),
    Bug("common card read for who opens", "openers.py", "shared = state.commons if", "shared = state.commons if True or"),
    Bug("common card never read for who opens", "openers.py", "shared = state.commons if", "shared = state.commons if False and"),
    Bug(
        "two burns a street",
        "dealing.py",
        "([_BURN] if burn else [])\n    for up",
        "([_BURN, _BURN] if burn else [])\n    for up",
    ),
    Bug("a burn before third street", "rules.py", "return self.burn_before_third if street == 3", "return True if street == 3"),
    Bug(
        "a second burn after an early one", "dealing.py", "burns_before(street) and not state.early_burn", "burns_before(street)"
    ),
    Bug("a checker may raise a short all-in", "betting.py", "if entry.acted is Acted.NO:", "if True:"),
    Bug(
        "only full bets reopen together",
        "betting.py",
        "if _is_full(current.match - entry.street_chips, sizes[0],",
        "if _is_full(0, sizes[0],",
    ),
    Bug(
        "all-in hands count for heads-up",
        "betting.py",
        "for entry in others if entry.active) == 2",
        "for entry in others if entry.live) == 2",
    ),
    Bug("a reached cap is lifted", "betting.py", "return raises < state.setup.rules.max_raises and", "return raises < 100 and"),
    Bug("all-in beyond the cap", "betting.py", "if current.bet and current.raises", "if current.match < 0 and current.raises"),
    Bug("tie of boards to the last seat", "openers.py", "return tied[0].seat", "return tied[-1].seat"),
    Bug(
        "folded chips left out of the pots",
        "pots.py",
        "- min(entry.total, below) for entry in state.seats)",
        "- min(entry.total, below) for entry in live)",
    ),
    Bug("everybody in every pot", "pots.py", "if entry.total >= level)))", "if entry.total >= 0)))"),
    Bug("ghost cards after a bet", "evolve.py", "if event.chips:", "if event.chips < 0:"),
    Bug(
        "a void keeps the antes",
        "requests.py",
        "SeatChips(entry.seat, entry.total) for",
        "SeatChips(entry.seat, entry.total - entry.ante) for",
    ),
    Bug(
        "a misdeal gives antes back",
        "rulings.py",
        "SeatChips(entry.seat, entry.total - entry.ante) for",
        "SeatChips(entry.seat, entry.total) for",
    ),
    Bug("losers of an all-in muck", "showdown.py", "is LosersMuck.EXCEPT_ALL_IN) and", "is None) and"),
    Bug("third card up beside an exposed one", "rulings.py", "due._replace(place=down) if number", "due if number"),
    Bug("low card all-in, nobody may fold", "betting.py", "may_fold = actor != opener and", "may_fold = False and"),
    Bug("completion by a raise", "betting.py", "verb, rule = Verb.COMPLETE, ", "verb, rule = Verb.RAISE, "),
    Bug("rake of a hand without fourth street", "pots.py", "(rules.no_fourth_no_drop and not fourth_dealt)", "False"),
    Bug("no rake of a run-out given back", "progress.py", "return _no_drop(state) or unseen_awards", "return unseen_awards"),
    Bug("a killed bettor loses its bet", "evolve_irregular.py", "or was.total > now.total)", "or False)"),
    Bug("folds for the post count for nobody", "windows.py", "(state.declined if tda else 0)", "0"),
    Bug("face-down tournaments", "progress.py", "not state.setup.rules.face_up_when_all_in or", "True or"),
)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_a_planted_bug_is_caught(bug: Bug, tmp_path: Path) -> None:
    """With the bug in the code, at least one test of the hand fails."""
    for part in ("controller", "drivers", "simulators", "tests"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planted = tmp_path / "controller" / "hand" / bug.file
    text = planted.read_text(encoding="utf-8")
    assert bug.was in text, f"{bug.file} no longer says {bug.was!r}"
    planted.write_text(text.replace(bug.was, bug.becomes, 1), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        bug.tests,
        "--ignore",
        "tests/hand/test_planted_bugs.py",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, f"{bug.name} survived:\n{done.stdout[-600:]}"


def test_every_bug_can_still_be_planted() -> None:
    """The code still says what each bug changes, so that the long run cannot pass for want of a target."""
    for bug in BUGS:
        assert bug.was in (ROOT / "controller" / "hand" / bug.file).read_text(encoding="utf-8"), bug.name
