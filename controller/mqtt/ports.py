"""The seam between a connection and those who publish or listen: the real client and an in-memory broker both fit it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Message(Protocol):
    """A message that arrived. ``retain`` says that the broker had kept it from before the subscription."""

    @property
    def topic(self) -> str: ...  # noqa: D102

    @property
    def payload(self) -> bytes: ...  # noqa: D102

    @property
    def retain(self) -> bool: ...  # noqa: D102


class Will(Protocol):
    """A retained message of QoS 1 that the broker publishes when the connection dies."""

    @property
    def topic(self) -> str: ...  # noqa: D102

    @property
    def payload(self) -> bytes: ...  # noqa: D102


class Publisher(Protocol):
    """The outgoing side of a connection."""

    async def publish(self, topic: str, payload: bytes, *, retain: bool, qos: int) -> None:
        """Return when the broker has acknowledged (QoS 1) or the message is written (QoS 0).

        ``ConnectionError`` when there is no connection or it was lost before the acknowledgement; the broker may have it
        nevertheless.
        """


class Handler(Protocol):
    """What a connection serves. Everything is called on the event loop's thread."""

    def subscriptions(self) -> Sequence[str]:
        """Filters to subscribe to inside each connect."""

    def will(self) -> Will | None:
        """The last will of the next connection; asked before each attempt."""

    def farewell(self) -> Will | None:
        """Retained message to leave behind when this side stops in order; None leaves the topics as they are."""

    async def run_session(self, link: Publisher) -> None:
        """One connection's life: called after the subscriptions are granted, cancelled when the connection is lost.

        Returning keeps the connection. ``ConnectionError`` from ``link`` may pass through.
        """

    def on_message(self, message: Message) -> None:
        """One message, in the broker's order. Must not block and must not raise."""
