"""Write trained weights as ONNX files with labels, input size and training commit in their metadata.

The networks are quantised to 7 bits a weight and 8 an activation, with ranges seen on training pictures: a third of the
time and of the size, and the same answers on every processor.
``python -m boardsight.training.export WEIGHTS MODELS DATA``
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import nn

from boardsight.scoring.pad import BUTTONS
from boardsight.training.dataset import KEPT
from boardsight.training.nets import FleetNet, MarkNet, PadNet, TileNet, TurnNet
from boardsight.training.train import TURN_PIXELS
from boardsight.training.windows import MARGIN
from boardsight.vision.crop import FIELD, PIXELS
from boardsight.vision.heads import FLEET, KINDS, tile_heads, turn_heads
from boardsight.vision.launchpad import STRIP
from boardsight.vision.window import LEFT, PITCH, SIZE, TOP

SHARDS = 12
"""Shards whose pictures set the ranges of quantised activations."""


def commit() -> str:
    """Return the present commit, or ``unknown`` outside a checkout."""
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def samples(data: Path, name: str, side: int) -> list[NDArray[np.uint8]]:
    """Return batches of training pictures (n, h, w, 3) for a network, spread over the shards."""
    paths = sorted(data.glob("*.npz"))
    batches = []
    for path in paths[:: max(1, len(paths) // SHARDS)][:SHARDS]:
        with np.load(path) as shard:
            if name in ("marks", "fleet"):
                pictures = shard["scenes" if name == "marks" else "windows"]
                batches += [pictures[k : k + 1] for k in range(3)]
            elif name == "pad":
                batches.append(np.ascontiguousarray(shard["strips"][:, MARGIN:-MARGIN, MARGIN:-MARGIN]))
            else:
                edge = (KEPT - side) // 2
                crops = shard["crops"][:64]
                batches.append(np.ascontiguousarray(crops[:, edge : edge + side, edge : edge + side]))
    return batches


def quantise(source: Path, target: Path, batches: Iterable[NDArray[np.uint8]], exact: tuple[str, ...] = ()) -> None:
    """Write a network whose convolutions work on 8 bits; activations get the ranges that the batches show.

    ``exact`` names the nodes that stay as they are.
    """
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Feed(quantization.CalibrationDataReader):  # type: ignore[misc,no-any-unimported,unused-ignore]
        """Hands the batches over."""

        def __init__(self) -> None:
            self.rest = iter(batches)

        def get_next(self) -> dict[str, Any]:
            batch = next(self.rest, None)
            return {} if batch is None else {"pictures": batch}

    plain = source.with_suffix(".plain.onnx")
    quant_pre_process(str(source), str(plain), skip_symbolic_shape=True)
    quantization.quantize_static(
        str(plain),
        str(target),
        Feed(),
        quant_format=quantization.QuantFormat.QDQ,
        per_channel=True,
        activation_type=quantization.QuantType.QUInt8,
        weight_type=quantization.QuantType.QInt8,
        # seven bits a weight: processors without VNNI add two products of eight bits in sixteen, and overflow
        reduce_range=True,
        op_types_to_quantize=["Conv", "Relu", "Add"],
        nodes_to_exclude=list(exact),
    )


def write(
    name: str,
    net: nn.Module,
    weights: Path,
    models: Path,
    side: tuple[int, int],
    metadata: dict[str, str],
    batches: Iterable[NDArray[np.uint8]],
    *,
    free: bool,
) -> None:
    """Write one network and its sha256; ``side`` is height and width of its input, which is ``free`` for a locator."""
    net.load_state_dict(torch.load(weights, map_location="cpu"))
    net.eval()
    path = models / f"{name}.onnx"
    axes = {0: "n", 1: "h", 2: "w"} if free else {0: "n"}
    sample = torch.zeros((1, *side, 3), dtype=torch.uint8)
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / f"{name}.onnx"
        torch.onnx.export(
            net,
            (sample,),
            str(exact),
            input_names=["pictures"],
            output_names=["answer"],
            dynamic_axes={"pictures": axes, "answer": {0: "n", 2: "h4", 3: "w4"} if free else axes},
            opset_version=17,
            dynamo=False,
        )
        # what a ship's colour is hangs on small differences at the very end
        quantise(exact, path, batches, ("/out/Conv",) if name == "fleet" else ())
    model = onnx.load(str(path))
    for key, value in metadata.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
    manifest = models / "manifest.json"
    sums = json.loads(manifest.read_text("utf-8")) if manifest.exists() else {}
    sums[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(sums, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")


def main(weights: str, models: str, data: str) -> None:
    """Export whatever weights are there."""
    origin = {"commit": commit()}
    jobs: list[tuple[str, nn.Module, int, dict[str, str]]] = [
        ("marks", MarkNet(), 320, {"kinds": json.dumps(KINDS), "input": "BGR uint8, any multiple of 32"}),
        (
            "turn",
            TurnNet(),
            TURN_PIXELS,
            {
                "heads": json.dumps({k: [str(i) for i in range(n)] for k, n in turn_heads().items()}),
                "input": str(TURN_PIXELS),
                "field": str(FIELD),
            },
        ),
        (
            "tiles",
            TileNet(),
            PIXELS,
            {"heads": json.dumps(tile_heads()), "input": str(PIXELS), "field": str(FIELD)},
        ),
    ]
    fleet = Path(weights) / "fleet.pt"
    if fleet.exists():
        described = {
            "pieces": json.dumps(FLEET),
            "input": json.dumps(SIZE),
            "corner": json.dumps((LEFT, TOP)),
            "pitch": str(PITCH),
            **origin,
        }
        batches = samples(Path(data) / "fleet", "fleet", SIZE[1])
        write("fleet", FleetNet(), fleet, Path(models), (SIZE[1], SIZE[0]), described, batches, free=False)
    pad = Path(weights) / "pad.pt"
    if pad.exists():
        described = {"buttons": json.dumps(BUTTONS[::-1]), "input": json.dumps(STRIP), **origin}
        batches = samples(Path(data) / "fleet", "pad", 0)
        write("pad", PadNet(), pad, Path(models), (STRIP[1], STRIP[0]), described, batches, free=False)
    for name, net, side, metadata in jobs:
        file = Path(weights) / f"{name}.pt"
        if file.exists():
            batches = samples(Path(data), name, side)
            described = {**metadata, **origin}
            write(name, net, file, Path(models), (side, side), described, batches, free=name == "marks")


if __name__ == "__main__":
    main(*sys.argv[1:])
