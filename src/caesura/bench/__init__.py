"""Against the peers: the same inputs through every other program that is installed, time and value side by side."""

from caesura.bench.peers import PEERS, Peer
from caesura.bench.race import Result, race

__all__ = ["PEERS", "Peer", "Result", "race"]
