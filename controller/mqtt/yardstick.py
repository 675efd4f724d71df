"""A plain aiomqtt pair as the yardstick of the publisher: one publishes with QoS 1, the other stamps what arrives."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

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


@asynccontextmanager
async def plain_publisher(host: str, port: int) -> AsyncIterator[Callable[[str, bytes], Awaitable[None]]]:
    """A function that publishes a payload on a topic with QoS 1 and waits for the acknowledgement."""
    async with aiomqtt.Client(host, port) as client:

        async def publish(topic: str, payload: bytes) -> None:
            await client.publish(topic, payload, qos=1)

        yield publish
