"""Drivers by name, from the entry points of all installed packages. Built-in drivers are registered in the same way.

::

    [project.entry-points."stud_table.readers"]
    my-reader = "my_package.driver:DRIVER"
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final, TypeVar

from drivers.factory import MultiplexerDriver, ReaderDriver, ShoeDriver
from drivers.ports import DriverError

SHOES: Final = "stud_table.shoes"
READERS: Final = "stud_table.readers"
MULTIPLEXERS: Final = "stud_table.multiplexers"
"""None is built in: no maker's commands are documented well enough."""
DEFAULT_SHOE: Final = "tsp1"
DEFAULT_READER: Final = "feig"

DriverT = TypeVar("DriverT")


def shoe_names() -> tuple[str, ...]:
    """Names of all drivers of shoes."""
    return _names(SHOES)


def reader_names() -> tuple[str, ...]:
    """Names of all drivers of readers."""
    return _names(READERS)


def shoe_driver(name: str) -> ShoeDriver:
    """The driver of shoes ``name``. ``DriverError`` lists the names that there are, or says why it cannot be loaded."""
    return _load(SHOES, name, "shoes", ShoeDriver)


def reader_driver(name: str) -> ReaderDriver:
    """The driver of readers ``name``; errors as ``shoe_driver``."""
    return _load(READERS, name, "readers", ReaderDriver)


def multiplexer_driver(name: str) -> MultiplexerDriver:
    """The multiplexer ``name``; errors as ``shoe_driver``."""
    return _load(MULTIPLEXERS, name, "multiplexers", MultiplexerDriver)


@lru_cache(maxsize=32)
def _points(look: Callable[..., Iterable[EntryPoint]], group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """The entry points of ``group`` where Python looks for packages now: reading them all takes 15 ms."""
    del path
    return tuple(look(group=group))


def _names(group: str) -> tuple[str, ...]:
    return tuple(sorted({point.name for point in _points(entry_points, group, tuple(sys.path))}))


def _load(group: str, name: str, what: str, kind: type[DriverT]) -> DriverT:
    points = {
        (point.value, _package(point)): point for point in _points(entry_points, group, tuple(sys.path)) if point.name == name
    }
    if not points:
        there = ", ".join(_names(group)) or "none: install the package that brings it, or stud-table anew"
        raise DriverError(f"there is no driver of {what} named {name!r}; there are {there}")
    if len(points) > 1:
        packages = ", ".join(sorted(package for _, package in points))
        raise DriverError(f"several packages have a driver of {what} named {name!r}: {packages}; remove all but one")
    (point,) = points.values()
    try:
        driver = point.load()
    except (ImportError, AttributeError) as error:
        raise DriverError(f"the driver of {what} {name!r} ({point.value}) cannot be loaded: {error}") from error
    if not isinstance(driver, kind):
        raise DriverError(f"the driver of {what} {name!r} ({point.value}) is no {kind.__name__}: it is a {type(driver).__name__}")
    return driver


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unnamed package"
