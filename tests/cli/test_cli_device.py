"""``device``: simulated devices in a process of their own, found, watched and recorded over their ports."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.parsing import DOES_NOT_HOLD, OK, WRONG_USE
from simulators.capture import Way, read_capture

Sim = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def sim() -> Iterator[Sim]:
    """Starts ``device sim`` and waits until it has published its name."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str | Path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "controller.cli", "device", "sim", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert "lines on standard input" in process.stdout.readline()
        return process

    yield start
    for process in started:
        process.terminate()
        assert process.wait(20) == OK
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()


def tell(process: subprocess.Popen[str], line: str) -> str:
    """Say a line to a simulated device; its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def said(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The JSON object on standard output."""
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


@pytest.mark.ports
@pytest.mark.parametrize(
    ("device", "expected"),
    [
        (("shoe",), {"kind": "shoe", "model": "SIMSHOE", "serial": "S0012345", "cards": 52}),
        (("feig", "--cards", "As Kd 2c"), {"kind": "feig", "line": "38400 8E1", "address": 1, "software": "3.03", "tags": 3}),
        (("pn532", "--cards", "As Kd"), {"kind": "pn532", "identity": "PN532, firmware 1.6", "tags": 2}),
    ],
)
def test_each_simulated_device_is_found_for_what_it_is(
    device: tuple[str, ...], expected: dict[str, object], sim: Sim, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked without a hint; no tag and no card is told."""
    sim(*device, "--link", tmp_path / "port")
    assert main(["device", "probe", str(tmp_path / "port"), "--antennas", "1,2", "--json"]) == OK
    found = said(capsys)
    assert expected.items() <= found.items()
    assert "E004" not in json.dumps(found)


@pytest.mark.ports
def test_readers_that_share_a_line_are_told_one_by_one(sim: Sim, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each bus address that answers, with what lies there; the others are left out."""
    felt = tmp_path / "felt"
    device = sim("feig", "--link", felt, "--cards", "As Kd", "--antennas", "3")
    assert tell(device, "put 2c 3") == "done"
    assert main(["device", "probe", str(felt), "--as", "feig", "--antennas", "1,3,9"]) == OK
    assert capsys.readouterr().out.splitlines() == [
        "kind: feig",
        "line: 38400 8E1",
        "address 1, software 3.03, hardware 44, device_id 00000001, tags 2",
        "address 3, software 3.03, hardware 44, device_id 00000003, tags 1",
    ]


@pytest.mark.ports
def test_nobody_at_a_port_does_not_hold(sim: Sim, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A device of another kind than was asked for is none."""
    sim("shoe", "--link", tmp_path / "port")
    assert main(["device", "probe", str(tmp_path / "port"), "--as", "pn532"]) == DOES_NOT_HOLD
    assert "nothing that we know answers" in capsys.readouterr().err


@pytest.mark.ports
def test_a_capture_of_readers_is_watched_and_played_again(sim: Sim, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Monitor counts tags, capture writes a file that only its owner reads, and a device made of it answers as the first did."""
    felt, file, again = tmp_path / "felt", tmp_path / "felt.jsonl", tmp_path / "again"
    device = sim("feig", "--link", felt, "--cards", "As Kd", "--antennas", "2")
    assert tell(device, "put 2c 2") == "done"
    assert tell(device, "put Zz") == "'Zz' is no card: write rank and suit, as As or Td"
    assert tell(device, "put") == "write: put As 1"
    assert tell(device, "fly").startswith("there is no 'fly'; there are unplug, replug, put")
    monitored = ["device", "monitor", str(felt), "--as", "feig", "--antennas", "1,2", "--seconds", "2"]
    assert main(monitored) == OK
    lines = capsys.readouterr().out
    assert "antenna 1: 2 tags" in lines
    assert "antenna 2: 1 tag\n" in lines
    assert "E004" not in lines
    recorded = ["device", "capture", str(felt), "--as", "feig", "--seconds", "2", "--out", str(file), "--json"]
    assert main(recorded) == OK
    counted = said(capsys)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with file.open(encoding="utf-8") as entries:
        capture = read_capture(entries)
    assert (len(capture.entries), capture.about["device"]) == (counted["entries"], "feig")
    assert {entry.way for entry in capture.entries} >= {Way.OPENED, Way.RX, Way.TX, Way.CLOSED}
    assert main(recorded) == WRONG_USE  # the file is there
    error = capsys.readouterr().err
    assert error == f"stud-table: {file} is there already: name another file with --out, or move it away\n"
    sim("replay", "--link", again, "--capture", file)
    assert main(["device", "monitor", str(again), "--as", "feig", "--seconds", "2"]) == OK
    assert "antenna 1: 2 tags" in capsys.readouterr().out


@pytest.mark.ports
def test_a_shoe_is_only_listened_to_and_its_cards_are_not_told(
    sim: Sim, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """HELLO and heartbeats by name; a card out of a closed gate is not drawn."""
    shoe = sim("shoe", "--link", tmp_path / "port", "--cards", "As Kd")
    assert tell(shoe, "draw") == "the gate is closed or the shoe is empty"
    assert tell(shoe, "load As Kd 2c") == "3 cards in the shoe"
    assert tell(shoe, "restart") == "done"
    assert main(["device", "monitor", str(tmp_path / "port"), "--as", "shoe", "--seconds", "3", "--json"]) == OK
    seen = capsys.readouterr()
    counts = json.loads(seen.out)["said"]
    assert "Heartbeat boot=" in seen.err
    assert "(" not in seen.err
    assert counts.get("DeviceHello", 0) + counts.get("Heartbeat", 0) > 1


@pytest.mark.ports
def test_a_recorded_shoe_speaks_and_answers_nobody(sim: Sim, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A probe believes only the answer to its own question; it says that a shoe is heard, and asks for no other."""
    file, again = tmp_path / "shoe.jsonl", tmp_path / "again"
    sim("shoe", "--link", tmp_path / "port")
    assert (
        main(["device", "capture", str(tmp_path / "port"), "--as", "shoe", "--seconds", "4", "--out", str(file), "--json"]) == OK
    )
    capsys.readouterr()
    sim("replay", "--link", again, "--capture", file)
    assert main(["device", "probe", str(again), "--json"]) == DOES_NOT_HOLD
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["found"], found["unasked"] > 0) == (False, True)
    assert f"a shoe speaks at {again} (" in told.err
    assert "does not answer our question" in told.err


@pytest.mark.ports
def test_a_capture_stands_between_a_device_and_its_host(sim: Sim, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The host opens the link, through faults, and finds the device behind it; both directions are in the file."""
    felt, link, file = tmp_path / "felt", tmp_path / "link", tmp_path / "felt.jsonl"
    sim("feig", "--link", felt, "--cards", "As")
    between = subprocess.Popen(
        [
            *(sys.executable, "-m", "controller.cli", "device", "capture", str(felt), "--as", "feig", "--link", str(link)),
            *("--out", str(file), "--faults", "duplicate=1.0"),
        ]
    )
    try:
        while not link.exists():
            assert between.poll() is None
        assert main(["device", "probe", str(link), "--as", "feig", "--antennas", "1", "--json"]) == OK
        assert said(capsys)["tags"] == 1
    finally:
        between.terminate()
        assert between.wait(20) == OK
    with file.open(encoding="utf-8") as entries:
        assert {Way.RX, Way.TX} <= {entry.way for entry in read_capture(entries).entries}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["probe", "/no/such/port", "--as", "feig"], "/no/such/port is not there"),
        (["probe", "/no/such/port", "--as", "pn532"], "/no/such/port is not there"),
        (["probe", "/no/such/port"], "/no/such/port is not there"),
        (["probe", "/dev/null"], "/dev/null is no serial port: name a device"),
        (["probe", "HERE", "--as", "pn532"], "is no serial port: name a device"),
        (["monitor", "/no/such/port", "--as", "feig"], "/no/such/port is not there"),
        (["monitor", "/no/such/port", "--as", "pn532", "--antennas", "1,2"], "2 antennas are too many"),
        (["probe", "/dev/ptmx", "--as", "shoe", "--baud", "99999999999"], "cannot open /dev/ptmx"),
        (["probe", ""], "'' is no port: write a device's path"),
        (["capture", "/no/such/port", "--out", "OUT", "--faults", "drop=0.1"], "--faults needs --link"),
        (["capture", "/no/such/port", "--out", "OUT", "--link", "LINK"], "--link needs --as"),
        (["capture", "/no/such/port", "--as", "feig", "--out", "OUT", "--link", "LINK"], "/no/such/port is not there"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, exit 2, no traceback."""
    here = tmp_path / "here"
    here.write_text("deck = 5\n", encoding="utf-8")
    names = {"HERE": str(here), "OUT": str(tmp_path / "out"), "LINK": str(tmp_path / "link")}
    assert main(["device", *(names.get(word, word) for word in arguments)]) == WRONG_USE
    error = capsys.readouterr().err
    assert says in error
    assert len(error.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [here]


@pytest.mark.parametrize("faults", ["drop", "drop=2", "gap_s=0.1", "fly=0.5"])
def test_faults_have_names_and_chances(faults: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Others are refused before a port is opened."""
    with pytest.raises(SystemExit) as ended:
        main(["device", "capture", "/no/such/port", "--out", str(tmp_path / "out"), "--faults", faults])
    assert ended.value.code == WRONG_USE
    assert "is no fault" in capsys.readouterr().err
