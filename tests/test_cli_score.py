"""The command ``score``, with a reader that says what the test wants."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from boardsight.cli import app
from boardsight.scoring.highscore import SCORINGS
from boardsight.vision.reading import Fault, PieceReading, Reading

if TYPE_CHECKING:
    from tests.conftest import MakeBoard

EASY = (
    "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4 / "
    "9-6-3 9-2-8 9-7-3 9-7-8 / 5-2-3 5-6-8 5-7-3"
)
NEXUS = " / ".join(" ".join(["--"] * n) for n in (4, 5, 6, 7, 6, 5, 4))
YARD = "1-2-8s 4-11-8s / 9-7-5m 9-11-5s 9-6-8m / 4-2-5sv 4-7-10s"
FACES = ("5", "5", "4", "4", "V", "V", "2")
GONE = Fault("not-found", "gone.jpg does not exist")


def dice(*faces: str, doubts: dict[int, tuple[float, str]] | None = None) -> Reading:
    """Return the reading of a throw; doubts are given by number, with confidence and runner-up."""
    pieces = []
    for i, face in enumerate(faces):
        confidence, other = (doubts or {}).get(i, (0.9998, "3"))
        x, y = 100.0 * (i + 1), 200.0
        outline = ((x - 20, y - 20), (x + 20, y - 20), (x + 20, y + 20), (x - 20, y + 20))
        pieces.append(PieceReading("die", face, confidence, (x, y), outline, other, i not in (doubts or {})))
    return Reading("dice.jpg", (1000, 400), "high-score", pieces=tuple(pieces))


class FakeReader:
    """A reader whose readings the test sets, by photo."""

    readings: dict[str, Reading]
    asked: list[tuple[str, str | None, bool]]

    def read(self, path: str, game: str | None = None, keep_stages: bool = False, count: int | None = None) -> Reading:
        self.asked.append((path, game, keep_stages))
        return self.readings[path]


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, make_board: MakeBoard) -> Iterator[FakeReader]:
    fake = FakeReader()
    fake.asked = []
    fake.readings = {
        "easy.jpg": Reading("easy.jpg", (1600, 1200), "take-it-easy", (make_board("easy", EASY, at=(10, 20)),)),
        "gone.jpg": Reading("gone.jpg", fault=GONE),
        "doubt.jpg": Reading(
            "doubt.jpg",
            (1600, 1200),
            "take-it-easy",
            (make_board("easy", EASY, doubts={"c1.1": (0.83, "5-2-3")}),),
        ),
        "two.jpg": Reading(
            "two.jpg",
            (1600, 1200),
            "take-it-easy",
            (make_board("easy", EASY), make_board("easy", EASY.replace("9-2-3", "--", 1), at=(900, 0))),
        ),
        "dice.jpg": dice(*FACES),
        "six.jpg": dice(*FACES[:6]),
        "ordinary.jpg": dice("4", "4", "5", "6", "1"),
        "dim.jpg": dice(*FACES, doubts={0: (0.8, "2")}),
        "nexus.jpg": Reading(
            "nexus.jpg",
            (1600, 1200),
            "take-it-to-the-limit",
            (make_board("scrapyard", YARD, at=(900, 0)), make_board("nexus", NEXUS)),
        ),
    }
    module = ModuleType("boardsight.vision.reader")
    module.Reader = lambda: fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "boardsight.vision.reader", module)
    yield fake


def score(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["score", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def objects(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


def test_prints_the_sheet(reader: FakeReader) -> None:
    code, out, err = score("easy.jpg")
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert "total 233 " in text
    assert "row c1.1 to c5.3 falling magenta 5 x 3 = 15" in text
    assert reader.asked == [("easy.jpg", None, False)]


def test_json_is_one_object_a_photo_in_order(reader: FakeReader) -> None:
    code, out, err = score("easy.jpg", "gone.jpg", "doubt.jpg", "--json")
    assert code == 1
    easy, gone, doubt = objects(out)
    assert list(easy) == ["photo", "game", "boards", "sheet", "certain", "warnings"]
    assert gone == {"photo": "gone.jpg", "error": {"code": "not-found", "message": "gone.jpg does not exist"}}
    assert doubt["certain"] is False
    assert err.splitlines()[0] == "gone.jpg: error: gone.jpg does not exist"
    assert "doubt.jpg: warning: easy c1.1 reads 9-2-3" in err


def test_json_of_a_board(reader: FakeReader) -> None:
    _, out, _ = score("easy.jpg", "--json")
    (board,) = json.loads(out)["boards"]
    assert board["board"] == "easy"
    assert board["notation"] == EASY
    assert board["certain"] is True
    assert board["cells"][0] == {
        "cell": "c1.1",
        "tile": "9-2-3",
        "confidence": 0.9999,
        "centre": [10.0, 20.0],
        "certain": True,
    }
    assert len(board["cells"]) == 19


def test_doubt_is_false_for_tile_board_and_photo(reader: FakeReader) -> None:
    code, out, _ = score("doubt.jpg", "--json")
    assert code == 0
    found = json.loads(out)
    assert [cell["cell"] for cell in found["boards"][0]["cells"] if not cell["certain"]] == ["c1.1"]
    assert found["boards"][0]["certain"] is False
    assert found["certain"] is False
    (warning,) = found["warnings"]
    for part in ("c1.1", "9-2-3", "5-2-3", "233", "206"):
        assert part in warning


def test_doubt_is_printed(reader: FakeReader) -> None:
    _, out, _ = score("doubt.jpg")
    assert "233 ?" in out
    assert "warning: easy c1.1 reads 9-2-3 (83 % sure); it may be 5-2-3" in out


def test_several_players_have_a_sheet_each(reader: FakeReader) -> None:
    _, out, _ = score("two.jpg", "--json")
    found = json.loads(out)
    assert "sheet" not in found
    assert [board["player"] for board in found["boards"]] == [1, 2]
    assert [board["sheet"]["total"] for board in found["boards"]] == [233, 185]
    _, out, _ = score("two.jpg")
    assert out.index("Player 1") < out.index("233") < out.index("Player 2") < out.index("185")


def test_nexus_and_scrapyard_are_one_player(reader: FakeReader) -> None:
    _, out, _ = score("nexus.jpg", "--json")
    found = json.loads(out)
    assert [board["board"] for board in found["boards"]] == ["nexus", "scrapyard"]
    assert found["sheet"]["total"] == -60
    assert all("sheet" not in board and "player" not in board for board in found["boards"])


def test_several_photos_are_named_and_a_bad_one_does_not_stop_the_rest(reader: FakeReader) -> None:
    code, out, err = score("gone.jpg", "easy.jpg")
    assert code == 1
    assert err == "gone.jpg: error: gone.jpg does not exist\n"
    assert out.startswith("easy.jpg\n")


@pytest.mark.parametrize("name", ["é 写真.jpg", "odd \udcff name.jpg", "two\nlines.jpg", "[red]x.jpg"])
def test_any_file_name_will_do(reader: FakeReader, make_board: MakeBoard, name: str) -> None:
    reader.readings[name] = Reading(name, (1600, 1200), "take-it-easy", (make_board("easy", EASY),))
    code, out, _ = score(name, "gone.jpg", "--json")
    assert code == 1
    assert objects(out)[0]["photo"] == name
    code, out, _ = score(name, "gone.jpg")
    assert code == 1
    assert len(out.splitlines()[0]) == len(name)
    reader.readings[name] = Reading(name, fault=GONE)
    code, _, err = score(name)
    assert (code, err.count("\n")) == (1, 1)


def test_game_is_handed_on(reader: FakeReader) -> None:
    score("easy.jpg", "--game", "take-it-easy")
    assert reader.asked == [("easy.jpg", "take-it-easy", False)]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("easy.jpg", "--game", "chess"),
        ("dice.jpg", "--card", "same-number"),
        ("dice.jpg", "--dice", "0"),
        ("easy.jpg", "--rules", "house"),
        ("easy.jpg", "--annotate", "picture.xyz"),
        ("easy.jpg", "--nonsense"),
    ],
)
def test_wrong_usage_ends_with_status_2(reader: FakeReader, arguments: tuple[str, ...]) -> None:
    code, out, err = score(*arguments)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert reader.asked == []


def sample(reader: FakeReader, folder: Path, make_board: MakeBoard) -> str:
    """Write a picture and let the reader find a board and two stages in it."""
    photo = str(folder / "board.jpg")
    image = np.full((600, 800, 3), 90, np.uint8)
    assert cv2.imwrite(photo, image)
    board = make_board("easy", EASY, at=(150, 50), doubts={"c1.1": (0.6, "5-2-3")})
    stages: dict[str, object] = {"marks": image, "lattice": image[:, :, 0].copy(), "matrix": [1.0]}
    reader.readings[photo] = Reading(photo, (800, 600), "take-it-easy", (board,), stages=stages)
    return photo


def test_annotated_picture_is_written_and_named(reader: FakeReader, tmp_path: Path, make_board: MakeBoard) -> None:
    photo = sample(reader, tmp_path, make_board)
    target = tmp_path / "out" / "read.png"
    code, _, err = score(photo, "--annotate", str(target))
    assert code == 0
    assert err == f"annotated picture: {target}\n"
    assert cv2.imread(str(target)) is not None


def test_annotated_pictures_of_several_photos(reader: FakeReader, tmp_path: Path, make_board: MakeBoard) -> None:
    photo = sample(reader, tmp_path, make_board)
    code, out, err = score(photo, "gone.jpg", "--json", "--annotate", str(tmp_path / "out"))
    assert code == 1
    assert len(objects(out)) == 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["board.annotated.jpg"]
    assert "annotated picture" in err


def test_stages_are_written(reader: FakeReader, tmp_path: Path, make_board: MakeBoard) -> None:
    photo = sample(reader, tmp_path, make_board)
    code, _, _ = score(photo, "--debug-dir", str(tmp_path / "stages"))
    assert code == 0
    assert reader.asked == [(photo, None, True)]
    assert sorted(path.name for path in (tmp_path / "stages").iterdir()) == ["1-marks.jpg", "2-lattice.jpg"]


def test_picture_that_cannot_be_written_is_one_line(reader: FakeReader, tmp_path: Path, make_board: MakeBoard) -> None:
    photo = sample(reader, tmp_path, make_board)
    (tmp_path / "file").write_bytes(b"")
    code, out, err = score(photo, "--annotate", str(tmp_path / "file" / "read.jpg"))
    assert code == 1
    assert "total" in out
    assert err.count("\n") == 1
    assert "cannot be written" in err


def test_annotated_picture_never_replaces_the_photo(reader: FakeReader, tmp_path: Path) -> None:
    photo = tmp_path / "easy.jpg"
    photo.write_bytes(b"photo")
    code, _, err = score(str(photo), "--annotate", str(photo))
    assert code == 2
    assert "would be lost" in " ".join(err.replace("│", " ").split())
    assert photo.read_bytes() == b"photo"


def test_dice_are_scored_under_a_card(reader: FakeReader) -> None:
    code, out, err = score("dice.jpg", "--game", "high-score", "--card", "same-number vortex=-5")
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert "dice 5 5 4 4 V V 2" in text
    assert "dice that count 8" in text
    assert "total 8" in text


def test_dice_without_a_card_give_every_scoring(reader: FakeReader) -> None:
    code, out, err = score("dice.jpg")
    assert (code, err) == (0, "")
    rows = {words[0]: words[1:] for words in map(str.split, out.splitlines()) if words}
    assert rows["scoring"] == ["-5", "0", "5", "6", "10", "0-6"]
    assert rows["same-number"][:2] == ["8", "18"]
    (found,) = objects(score("dice.jpg", "--json")[1])
    assert found["dice"] == list(FACES)
    assert "sheet" not in found and "boards" not in found
    scorings = found["scorings"]
    assert isinstance(scorings, dict)
    assert set(scorings) == set(SCORINGS)
    assert scorings["same-number-minus"]["0"] == 16


def test_json_of_dice(reader: FakeReader) -> None:
    (found,) = objects(score("dice.jpg", "--json", "--card", "total vortex=-5")[1])
    assert list(found) == ["photo", "game", "dice", "pieces", "sheet", "certain", "warnings"]
    assert found["sheet"]["total"] == 10  # type: ignore[index]
    assert found["certain"] is True


@pytest.mark.parametrize(
    ("photo", "arguments", "said"),
    [
        ("six.jpg", (), "shows 6 dice (5 5 4 4 V V) and not 7"),
        ("dice.jpg", ("--dice", "8"), "shows 7 dice (5 5 4 4 V V 2) and not 8"),
        ("ordinary.jpg", ("--dice", "5"), "only 4 of 5 dice show a face of High Score, which has no 6"),
    ],
)
def test_a_wrong_number_or_face_is_an_error_with_the_dice(
    reader: FakeReader, photo: str, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = score(photo, *arguments, "--json")
    (found,) = objects(out)
    assert code == 1
    assert found["error"]["code"] == "wrong-count"  # type: ignore[index]
    assert said in found["error"]["message"]  # type: ignore[index]
    assert found["dice"] == list(reader.readings[photo].dice)
    assert "sheet" not in found and "scorings" not in found
    assert said in err


def test_the_right_number_by_house_rules(reader: FakeReader) -> None:
    code, out, _ = score("six.jpg", "--dice", "6", "--card", "total vortex=0")
    assert code == 0 and "total 18" in " ".join(out.split())


def test_a_doubtful_die_says_what_would_change(reader: FakeReader) -> None:
    code, out, err = score("dim.jpg", "--card", "total vortex=0")
    assert code == 0
    text = " ".join((out + err).split())
    assert (
        "the die at (100, 200) reads 5 (80 % sure); it may be 2, and then the total would be 17 instead of 20" in text
    )
    (found,) = objects(score("dim.jpg", "--json")[1])
    assert found["certain"] is False
    assert found["warnings"] == ["the die at (100, 200) reads 5 (80 % sure); it may be 2"]


def test_dice_are_drawn_into_the_photo(reader: FakeReader, tmp_path: Path) -> None:
    photo = tmp_path / "dice.jpg"
    cv2.imwrite(str(photo), np.full((400, 1000, 3), 90, np.uint8))
    reader.readings[str(photo)] = replace(dice(*FACES, doubts={0: (0.8, "2")}), photo=str(photo))
    code, _, _ = score(str(photo), "--annotate", str(tmp_path / "out.png"))
    drawn = cv2.imread(str(tmp_path / "out.png"))
    assert code == 0 and drawn is not None
    assert drawn.std() > 10
