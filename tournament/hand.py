"""A process that reads one photo at a time, and the handle that keeps it to its limits.

A photo that takes too long, or that takes the process down with it, costs that process and nothing else: the next
photo gets a new one. Run as ``python -m boardsight.tournament.hand`` it is the process itself: jobs come in on stdin,
results go out on stdout, and it ends where stdin ends, so none outlives the program that started it.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from boardsight.scoring.errors import BoardsightError
from boardsight.tournament.work import PHOTO, Job, Result, content_of, failure

START = 120.0
"""Seconds that a process may take to load the networks."""
GRACE = 10.0
"""Seconds after which a process ends itself if the one that should have ended it is gone."""


class HandError(BoardsightError):
    """A process that does not start."""


class Hand:
    """The handle of one reading process, started when it is first needed. Not for several threads at once."""

    def __init__(self, command: tuple[str, ...] = ("-m", "boardsight.tournament.hand")) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self.started = 0
        """How many processes it took until now."""

    @property
    def pid(self) -> int | None:
        """Return the process's id, or None while there is none."""
        return self._process.pid if self._process is not None else None

    def read(self, job: Job) -> Result:
        """Read a photo; one that takes too long or ends the process twice is an error in the object.

        Raises HandError where no process can be started.
        """
        content = job.content or content_of(job.data)
        for _ in range(2):
            answer, late = self._ask(job)
            if answer is not None:
                return answer
            if late:
                limit = f"{job.settings.bounds.seconds:g} s"
                text = f"'{PHOTO}' took longer than {limit} to read; take it again, or raise the limit"
                return Result(failure("too-slow", text), content=content)
        text = f"'{PHOTO}' ended the process that read it, twice; save it in another format or take it again"
        return Result(failure("failed", text), content=content)

    def _ask(self, job: Job) -> tuple[Result | None, bool]:
        """Return the answer, or None where the process ended; and whether that was because it took too long."""
        process = self._ready()
        answer, late = _within(process, job.settings.bounds.seconds, lambda: _exchange(process, job))
        if answer is None:
            self.close()
        return answer, late

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self.started += 1
        process = subprocess.Popen(
            [sys.executable, *self._command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._process = process
        said, late = _within(process, START, lambda: _exchange(process))
        if said != "ready":
            self.close()
            why = "in time" if late else f"({said})" if said else ""
            raise HandError(f"the process that reads photos does not start {why}".strip())
        return process

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _exchange(process: subprocess.Popen[bytes], job: Job | None = None) -> Any:
    """Send a job, if there is one, and return what the process says."""
    if process.stdin is None or process.stdout is None:
        raise EOFError
    if job is not None:
        pickle.dump(job, process.stdin)
        process.stdin.flush()
    return pickle.load(process.stdout)


def _within(process: subprocess.Popen[bytes], seconds: float, work: Callable[[], Any]) -> tuple[Any, bool]:
    """Do something with a process that is killed if that takes too long; None where it ended before an answer."""
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        return work(), False
    except (OSError, EOFError, pickle.UnpicklingError):
        return None, late.is_set()
    finally:
        timer.cancel()


def _end_after(seconds: float) -> None:
    """Let the system end this process later, even if it hangs in the depths of a library; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _serve() -> None:
    """Be the process: answer jobs until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    with suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that started it
    try:
        import cv2

        from boardsight.tournament.work import read
        from boardsight.vision.reader import Reader

        cv2.setNumThreads(1)
        reader = Reader()
    except BoardsightError as error:
        pickle.dump(str(error), answers)
        answers.flush()
        return
    pickle.dump("ready", answers)
    answers.flush()
    while True:
        try:
            job: Job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        _end_after(job.settings.bounds.seconds + GRACE)
        pickle.dump(read(reader, job), answers)
        answers.flush()
        _end_after(0)


if __name__ == "__main__":
    _serve()
