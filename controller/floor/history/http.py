"""Hands and reports at the floor's address. They read the copy alone and change nothing.

What takes long to make is made in a thread of its own: meanwhile the floor hears its tables and tells its pages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, HTTPException, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import AfterValidator

from controller.access.people import Role
from controller.floor.history import answers, tables
from controller.floor.history.answers import CursorError
from controller.floor.history.pdf import hand_pdf
from controller.floor.history.plots import pace_plot, slips_plot
from controller.floor.history.steps import Told, told
from controller.floor.history.told import UntoldError
from controller.floor.store import reports
from controller.floor.store.history import HandKey, Wanted, find_hands, read_hand
from controller.floor.store.store import FloorStore
from controller.gate.gate import Gate
from controller.mqtt.payloads import PublicEvent, with_utc
from controller.mqtt.reading import read_whole
from controller.words.catalogue import Language

NO_STORE: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
PAGE: Final = 50
MAX_PAGE: Final = 200
MAX_CSV: Final = 10_000
"""Hands in one file; ``X-More`` says that there are others."""
SPAN: Final = timedelta(days=1)
MAX_SPAN: Final = timedelta(days=400)
HAND: Final = "/api/hands/{table}/{journal}/{hand}"

ToPhh = Callable[[str, str, Sequence[PublicEvent]], str]
Name = Annotated[str | None, Query(max_length=64)]
Number = Annotated[int, Path(ge=1, le=2**53)]
NOBODY: Final = "No such hand"


def add_history(
    api: FastAPI,
    store: Callable[[], FloorStore],
    gate: Gate,
    to_phh: ToPhh,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> None:
    """Serve hands and reports from ``api``. ``store`` is the copy, ``StoreError`` while it is away; ``to_phh`` writes one hand,
    and ``UntoldError`` says that it cannot."""

    def sees_names(request: Request) -> bool:
        """An engineer reads what devices did, and not who sat there (screens §11)."""
        person = gate.caller(request).person
        return person is None or person.role is not Role.ENGINEER

    _add_search(api, store, sees_names)
    _add_hand(api, store, sees_names, to_phh)
    _add_reports(api, store, sees_names, now)


Sees = Callable[[Request], bool]
Time = Annotated[datetime, AfterValidator(with_utc)]
Since = Annotated[Time | None, Query(alias="from")]
Until = Annotated[Time | None, Query(alias="to")]


def wanted_hands(
    table: Name = None,
    since: Since = None,
    until: Until = None,
    player: Name = None,
    dealer: Name = None,
    variant: Annotated[str | None, Query(pattern="^(stud|stud8|razz)?$")] = None,
    outcome: Annotated[str | None, Query(pattern="^(hand_ended|hand_voided)?$")] = None,
    min_pot: Annotated[int | None, Query(ge=0, le=2**53)] = None,
) -> Wanted:
    """Which hands are looked for; what is empty is any."""
    words = (table or None, _aware(since), _aware(until), player or None, dealer or None, variant or None, outcome or None)
    return Wanted(*words, min_pot)


Asked = Annotated[Wanted, Depends(wanted_hands)]


def _add_search(api: FastAPI, store: Callable[[], FloorStore], sees_names: Sees) -> None:
    def names_for(request: Request, asked: Wanted) -> bool:
        names = sees_names(request)
        if not names and (asked.player or asked.dealer):
            raise HTTPException(403, "names are not looked for by an engineer: look for table, time and hand")
        return names

    @api.get("/api/hands", responses={422: {"description": "A filter cannot be read"}})
    async def _hands(
        request: Request,
        asked: Asked,
        cursor: Annotated[str | None, Query(max_length=400)] = None,
        limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = PAGE,
    ) -> JSONResponse:
        """Hands that are over, the newest first; `cursor` of an answer asks for the next page, null at the end."""
        names = names_for(request, asked)
        try:
            behind = None if cursor is None else answers.parse_cursor(cursor)
        except CursorError as error:
            raise HTTPException(422, str(error)) from None
        rows = await find_hands(store(), asked, limit + 1, behind)
        more = answers.cursor_of(rows[limit - 1]) if len(rows) > limit else None
        said = [answers.hand_row(row, names=names) for row in rows[:limit]]
        return JSONResponse({"hands": said, "cursor": more}, headers=NO_STORE)

    @api.get("/api/hands.csv")
    async def _hands_csv(request: Request, asked: Asked) -> Response:
        """The same hands as CSV, ten thousand at most."""
        names = names_for(request, asked)
        rows = await find_hands(store(), asked, MAX_CSV + 1)
        text = await asyncio.to_thread(answers.hands_csv, rows[:MAX_CSV], names=names)
        return _file(text.encode(), "text/csv; charset=utf-8", "hands.csv", more=len(rows) > MAX_CSV)


def _add_hand(api: FastAPI, store: Callable[[], FloorStore], sees_names: Sees, to_phh: ToPhh) -> None:
    async def read(request: Request, table: str, journal: str, hand: Number) -> tuple[Mapping[str, Any], list[PublicEvent]]:
        row, bodies = await read_hand(store(), HandKey(table, journal, hand))
        if row is None or row["ended_at"] is None or not bodies:
            raise HTTPException(404, f"no finished hand {hand} of journal {journal} at table {table} is in the copy: see /hands")
        return row, [read_whole(PublicEvent, body) for body in bodies]

    async def steps(request: Request, table: str, journal: str, hand: Number) -> tuple[Mapping[str, Any], Told, bool]:
        row, events = await read(request, table, journal, hand)
        names = sees_names(request)
        found = await asyncio.to_thread(_told, table, journal, events, names=names)
        return row, found, names

    @api.get(HAND, responses={404: {"description": NOBODY}})
    async def _hand(request: Request, table: str, journal: str, hand: Number) -> JSONResponse:
        """One hand as steps: what, why by which rule, by whose evidence, and the public view after each."""
        row, found, names = await steps(request, table, journal, hand)
        said = await asyncio.to_thread(answers.hand_json, row, found, names=names)
        return JSONResponse(said, headers=NO_STORE)

    @api.get(HAND + "/hand.csv", responses={404: {"description": NOBODY}})
    async def _hand_csv(request: Request, table: str, journal: str, hand: Number, lang: Language = Language.EN) -> Response:
        """Its steps as CSV."""
        _, found, _ = await steps(request, table, journal, hand)
        return _file(answers.steps_csv(found, lang.value).encode(), "text/csv; charset=utf-8", f"{table}-{hand}.csv")

    @api.get(HAND + "/hand.phh", responses={404: {"description": NOBODY}, 409: {"description": "Too little was told of it"}})
    async def _hand_phh(request: Request, table: str, journal: str, hand: Number) -> Response:
        """The hand as PHH."""
        _, events = await read(request, table, journal, hand)
        given = events if sees_names(request) else answers.nameless(events)
        try:
            text = await asyncio.to_thread(to_phh, table, journal, given)
        except UntoldError as error:
            raise HTTPException(409, f"{error}: export it from the table's journal, with stud-table export") from None
        return _file(text.encode(), "application/toml; charset=utf-8", f"{table}-{hand}.phh")

    @api.get(HAND + "/hand.pdf", responses={404: {"description": NOBODY}})
    async def _hand_pdf(request: Request, table: str, journal: str, hand: Number, lang: Language = Language.EN) -> Response:
        """The hand on paper, for a complaint."""
        row, found, names = await steps(request, table, journal, hand)
        said = answers.hand_json(row, found, names=names)
        return _file(await asyncio.to_thread(hand_pdf, said, lang), "application/pdf", f"{table}-{hand}.pdf")


def _add_reports(api: FastAPI, store: Callable[[], FloorStore], sees_names: Sees, now: Callable[[], datetime]) -> None:
    def span(since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
        end = _aware(until) or now()
        begin = _aware(since) or end - SPAN
        if not timedelta(0) < end - begin <= MAX_SPAN:
            raise HTTPException(422, f"from must be before to, and at most {MAX_SPAN.days} days before it")
        return begin, end

    async def rows(request: Request, name: str, since: datetime | None, until: datetime | None) -> tables.Report:
        report = tables.REPORTS.get(name)
        if report is None:
            raise HTTPException(404, f"no report {name}: there are {', '.join(tables.REPORTS)}")
        begin, end = span(since, until)
        return await tables.made(report, store(), begin, end, names=sees_names(request))

    @api.get("/api/reports/pace.svg")
    async def _pace_svg(since: Since = None, until: Until = None, lang: Language = Language.EN) -> Response:
        """Hands an hour over time, as a picture."""
        begin, end = span(since, until)
        step = 1 if end - begin <= timedelta(days=3) else 24
        found = await reports.pace(store(), begin, end, step=step)
        return Response(pace_plot(found, begin, end, step, lang), media_type="image/svg+xml", headers=NO_STORE)

    @api.get("/api/reports/slips.svg")
    async def _slips_svg(since: Since = None, until: Until = None, lang: Language = Language.EN) -> Response:
        """Slips by kind, as a picture."""
        begin, end = span(since, until)
        found = await reports.slips(store(), begin, end)
        return Response(slips_plot(found, begin, end, lang), media_type="image/svg+xml", headers=NO_STORE)

    @api.get("/api/reports/{name}.csv", responses={404: {"description": "No such report"}})
    async def _report_csv(request: Request, name: str, since: Since = None, until: Until = None) -> Response:
        """A report as CSV."""
        return _file((await rows(request, name, since, until)).csv().encode(), "text/csv; charset=utf-8", f"{name}.csv")

    @api.get("/api/reports/{name}", responses={404: {"description": "No such report"}})
    async def _report(request: Request, name: str, since: Since = None, until: Until = None) -> JSONResponse:
        """A report: its columns and rows, of the last day unless `from` and `to` say otherwise."""
        return JSONResponse((await rows(request, name, since, until)).as_json(), headers=NO_STORE)


def _told(table: str, journal: str, events: Sequence[PublicEvent], *, names: bool) -> Told:
    """The steps of a hand; its links are of the events as they were told, with names or without."""
    found = told(table, journal, events)
    if names:
        return found
    bare = told(table, journal, answers.nameless(events))
    return Told(bare.steps, found.links, bare.untold)


def _aware(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo is not None else at.replace(tzinfo=UTC)


def _file(body: bytes, kind: str, name: str, *, more: bool = False) -> Response:
    """A download. Only letters, digits and ``-._`` stand in its name."""
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-._") else "_" for letter in name)
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{safe}"', **({"X-More": "true"} if more else {})}
    return Response(body, media_type=kind, headers=headers)
