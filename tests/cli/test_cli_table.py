"""``demo``, ``run`` and ``watch``: their options. What they do at work is seen in the end-to-end tests."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from support.table_runs import one_sentence

from controller.cli import main, run, table
from controller.config import ConfigError, TableConfig
from controller.demo import DemoPlan
from controller.words.catalogue import Language


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[DemoPlan]:
    """The plans of demos that are not played."""
    found: list[DemoPlan] = []

    async def play(plan: DemoPlan, *, as_json: bool) -> int:
        assert plan.folder.is_dir() or as_json
        found.append(plan)
        return 0

    monkeypatch.setattr(table, "_play_demo", play)
    return found


def test_a_demo_as_it_is_called(plans: list[DemoPlan]) -> None:
    """Real time, stud, no faults, its own broker, until Ctrl-C, in a folder that is gone afterwards."""
    assert main(["demo"]) == 0
    plan = plans[0]
    assert (plan.hands, plan.seed, plan.variant, plan.fast, plan.faults, plan.broker) == (0, 1, "stud", False, "none", None)
    assert not plan.folder.exists()


def test_every_option_of_a_demo(plans: list[DemoPlan], tmp_path: Path) -> None:
    """All of them reach the plan."""
    options = ["--hands", "7", "--seed", "3", "--variant", "razz", "--speed", "fast", "--faults", "heavy", "--json"]
    assert main(["demo", *options, "--broker", "mqtt://127.0.0.1:1234", "--data", str(tmp_path)]) == 0
    assert plans == [DemoPlan(tmp_path.resolve(), 7, 3, "razz", True, "heavy", ("127.0.0.1", 1234))]


def test_run_reads_its_configuration(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A configuration that cannot work is one sentence."""
    assert main(["run", str(tmp_path / "missing.toml")]) == 2
    assert one_sentence(capsys.readouterr().err)
    seen: list[object] = []

    async def run_table(config: SimpleNamespace) -> None:
        seen.append(config.path)

    monkeypatch.setattr(run, "run_table", run_table)
    monkeypatch.setattr(run, "load_config", lambda path: SimpleNamespace(path=path, manifest=None))
    assert main(["run", "table.toml"]) == 0
    assert seen == [Path("table.toml")]


def test_watch_looks_where_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broker, table, seat and language."""
    seen: list[tuple[object, ...]] = []

    async def watch(connection: object, topics: object, screen: Console, random: object, **how: object) -> None:
        seen.append((connection.host, connection.port, topics.root, how["seat"], how["language"]))  # type: ignore[attr-defined]

    monkeypatch.setattr(table, "watch", watch)
    arguments = ["watch", "--broker", "mqtt://10.0.0.1:99", "--seat", "3", "--venue", "v", "--table", "T9", "--language", "fr"]
    assert main(arguments) == 0
    assert seen == [("10.0.0.1", 99, "stud/v1/v/T9", 3, Language.FR)]


@pytest.mark.parametrize("arguments", [["watch", "--broker", "x"], ["watch", "--venue", "a/b"], ["demo", "--broker", "x"]])
def test_addresses_and_names_that_cannot_be(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, one sentence."""
    assert main(arguments) == 2
    assert one_sentence(capsys.readouterr().err)


def test_a_demo_of_no_hands_is_refused(plans: list[DemoPlan], capsys: pytest.CaptureFixture[str]) -> None:
    """It played until Ctrl-C instead, which is the option left out."""
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--hands", "0"])
    assert (ended.value.code, plans) == (2, [])
    said = capsys.readouterr().err
    assert "'0' is no whole number from 1 on: give 1 or more, or leave the option out to play on until Ctrl-C" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("options", [["--events", "--seat", "3"], ["--after", "5"], ["--events", "--after", "-1"]])
def test_options_of_watch_that_would_do_nothing_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks for a seat's events, or for a display from a record on, is told instead of shown something else."""
    assert main(["watch", *options]) == 2
    assert one_sentence(capsys.readouterr().err)


@pytest.mark.parametrize("seat", ["0", "9", "x"])
def test_seats_are_one_to_eight(seat: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Others are wrong use."""
    with pytest.raises(SystemExit):
        main(["watch", "--seat", seat])
    assert capsys.readouterr().err.count("\n") == 1


def test_a_configuration_error_of_several_lines_is_told_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line a problem."""

    def load(path: Path) -> TableConfig:
        raise ConfigError(f"{path}: one\n{path}: two")

    monkeypatch.setattr(run, "load_config", load)
    assert main(["run", "t.toml"]) == 2
    assert capsys.readouterr().err == "stud-table: t.toml: one\nt.toml: two\n"
