"""Many photos out of few: the samples turned, scaled and lit anew, each in its own way and the same every time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

SAMPLES = Path(__file__).parent.parent.parent / "sample_images"


def made_photos(
    folder: Path, count: int, *, long_side: int = 1400, least: float = 0.75, seed: int = 1
) -> Iterator[Path]:
    """Write `count` JPEG files named ``photo_0001.jpg`` and so on into a folder, and yield each path.

    Each is a sample in turn, turned by any angle, its longer side between the share `least` of `long_side` pixels and
    all of it, and its brightness and the colour of its light changed by up to 15 %. No two are the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    samples = sorted(SAMPLES.glob("*.jpg"))
    images = [cv2.imread(str(path)) for path in samples]
    rng = np.random.default_rng(seed)
    for number in range(count):
        image = images[number % len(images)]
        if image is None:
            raise FileNotFoundError(samples[number % len(images)])
        height, width = image.shape[:2]
        turn = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), rng.uniform(0, 360), 1.0)
        corners = np.array([[0, 0, 1], [width, 0, 1], [0, height, 1], [width, height, 1]]) @ turn.T
        low, high = corners.min(0), corners.max(0)
        scale = long_side * rng.uniform(least, 1.0) / float((high - low).max())
        turn[:, 2] -= low
        turn = np.asarray(turn * scale, np.float64)
        size = (int((high - low)[0] * scale), int((high - low)[1] * scale))
        moved = cv2.warpAffine(image, turn, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
        light = rng.uniform(0.85, 1.15) * rng.uniform(0.95, 1.05, 3)
        table = np.clip(np.arange(256)[:, None] * light, 0, 255).astype(np.uint8)[None]
        path = folder / f"photo_{number + 1:04d}.jpg"
        cv2.imwrite(str(path), cv2.LUT(moved, table), [cv2.IMWRITE_JPEG_QUALITY, 90])
        yield path
