"""The check that no test leaves a task, a thread or a child process behind."""

from __future__ import annotations

from pathlib import Path

import pytest

import support

TESTS = Path(support.__file__).parents[1]

LEAKY = """
import asyncio
import subprocess
import threading

import pytest

stop = threading.Event()


async def test_task():
    held.append(asyncio.create_task(asyncio.sleep(60), name="forgotten"))


def test_task_of_a_run():
    async def main():
        held.append(asyncio.create_task(asyncio.sleep(60), name="dropped"))

    asyncio.run(main())


def test_thread():
    threading.Thread(target=stop.wait, args=(30,), name="idle", daemon=True).start()


def test_child():
    held.append(subprocess.Popen(["sleep", "60"]))


def test_grandchild():
    subprocess.run(["sh", "-c", "sleep 60 & exit 0"], check=True)


@pytest.fixture(scope="module")
def shared():
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_shared_first(shared):
    assert shared.pid


def test_shared_again(shared):
    stop.set()


held = []
"""


def test_a_test_that_leaves_something_behind_fails_by_name(pytester: pytest.Pytester) -> None:
    """Task, thread, child and orphaned grandchild are each named with the test; what a module fixture holds is no leak."""
    pytester.makeconftest((TESTS / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini(f"[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\npythonpath = {TESTS}\n")
    pytester.makepyfile(test_leaky=LEAKY)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    output = result.stdout.str()
    assert result.parseoutcomes() == {"passed": 7, "errors": 5}
    for name, what in (
        ("test_task", "task 'forgotten' of sleep"),
        ("test_task_of_a_run", "task 'dropped' of sleep"),
        ("test_thread", "thread 'idle'"),
        ("test_child", "sleep 60"),
        ("test_grandchild", "sleep 60"),
    ):
        report = output.partition(f"::{name} left behind:")[2].partition("left behind")[0]
        assert what in report, name
