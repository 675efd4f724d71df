"""Rules for every test: nothing may be left behind, properties are repeatable, long ones run on request."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support import leaks
from support.outcomes import Outcomes

from controller.mqtt.broker import RunningBroker, start_broker

pytest_plugins = ["pytester"]

settings.register_profile(
    "ci", derandomize=True, database=None, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", deadline=None, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow])

_session = pytest.StashKey[leaks.Inventory]()
_outliving = pytest.StashKey[leaks.Inventory]()
_before = pytest.StashKey[leaks.Inventory]()
_pending = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--long`` adds the soaks and large counts; properties get more examples then."""
    parser.addoption("--outcomes", type=Path, metavar="FILE", help="write what became of each test, for the page of requirements")
    parser.addoption("--long", action="store_true", default=False, help="run the tests marked long too, with more examples")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the properties' profile before any test module is read, and note what runs already."""
    settings.load_profile("long" if config.getoption("--long") else "ci")
    if file := config.getoption("--outcomes"):
        config.pluginmanager.register(Outcomes(file, config.rootpath), "outcomes")
    leaks.adopt_orphans()
    config.stash[_outliving] = config.stash[_session] = leaks.inventory()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests run with ``--long`` alone."""
    if config.getoption("--long"):
        return
    if long := [item for item in items if item.get_closest_marker("long") is not None]:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item.get_closest_marker("long") is None]


def pytest_collection_finish() -> None:
    """What collecting made stays until the end: no later collection of garbage looks at it, as in the program itself."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(request: pytest.FixtureRequest) -> Generator[None, object, object]:
    """What a fixture of a wider scope than one test starts may outlive the test that asked first, but not the session."""
    if request.scope == "function":
        return (yield)
    before = leaks.inventory()
    result = yield
    stash = request.config.stash
    stash[_outliving] |= leaks.inventory() - before
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note tasks that are pending when a loop closes, from the test's set-up to the end of its teardown."""
    pending: list[str] = []
    item.stash[_pending] = pending
    item.stash[_before] = leaks.inventory()
    with leaks.noting_tasks(pending.append):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Fail the test by name when it leaves a task, a thread or a child process behind."""
    result = yield
    stash = item.config.stash
    allowed = stash[_session] if nextitem is None else item.stash[_before] | stash[_outliving]
    left = leaks.remainder(allowed)
    lines = item.stash[_pending] + leaks.describe(left)  # a child that was killed has no command any more
    leaks.end_children(left)
    leaks.reap_ended()
    if lines:
        pytest.fail(f"{item.nodeid} left behind:\n  " + "\n  ".join(lines), pytrace=False)
    return result


@pytest.fixture
def free_port() -> Callable[[], int]:
    """A function that names a TCP port of 127.0.0.1 on which nobody listens."""

    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return find


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RunningBroker]:
    """A broker on 127.0.0.1 for one test: mosquitto where it is installed, else the one from the wheel."""
    with start_broker(tmp_path / "broker") as running:
        yield running
