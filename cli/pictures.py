"""Where the annotated and the debugging pictures go, and how they are written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from boardsight.tournament.pictures import SUFFIXES, WriteError, unique_names, write_picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from boardsight.tournament.outcome import Outcome

    Image = NDArray[np.uint8]


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(f"{str(path)!r} must end in one of {', '.join(SUFFIXES)}", param_hint="'--annotate'")


@dataclass(frozen=True, slots=True)
class Pictures:
    """Which pictures to write for each photo of a command."""

    annotated: tuple[Path, ...] = ()
    """One path a photo; empty if no annotated picture is wanted."""
    stages: tuple[Path, ...] = ()
    """One folder a photo; empty if no debugging pictures are wanted."""

    @classmethod
    def plan(cls, photos: Sequence[str], annotate: Path | None, debug_dir: Path | None) -> Pictures:
        """Return where each photo's pictures go.

        Raises typer.BadParameter where a picture would take the place of a photo or has no known format.
        """
        annotated: tuple[Path, ...] = ()
        if annotate is not None and (len(photos) > 1 or annotate.is_dir()):
            if annotate.exists() and not annotate.is_dir():
                raise typer.BadParameter(
                    f"{str(annotate)!r} must be a folder, for there are several photos", param_hint="'--annotate'"
                )
            annotated = tuple(annotate / name for name in unique_names(photos, ".annotated.jpg"))
        elif annotate is not None:
            _check_suffix(annotate)
            annotated = (annotate,)
        for path in annotated:
            if path.exists() and any(os.path.exists(photo) and path.samefile(photo) for photo in photos):
                raise typer.BadParameter(
                    f"{str(path)!r} is a photo itself and would be lost", param_hint="'--annotate'"
                )
        stages: tuple[Path, ...] = ()
        if debug_dir is not None:
            stages = tuple(debug_dir / name for name in unique_names(photos, "")) if len(photos) > 1 else (debug_dir,)
        return cls(annotated, stages)

    def save(self, i: int, outcome: Outcome) -> bool:
        """Write the pictures of photo number `i` and say where; return False where one could not be written."""
        try:
            if self.annotated and (outcome.players or outcome.reading.pieces):
                write_picture(self.annotated[i], _annotated(outcome))
                typer.echo(f"annotated picture: {self.annotated[i]}", err=True)
            if self.stages and outcome.reading.stages:
                from boardsight.vision.debug import stage_pictures

                for name, image in stage_pictures(outcome.reading):
                    write_picture(self.stages[i] / f"{name}.jpg", image)
                typer.echo(f"pictures of the stages: {self.stages[i]}", err=True)
        except WriteError as error:
            typer.echo(f"error: {error}", err=True)
            return False
        return True


def _annotated(outcome: Outcome) -> Image:
    """Return the photo of an outcome with what was read drawn on it.

    Raises WriteError where the photo is no longer there.
    """
    from boardsight.vision.annotate import annotate
    from boardsight.vision.annotate_pieces import annotate_pieces
    from boardsight.vision.photo import load
    from boardsight.vision.reading import Fault

    photo = load(outcome.reading.photo)
    if isinstance(photo, Fault):
        raise WriteError(photo.message)
    draw = annotate if outcome.reading.boards else annotate_pieces
    return draw(photo.image, outcome.reading, outcome.players)
