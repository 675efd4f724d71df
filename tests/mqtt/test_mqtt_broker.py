"""Brokers that demo and tests start."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from controller.mqtt import broker as brokers
from controller.mqtt.broker import HOST, BrokerError, BrokerKind, find_mosquitto, start_broker

pytestmark = pytest.mark.ports

KINDS = [kind for kind in BrokerKind if kind is BrokerKind.IOTCORE or find_mosquitto()]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def accepts(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_a_broker_accepts_when_it_is_returned_and_is_gone_after_stop(kind: BrokerKind, tmp_path: Path) -> None:
    """It accepts on 127.0.0.1, its process ends with ``stop``, a second ``stop`` does nothing, and its port serves again."""
    with start_broker(tmp_path, kind=kind) as first:
        assert first.kind is kind
        assert accepts(first.host, first.port)
        assert alive(first.pid)
    first.stop()
    assert not alive(first.pid)
    assert not accepts(first.host, first.port)
    with start_broker(tmp_path, port=first.port, kind=kind) as second:
        assert (second.port, accepts(second.host, second.port)) == (first.port, True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_broker_listens_on_the_loopback_alone(kind: BrokerKind, tmp_path: Path) -> None:
    """No other address of the machine answers; the kernel's table of listeners says so."""
    with start_broker(tmp_path, kind=kind) as running:
        listeners = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
        ours = {address for address in listeners if int(address.split(":")[1], 16) == running.port}
        assert ours == {f"0100007F:{running.port:04X}"}


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    """Where somebody else listens, nothing is started and the error says what to do."""
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        with pytest.raises(BrokerError, match="is in use: stop the other program"):
            start_broker(tmp_path, port=other.getsockname()[1])


def test_without_mosquitto_the_built_in_broker_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without mosquitto still has a broker; asking for mosquitto there says what to install."""
    monkeypatch.setattr(brokers, "find_mosquitto", lambda: None)
    with start_broker(tmp_path) as running:
        assert running.kind is BrokerKind.IOTCORE
    with pytest.raises(BrokerError, match="install the package mosquitto"):
        start_broker(tmp_path, kind=BrokerKind.MOSQUITTO)


def test_a_broker_that_dies_at_once_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that ends before it accepts is reported with its exit code."""
    monkeypatch.setattr(brokers, "find_mosquitto", lambda: "/bin/false")
    with pytest.raises(BrokerError, match="ended with code 1"):
        start_broker(tmp_path, kind=BrokerKind.MOSQUITTO)


@pytest.mark.parametrize("kind", KINDS)
def test_mosquitto_can_keep_what_is_retained(kind: BrokerKind, tmp_path: Path) -> None:
    """With ``persistent`` mosquitto's retained messages lie in the folder after the stop; the built-in broker keeps none."""
    with start_broker(tmp_path / "kept", kind=kind, persistent=True):
        pass
    assert (tmp_path / "kept" / "mosquitto.db").exists() is (kind is BrokerKind.MOSQUITTO)
