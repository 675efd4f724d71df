"""A floor's address where people sign in, over tables that the test tells."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx

from controller.access.door import Door
from controller.access.floor_rights import FLOOR_ENDPOINTS, FLOOR_RIGHTS
from controller.access.floor_token import FloorSigner
from controller.access.people import Person
from controller.access.rights import Right
from controller.access.roster import load_roster
from controller.floor.board.alarms import StandingAlarm
from controller.floor.orders.desk import OrderDesk
from controller.floor.orders.http import add_orders
from controller.floor.orders.passing import Known, Passing
from controller.floor.orders.proposals import Proposals
from controller.floor.orders.proposals_http import add_proposals
from controller.floor.people.trail import Trail
from controller.floor.store.rows import KeptNote
from controller.gate.gate import Allowed, Caller, Gate
from controller.gate.scrape import Scrape, add_metrics
from support.floor_hand import KEY
from support.floor_site import FloorSite


def away(request: httpx.Request) -> httpx.Response:
    """Nothing answers at that address."""
    raise httpx.ConnectError("refused", request=request)


class PeopleFloor(FloorSite):
    """``noted`` is the trail, ``clock_s`` what the gate's clock says. Without ``file`` nobody signs in; ``tables`` is
    the network to the tables."""

    def __init__(
        self,
        file: Path | None,
        endpoints: Mapping[str, Right] = FLOOR_ENDPOINTS,
        tables: httpx.AsyncBaseTransport | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.file = file
        self.clock_s = 0.0
        self.noted: list[KeptNote] = []
        self.trail = Trail(self.boot, self.noted.append, lambda: self.now().at)
        self.gate = Gate(
            name="floor-nice",
            tell=self.trail.tell,
            door=None if file is None else Door(file, self.clock),
            clock=self.clock,
            allowed=Allowed(endpoints, FLOOR_RIGHTS),
        )
        self.api = self.serve(self.gate, self.trail)
        network = tables or httpx.MockTransport(away)
        self.passing = Passing(FloorSigner(KEY, "nice", wall), self.known, transport=network)
        self.orders = OrderDesk(self.passing, self.trail, self.gate)
        add_orders(self.api, self.orders)
        add_proposals(self.api, self.orders, Proposals(self.clock))
        add_metrics(self.api, Scrape())
        self.transport = httpx.ASGITransport(self.api)

    async def tell_table(self, alarm: StandingAlarm, by: str, caller: Caller) -> bool:
        """As the floor tells it."""
        return await self.orders.seen(alarm, by, caller)

    def known(self, table: str) -> Known | None:
        """As the floor's service knows a table."""
        found = self.detail(table)
        return None if found is None else Known(found["tile"]["http"], found["tile"]["hand"])

    def clock(self) -> float:
        """The gate's clock."""
        return self.clock_s

    def browser(self) -> httpx.AsyncClient:
        """A browser with no cookie."""
        return httpx.AsyncClient(transport=self.transport, base_url="http://floor", trust_env=False)

    def person(self, name: str) -> Person:
        """Somebody of the file."""
        assert self.file is not None
        return next(one for one in load_roster(self.file).people if one.name == name)

    def at_desk(self, name: str) -> httpx.AsyncClient:
        """A browser at which ``name`` has signed in, without a look at a PIN."""
        client = self.browser()
        token, _ = self.gate.sessions.start(self.person(name))
        client.cookies.set(self.gate.cookie, token)
        return client
