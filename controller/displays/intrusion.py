"""The alarm of commands that come over MQTT: each is refused, and people are told until none has come for a while.

It is not journalled: a stranger at the broker must not make the journal grow.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Final

from controller.mqtt.payloads import Alarm, Words
from controller.words.catalogue import Language, text

INTRUSION_S: Final = 600.0
"""How long the alarm stands after the last one."""
MQTT_COMMAND: Final = "mqtt_command"
"""Id and code of the alarm."""
_TOPIC_LOGGED: Final = 120
"""Characters of a stranger's topic that are logged."""

_log = logging.getLogger("controller.displays")


class IntrusionAlarm:
    """Raised by ``note``, cleared by ``forget``; times are the loop's, in seconds."""

    def __init__(self) -> None:
        self._raised_at: datetime | None = None
        self._until = 0.0

    def note(self, topic: str, now: float, wall: datetime) -> bool:
        """A command came on ``topic``; whether the alarm is new. Of those that follow on it none is logged."""
        self._until = now + INTRUSION_S
        if self._raised_at is not None:
            return False
        _log.warning("a command came over MQTT on %r and was refused: commands go over HTTP alone", topic[:_TOPIC_LOGGED])
        self._raised_at = wall
        return True

    def forget(self, now: float) -> bool:
        """Whether the alarm is over with this."""
        over = self._raised_at is not None and now >= self._until
        if over:
            self._raised_at = None
        return over

    def alarms(self, seq: int, epoch: int, at: datetime) -> dict[str, Alarm]:
        """The alarm under its id, as long as it stands."""
        if self._raised_at is None:
            return {}
        words = Words(en=text("alarm.mqtt_command", Language.EN), fr=text("alarm.mqtt_command", Language.FR))
        alarm = Alarm(
            seq=seq,
            epoch=epoch,
            at=at,
            alarm=MQTT_COMMAND,
            code=MQTT_COMMAND,
            priority=2,
            raised_at=self._raised_at,
            text=words,
        )
        return {MQTT_COMMAND: alarm}
