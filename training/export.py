"""Write trained weights as ONNX files with labels, input size and training commit in their metadata.

``python -m boardsight.training.export WEIGHTS MODELS [TEMPERATURE]``
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import onnx
import torch
from torch import nn

from boardsight.training.nets import MarkNet, TileNet, TurnNet
from boardsight.training.train import TURN_PIXELS
from boardsight.vision.crop import FIELD, PIXELS
from boardsight.vision.heads import KINDS, tile_heads, turn_heads


def commit() -> str:
    """Return the present commit, or ``unknown`` outside a checkout."""
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def export(name: str, net: nn.Module, weights: Path, models: Path, side: int, metadata: dict[str, str]) -> None:
    """Write one network and its sha256."""
    net.load_state_dict(torch.load(weights, map_location="cpu"))
    net.eval()
    path = models / f"{name}.onnx"
    free = {0: "n", 1: "h", 2: "w"} if name == "marks" else {0: "n"}
    sample = torch.zeros((1, side, side, 3), dtype=torch.uint8)
    torch.onnx.export(
        net,
        (sample,),
        str(path),
        input_names=["pictures"],
        output_names=["answer"],
        dynamic_axes={"pictures": free, "answer": free if name != "marks" else {0: "n", 2: "h4", 3: "w4"}},
        opset_version=17,
        dynamo=False,
    )
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


def main(weights: str, models: str, temperature: str = "1") -> None:
    """Export whatever weights are there."""
    origin = {"commit": commit()}
    jobs: list[tuple[str, nn.Module, int, dict[str, str]]] = [
        ("marks", MarkNet(), 320, {"kinds": json.dumps(KINDS), "input": "BGR uint8, any multiple of 16"}),
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
            {"heads": json.dumps(tile_heads()), "input": str(PIXELS), "field": str(FIELD), "temperature": temperature},
        ),
    ]
    for name, net, side, metadata in jobs:
        file = Path(weights) / f"{name}.pt"
        if file.exists():
            export(name, net, file, Path(models), side, {**metadata, **origin})


if __name__ == "__main__":
    main(*sys.argv[1:])
