"""Go on training from a released network: its weights out of the ONNX file, back in the network that learns.

``python -m boardsight.training.recover NAME DATA OUT [MODELS]`` writes ``OUT/NAME.pt``; DATA holds the shards that the
network learns from. An exported network has its batch normalisation folded into its convolutions and its weights in 7
bits. The normalisation is put back so that it changes nothing on the pictures of DATA, and learns from there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn

from boardsight.training.export import samples
from boardsight.training.nets import FleetNet, MarkNet, PadNet, TileNet, TurnNet
from boardsight.training.pieces import DRAWN, classifier, cuts, declared, locator
from boardsight.training.train import TURN_PIXELS
from boardsight.vision.crop import PIXELS
from boardsight.vision.window import SIZE

PICTURES = 256
"""Pictures that set the normalisation."""


def network(name: str) -> nn.Module:
    """Return the untrained network of a name, as in `boardsight.models.load_network`."""
    own: dict[str, type[nn.Module]] = {
        "marks": MarkNet,
        "turn": TurnNet,
        "tiles": TileNet,
        "fleet": FleetNet,
        "pad": PadNet,
    }
    if name in own:
        return own[name]()
    of = declared(name.removesuffix("-marks"))
    return locator(of) if name.endswith("-marks") else classifier(of)


def pictures(name: str, data: Path) -> NDArray[np.uint8]:
    """Return pictures (n, h, w, 3) of a network's shards."""
    kind = name.removesuffix("-marks")
    if kind in DRAWN:
        scenes, crops = cuts(declared(kind), data)
        found = scenes if name != kind else crops
    else:
        found = samples(data, name, {"turn": TURN_PIXELS, "tiles": PIXELS}.get(name, SIZE[1]))
    return np.concatenate(found)[: PICTURES if kind == name else PICTURES // 16]


def weights_of(path: Path) -> Mapping[str, tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return weight and bias of every layer of an exported network, by the layer's name."""
    graph = onnx.load(str(path)).graph
    values = {array.name: numpy_helper.to_array(array) for array in graph.initializer}
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in values:
            whole, scale, zero = (values[name] for name in node.input)
            axis = next((a.i for a in node.attribute if a.name == "axis"), 1) if scale.ndim else 0
            shape = [-1 if i == axis else 1 for i in range(whole.ndim)] if scale.ndim else []
            values[node.output[0]] = (whole.astype(np.float32) - zero.reshape(shape)) * scale.reshape(shape)
    found = {}
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            found[_layer(node.name)] = values[node.input[1]], values[node.input[2]]
    return found


def _layer(name: str) -> str:
    """Return a layer's name from its node's: ``/down2/down2.1/body/body.0/Conv`` is ``down2.1.body.0``."""
    parts: list[str] = []
    for part in name.strip("/").split("/")[:-1]:
        if parts and part.startswith(parts[-1] + "."):
            parts[-1] = part
        else:
            parts.append(part)
    return ".".join(parts)


def recover(net: nn.Module, path: Path, shown: NDArray[np.uint8]) -> None:
    """Give a network the weights of an exported one; ``shown`` (n, h, w, 3) sets its batch normalisation."""
    layers = dict(net.named_modules())
    net.eval()
    with torch.no_grad():
        for name, (weight, bias) in weights_of(path).items():
            layer = layers[name]
            assert isinstance(layer, nn.Conv2d | nn.Linear)
            layer.weight.copy_(torch.from_numpy(weight.copy()))
            if layer.bias is not None:
                layer.bias.copy_(torch.from_numpy(bias.copy()))
                continue
            parent, _, number = name.rpartition(".")
            norm = layers[f"{parent}.{int(number) + 1}"]
            assert isinstance(norm, nn.BatchNorm2d)
            norm.bias.copy_(torch.from_numpy(bias.copy()))

        def normalised(norm: nn.Module, given: tuple[torch.Tensor, ...]) -> None:
            assert isinstance(norm, nn.BatchNorm2d) and norm.running_mean is not None and norm.running_var is not None
            x = given[0].float()
            mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
            norm.bias.add_(mean)
            norm.weight.copy_(torch.sqrt(var + norm.eps))
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(var)

        hooks = [m.register_forward_pre_hook(normalised) for m in layers.values() if isinstance(m, nn.BatchNorm2d)]
        net(torch.from_numpy(shown))
        for hook in hooks:
            hook.remove()


def main(name: str, data: str, out: str, models: str = "") -> None:
    """Write the weights of a released network."""
    folder = Path(models) if models else Path(str(files("boardsight.models")))
    net = network(name)
    recover(net, folder / f"{name}.onnx", pictures(name, Path(data)))
    Path(out).mkdir(parents=True, exist_ok=True)
    torch.save(net.state_dict(), Path(out) / f"{name}.pt")
    print(f"{name}.pt: the weights of {folder / name}.onnx")


if __name__ == "__main__":
    main(*sys.argv[1:])
