"""Worker processes: the queue's bound, and what happens when one hangs or dies."""

from __future__ import annotations

import asyncio
import operator
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from boardsight.web.work import Finished, Job, ReadJob, Result
from boardsight.web.workers import Busy, GaveUp, Workers

SAMPLE = Path(__file__).parent.parent / "sample_images" / "easy_2.jpg"


def pool(task: Any, count: int = 1, waiting: int = 3, seconds: float = 20.0) -> Workers:
    """Return workers that do something else than reading; what they do must be importable by name."""
    done = cast(Callable[[Job], Result], task)
    return Workers(count, waiting=waiting, seconds=seconds, warm=False, task=done)


def job(value: object) -> Job:
    return cast(Job, value)


@pytest.fixture
def ended() -> Iterator[list[Workers]]:
    """Give a list of workers that are closed at the end."""
    found: list[Workers] = []
    yield found
    for workers in found:
        workers.close()


def test_jobs_are_done_one_after_the_other_and_more_are_refused(ended: list[Workers]) -> None:
    workers = pool(time.sleep, waiting=3)
    ended.append(workers)

    async def main() -> list[object]:
        return await asyncio.gather(*(workers.run(job(0.2)) for _ in range(8)), return_exceptions=True)

    found = asyncio.run(main())
    assert sum(item is None for item in found) == 3
    assert sum(isinstance(item, Busy) for item in found) == 5
    assert workers.taken == 0
    assert asyncio.run(workers.run(job(0))) is None


def test_a_job_that_takes_too_long_costs_its_worker_only(ended: list[Workers]) -> None:
    workers = pool(time.sleep, seconds=0.5)
    ended.append(workers)
    with pytest.raises(GaveUp, match="longer than"):
        asyncio.run(workers.run(job(60)))
    assert asyncio.run(workers.run(job(0))) is None


def test_a_worker_that_dies_is_replaced(ended: list[Workers]) -> None:
    workers = pool(os._exit)
    ended.append(workers)
    for _ in range(2):
        with pytest.raises(GaveUp, match="ended the reader"):
            asyncio.run(workers.run(job(3)))
    assert workers.taken == 0


def test_an_error_in_a_worker_is_said_and_the_next_job_goes_on(ended: list[Workers]) -> None:
    workers = pool(operator.neg)
    ended.append(workers)
    with pytest.raises(GaveUp, match="could not be read"):
        asyncio.run(workers.run(job("text")))
    assert cast(object, asyncio.run(workers.run(job(4)))) == -4


def test_no_process_outlives_its_workers() -> None:
    workers = pool(time.sleep, count=2)
    processes = [worker._process for worker in workers._all]
    assert all(process.is_alive() for process in processes)
    workers.close()
    assert not any(process.is_alive() for process in processes)
    with pytest.raises(Busy):
        asyncio.run(workers.run(job(0)))


@pytest.mark.slow
def test_a_photo_is_read_in_a_process_of_its_own(ended: list[Workers]) -> None:
    workers = Workers(1)
    ended.append(workers)
    done = asyncio.run(workers.run(ReadJob(SAMPLE.read_bytes(), "easy_2.jpg")))
    assert isinstance(done, Finished)
    assert done.reading.game == "take-it-easy"
    assert done.reading.boards[0].evidence is not None
    assert done.picture.startswith(b"\xff\xd8")
    assert len(done.thumbnail) < 30_000
