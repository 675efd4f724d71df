"""``floor.toml``: what it may say, and what is wrong with one, with file, key and way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from controller.config import ConfigError
from controller.floor_config import load_floor_config


def written(folder: Path, **more: Any) -> Path:
    path = folder / "floor.toml"
    path.write_text(tomli_w.dumps({"venue": "nice", **more}), encoding="utf-8")
    return path


def test_a_venue_is_enough(tmp_path: Path) -> None:
    """The broker of this machine, a file beside the configuration, an address for this machine alone."""
    config = load_floor_config(written(tmp_path))
    assert (config.mqtt.host, config.mqtt.port, config.http.host, config.http.port) == ("127.0.0.1", 1883, "127.0.0.1", 8090)
    assert config.store.address().database == str(tmp_path / "floor.sqlite3")


def test_passwords_come_from_files(tmp_path: Path) -> None:
    """Relative to the configuration; the one of the store goes into no text."""
    (tmp_path / "store.password").write_text("secret\n", encoding="utf-8")
    store = {"url": "postgresql://floor@db.room.example/floor", "password_file": "store.password"}
    address = load_floor_config(written(tmp_path, store=store)).store.address()
    assert (address.password, "secret" in repr(address)) == ("secret", False)
    config = load_floor_config(written(tmp_path, store={**store, "password_file": "missing"}))
    with pytest.raises(ConfigError, match=r"store\.password_file: .*missing cannot be read: No such file"):
        config.store.address()


def test_with_people_the_address_may_be_any(tmp_path: Path) -> None:
    """The people file is relative to the configuration; without one the floor is open, to this machine alone."""
    config = load_floor_config(written(tmp_path, people="people.json", http={"host": "0.0.0.0"}))  # noqa: S104
    assert config.people == tmp_path / "people.json"
    assert load_floor_config(written(tmp_path)).people is None


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"venue": "a/b"}, "venue: String should match pattern"),
        ({"store": {"url": "mysql://host/db"}}, "store: mysql is no kind of store"),
        ({"store": {"url": "postgresql://u:p@host/db"}}, "store: a password stands in the store's address"),
        ({"http": {"host": "0.0.0.0"}}, "http.host 0.0.0.0: without people nobody signs in, and everybody there could rule; "),  # noqa: S104
        ({"pits": {"A": ["T1"], "B": ["T2", "T1"]}}, "pits: table T1 stands in two pits; a table is in one"),
        ({"tables": 8}, "tables: is no key of the configuration"),
        ({"mqtt": {"port": 0}}, "mqtt.port: Input should be greater than or equal to 1"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    """One line a problem, with the file."""
    path = written(tmp_path, **more)
    with pytest.raises(ConfigError) as refused:
        load_floor_config(path)
    assert str(refused.value).startswith(f"{path}: {said}")


def test_a_webhook_has_an_address_and_a_secret_of_some_length(tmp_path: Path) -> None:
    """Beside the file; no name or password in the address; a secret that is missing or short is named with its file."""
    given = {"url": "https://pager.example/hook", "secret_file": "pager.secret"}
    [hook] = load_floor_config(written(tmp_path, webhook=[given])).webhook
    with pytest.raises(ConfigError, match=r"pager\.secret cannot be read"):
        hook.target()
    (tmp_path / "pager.secret").write_text("short\n")
    with pytest.raises(ConfigError, match="less than 16 characters"):
        hook.target()
    (tmp_path / "pager.secret").write_text("long enough for anybody\n")
    target = hook.target()
    assert (target.secret, target.priorities, target.host) == (b"long enough for anybody", (1, 2), "pager.example")
    for wrong in ("ftp://pager.example/", "https://me:word@pager.example/", "pager.example", "https://pager.example:99999/"):
        with pytest.raises(ConfigError, match="the address is none"):
            load_floor_config(written(tmp_path, webhook=[{**given, "url": wrong}]))
