"""Broker and HTTP address as a configuration names them, and what production refuses of them, all at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli_w
from pydantic import ValidationError
from support.venue_keys import VenueKeys
from test_config import raw

from controller.config import load_config
from controller.config_network import HttpSection, MqttSection
from controller.config_values import ConfigError
from controller.floor_config import load_floor_config
from controller.keys.folder import CERTIFICATE, KEY


def test_an_authority_makes_the_connection_tls(tmp_path: Path) -> None:
    """At the port for it, unless another is named; files are relative to the configuration."""
    assert (MqttSection().tls, MqttSection().port) == (None, 1883)
    section = MqttSection.model_validate({"ca_file": "a.pem", "cert_file": "c.pem", "key_file": "k.pem"}).beside(tmp_path)
    assert (section.port, section.ca_file, section.key_file) == (8883, tmp_path / "a.pem", tmp_path / "k.pem")
    assert MqttSection.model_validate({"ca_file": "a.pem", "port": 1884}).port == 1884


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cert_file": "c.pem", "ca_file": "a.pem"}, "cert_file and key_file belong together"),
        ({"cert_file": "c.pem", "key_file": "k.pem"}, "cert_file needs ca_file"),
    ],
)
def test_half_of_it_is_refused(given: dict[str, Any], said: str) -> None:
    """Or a connection would be plain while somebody thinks it is not."""
    with pytest.raises(ValidationError, match=said):
        MqttSection.model_validate(given)


def test_an_address_with_a_certificate_is_announced_as_https() -> None:
    """The floor sends its orders there."""
    assert HttpSection.model_validate({"cert_file": "c.pem", "key_file": "k.pem", "host": "t12"}).address == "https://t12:8080/"
    with pytest.raises(ValidationError, match="belong together"):
        HttpSection.model_validate({"cert_file": "c.pem"})


def test_files_that_tls_cannot_use_are_an_error_of_the_configuration(tmp_path: Path) -> None:
    """With the section, before anything is opened."""
    files = {"cert_file": tmp_path / "c.pem", "key_file": tmp_path / "k.pem"}
    with pytest.raises(ConfigError, match=r"^mqtt: .*a\.pem cannot be read"):
        MqttSection(ca_file=tmp_path / "a.pem", **files).connection("x")
    with pytest.raises(ConfigError, match=r"^http: .*c\.pem cannot be read"):
        HttpSection(**files).tls()


def written(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(tomli_w.dumps(content), encoding="utf-8")
    return path


def lines(caught: pytest.ExceptionInfo[ConfigError]) -> list[str]:
    return [line.partition("production = true: ")[2] for line in str(caught.value).splitlines()]


def test_production_refuses_a_plain_table_and_open_secrets(tmp_path: Path) -> None:
    """Everything at once, each with its way out; without the word nothing of it (REG-49)."""
    open_file = tmp_path / "open"
    open_file.write_text("x", encoding="utf-8")
    open_file.chmod(0o644)
    content = {**raw(), "access": "people", "deck": "open", "http": {"announce": "http://t12/"}}
    content["mqtt"] = {"host": "broker", "password_file": "open"}
    path = written(tmp_path / "table.toml", content)
    assert (load_config(path).production, load_config(path).watches_clock) == (False, False)
    written(path, {"production": True, **content})
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert [line.partition(":")[0] for line in lines(caught)] == [
        "mqtt is plain",
        "http is plain",
        "http.announce is plain",
        "mqtt.password_file",
        "deck",
    ]


@pytest.mark.parametrize("address", ["https://t12.room.example/", "http://10.0.0.7:8080/", "https://[x"])
def test_an_open_table_is_announced_to_nobody_else(tmp_path: Path, address: str) -> None:
    """Behind a proxy of this machine the room would drive it, and nobody signs in."""
    path = written(tmp_path / "table.toml", {**raw(), "access": "open", "http": {"announce": address}})
    with pytest.raises(ConfigError, match=r'access = "open" with http\.announce .*: everybody there could drive the table'):
        load_config(path)
    written(path, {**raw(), "access": "open", "http": {"announce": "http://localhost:8080/"}})
    assert load_config(path).http.announce


def test_production_takes_an_encrypted_table(tmp_path: Path) -> None:
    """And one that speaks to no broker."""
    made = VenueKeys(tmp_path).issued("table-T1", ("t1.room.example",))
    files = {"cert_file": str(made / CERTIFICATE), "key_file": str(made / KEY)}
    content = {"production": True, **raw(), "mqtt": {"ca_file": str(made / "authority.pem"), **files}, "http": files}
    config = load_config(written(tmp_path / "table.toml", content))
    assert config.watches_clock
    assert (config.http.scheme, config.mqtt is not None and config.mqtt.port) == ("https", 8883)
    assert config.mqtt is not None
    assert config.mqtt.connection("x").tls is not None
    assert config.http.tls() is not None
    content["mqtt"] = {"ca_file": str(made / "authority.pem")}
    with pytest.raises(ConfigError, match=r"mqtt: nothing says who we are: set mqtt\.cert_file"):
        load_config(written(tmp_path / "table.toml", content))


def test_production_refuses_a_plain_floor(tmp_path: Path) -> None:
    """Its database and its webhooks too; a socket of this machine is no network."""
    content: dict[str, Any] = {
        "production": True,
        "venue": "nice",
        "store": {"url": "postgresql://floor@db.room.example/floor"},
        "webhook": [{"url": "http://pager.room.example/x", "secret_file": "secret"}],
    }
    with pytest.raises(ConfigError) as caught:
        load_floor_config(written(tmp_path / "floor.toml", content))
    assert [line.partition(":")[0] for line in lines(caught)] == [
        "mqtt is plain",
        "http is plain",
        "store.url is plain",
        "webhook.url of pager.room.example is plain",
    ]
    for url, is_plain in (
        ("postgresql:///floor", False),
        ("postgresql:///floor?host=/run/postgresql", False),
        ("postgresql://floor@db/floor?sslmode=verify-full", False),
        ("sqlite:///floor.sqlite3", False),
        ("postgresql://floor@db/floor?sslmode=verify-ca", True),
        ("postgresql://floor@localhost/floor?hostaddr=10.0.0.5", True),
        ("postgresql:///floor?host=/run/postgresql,db", True),
        ("postgresql:///floor?service=db", True),
    ):
        content["store"] = {"url": url}
        with pytest.raises(ConfigError) as caught:
            load_floor_config(written(tmp_path / "floor.toml", content))
        assert any(line.startswith("store.url is plain") for line in lines(caught)) is is_plain, url


def test_a_password_that_is_no_text_is_named(tmp_path: Path) -> None:
    """At the broker and at the store, with its file and nothing of it."""
    (tmp_path / "p").write_bytes(b"\xff\xfe")
    content: dict[str, Any] = {"venue": "nice", "mqtt": {"password_file": "p"}}
    content["store"] = {"url": "postgresql://floor@db/floor", "password_file": "p"}
    config = load_floor_config(written(tmp_path / "floor.toml", content))
    for read in (config.mqtt.password, config.store.address):
        with pytest.raises(ConfigError, match=r"password_file: .*/p is no text in UTF-8: write the password there"):
            read()


def test_the_floor_knows_its_tables_by_the_venues_authority(tmp_path: Path) -> None:
    """The broker's, unless another is named."""
    content: dict[str, Any] = {"venue": "nice"}
    assert load_floor_config(written(tmp_path / "floor.toml", content)).table_authority is None
    content["mqtt"] = {"ca_file": "venue.pem"}
    trusted = load_floor_config(written(tmp_path / "floor.toml", content)).table_authority
    assert trusted is not None
    assert trusted.authority == tmp_path / "venue.pem"
    content["orders"] = {"ca_file": "tables.pem"}
    trusted = load_floor_config(written(tmp_path / "floor.toml", content)).table_authority
    assert trusted is not None
    assert trusted.authority == tmp_path / "tables.pem"
