"""A plain aiomqtt pair as the yardstick of the publisher: one publishes with QoS 1, the other stamps what arrives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import aiomqtt

Stamped = Callable[[int, str, bytes], None]
"""Nanoseconds of the monotonic clock, which all processes share, topic and payload."""


async def stamp_messages(host: str, port: int, topics: Sequence[str], ready: Callable[[], None], told: Stamped) -> None:
    """Tell ``told`` of every message that arrives on ``topics``, from ``ready`` on until cancelled."""
    async with aiomqtt.Client(host, port) as client:
        await client.subscribe([(topic, 1) for topic in topics])
        ready()
        async for message in client.messages:
            at = time.monotonic_ns()
            told(at, message.topic.value, bytes(message.payload))


async def publish_plain(host: str, port: int, topic: str, payloads: Sequence[bytes], *, pause_s: float) -> list[int]:
    """When each of ``payloads`` was handed to the client, in nanoseconds of the monotonic clock; one every ``pause_s``."""
    sent: list[int] = []
    async with aiomqtt.Client(host, port) as client:
        for payload in payloads:
            await asyncio.sleep(pause_s)
            sent.append(time.monotonic_ns())
            await client.publish(topic, payload, qos=1)
    return sent
