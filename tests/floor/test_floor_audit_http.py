"""What auditors read of the copy at the floor's address."""

from __future__ import annotations

from pathlib import Path

import httpx
from fastapi import FastAPI
from support.floor_samples import START, happened

from controller.floor.audit.http import add_audit
from controller.floor.store.address import parse_address
from controller.floor.store.audit_reads import AuditReads
from controller.floor.store.rows import Batch, Difference, KeptDifference, KeptEvent, KeptHead, KeptHole, Source
from controller.floor.store.store import StoreError, open_store

T1 = Source("T1", "5f0c9a1e")


async def test_the_copy_of_a_table_is_told_as_the_store_has_it(tmp_path: Path) -> None:
    """Every journal, how far it is kept and proven, its newest head, holes, differences once; 404 for no table."""
    async with open_store(parse_address("sqlite:///floor.sqlite3", tmp_path), "nice") as store:
        link = "ab" * 32
        events = (
            KeptEvent(T1, happened(5, link=link), proven=True),
            KeptEvent(T1, happened(6, link=link)),
            KeptEvent(T1, happened(3, link=link)),
        )
        holes = (KeptHole(T1, 0, 5, START), KeptHole(T1, 8, 20, START))
        heads = (KeptHead(T1, 4, "cd" * 32, START), KeptHead(T1, 6, "ef" * 32, START))
        wrong = KeptDifference(Difference(T1, 6, "chain"), START)
        await store.write(Batch(events, holes=holes, heads=heads, differences=(wrong,)))
        closed, smaller = KeptHole(T1, 0, 5, START, closed_at=START), KeptHole(T1, 8, 12, START)
        await store.write(Batch(holes=(closed, smaller), differences=(wrong,)))
        await store.write(Batch(holes=(KeptHole(T1, 0, 5, START), KeptHole(T1, 8, 20, START))))
        api = FastAPI()
        add_audit(api, lambda: store.audit)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://floor") as client:
            [told] = (await client.get("/api/audit/T1")).json()["journals"]
            assert (await client.get("/api/audit/T2")).status_code == 404
        at = "2026-01-02T20:00:00.000Z"
        assert told == {
            "journal": T1.journal,
            "kept": 6,
            "kept_at": at,
            "link": link,
            "verified": 5,
            "head": {"seq": 6, "head": "ef" * 32, "at": at},
            "holes": [
                {"after": 8, "next": 12, "found_at": at, "closed_at": None},
                {"after": 0, "next": 5, "found_at": at, "closed_at": at},
            ],
            "differences": [{"seq": 6, "what": "chain", "found_at": at}],
        }
        assert [(hole.after_seq, hole.next_seq) for hole in await store.open_holes()] == [(8, 12)]


async def test_a_store_that_is_away_is_said() -> None:
    """503, with what happens meanwhile."""

    def away() -> AuditReads:
        raise StoreError("the floor's store is away")

    api = FastAPI()
    add_audit(api, away)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://floor") as client:
        answer = await client.get("/api/audit/T1")
    assert (answer.status_code, "asked of them again" in answer.text) == (503, True)
