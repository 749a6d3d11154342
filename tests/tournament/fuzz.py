"""Read thousands of damaged photos: ``python -m tests.tournament.fuzz [--files N] [--seed S] [--seconds T]``.

Each file is a JPEG, PNG or HEIC picture of a sample board, damaged in one of several ways. It is read by the
process that a batch reads with. Nothing may crash that process, take longer than the limit, or be called certain and
be wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np
from tests.tournament.faults import heic, jpeg, png, sample, truth

from boardsight.tournament.hand import Hand
from boardsight.tournament.work import Bounds, Job, JsonObject, Settings, code_of

BASES = ("easy_1", "higher_2", "orchid_1")
SIDE = 800
"""Pixels of the longer side of the pictures that are damaged."""
FORMATS = ("JPEG", "PNG", "HEIC")
_HEAD = 700
"""Bytes at a file's start that say how the rest is to be read."""

Damage = Callable[[bytearray, np.random.Generator], None]


def _cut(data: bytearray, rng: np.random.Generator) -> None:
    del data[int(rng.integers(1, len(data))) :]


def _flip(data: bytearray, at: int, rng: np.random.Generator) -> None:
    data[at] ^= 1 << int(rng.integers(8))


def _flip_some(data: bytearray, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(1, 30))):
        _flip(data, int(rng.integers(len(data))), rng)


def _flip_head(data: bytearray, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(1, 6))):
        _flip(data, int(rng.integers(2, min(_HEAD, len(data)))), rng)


def _write_head(data: bytearray, rng: np.random.Generator) -> None:
    at = int(rng.integers(2, min(_HEAD, len(data)) - 4))
    data[at : at + 4] = rng.choice(np.array([0, 1, 0x7F, 0x80, 0xFF], np.uint8), 4).tobytes()


def _wipe(data: bytearray, rng: np.random.Generator) -> None:
    at, n = int(rng.integers(2, len(data))), int(rng.integers(1, 5000))
    data[at : at + n] = bytes(len(data[at : at + n]))


def _drop(data: bytearray, rng: np.random.Generator) -> None:
    at = int(rng.integers(2, len(data)))
    del data[at : at + int(rng.integers(1, 3000))]


def _repeat(data: bytearray, rng: np.random.Generator) -> None:
    at, n = int(rng.integers(2, len(data))), int(rng.integers(1, 3000))
    data[at:at] = data[at : at + n]


def _noise(data: bytearray, rng: np.random.Generator) -> None:
    at, n = int(rng.integers(2, len(data))), int(rng.integers(1, 2000))
    data[at : at + n] = rng.bytes(len(data[at : at + n]))


DAMAGES: dict[str, Damage] = {
    "cut": _cut,
    "bits flipped": _flip_some,
    "bits flipped in the head": _flip_head,
    "numbers written in the head": _write_head,
    "wiped": _wipe,
    "a part dropped": _drop,
    "a part repeated": _repeat,
    "noise": _noise,
}


@dataclass
class Tally:
    """What became of the files."""

    files: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    """By error code; ``read`` and ``read, with doubt`` otherwise."""
    wrong: list[str] = field(default_factory=list)
    """Files that were called certain and are wrong, or that crashed or hung."""
    slowest: float = 0.0
    processes: int = 0


def bases() -> dict[str, tuple[str, bytes]]:
    """Return whole pictures by format and sample: the sample's name and the file."""
    found = {}
    for name in BASES:
        image = sample(name)
        scale = SIDE / max(image.shape[:2])
        small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        for kind, data in zip(FORMATS, (jpeg(small, 88), png(small), heic(small)), strict=True):
            found[f"{kind} {name}"] = (name, data)
    return found


def damaged(number: int, whole: dict[str, tuple[str, bytes]], seed: int) -> tuple[str, str, bytes]:
    """Return what file number `number` is, its sample, and its bytes; the same every time."""
    rng = np.random.default_rng((seed, number))
    kind = list(whole)[number % len(whole)]
    way = list(DAMAGES)[number // len(whole) % len(DAMAGES)]
    name, data = whole[kind]
    spoiled = bytearray(data)
    DAMAGES[way](spoiled, rng)
    return f"{number}: {kind}, {way}", name, bytes(spoiled)


def wrong(obj: JsonObject, name: str) -> str:
    """Return what must not be about a photo's object; empty if all is well."""
    code = code_of(obj)
    if code in ("failed", "too-slow"):
        return str(obj["error"])
    if code or obj.get("certain") is not True:
        return ""
    boards = obj["boards"]
    read = {board["board"]: board["notation"] for board in boards} if isinstance(boards, list) else {}
    return "" if read == truth(name) else f"called certain: {read}"


def fuzz(files: int, seed: int, seconds: float, *, say: bool = False) -> Tally:
    """Read damaged files and return what became of them."""
    whole = bases()
    tally = Tally()
    hand = Hand()
    settings = Settings(bounds=Bounds(seconds=seconds))
    try:
        for number in range(files):
            what, name, data = damaged(number, whole, seed)
            start = time.perf_counter()
            obj = hand.read(Job(settings, data, picture=False)).object
            if number:  # the first one waits for the process
                tally.slowest = max(tally.slowest, time.perf_counter() - start)
            tally.files += 1
            tally.codes[code_of(obj) or ("read" if obj["certain"] else "read, with doubt")] += 1
            if why := wrong(obj, name):
                tally.wrong.append(f"{what}: {why}")
            if say and tally.files % 500 == 0:
                print(f"{tally.files} files, {len(tally.wrong)} wrong", flush=True)
    finally:
        hand.close()
    tally.processes = hand.started
    return tally


def main(arguments: list[str]) -> int:
    """Run it, print what was found, and return 0 if nothing was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournament.fuzz", description=__doc__)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of one file")
    given = parser.parse_args(arguments)
    tally = fuzz(given.files, given.seed, given.seconds, say=True)
    for what, count in tally.codes.most_common():
        print(f"{count:>6}  {what}")
    print(f"{tally.files} damaged files, slowest {tally.slowest:.1f} s, {tally.processes} reading process(es)")
    for line in tally.wrong:
        print(f"WRONG {line}")
    print(f"crashed, hung, or wrong and called certain: {len(tally.wrong)}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
