"""Rate limits for wrong tokens and passwords, per client and in total.

Wrong tokens are counted in memory. Wrong passwords are counted in the database, so the limit holds across servers that share it and after a restart.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from time import monotonic
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from caesura_workbench.people import digest
from caesura_workbench.schema import tries
from caesura_workbench.store import Store

FREE_ATTEMPTS = 5  # wrong attempts before a client has to wait
MAX_DELAY = 300.0  # seconds
_TOTAL_PER_MINUTE = 100  # wrong tokens from all clients before clients that were never right have to wait, too
_MAX_CLIENTS = 10_000  # the least recently seen are forgotten


@dataclass
class _Client:
    wrong: int = 0
    until: float = 0.0
    right: bool = False


class TokenThrottle:
    """Delays after wrong tokens.

    From its sixth wrong token in a row a client waits 1, 2, 4, … seconds, in which its correct token is rejected, too. Many clients that guess at the same time
    delay new clients, but none that has sent the correct token before.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._clients: OrderedDict[str, _Client] = OrderedDict()
        self._wrong: deque[float] = deque(maxlen=_TOTAL_PER_MINUTE)

    def seconds_to_wait(self, address: str) -> float:
        """Return how long this client has to wait; 0 if it may try now."""
        now, client = self._clock(), self._clients.get(client_network(address))
        waiting = 0.0 if client is None else client.until - now
        if len(self._wrong) == _TOTAL_PER_MINUTE and not (client and client.right):
            waiting = max(waiting, self._wrong[0] + 60.0 - now)
        return max(0.0, waiting)

    def record(self, address: str, right: bool) -> None:
        """Record whether an attempt was correct."""
        network = client_network(address)
        if right and network not in self._clients and not self._wrong:
            return  # nobody is guessing: keep no state
        client = self._clients.setdefault(network, _Client())
        self._clients.move_to_end(network)
        if len(self._clients) > _MAX_CLIENTS:
            self._clients.popitem(last=False)
        if right:
            client.wrong, client.right = 0, True
            return
        client.wrong += 1
        self._wrong.append(self._clock())
        client.until = self._clock() + _delay(client.wrong)


def _delay(wrong: int) -> float:
    """Return the seconds to wait after this many wrong attempts in a row."""
    return 0.0 if wrong <= FREE_ATTEMPTS else float(min(MAX_DELAY, 2.0 ** (wrong - FREE_ATTEMPTS - 1)))


def client_network(address: str) -> str:
    """Return the network that identifies a client: the address, or its /64 prefix for IPv6, which one customer owns.

    >>> client_network("2001:db8::1") == client_network("2001:db8::2"), client_network("10.0.0.1")
    (True, '10.0.0.1')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    return str(int(known) >> 64) if isinstance(known, IPv6Address) and known.ipv4_mapped is None else str(known)


_SKEW = 60.0  # seconds by which the clocks of servers may differ
_EXPIRY = 86_400.0  # seconds after the last wrong attempt


class LoginThrottle:
    """Delays after wrong passwords: 1, 2, 4, … seconds from the sixth in a row, per account and per client."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock

    def seconds_to_wait(self, *whos: str) -> float:
        """Return how long these accounts and clients have to wait; 0 if they may try now."""
        mine = sa.select(tries).where(tries.c.who.in_([digest(who) for who in whos]))
        now = self._clock()
        with self._store.reading() as db:
            # an attempt in the future was made before the clock was set back; it must not keep anybody out until then
            known = [(float(row.last), row.wrong) for row in db.execute(mine) if row.last <= now + _SKEW]
        return max([0.0, *(last + _delay(wrong) - now for last, wrong in known)])

    def record(self, right: bool, *whos: str) -> None:
        """Record whether an attempt was correct."""
        known = tries.c.who.in_([digest(who) for who in whos])
        with self._store.writing() as db:
            if right:
                db.execute(tries.delete().where(known))
                return
            db.execute(tries.delete().where(tries.c.last < self._clock() - _EXPIRY))
            for who in whos:
                db.execute(_count_attempt(db.dialect.name, digest(who), self._clock()))


def _count_attempt(dialect: str, who: str, now: float) -> Any:
    """Return the upsert that counts one wrong attempt; one statement, because several servers may run it at once."""
    insert = (postgresql if dialect == "postgresql" else sqlite).insert(tries).values(who=who, wrong=1, last=now)
    return insert.on_conflict_do_update(
        index_elements=[tries.c.who],
        set_={"wrong": sa.case((tries.c.wrong < 50, tries.c.wrong + 1), else_=50), "last": now},
    )
