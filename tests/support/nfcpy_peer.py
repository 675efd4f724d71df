"""Reads the card on a PN532 with nfcpy, as a program of its own: ``python nfcpy_peer.py PORT [card]``; it writes one JSON object.

nfcpy gives a chip 100 ms for each ACK, which a busy machine does not always keep: it is tried again, with ``card`` until one was
read to its end.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import nfc.clf
import nfc.clf.pn532
import nfc.clf.transport
import nfc.tag

ATTEMPTS = 40


def read(port: str) -> dict[str, Any]:
    """What nfcpy finds at one opening of the port. Its own errors come through."""
    frontend = nfc.clf.ContactlessFrontend()
    frontend.device = nfc.clf.pn532.init(nfc.clf.transport.TTY(port))
    try:
        found: dict[str, Any] = {"chip": frontend.device.chipset_name, "uid": None}
        target = frontend.sense(nfc.clf.RemoteTarget("106A"))
        tag = None if target is None else nfc.tag.activate(frontend, target)
        if tag is not None:
            found |= {"uid": tag.identifier.hex().upper(), "product": tag.product}
            found |= {"memory": tag.dump(), "present": tag.is_present}
        return found
    finally:
        frontend.close()


def is_whole(found: dict[str, Any]) -> bool:
    """Whether a card was read without a time-out on the way."""
    return found["uid"] is not None and found["present"] and not any("??" in row for row in found["memory"])


def main(port: str, wants_card: bool) -> int:
    for _ in range(ATTEMPTS):
        try:
            found = read(port)
        except (OSError, nfc.clf.Error, nfc.clf.pn532.Chipset.Error):
            continue
        if is_whole(found) or not wants_card:
            json.dump(found, sys.stdout)
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "card" in sys.argv[2:]))
