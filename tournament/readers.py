"""Who reads the photos of a batch: processes on this machine."""

from __future__ import annotations

import os
import queue
from typing import Protocol

from boardsight.tournament.hand import Hand
from boardsight.tournament.work import Job, Result


class Readers(Protocol):
    """Several photos may be read at once, each by a call from a thread of its own."""

    @property
    def slots(self) -> int:
        """Return how many calls at once keep everybody busy."""
        ...

    @property
    def remote(self) -> bool:
        """Return True where the reading happens on machines that fetch remote photos better themselves."""
        ...

    def read(self, job: Job) -> Result:
        """Read one photo."""
        ...

    def close(self) -> None:
        """End everybody, at once."""
        ...


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalReaders:
    """A fixed number of processes on this machine, each started when it is first needed."""

    remote = False

    def __init__(self, jobs: int) -> None:
        self.hands = [Hand() for _ in range(jobs)]
        self._free: queue.LifoQueue[Hand] = queue.LifoQueue()
        for hand in reversed(self.hands):
            self._free.put(hand)

    @property
    def slots(self) -> int:
        """Return the number of processes."""
        return len(self.hands)

    def read(self, job: Job) -> Result:
        """Read one photo in the next free process."""
        hand = self._free.get()
        try:
            return hand.read(job)
        finally:
            self._free.put(hand)

    def close(self) -> None:
        """End the processes."""
        for hand in self.hands:
            hand.close()
