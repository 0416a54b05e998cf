"""Against the peers: the same inputs through every other program that is installed, time and value side by side."""

from caesura.bench.peers import PEERS, Peer
from caesura.bench.race import Lap, Race, race

__all__ = ["PEERS", "Lap", "Peer", "Race", "race"]
