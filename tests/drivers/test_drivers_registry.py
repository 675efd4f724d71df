"""Drivers by name: the built-in ones, those of other packages, and names that lead nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.factory import ReaderDriver
from drivers.feig.driver import DRIVER as FEIG
from drivers.link.serial import Parity
from drivers.ports import DriverError
from drivers.registry import reader_driver, reader_names, shoe_driver, shoe_names
from drivers.shoe.driver import DRIVER as TSP1


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path in which a test can put packages with entry points."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def install(folder: Path, name: str, entry_points: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")


def test_built_in_drivers_are_registered_like_any_other() -> None:
    """Their entry points lead to them, with the settings in which their devices are delivered."""
    assert {"tsp1"} <= set(shoe_names())
    assert {"feig", "pn532"} <= set(reader_names())
    assert shoe_driver("tsp1") is TSP1
    assert isinstance(FEIG, ReaderDriver)
    assert reader_driver("feig") is FEIG
    assert (reader_driver("feig").line.baud, reader_driver("feig").line.parity) == (38400, Parity.EVEN)
    assert (reader_driver("pn532").line.baud, reader_driver("pn532").line.parity) == (115200, Parity.NONE)


def test_an_unknown_name_is_refused_with_the_list() -> None:
    """Each kind with its own names."""
    with pytest.raises(DriverError, match=r"no driver of readers named 'fieg'; there are .*feig.*pn532"):
        reader_driver("fieg")
    with pytest.raises(DriverError, match=r"no driver of shoes named 'feig'; there are .*tsp1"):
        shoe_driver("feig")


def test_a_driver_of_another_package(package: Path) -> None:
    """An installed package adds a name; its value is loaded when it is asked for."""
    (package / "their_reader.py").write_text("from drivers.feig.driver import DRIVER\n", encoding="utf-8")
    install(package, "their_reader", "[stud_table.readers]\ntheirs = their_reader:DRIVER\n")
    assert "theirs" in reader_names()
    assert reader_driver("theirs") is FEIG


def test_a_driver_that_cannot_be_loaded_says_why(package: Path) -> None:
    """A missing module, a missing name, a value that is no driver of this kind."""
    (package / "half_reader.py").write_text("NUMBER = 7\n", encoding="utf-8")
    rows = "a = no_such_module:DRIVER\nb = half_reader:DRIVER\nc = half_reader:NUMBER\n"
    install(package, "half_reader", f"[stud_table.readers]\n{rows}")
    with pytest.raises(DriverError, match=r"'a' \(no_such_module:DRIVER\) cannot be loaded: No module"):
        reader_driver("a")
    with pytest.raises(DriverError, match=r"'b' .* cannot be loaded: .*DRIVER"):
        reader_driver("b")
    with pytest.raises(DriverError, match=r"'c' \(half_reader:NUMBER\) is no ReaderDriver: it is a int"):
        reader_driver("c")


def test_two_packages_with_one_name_are_refused(package: Path) -> None:
    """Which one would be taken is nothing to guess: both packages are named."""
    install(package, "first", "[stud_table.readers]\nsame = first:DRIVER\n")
    install(package, "second", "[stud_table.readers]\nsame = second:DRIVER\n")
    with pytest.raises(DriverError, match=r"several packages .* named 'same': first, second; remove all but one"):
        reader_driver("same")


def test_options_and_antennas_that_a_driver_does_not_take() -> None:
    """An unknown option, a value of another type, too many antennas: each one sentence with what is allowed."""
    assert FEIG.problems({"advanced": True}, 7) == []
    assert FEIG.problems({"speed": 1, "advanced": "yes"}, 7) == [
        "its driver has no option speed; it has advanced, check_settings",
        "option advanced is a str and must be a bool",
    ]
    assert TSP1.problems({"a": 1}) == ["its driver has no option a; it has none"]
    assert reader_driver("pn532").problems({}, 2) == [
        "2 antennas are too many for its driver, which takes 1 on a line: use more ports"
    ]
