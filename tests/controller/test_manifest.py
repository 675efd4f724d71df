"""The installed files against the release's manifest: named at a start, and while the table runs (REG-21 to REG-23)."""

from __future__ import annotations

import asyncio
import json
import marshal
import struct
import subprocess
import sys
from dataclasses import replace
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.houses import House
from support.table_runs import ROOT

from controller import manifest as module
from controller import serve
from controller.console.orders import CommandBody
from controller.manifest import Manifest, ManifestError, check_installed, installed, read_manifest
from controller.rehearsal import Play
from simulators.virtual_time import run_virtual


@pytest.fixture(scope="module")
def now() -> Manifest:
    """What is installed."""
    return installed()


def write(path: Path, found: Manifest, **changed: Any) -> Path:
    path.write_text(json.dumps({**found.as_json(), **changed}), encoding="utf-8")
    return path


def test_it_lists_every_file_of_the_program_and_of_what_it_stands_on(now: Manifest) -> None:
    """Each module under controller, drivers and simulators, the word lists with them, and the packages that run time needs."""
    for package in ("controller", "drivers", "simulators"):
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert path.relative_to(ROOT).as_posix() in now.files
    assert "controller/words/fr.toml" in now.files
    packages = {name.partition("/")[0].lower() for name in now.files}
    assert {"aiomqtt", "pyserial", "pydantic", "pydantic_core", "fastapi", "starlette", "cryptography"} <= packages
    assert not {"pytest", "hypothesis", "pokerkit"} & packages


def test_it_is_the_same_when_made_again(now: Manifest) -> None:
    """Caches that Python leaves change nothing."""
    assert installed() == now


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda files: {**files, "controller/app.py": "0" * 64}, "controller/app.py was changed"),
        (lambda files: {**files, "controller/gone.py": "0" * 64}, "controller/gone.py is missing"),
        (lambda files: {name: d for name, d in files.items() if name != "drivers/ports.py"}, "drivers/ports.py was added"),
    ],
)
def test_a_difference_names_the_file(now: Manifest, tmp_path: Path, change: Any, said: str) -> None:
    """Changed, missing or added: the sentence says which file and what to do."""
    other = replace(now, files=change(now.files))
    with pytest.raises(ManifestError, match=f"{said}; install it anew"):
        check_installed(write(tmp_path / "manifest.json", other))


def test_one_byte_of_a_shipped_file_is_found(now: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    """REG-21: whichever file it is (REG-13), and no other one is named."""
    changed = set(list(now.files)[::97])
    ends = tuple("/".join(Path(name).parts[-2:]) for name in changed)

    def digest(path: Path) -> str:
        data = path.read_bytes()
        return module.sha256(data + b"!" if path.as_posix().endswith(ends) else data).hexdigest()

    monkeypatch.setattr(module, "_digest", digest)
    found = now.differences(installed())
    assert changed <= {line.removesuffix(" was changed") for line in found}
    assert len(found) < 2 * len(changed)


def test_a_file_that_cannot_be_read_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not an error that ends the check unseen."""

    def digest(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(module, "_digest", digest)
    with pytest.raises(ManifestError, match=r"\.py cannot be read: Permission denied; install it anew"):
        installed()


def test_what_python_runs_by_itself_is_listed(now: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ``.pth`` or ``sitecustomize.py`` runs before the program and belongs to no package."""
    for name in ("evil.pth", "sitecustomize.py", "harmless.txt"):
        (tmp_path / name).write_text("import os")
    folders = [*module.getsitepackages(), str(tmp_path)]
    monkeypatch.setattr(module, "getsitepackages", lambda: folders)
    assert now.differences(installed()) == ("site/evil.pth was added", "site/sitecustomize.py was added")


def test_a_file_that_hides_a_packages_own_is_listed(tmp_path: Path) -> None:
    """``core.so`` beside ``core.py`` is what Python loads; data beside it is nobody's."""
    for name in ("core.py", "core.abi3.so", "core.pyc", "notes.txt"):
        (tmp_path / name).write_text("")
    listed = {"pack/core.py": tmp_path / "core.py"}
    assert [name for name, _ in module._slipped_in(listed)] == ["pack/core.abi3.so", "pack/core.pyc"]


def test_a_doctored_cache_is_not_run(tmp_path: Path) -> None:
    """Python takes a compiled file that agrees with its source in time and size for it; the command of a checked table does not,
    and asks for itself once."""
    source = tmp_path / "victim.py"
    source.write_text("said = 'the source'\n")
    cache = Path(cache_from_source(str(source)))
    cache.parent.mkdir()
    stat = source.stat()
    code = marshal.dumps(compile("said = 'something else'", str(source), "exec"))
    cache.write_bytes(MAGIC_NUMBER + bytes(4) + struct.pack("<II", int(stat.st_mtime), stat.st_size) + code)
    look = tmp_path / "look.py"
    look.write_text(
        "import json, victim\n"
        "from controller.manifest import command_without_caches\n"
        "print(json.dumps([victim.said, command_without_caches()]))\n"
    )
    environment = {"PYTHONPATH": str(ROOT)}

    def run(*command: str) -> Any:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
        return json.loads(done.stdout)

    said, anew = run(sys.executable, str(look))
    assert said == "something else"
    assert run(*anew) == ["the source", None]
    assert cache.stat().st_size == 16 + len(code)


@pytest.mark.parametrize("brings", ["stud_table.readers", "stud_table.multiplexers"])
def test_a_package_that_brings_a_driver_is_listed(now: Manifest, brings: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver of another package is chosen by name and stands under nothing that stud-table needs."""

    def points(*, group: str) -> list[Any]:
        return [SimpleNamespace(dist=SimpleNamespace(name="hypothesis"))] if group == brings else []

    monkeypatch.setattr(module, "entry_points", points)
    added = now.differences(installed())
    assert "hypothesis/hypothesis/core.py was added" in added
    assert all(line.endswith("was added") for line in added)


def test_no_name_hides_a_file() -> None:
    """Only caches and notes of the installer itself are left out, by their whole names."""
    assert module._made_here("controller/__pycache__/app.cpython-311.pyc")
    assert module._made_here("x-1.dist-info/RECORD")
    assert not any(map(module._made_here, ("controller/app.pyc", "controller/RECORDER.py", "controller/a__pycache__.py")))


def test_many_differences_are_counted(now: Manifest, tmp_path: Path) -> None:
    """Three are named."""
    files = {name: "0" * 64 if name.startswith("drivers/") else digest for name, digest in now.files.items()}
    with pytest.raises(ManifestError, match=r"and \d+ more"):
        check_installed(write(tmp_path / "manifest.json", replace(now, files=files)))


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"program":"stud-table"}'])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    """One sentence with the way out."""
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(ManifestError, match="is no whole manifest: write it anew"):
        read_manifest(path)
    with pytest.raises(ManifestError, match="cannot be read"):
        read_manifest(tmp_path / "none.json")


def test_a_manifest_edited_by_hand_is_refused(now: Manifest, tmp_path: Path) -> None:
    """Its digest binds its lines."""
    with pytest.raises(ManifestError, match="no whole manifest"):
        read_manifest(write(tmp_path / "manifest.json", now, digest="0" * 64))


async def order(house: House, **order: Any) -> dict[str, Any]:
    app = house.app
    assert app is not None
    body = {"key": f"key-{order['type']}-{house.starts}", "seq": app.table.state.seq, "command": order}
    return await app.desk.send(CommandBody.model_validate(body))


def test_a_running_table_is_locked_when_a_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """REG-22: after the next check no hand starts, nobody but a new start opens the table, and readiness says so."""
    checks = 0

    def changed(_: Path) -> Manifest:
        nonlocal checks
        checks += 1
        if checks == 2:
            raise ManifestError("the installed program is not the release: controller/app.py was changed; install it anew")
        return Manifest("0", {})

    monkeypatch.setattr(serve, "check_installed", changed)
    monkeypatch.setattr(serve.asyncio, "to_thread", _inline)

    async def story() -> None:
        house = House(tmp_path, Play(seats={1: ("Ann", 90), 3: ("Bob", 90)}), seed=1)
        try:
            house.devices.start()
            app = await house.start()
            checking = asyncio.create_task(serve._check_again(app, Path("manifest.json"), 4.0))
            stats = await house.deal(1)
            assert stats.hands == 1
            assert app.readiness()["program"]
            await checking
            assert not app.readiness()["program"]
            for kind, code in (("start_hand", "program_changed"), ("reopen_table", "table_is_open")):
                answer = await order(house, type=kind)
                assert (answer["ok"], answer["refusal"]["code"]) == (False, code)
            await house.kill()
            again = await house.start()
            assert not again.table.state.locked
            assert again.readiness()["program"]
        finally:
            await house.close()

    run_virtual(story(), max_seconds=10_000)


async def _inline(do: Any, *args: Any) -> Any:
    return do(*args)
