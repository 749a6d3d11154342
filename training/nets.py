"""The networks: marks on a photo, which way a crop lies, what a crop shows, and ships, ring and launch pad of a board.

All take uint8 BGR, NHWC.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from boardsight.vision.heads import FLEET, KINDS, SHIP_COLOURS, tile_heads, turn_heads
from boardsight.vision.launchpad import SPACE, STRIP
from boardsight.vision.pieces import FRAME


def _conv(i: int, o: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(width, width), nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.body(x))


def _enter(x: Tensor) -> Tensor:
    """Turn (n, h, w, 3) uint8 into (n, 3, h, w) about -1 to 1."""
    return x.permute(0, 3, 1, 2).float() * (1 / 64) - 2


class TileNet(nn.Module):
    """What a 64 x 64 upright crop shows: log probabilities of every head, side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = tile_heads()
        self.body = nn.Sequential(
            _conv(3, 24, 2), _conv(24, 32), _conv(32, 64, 2), _Residual(64), _conv(64, 112, 2), _Residual(112),
            _conv(112, 128, 2), nn.Flatten(), nn.Dropout(0.1),
        )  # fmt: skip
        self.out = nn.Linear(128 * 16, sum(len(labels) for labels in self.heads.values()))

    def forward(self, x: Tensor) -> Tensor:
        y = self.out(self.body(_enter(x)))
        parts, at = [], 0
        for labels in self.heads.values():
            parts.append(torch.log_softmax(y[:, at : at + len(labels)].float(), 1))
            at += len(labels)
        return torch.cat(parts, 1)


class TurnNet(nn.Module):
    """Which way a 64 x 64 crop lies: log probabilities for hexagons and for octagons, side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = turn_heads()
        self.body = nn.Sequential(
            _conv(3, 24, 2),
            _conv(24, 32),
            _conv(32, 64, 2),
            _Residual(64),
            _conv(64, 96, 2),
            _Residual(96),
            _conv(96, 96, 2),
            nn.Flatten(),
            nn.Dropout(0.1),
        )
        self.out = nn.Linear(96 * 16, sum(self.heads.values()))

    def forward(self, x: Tensor) -> Tensor:
        y = self.out(self.body(_enter(x)))
        parts, at = [], 0
        for count in self.heads.values():
            parts.append(torch.log_softmax(y[:, at : at + count].float(), 1))
            at += count
        return torch.cat(parts, 1)


class PieceNet(nn.Module):
    """What a crop of a loose piece shows: log probabilities of every head, side by side."""

    def __init__(
        self,
        heads: Mapping[str, tuple[str, ...]],
        pixels: tuple[int, int],
        widths: tuple[int, int, int] = (56, 88, 96),
    ) -> None:
        super().__init__()
        a, b, c = widths
        self.sizes = [len(labels) for labels in heads.values()]
        places = -(-pixels[0] // 16) * -(-pixels[1] // 16)
        self.body = nn.Sequential(
            _conv(3, 24, 2), _conv(24, 32), _conv(32, a, 2), _Residual(a), _conv(a, b, 2), _Residual(b),
            _conv(b, c, 2), nn.Flatten(), nn.Dropout(0.1),
        )  # fmt: skip
        self.out = nn.Linear(c * places, sum(self.sizes))

    def forward(self, x: Tensor) -> Tensor:
        parts = self.out(self.body(_enter(x))).split(self.sizes, 1)
        return torch.cat([torch.log_softmax(part.float(), 1) for part in parts], 1)


class _Pyramid(nn.Module):
    """Halves a picture five times and comes back to a quarter of it; subclasses say how wide each step is."""

    down1: nn.Module
    down2: nn.Module
    down3: nn.Module
    down4: nn.Module
    up1: nn.Module
    up2: nn.Module
    up3: nn.Module
    mix1: nn.Module
    mix2: nn.Module
    mix3: nn.Module

    def seen(self, x: Tensor) -> Tensor:
        """Return what is seen at each place of pictures (n, h, w, 3): (n, channels, h/4, w/4)."""

        def grow(a: Tensor) -> Tensor:
            return nn.functional.interpolate(a, scale_factor=2.0, mode="nearest")

        a = self.down1(_enter(x))
        b = self.down2(a)
        c = self.down3(b)
        d = self.down4(c)
        c = self.mix3(c + grow(self.up3(d)))
        b = self.mix2(b + grow(self.up2(c)))
        seen: Tensor = self.mix1(a + grow(self.up1(b)))
        return seen


class MarkNet(_Pyramid):
    """Where tiles and spaces are: one map a kind at a quarter of the photo's resolution, 0 to 1.

    With ``frame`` the maps are followed by the numbers of `boardsight.vision.pieces.frame_of`.
    """

    def __init__(self, kinds: int = len(KINDS), frame: bool = False) -> None:
        super().__init__()
        self.down1 = nn.Sequential(_conv(3, 12, 2), _conv(12, 24, 2), _conv(24, 24))
        self.down2 = nn.Sequential(_conv(24, 48, 2), _Residual(48))
        self.down3 = nn.Sequential(_conv(48, 72, 2), _Residual(72))
        self.down4 = nn.Sequential(_conv(72, 80, 2), _Residual(80))
        self.up3, self.up2, self.up1 = nn.Conv2d(80, 72, 1), nn.Conv2d(72, 48, 1), nn.Conv2d(48, 24, 1)
        self.mix3, self.mix2, self.mix1 = _conv(72, 72), _conv(48, 48), _conv(24, 32)
        self.out = nn.Conv2d(32, kinds, 1)
        self.frame = nn.Conv2d(32, len(FRAME), 1) if frame else None
        nn.init.constant_(self.out.bias, -4.0)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> Tensor:
        a = self.seen(x)
        maps = torch.sigmoid(self.out(a).float())
        return maps if self.frame is None else torch.cat([maps, self.frame(a).float()], 1)


class FleetNet(_Pyramid):
    """Ships and buttons in a board's window: maps at a quarter of its resolution.

    A map where a ship's foot is, 0 to 1; the log probability of each colour, were a ship there; then a map of each
    button, 0 to 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.down1 = nn.Sequential(_conv(3, 16, 2), _conv(16, 32, 2), _Residual(32))
        self.down2 = nn.Sequential(_conv(32, 64, 2), _Residual(64))
        self.down3 = nn.Sequential(_conv(64, 96, 2), _Residual(96))
        self.down4 = nn.Sequential(_conv(96, 96, 2), _Residual(96))
        self.up3, self.up2, self.up1 = nn.Conv2d(96, 96, 1), nn.Conv2d(96, 64, 1), nn.Conv2d(64, 32, 1)
        self.mix3, self.mix2, self.mix1 = _conv(96, 96), _conv(64, 64), _conv(32, 48)
        self.out = nn.Conv2d(48, 1 + len(FLEET), 1)
        nn.init.constant_(self.out.bias, -4.0)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> Tensor:
        a = self.seen(x)
        y = self.out(a).float()
        end = 1 + SHIP_COLOURS
        return torch.cat([torch.sigmoid(y[:, :1]), torch.log_softmax(y[:, 1:end], 1), torch.sigmoid(y[:, end:])], 1)


class PadNet(nn.Module):
    """On which buttons of a launch pad a ring rests: log odds of each, from the top of its strip.

    Each button is seen with its neighbours and with the mean of all, as only beside the others a ring is told from a
    button's own dark edge.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 24, 2), _conv(24, 32), _conv(32, 48, 2), _Residual(48), _conv(48, 64, 2), _Residual(64),
            _conv(64, 64, 2), _conv(64, 64, 2),
        )  # fmt: skip
        self.each = nn.Conv2d(64, 64, (1, STRIP[0] // SPACE))
        self.all = nn.Conv2d(64, 64, 1)
        self.out = nn.Conv2d(64, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        each = self.each(self.body(_enter(x)))
        beside = self.all(each.mean((2, 3), keepdim=True))
        return self.out(torch.relu(each + beside)).float().flatten(1)
