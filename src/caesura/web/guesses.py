"""Guessing the token is slow: wrong ones are counted per client and for the workbench as a whole."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from time import monotonic

FREE = 5  # wrong tokens that a client may send before it waits: people mistype
LONGEST = 300.0  # seconds
_FROM_ALL = 100  # wrong tokens a minute, from all clients together, before clients that were never right wait too
_CLIENTS = 10_000  # remembered at once; the ones not seen for longest are forgotten


@dataclass
class _Client:
    wrong: int = 0
    until: float = 0.0
    right: bool = False


class Guesses:
    """Who has to wait before the next token is looked at.

    A client waits 1, 2, 4, … seconds after its sixth wrong token in a row; while it waits, its right token is not looked at either. Many clients
    that guess together make newcomers wait, but nobody whose token was right before.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._clients: OrderedDict[str, _Client] = OrderedDict()
        self._wrong: deque[float] = deque(maxlen=_FROM_ALL)

    def seconds_to_wait(self, address: str) -> float:
        """How long this client has to wait; 0 where it may try."""
        now, client = self._clock(), self._clients.get(network_of(address))
        waiting = 0.0 if client is None else client.until - now
        if len(self._wrong) == _FROM_ALL and not (client and client.right):
            waiting = max(waiting, self._wrong[0] + 60.0 - now)
        return max(0.0, waiting)

    def note(self, address: str, right: bool) -> None:
        """Remember how a try ended."""
        network = network_of(address)
        if right and network not in self._clients and not self._wrong:
            return  # nobody guesses: nothing to remember
        client = self._clients.setdefault(network, _Client())
        self._clients.move_to_end(network)
        if len(self._clients) > _CLIENTS:
            self._clients.popitem(last=False)
        if right:
            client.wrong, client.right = 0, True
            return
        client.wrong += 1
        self._wrong.append(self._clock())
        if client.wrong > FREE:
            client.until = self._clock() + min(LONGEST, 2.0 ** (client.wrong - FREE - 1))


def network_of(address: str) -> str:
    """The client an address belongs to: of IPv6 a whole /64, which one customer has.

    >>> network_of("2001:db8::1") == network_of("2001:db8::2"), network_of("10.0.0.1")
    (True, '10.0.0.1')
    """
    try:
        known = ip_address(address)
    except ValueError:
        return address
    return str(int(known) >> 64) if isinstance(known, IPv6Address) and known.ipv4_mapped is None else str(known)
