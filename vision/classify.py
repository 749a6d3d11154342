"""Ask the networks which way crops lie and what they show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network
from boardsight.vision.decode import Evidence
from boardsight.vision.heads import FORM

Floats = NDArray[np.float64]


def split(answer: NDArray[np.float32], heads: dict[str, tuple[str, ...]]) -> dict[str, NDArray[np.float32]]:
    """Take apart what a network answers, (n, all labels), into (n, labels) a head."""
    parts, at = {}, 0
    for name, labels in heads.items():
        parts[name] = answer[:, at : at + len(labels)]
        at += len(labels)
    return parts


def evidence(crops: NDArray[np.uint8], network: Network, shape: str) -> tuple[Evidence, dict[str, NDArray[np.float32]]]:
    """Classify upright crops (n, 64, 64, 3) of tiles of a shape; also returns every head's log probabilities."""
    heads = network.heads
    parts = split(network(crops), heads)
    own = {
        name.partition(".")[2]: name for name in heads if name.startswith(f"{shape}.") and not name.endswith(f".{FORM}")
    }
    found = Evidence(
        parts["what"],
        {short: parts[name] for short, name in own.items()},
        {short: heads[name] for short, name in own.items()},
    )
    return found, parts


def form_scores(parts: dict[str, NDArray[np.float32]], network: Network, shape: str) -> dict[str, float]:
    """Return the summed log probability of each form of a board, from what its tiles show; weighted by being tiles."""
    name = f"{shape}.{FORM}"
    if name not in parts:
        return {}
    weight = np.exp(parts["what"][:, 0])
    total = (parts[name] * weight[:, None]).sum(0)
    return {label: float(value) for label, value in zip(network.heads[name], total, strict=True)}


def ways(crops: NDArray[np.uint8], network: Network, shape: str) -> Floats:
    """Return the summed log probability of each way the crops can lie."""
    part = split(network(crops), network.heads)[shape]
    # one crop cannot veto: a tile that is burnt out says nothing
    total: Floats = np.maximum(part, -6.0).astype(np.float64).sum(0)
    return total


def way_of(relative: Floats, shape: str, count: int) -> int:
    """Return which way ``relative`` (2 x 2, upright to given coordinates) is; the mirrored ways come last."""
    half = count // 2
    mirrored = float(np.linalg.det(relative)) < 0
    m = relative @ np.diag([-1.0, 1.0]) if mirrored else relative
    k = round(float(np.arctan2(m[1, 0] - m[0, 1], m[0, 0] + m[1, 1])) / (2 * np.pi / half)) % half
    return k + (half if mirrored else 0)
