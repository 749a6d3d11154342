"""Read loose pieces: which declared kinds lie in a photo, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network, load_network
from boardsight.vision.files import quoted
from boardsight.vision.photo import Photo
from boardsight.vision.piece_sets import PIECE_SETS
from boardsight.vision.pieces import SOLID, Decoded, PieceSet, Sighting, Spots, classify, closer, flipped, mark
from boardsight.vision.reading import Fault, Reading

LIKELY = 0.5
"""Pieces that are likelier than this count to say which game a photo shows."""
SURELY = 0.9
"""Most pieces must be there with this probability to say which game a photo shows."""
SPARE = 1.5
"""So many more pieces than a game has may seem to lie there; patterns read as pieces have no end."""
BEYOND_DOUBT = 0.9
"""From this mean confidence on the pieces are those of the game, whatever lies beside them."""
MANY = 2
"""So many times more pieces than a game has are those of something else."""
RIVAL = 0.6
"""Two games are possible where one's pieces are worth this share of the other's."""
AS_MUCH = 0.9
"""A closer look counts if its marks are worth this share of the sure ones of the first look."""
SHARP = 0.8
"""Pixels of the photo that a crop needs for each of its own."""

Glance: TypeAlias = tuple[Spots, NDArray[np.float32]]
"""Marks in pixels of the full-size photo, and the locator's maps."""


@dataclass(frozen=True, slots=True)
class _Found:
    declared: PieceSet
    sighting: Sighting
    decoded: Decoded

    @property
    def worth(self) -> float:
        return sum(piece.confidence for piece in self.decoded.pieces)

    @property
    def mean(self) -> float:
        """Return the mean confidence of the pieces."""
        return self.worth / max(1, len(self.decoded.pieces))

    @property
    def likely(self) -> int:
        """Return how many pieces are there more likely than not."""
        return sum(piece.confidence > LIKELY for piece in self.decoded.pieces)

    def tells(self, count: int | None) -> bool:
        """Return True where there are enough pieces, and likely ones, to say which game it is."""
        pieces = self.decoded.pieces
        least = self.declared.least if count is None else min(self.declared.least, count)
        most = MANY * (count or self.declared.count or len(pieces))
        surely = sum(there >= SURELY for there in self.decoded.there)
        few = self.decoded.spare <= SPARE or self.mean >= BEYOND_DOUBT
        clear = self.mean >= self.declared.clear and few
        return self.likely >= least and len(pieces) <= most and 2 * surely > len(pieces) and clear


class LooseReader:
    """Reads loose pieces; loads a kind's networks when it is first looked for."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._networks: dict[str, Network] = {}

    def read(
        self, photo: Photo, game: str | None = None, count: int | None = None, keep_stages: bool = False
    ) -> Reading:
        """Read the loose pieces of a photo, of one game or of any; ``count`` is how many there should be.

        What lies there says which game it is, if the game is not given: a single die beside a cup does not. Gives a
        reading with the fault ``no-board`` where there is nothing, ``ambiguous-game`` where it may be two games.
        """
        sets = [declared for declared in PIECE_SETS if game in (None, declared.game)]
        glances = {declared.name: self._glance(photo, declared) for declared in sets}
        sure = {name: int((spots.scores > SOLID).sum()) for name, (spots, _) in glances.items()}
        found: list[_Found] = []
        for declared in sorted(sets, key=lambda one: -sure[one.name] / one.least):
            # what shows less than the least of a game at first sight is no rival of what tells its own
            if sure[declared.name] >= declared.least or not any(f.tells(count) for f in found):
                found.append(self._find(photo, declared, count, glances[declared.name]))
        enough = [f for f in found if (f.decoded.pieces if game else f.tells(count))]
        if not enough:
            what = "shows no board and no pieces; take it from above, with everything in the picture and in even light"
            return Reading(photo.name, photo.size, fault=Fault("no-board", f"{quoted(photo.name)} {what}"))
        # clear pieces of one kind outweigh as many unclear ones of another
        best = max(enough, key=lambda f: f.worth * f.mean)
        rivals = {f.declared.game for f in enough if f.worth * f.mean > RIVAL * best.worth * best.mean}
        if len(rivals) > 1:
            what = f"could show {', '.join(sorted(rivals))}; say which with --game"
            return Reading(photo.name, photo.size, fault=Fault("ambiguous-game", f"{quoted(photo.name)} {what}"))
        reading = Reading(
            photo.name,
            photo.size,
            best.declared.game,
            warnings=best.decoded.warnings,
            pieces=best.decoded.pieces,
            complete=best.decoded.complete,
        )
        if keep_stages:
            reading.stages.update(_stages(best.sighting))
        return reading

    def sight(self, photo: Photo, declared: PieceSet, glance: Glance | None = None) -> Sighting:
        """Find and classify the pieces of one declaration; ``glance`` is the look at the whole photo, if it is there.

        More pixels are decoded only where the crops need them.
        """
        network = self._network(f"{declared.name}-marks")
        spots, maps = glance or self._glance(photo, declared)
        step = closer(spots, photo.size)
        scale, image = photo.scale, photo.image
        if step is not None:
            side, region = step
            if region is not None:
                x0, y0, x1, y1 = (int(v * scale) for v in region)
                region = x0, y0, x1, y1
            again, more = mark(image, network, declared, side=side, region=region)
            if again.scores.sum() >= AS_MUCH * spots.scores[spots.scores > SOLID].sum():
                spots, maps = again.moved(1 / scale), more
        if declared.settle is not None:
            spots = declared.settle(spots)
        left, _, right, _ = declared.window
        if len(spots):
            seen = float(np.median(spots.sizes)) * (right - left)
            wanted = photo.scale_for(max(photo.size) * min(1.0, SHARP * declared.pixels[0] / seen))
            if wanted > scale:
                scale, image = wanted, photo.at(wanted)
        heads, crops = classify(image, spots.moved(scale), self._network(declared.name), declared)
        heads, mirrored = flipped(heads, crops, self._network(declared.name), declared)
        return Sighting(spots, heads, crops, maps, mirrored)

    def _glance(self, photo: Photo, declared: PieceSet) -> Glance:
        """Look at a whole photo; the spots are in pixels of the full-size photo."""
        spots, maps = mark(photo.image, self._network(f"{declared.name}-marks"), declared)
        return spots.moved(1 / photo.scale), maps

    def _find(self, photo: Photo, declared: PieceSet, count: int | None, glance: Glance) -> _Found:
        sighting = self.sight(photo, declared, glance)
        expected = count if count is not None else declared.count
        return _Found(declared, sighting, declared.decode(declared, sighting, expected))

    def _network(self, name: str) -> Network:
        if name not in self._networks:
            self._networks[name] = load_network(name, self._threads)
        return self._networks[name]


def _stages(sighting: Sighting) -> dict[str, object]:
    """Return what the stages saw, for the debugging pictures."""
    return {
        "marks": {"heatmap": sighting.maps, "peaks": np.column_stack([sighting.spots.centres, sighting.spots.scores])},
        "crops": sighting.crops,
        "probabilities": {name: np.exp(rows) for name, rows in sighting.heads.items()},
    }
