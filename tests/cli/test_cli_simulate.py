"""``simulate``: what it prints, its exit codes, and the seeds and faults that it takes."""

from __future__ import annotations

import json

import pytest

from controller.cli import main
from controller.simulate.plan import Plan, Result
from controller.simulate.watch import Watch


def test_a_run_is_told_in_keys_that_checks_read(capsys: pytest.CaptureFixture[str]) -> None:
    """Two seeds without faults: nothing failed, nothing stuck, a head for each seed."""
    assert main(["simulate", "--seeds", "1-2", "--hands", "1", "--variant", "razz", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["hands"], told["seeds"], told["failures"], told["stuck"]) == (2, 2, [], [])
    assert sorted(told["heads"]) == ["1", "2"]
    assert told["hands_per_second"] > 0


def test_a_failure_is_told_with_its_story_and_the_way_to_see_it_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1; the last line sums up."""
    monkeypatch.setattr(Watch, "look", lambda _: 1 // 0)
    assert main(["simulate", "--seeds", "1", "--hands", "1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("seed 1 FAILED: ZeroDivisionError")
    assert lines[1] == "  with no fault at all"
    assert "  again: stud-table simulate --seeds 1 --hands 1 --faults none" in lines
    assert "1 failed, 0 stuck" in lines[-1]


def test_a_table_that_stands_still_is_stuck(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 as well."""

    def stuck(plan: Plan) -> Result:
        return Result(plan, "stud", 2, 0, 0, 7, "00", 0, 1.0, (), None, "nothing happens", ())

    monkeypatch.setattr("controller.simulate.batch.simulate", stuck)
    assert main(["simulate", "--seeds", "4"]) == 1
    assert capsys.readouterr().out.startswith("seed 4 is STUCK: nothing happens")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seeds", "5-1"], "names 0 seeds: 1 to"),
        (["--seeds", "x"], "names no seeds: write 7, or 1-100"),
        (["--only", "a,b"], "names no faults: write their numbers as 3,8, or none"),
        (
            ["--seeds", "4", "--faults", "heavy", "--only", "1,9999"],
            "--only 9999: with --faults heavy seed 4 draws the faults 1 to ",
        ),
        (["--seeds", "4", "--only", "1"], "--only 1: with --faults none seed 4 draws no faults: choose more with --faults"),
        (["--hands", "0"], "--hands and --jobs are at least 1"),
        (["--jobs", "0"], "--hands and --jobs are at least 1"),
    ],
)
def test_wrong_use_is_one_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2."""
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["simulate", *words]))
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
