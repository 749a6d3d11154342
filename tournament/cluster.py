"""The same work on other machines: a Dask distributed scheduler says who reads which photo, and again if one dies."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

from boardsight.scoring.errors import BoardsightError
from boardsight.tournament.hand import Hand
from boardsight.tournament.work import PHOTO, Job, Result, failure

PATIENCE = 30.0
"""Seconds to wait for the scheduler, and then for a first worker."""
LOCAL = "local"
"""The address that starts a cluster on this machine, for a try."""

_own = threading.local()


class ClusterError(BoardsightError):
    """A cluster that cannot be reached or has no worker; the message says so in one line."""


def work(job: Job) -> Result:
    """Do a job on a worker: fetch the photo if it was not sent, and read it in this thread's own process."""
    from dataclasses import replace

    from boardsight.tournament import places
    from boardsight.vision.reading import Fault

    if not job.data:
        (place, *_) = places.find([job.address])
        data = places.fetch(place, job.settings.bounds.bytes)
        if isinstance(data, Fault):
            return Result(failure(data.code, data.message))
        job = replace(job, data=data)
    hand: Hand | None = getattr(_own, "hand", None)
    if hand is None:
        hand = _own.hand = Hand()
    return hand.read(job)


class ClusterReaders:
    """The workers of a Dask cluster."""

    remote = True

    def __init__(self, address: str, jobs: int) -> None:
        """Connect; the address ``local`` starts a cluster of `jobs` processes here.

        Raises ClusterError where there is no cluster, no worker, or the packages for it are missing.
        """
        try:
            distributed: Any = import_module("distributed")
        except ImportError as error:
            raise ClusterError("--cluster needs the extra: pip install 'boardsight[cluster]'") from error
        self._killed: type[Exception] = distributed.KilledWorker
        self.cluster: Any = None
        try:
            if address == LOCAL:
                self.cluster = distributed.LocalCluster(
                    n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
                )
            self.client: Any = distributed.Client(self.cluster or address, timeout=PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            if self.cluster is not None:
                self.cluster.close()
            raise ClusterError(f"no cluster answers at {address!r}: {error}".splitlines()[0]) from error
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            self.close()
            raise ClusterError(f"the cluster at {address!r} has no workers") from error

    @property
    def slots(self) -> int:
        """Return twice the number of the workers' threads, so that none waits for this machine."""
        threads: dict[str, int] = self.client.nthreads()
        return 2 * max(1, sum(threads.values()))

    def read(self, job: Job) -> Result:
        """Read one photo on whatever worker the scheduler chooses; a worker that is lost is replaced by another."""
        future = self.client.submit(work, job, pure=False, retries=1)
        try:
            result: Result = future.result()
            return result
        except self._killed:
            text = f"'{PHOTO}' ended one worker after the other; save it in another format or take it again"
            return Result(failure("failed", text))
        except Exception as error:
            # What a worker or the way to it raises is of any type; a cluster that is gone raises for every photo.
            if self.client.status != "running":
                raise ClusterError(f"the cluster is gone: {type(error).__name__}") from error
            text = f"'{PHOTO}' could not be read on the cluster ({type(error).__name__})"
            return Result(failure("failed", text))
        finally:
            future.release()

    def close(self) -> None:
        """Leave the cluster; one that was started here is ended."""
        self.client.close(timeout=5)
        if self.cluster is not None:
            self.cluster.close(timeout=5)
