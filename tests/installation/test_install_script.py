"""A whole room by the commands of the installation's document: TLS, accounts, PostgreSQL, and a hand on the floor's page."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_pem_x509_certificate
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright, expect
from support.page_site import sign_in
from support.programs import CHROMIUM, program

from controller.bench.postgres_server import find_postgresql
from controller.config import load_config
from controller.floor_config import load_floor_config
from controller.rehearsed_table import MEMORY
from controller.table.events import TablePaused, TableReopened
from controller.verify import audit, kinds_after

DEPLOY = Path(__file__).parents[2] / "deploy"
FIRST_ACCOUNT = 60600


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(DEPLOY))
    return import_module("try_installation")


@pytest.fixture
def room() -> Iterator[Path]:
    """An empty folder that other accounts may enter, as no folder of a test's own is."""
    folder = Path(tempfile.mkdtemp(prefix="stud-room-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_every_step_of_the_document_is_a_command_of_the_script(script: ModuleType, tmp_path: Path) -> None:
    """What it does otherwise than the document says is said of commands that stand there, and no other kind of block has any that
    changes something."""
    text = script.DOCUMENT.read_text(encoding="utf-8")
    commands = list(script.commands_of(text))
    for pattern, _ in script.Room(tmp_path, print)._instead():
        assert [command for command in commands if re.match(pattern, command)], pattern
    first = [command.split()[0] for command in commands]
    assert {"apt-get", "stud-table", "cp", "systemd-sysusers", "systemd-tmpfiles", "runuser", "systemctl"} <= set(first)
    steps = re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE)
    assert steps == [str(number) for number in range(1, 11)]


def test_a_block_of_the_document_is_its_commands(script: ModuleType) -> None:
    """Blocks of ``sh`` alone, indented or not; a line that ends in a backslash goes on."""
    text = "1. x\n\n   ```sh\n   one  two \\\n     three\n   four\n   ```\n\n```\nshown\n```\n\n```sh\nfive\n```\n"
    assert list(script.commands_of(text)) == ["one two three", "four", "five"]


def test_places_ports_and_names_become_those_of_the_room(script: ModuleType, tmp_path: Path) -> None:
    """Once: what is moved already stays. Terminals and programs of the system are nobody's."""
    room = script.Room(tmp_path / "room", print)
    ports = room.ports
    root = tmp_path / "room"
    cases = {
        "cp x /etc/ && /opt/a < /var/lib/b > /dev/null": f"cp x {root}/etc/ && {root}/opt/a < {root}/var/lib/b > /dev/null",
        "postgresql://stud-floor@127.0.0.1/floor": f"postgresql://stud-floor@127.0.0.1:{ports['postgres']}/floor",
        "--http 127.0.0.1:8081 /usr/lib/opt/x": f"--http 127.0.0.1:{ports['T1']} /usr/lib/opt/x",
        "--broker broker.room.example:8883": f"--broker localhost:{ports['broker']}",
        "listener 8883": f"listener {ports['broker']}",
        "--host t1.room.example": "--host localhost",
    }
    assert {told: room.here(told) for told in cases} == cases
    assert room.here("/etc/a\n/dev/stud-table/T1") == f"{root}/etc/a\n{root}/dev/stud-table/T1"
    assert room.here(room.here("/etc/a = /var/lib/b")) == room.here("/etc/a = /var/lib/b")
    assert len(set(ports.values())) == len(ports)


@pytest.mark.ports
@pytest.mark.timeout(300)
def test_the_document_brings_up_a_room(script: ModuleType, room: Path) -> None:
    """Broker, two tables with simulated devices and floor with PostgreSQL, by the document's commands and no other, encrypted,
    under accounts of their own where this is root: a hand of each is seen over HTTPS, and the floor orders there. No secret is
    told, no chip is lost."""
    program("mosquitto", "/usr/sbin/mosquitto", package="mosquitto")
    if find_postgresql() is None:
        program("initdb", package="postgresql")
    words = [sys.executable, DEPLOY / "try_installation.py", room, "--fast"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-3000:]
    lines = done.stdout.splitlines()
    assert [line[2:] for line in lines if line.startswith("$ ")] == list(script.commands_of(script.DOCUMENT.read_text()))
    assert re.match(r"seen over HTTPS: hand [1-9]\d* of T1, hand [1-9]\d* of T2; ", lines[-1])
    assert "NOT AS AT A REAL ROOM" in done.stdout or "stud-table@T1 as stud-T1" in lines[-1]

    etc, lib = room / "etc/stud-table", room / "var/lib"
    for table in ("T1", "T2"):
        config = load_config(etc / table / "table.toml")
        assert (config.production, config.access) == (True, "people")
        journal = audit(config.data)
        assert (journal.ok, journal.chips_conserved, journal.cards_conserved) == (True, True, True)
        assert config.deck.with_name(MEMORY).exists()
        ordered = kinds_after(config.data, 0)
        assert (ordered[TablePaused.__name__], ordered[TableReopened.__name__]) == (1, 1)
    assert load_floor_config(etc / "floor/floor.toml").store.url.startswith("postgresql://stud-floor@127.0.0.1:")
    if "stud-table@T1 as stud-T1" in lines[-1]:
        owners = [(lib / name).stat() for name in ("stud-table/T1", "stud-table/T2", "stud-floor")]
        assert len({one.st_uid for one in owners}) == 3
        assert {one.st_mode & 0o777 for one in owners} == {0o700}
        assert min(one.st_uid for one in owners) >= FIRST_ACCOUNT
    said = done.stdout + "".join(path.read_text(encoding="utf-8") for path in (room / "var/log").iterdir())
    secrets = [etc / "floor/store-password", *etc.glob("*/rehearsal.pin")]
    assert len(secrets) == 3
    assert not [path.name for path in secrets if path.read_text(encoding="utf-8").strip() in said]


@pytest.mark.ports
def test_a_folder_with_something_in_it_is_not_touched(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, in one sentence."""
    (tmp_path / "file").touch()
    assert script.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"try_installation: {tmp_path} is not empty: name another folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def _environments() -> Iterator[bytes]:
    """Those of all processes; HOME of a room's is the room."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            yield path.read_bytes()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a room", "{root!r} has letters that the commands' shell reads otherwise: name one as /srv/room"),
        ("a\\1", "{root!r} has letters that the commands' shell reads otherwise: name one as /srv/room"),
        ("file", "{root} can be no room's folder (Not a directory): name another one, as /srv/room"),
        ("file/room", "{root} can be no room's folder (Not a directory): name another one, as /srv/room"),
        ("a" * 300, "{root} can be no room's folder (File name too long): name another one, as /srv/room"),
    ],
)
def test_a_name_that_can_be_no_room_is_refused(
    script: ModuleType, room: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    """Exit 2, in one sentence, before anything is done."""
    (room / "file").touch()
    assert script.main([str(room / name)]) == 2
    assert capsys.readouterr().err == f"try_installation: {said.format(root=str(room / name))}\n"
    assert [path.name for path in room.iterdir()] == ["file"]


def test_a_full_disk_ends_a_room_in_one_sentence(
    script: ModuleType, room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was started is stopped."""

    def full(_self: object, _commands: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/srv/room/etc/passwd")

    monkeypatch.setattr(script.Room, "follow", full)
    assert script.main([str(room)]) == 1
    assert re.fullmatch(
        r"try_installation: the room cannot go on: .*No space left on device: '/srv/room/etc/passwd': .*\n",
        capsys.readouterr().err,
    )


def test_a_store_that_is_away_is_waited_for(script: ModuleType, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine the floor says so for a moment: 503, and no list of hands."""
    made, asked = script.Room(room, print), 0

    def ask(_self: object, _method: str, path: str) -> tuple[None, bytes]:
        nonlocal asked
        asked += path == "/api/hands"
        hands = [{"table": name} for name in ("T1", "T2")]
        answers = {"/api/hands": {"refusal": {"code": "store_away"}} if asked < 2 else {"hands": hands}}
        return None, json.dumps(answers.get(path, {"public": {"hand": 1}, "table": path})).encode()

    monkeypatch.setattr(script.Room, "ask", ask)
    assert made.see(1) == {"T1": 1, "T2": 1}
    assert asked == 2


@pytest.mark.ports
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="util-linux is not installed")
@pytest.mark.parametrize("name", ["mosquitto", "other"])
def test_a_killed_script_leaves_no_service_behind(room: Path, name: str) -> None:
    """Nobody could end what it started, by hand in a list of processes alone."""
    (room / "var/log").mkdir(parents=True)
    code = (
        f"import os, sys; sys.path.insert(0, {str(DEPLOY)!r}); from pathlib import Path; import room_services as r\n"
        f"s = r.Services(Path({str(room)!r}), print); a = r.Account('', os.geteuid(), os.getegid())\n"
        f"s.start({name!r}, a, ['/bin/sh', '-c', 'echo up; exec sleep 60']); print('up', flush=True); input()"
    )
    killed = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    log = room / f"var/log/{name}.log"
    while not log.exists() or not log.read_text():
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    while str(room).encode() in b"".join(_environments()):
        time.sleep(0.01)


@pytest.mark.skipif(os.geteuid() != 0, reason="accounts are made as root")
def test_a_folder_that_others_may_not_enter_is_no_room(
    script: ModuleType, room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Broker and database could not read in it: exit 2, in one sentence, before anything is done."""
    room.chmod(0o700)
    assert script.main([str(room / "mine")]) == 2
    assert (
        capsys.readouterr().err
        == f"try_installation: other accounts may not enter {room}: name a folder elsewhere, as /srv/room\n"
    )
    assert list((room / "mine").iterdir()) == []


def test_what_one_account_reads_of_another_is_found(script: ModuleType, room: Path) -> None:
    """A file that others may read in a folder that others may enter; without accounts of their own nothing is looked for."""
    made = script.Room(room, print)
    for name in ("T1", "T2", "floor"):
        made._places(name)[0].mkdir(parents=True)
    secret = made._places("T2")[0] / "people.json"
    secret.touch()
    uids = {"T1": FIRST_ACCOUNT, "T2": FIRST_ACCOUNT + 1, "floor": FIRST_ACCOUNT + 2}
    lines = [f"stud-{name}:x:{uid}:{uid}::/:/bin/sh\n" for name, uid in uids.items()]
    (room / "etc/passwd").write_text("".join(lines), encoding="utf-8")
    assert made.look_around() == []
    if os.geteuid() != 0:
        pytest.skip("only root becomes another")
    made.separate = True
    assert made.look_around() == [f"stud-T1 reads {secret}", f"stud-floor reads {secret}"]
    secret.chmod(0o600)
    assert made.look_around() == []


@pytest.mark.long
@pytest.mark.ports
@pytest.mark.timeout(600)
async def test_a_browser_that_knows_the_floors_key_shows_the_room(room: Path) -> None:
    """A room that stays until it is ended: a browser takes its page over HTTPS by the key of the floor's certificate, and not
    without; Fay signs in, and a hand is on the tile of each table."""
    words = ("-u", str(DEPLOY / "try_installation.py"), str(room), "--fast", "--stay")
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        found = None
        while found is None and (line := await process.stdout.readline()):
            found = re.match(r"floor (https://\S+), number 3, PIN (\d+);", line.decode())
        assert found is not None
        certificate = load_pem_x509_certificate((room / "engineer/floor/certificate.pem").read_bytes())
        key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        trusted = f"--ignore-certificate-errors-spki-list={b64encode(sha256(key).digest()).decode()}"
        async with async_playwright() as driver:
            chromium = program(*CHROMIUM, package="chromium")
            for more in ([], [trusted]):
                browser = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", *more])
                page = await browser.new_page()
                if more:
                    await page.goto(found[1])
                    await sign_in(page, "3", {"3": found[2]})
                    for table in ("T1", "T2"):
                        shown = page.locator(f".tile[data-table='{table}']")
                        await expect(shown).to_contain_text(
                            re.compile(r"(3rd|[4-7]th|Showdown) · ", re.IGNORECASE), timeout=30_000
                        )
                else:
                    with pytest.raises(PlaywrightError, match="ERR_CERT_AUTHORITY_INVALID"):
                        await page.goto(found[1])
                await browser.close()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()
    assert process.returncode == 0
