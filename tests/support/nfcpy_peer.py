"""Reads the card on a PN532 with nfcpy, as a program of its own: ``python nfcpy_peer.py PORT``; it writes one JSON object."""

from __future__ import annotations

import json
import sys

import nfc.clf
import nfc.clf.pn532
import nfc.clf.transport
import nfc.tag


def main(port: str) -> None:
    frontend = nfc.clf.ContactlessFrontend()
    frontend.device = nfc.clf.pn532.init(nfc.clf.transport.TTY(port))
    try:
        found = {"chip": frontend.device.chipset_name, "uid": None}
        target = frontend.sense(nfc.clf.RemoteTarget("106A"))
        if target is not None:
            tag = nfc.tag.activate(frontend, target)
            found |= {
                "uid": tag.identifier.hex().upper(),
                "product": tag.product,
                "memory": tag.dump(),
                "present": tag.is_present,
            }
        json.dump(found, sys.stdout)
    finally:
        frontend.close()


if __name__ == "__main__":
    main(sys.argv[1])
