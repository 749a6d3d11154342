"""Worker processes that read photos, and the queue before them, which has a bound.

The server's own process never decodes a picture: what a file does to a decoder, it does to a worker, and a worker
that hangs or dies is replaced.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from boardsight.scoring.errors import BoardsightError
from boardsight.web.work import Job, Result, reader, work

log = logging.getLogger(__name__)

SECONDS = 30.0
"""A job that takes longer is given up and its worker replaced."""
WAITING = 24
"""Jobs that may wait or run; more are refused."""
START_SECONDS = 120.0
"""A worker that has not loaded the networks by then is replaced."""


class Busy(BoardsightError):
    """The queue is full; try again in a while."""


class GaveUp(BoardsightError):
    """A job that took too long or broke its worker."""


def _serve(pipe: Connection, warm: bool, task: Callable[[Job], Result]) -> None:
    """Do jobs from a pipe until it closes; the first message says that the worker is ready."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server tells its workers when to end
    if hasattr(os, "nice"):
        os.nice(5)  # the page comes before the reading
    if warm:
        reader()
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        pipe.send(True)
        while True:
            job = pipe.recv()
            try:
                pipe.send((True, task(job)))
            except Exception as error:  # whatever a file does to a decoder ends here
                pipe.send((False, f"{type(error).__name__}: {error}"))


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, warm: bool, task: Callable[[Job], Result]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_serve, args=(theirs, warm, task), daemon=True)
        self._process.start()
        theirs.close()
        self._ready = False

    def run(self, job: Job, seconds: float) -> Result:
        """Do one job.

        Raises GaveUp where it takes too long, fails, or ends the process.
        """
        try:
            if not self._ready:
                if not self._pipe.poll(START_SECONDS):
                    raise GaveUp("the reader does not start")
                self._pipe.recv()
                self._ready = True
            self._pipe.send(job)
            if not self._pipe.poll(seconds):
                raise GaveUp(f"took longer than {seconds:.0f} seconds")
            good, result = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise GaveUp("ended the reader") from error
        if not good:
            log.error("a job failed: %s", result)
            raise GaveUp("could not be read")
        done: Result = result
        return done

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def stop(self) -> None:
        self._pipe.close()
        if self._process.is_alive():
            self._process.kill()
        self._process.join(5)


class Workers:
    """Some worker processes behind one queue."""

    def __init__(
        self,
        count: int | None = None,
        *,
        waiting: int = WAITING,
        seconds: float = SECONDS,
        warm: bool = True,
        task: Callable[[Job], Result] = work,
    ) -> None:
        """Start the processes; `count` is one less than the machine has cores, at least one and at most four.

        `task` does a job in the worker; tests give their own.
        """
        self.count = count or max(1, min(4, (os.cpu_count() or 2) - 1))
        self.waiting = waiting
        self._seconds = seconds
        self._warm, self._task = warm, task
        self._all = {_Worker(warm, task) for _ in range(self.count)}
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._all:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="reader")
        self._lock = threading.Lock()
        self._taken = 0
        self._closed = False

    @property
    def taken(self) -> int:
        """Return how many jobs wait or run."""
        return self._taken

    async def run(self, job: Job) -> Result:
        """Do a job as soon as a worker is free.

        Raises Busy at once where too many wait, and GaveUp where the job did not succeed.
        """
        with self._lock:
            if self._closed or self._taken >= self.waiting:
                raise Busy("too many photos are waiting; try again in a few seconds")
            self._taken += 1
        # Counted down by the thread itself: a client that leaves does not free a place in the queue.
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, job)

    def _run(self, job: Job) -> Result:
        try:
            worker = self._idle.get()
            good = False
            try:
                result = worker.run(job, self._seconds)
                good = True
                return result
            finally:
                if not good or not worker.alive:
                    worker = self._replaced(worker)
                self._idle.put(worker)
        finally:
            with self._lock:
                self._taken -= 1

    def _replaced(self, worker: _Worker) -> _Worker:
        worker.stop()
        with self._lock:
            if self._closed:
                return worker
            self._all.discard(worker)
            fresh = _Worker(self._warm, self._task)
            self._all.add(fresh)
        return fresh

    def close(self) -> None:
        """End all processes; jobs that still run are given up."""
        with self._lock:
            self._closed = True
            ending = list(self._all)
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in ending:
            worker.stop()
