"""A reading process that hangs, dies or lies costs its own photo only."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from boardsight.tournament.hand import Hand, HandError
from boardsight.tournament.work import Bounds, Job, Result, Settings, code_of

#: A reading process with a reader that does what the photo's bytes say.
FAKE = """
import os, sys, time, types
import boardsight.tournament.hand as hand
import boardsight.tournament.work as work

class Reader:
    pass

sys.modules["boardsight.vision.reader"] = types.ModuleType("boardsight.vision.reader")
sys.modules["boardsight.vision.reader"].Reader = Reader

def act(reader, job):
    if job.data == b"hang":
        time.sleep(60)
    if job.data == b"die":
        os._exit(3)
    if job.data.startswith(b"once ") and not os.path.exists(job.data[5:]):
        open(job.data[5:], "w").close()
        os._exit(3)
    if job.data == b"print":
        print("noise between the answers", flush=True)
        os.write(1, b"more noise")
    if job.data == b"raise":
        raise ValueError("a\\nb")
    return {"pid": os.getpid()}, b""

work._read = act
hand._serve()
"""


@pytest.fixture
def hand() -> object:
    hand = Hand(("-c", FAKE))
    yield hand
    hand.close()


def read(hand: Hand, data: bytes, seconds: float = 20.0) -> Result:
    return hand.read(Job(Settings(bounds=Bounds(seconds=seconds)), data))


def test_the_process_is_kept(hand: Hand) -> None:
    first, second = read(hand, b"a"), read(hand, b"b")
    assert first.object == second.object == {"pid": hand.pid}
    assert first.content != second.content
    assert hand.started == 1


def test_what_takes_too_long_is_ended(hand: Hand) -> None:
    read(hand, b"a")
    start = time.monotonic()
    result = read(hand, b"hang", seconds=0.3)
    assert time.monotonic() - start < 5
    assert code_of(result.object) == "too-slow"
    assert "0.3 s" in str(result.object)
    assert code_of(read(hand, b"a").object) == ""
    assert hand.started == 2


def test_what_ends_the_process_is_tried_twice(hand: Hand) -> None:
    assert code_of(read(hand, b"die").object) == "failed"
    assert hand.started == 2
    assert code_of(read(hand, b"a").object) == ""


def test_a_process_that_died_for_another_reason_is_replaced(hand: Hand, tmp_path: object) -> None:
    result = read(hand, f"once {tmp_path}/died".encode())
    assert code_of(result.object) == ""
    assert hand.started == 2


def test_an_exception_is_an_error_of_its_photo(hand: Hand) -> None:
    result = read(hand, b"raise")
    assert code_of(result.object) == "failed"
    assert "ValueError: a?b" in str(result.object)
    assert hand.started == 1


def test_noise_on_stdout_does_not_get_between(hand: Hand) -> None:
    assert read(hand, b"print").object == read(hand, b"a").object


def test_a_process_that_does_not_start_is_one_line() -> None:
    hand = Hand(("-c", "pass"))
    with pytest.raises(HandError, match="does not start"):
        read(hand, b"a")


def test_the_process_ends_with_the_one_that_started_it() -> None:
    code = f"""
import os, signal
from boardsight.tournament.hand import Hand
from boardsight.tournament.work import Job, Settings
hand = Hand(("-c", {FAKE!r}))
hand.read(Job(Settings(), b"a"))
print(hand.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    pid = int(done.stdout)
    for _ in range(100):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().split()[2] == "Z":
                    return
        except OSError:
            return
        time.sleep(0.05)
    pytest.fail("the process is still there")
