"""Whether the shoe that answers is the one that belongs to this table (TSP/1 opening a session: quarantine)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from drivers.ports import Trouble, trouble
from drivers.shoe.messages import DeviceHello

OTHER: Final = (
    "another shoe answers at {name} (serial number {found}) than the paired one ({expected}): "
    "put the paired shoe back, or pair this one under shoe.serial"
)
MODEL: Final = (
    "a shoe of model {found} answers at {name} instead of {expected}: "
    "put the right one back, or change shoe.model in the configuration"
)


@dataclass(frozen=True, slots=True)
class Paired:
    """What is known of the shoe that belongs here. None takes what answers; the first shoe adopted stays the paired one."""

    serial: str | None = None
    model: str | None = None
    node: str | None = None

    def judge(self, name: str, node: str, hello: DeviceHello) -> Trouble | None:
        """Why the shoe must not be used; None when it may be."""
        if self.serial not in (None, hello.serial):
            return trouble("shoe_other", OTHER, name=name, found=hello.serial, expected=self.serial or "")
        if self.model not in (None, hello.model):
            return trouble("shoe_model", MODEL, name=name, found=hello.model, expected=self.model or "")
        if self.node not in (None, node):
            return trouble("shoe_other", OTHER, name=name, found=f"{hello.serial}, node {node}", expected=f"node {self.node}")
        return None
