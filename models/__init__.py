"""The networks: small ONNX files with their labels in the metadata and their sha256 checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.errors import BoardsightError

CALIBRATION = "calibration.json"
"""File name of the table of temperatures."""
MANIFEST = "manifest.json"
"""File name of the table of sha256 sums, one a network."""


class ModelError(BoardsightError):
    """A network that is missing or is not the one that was released."""


@cache
def manifest() -> dict[str, str]:
    """Return the sha256 of each network's file."""
    return dict(json.loads(files(__name__).joinpath(MANIFEST).read_text("utf-8")))


@dataclass(frozen=True, eq=False)
class Network:
    """A network ready to run: uint8 BGR pictures in, one float32 array out."""

    name: str
    session: Any
    metadata: dict[str, str]

    def __call__(self, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Run a batch of shape (n, h, w, 3)."""
        result: NDArray[np.float32] = self.session.run(None, {"pictures": pictures})[0]
        return result

    @property
    def heads(self) -> dict[str, tuple[str, ...]]:
        """Return the labels of each output head, in the order in which they lie side by side."""
        return {name: tuple(labels) for name, labels in json.loads(self.metadata["heads"]).items()}


@cache
def temperatures() -> Mapping[str, float]:
    """Return what log probabilities are divided by to be honest: ``tiles``, ``turn.SHAPE``, and each set of pieces.

    Of the ring, ``fleet.ring``, and ``fleet.none`` is added to the log odds that there is none. Where ships are read,
    ``fleet.colour``; log odds that one stands there are multiplied by ``fleet.scale``, and ``fleet.shift`` is added.
    """
    return MappingProxyType(dict(json.loads(files(__name__).joinpath(CALIBRATION).read_text("utf-8"))))


def load_network(name: str, threads: int = 1) -> Network:
    """Load a network: ``marks``, ``turn``, ``tiles``, ``fleet``, or of loose pieces ``SET-marks`` and ``SET``.

    Raises ModelError where the file is missing or its sha256 is not the released one.
    """
    import onnxruntime

    try:
        data = files(__name__).joinpath(f"{name}.onnx").read_bytes()
    except FileNotFoundError as error:
        raise ModelError(f"network {name!r} is missing: train it with `make train`") from error
    if hashlib.sha256(data).hexdigest() != manifest().get(name):
        raise ModelError(f"network {name!r} is damaged: its sha256 is not the one in {MANIFEST}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return Network(name, session, dict(session.get_modelmeta().custom_metadata_map))
