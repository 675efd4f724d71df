"""``stud-table demo`` as people and scripts run it: a process of its own, over real pseudo-terminals and a real broker."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.table_runs import PROGRAM, ROOT, one_sentence, stud_table

from controller.cli import main
from controller.journal.files import JOURNAL_FILE

pytestmark = pytest.mark.ports

KEYS = {"hands", "voided", "irregularities", "chips_conserved", "cards_conserved", "journal", "head", "seconds"}
FAST = ("demo", "--speed", "fast", "--json")
Runs = Mapping[str, subprocess.CompletedProcess[str]]
AT_ONCE = 3
"""Demos side by side; each takes about half a processor."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the demo that keeps its data."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def runs(kept: Path) -> Runs:
    """Every demo of this file that runs to its end by itself."""
    wanted = {
        "stud": (*FAST, "--hands", "3", "--data", str(kept)),
        "stud8": (*FAST, "--hands", "3", "--variant", "stud8"),
        "razz": (*FAST, "--hands", "3", "--variant", "razz"),
        "light": (*FAST, "--hands", "3", "--faults", "light", "--seed", "5"),
        "heavy": (*FAST, "--hands", "4", "--faults", "heavy", "--seed", "6"),
        "dark": (*FAST, "--hands", "1", "--broker", "mqtt://127.0.0.1:9"),
    }
    with ThreadPoolExecutor(AT_ONCE) as pool:
        started = {name: pool.submit(stud_table, *arguments) for name, arguments in wanted.items()}
        return {name: run.result() for name, run in started.items()}


def told(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON object on standard output."""
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("\n") == 1
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("variant", ["stud", "stud8", "razz"])
def test_hands_of_each_game_end_with_every_chip_and_card(runs: Runs, variant: str) -> None:
    """Three fast hands: exit 0, the published keys, nothing void, nothing held, everything accounted for."""
    found = told(runs[variant])
    assert found.keys() >= KEYS
    assert (found["hands"], found["voided"], found["irregularities"]) == (3, 0, 0)
    assert found["chips_conserved"] is True
    assert found["cards_conserved"] is True
    assert len(found["head"]) == 64
    assert 0 < found["seconds"] < 60


@pytest.mark.parametrize(("faults", "hands"), [("light", 3), ("heavy", 4)])
def test_faults_may_void_hands_but_lose_nothing(runs: Runs, faults: str, hands: int) -> None:
    """Missed reads and cards laid at a wrong seat: all hands come to an end, with every chip and card."""
    found = told(runs[faults])
    assert found["hands"] == hands
    assert found["chips_conserved"] is True
    assert found["cards_conserved"] is True


def test_kept_data_is_a_journal_that_holds(runs: Runs, kept: Path) -> None:
    """``--data`` keeps the journal; ``verify`` takes file or folder and tells the head that the demo told."""
    found = told(runs["stud"])
    assert Path(found["journal"]) == kept / "data" / JOURNAL_FILE
    verified = told(stud_table("verify", found["journal"], "--json"))
    assert {name: verified[name] for name in ("ok", "hands", "head", "first_bad")} == {
        "ok": True,
        "hands": 3,
        "head": found["head"],
        "first_bad": None,
    }
    assert stud_table("verify", kept / "data").stdout.startswith("the journal holds: ")


def test_a_stopped_demo_ends_well_and_the_next_goes_on_from_it(tmp_path: Path) -> None:
    """Ctrl-C in a hand: exit 0 and everything accounted for; in the same folder the old hand is void and new ones are played."""
    running = subprocess.Popen(
        [*PROGRAM, *FAST, "--data", str(tmp_path), "--seed", "3"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 0, err
    stopped = json.loads(out)
    assert stopped["chips_conserved"]
    assert stopped["cards_conserved"]
    again = told(stud_table(*FAST, "--data", tmp_path, "--seed", "3", "--hands", "2"))
    assert (again["hands"], again["voided"]) == (2, 0)
    assert again["chips_conserved"]
    assert again["cards_conserved"]


def test_a_table_plays_without_its_broker(runs: Runs) -> None:
    """Nobody listens there: displays are dark, hands are played from the dealer's console all the same."""
    found = told(runs["dark"])
    assert (found["hands"], found["chips_conserved"]) == (1, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("demo", "--hands", "three"),
        ("demo", "--variant", "holdem"),
        ("demo", "--speed", "warp"),
        ("demo", "--faults", "many"),
        ("demo", "--broker", "somewhere"),
        ("demo", "--hands", "1", "--data", "/proc/nowhere"),
        ("demo", "--bogus"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, one line on standard error that names the value, nothing on standard output."""
    try:
        code: object = main(arguments)
    except SystemExit as ended:
        code = ended.code
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert one_sentence(said.err)
    assert arguments[-1] in said.err


def test_wrong_use_ends_the_process_so_too() -> None:
    """The same of the program itself."""
    run = stud_table("demo", "--hands", "three")
    assert (run.returncode, run.stdout) == (2, "")
    assert one_sentence(run.stderr)
