"""A table that is told to stop does not wait for the pages that look on."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import httpx
import pytest

from controller.demo import Demo, DemoPlan

pytestmark = pytest.mark.ports

STOPS_WITHIN_S = 2.0
"""As long as a stop may take with streams attached; the interpreter's own end comes on top."""
SLACK_S = 4.0


async def test_a_stop_ends_streams_that_are_read_and_one_that_is_not(tmp_path: Path) -> None:
    """Each stream that is read ends whole, and the process ends in good order, also with a page that has fallen asleep."""
    demo = Demo(DemoPlan(tmp_path, seed=3, fast=True, seats=2))
    await demo.start()
    try:
        controller = demo._started.controller
        assert controller is not None
        async with httpx.AsyncClient(base_url=demo.http, timeout=10) as client:
            request = client.build_request("GET", "/api/v1/stream")
            asleep = await client.send(request, stream=True)
            read = [await client.send(client.build_request("GET", "/api/v1/stream"), stream=True) for _ in range(3)]
            texts = [asyncio.create_task(stream.aread()) for stream in read]
            await asyncio.sleep(0.1)
            controller.send_signal(signal.SIGTERM)
            ended = await asyncio.gather(*texts)
            assert await asyncio.to_thread(controller.wait, STOPS_WITHIN_S + SLACK_S) == 0
            await asleep.aclose()
        assert all(b"event: snapshot\n" in text and text.endswith(b"\n\n") for text in ended)
    finally:
        await demo.stop()
