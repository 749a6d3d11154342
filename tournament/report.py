"""Standings as files: CSV for spreadsheets, and one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from boardsight.tournament.attention import Issue
from boardsight.tournament.batch import picture_path
from boardsight.tournament.lists import csv_file
from boardsight.tournament.rows import PhotoRow
from boardsight.tournament.standings import Evening, Line
from boardsight.tournament.texts import csv_text, printable

THUMBNAIL = 320
"""Pixels of a thumbnail's longer side."""

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.45 system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #8886; text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
tr.first td { font-weight: 600; }
figure { display: inline-block; margin: .5rem; width: 320px; vertical-align: top; }
figure img { max-width: 100%; }
figcaption { font-size: .85rem; overflow-wrap: anywhere; }
.mark { color: #b30; }
@media (prefers-color-scheme: dark) { .mark { color: #f96; } }
@media print { figure { break-inside: avoid; } }
"""


def shown(text: str) -> str:
    """Return a text from outside as a piece of HTML that shows it and nothing more."""
    return escape(printable(text), quote=True)


def standings_csv(evening: Evening, lines: Sequence[Line]) -> bytes:
    """Return the standings as a CSV file: rank, player, a column a round, total, and whether it is final."""
    rounds = [f"round {number}" for number in evening.rounds]
    columns = ("rank", "player", *rounds, "total", "final")

    def rows() -> Iterator[dict[str, object]]:
        for line in lines:
            points = ("" if p is None else p for p in line.points)
            yield {
                "rank": line.rank,
                "player": csv_text(line.player),
                **dict(zip(rounds, points, strict=True)),
                "total": line.total,
                "final": "no" if line.doubtful else "yes",
            }

    return csv_file(columns, rows())


def issues_csv(found: Sequence[Issue]) -> bytes:
    """Return what a human must look at as a CSV file, the worst first."""
    columns = ("kind", "round", "players", "photos", "points", "places", "first place", "what")
    return csv_file(
        columns,
        (
            {
                "kind": issue.kind,
                "round": issue.round or "",
                "players": csv_text(" ".join(dict.fromkeys(change.player for change in issue.changes))),
                "photos": csv_text(" ".join(issue.photos)),
                "points": issue.stake,
                "places": issue.places,
                "first place": "yes" if issue.first else "no",
                "what": csv_text(issue.text),
            }
            for issue in found
        ),
    )


def thumbnail(path: Path) -> bytes:
    """Return a small JPEG of a picture; nothing where there is none or it cannot be read."""
    import cv2
    import numpy as np

    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError:
        return b""
    image = cv2.imdecode(data, cv2.IMREAD_REDUCED_COLOR_4) if data.size else None
    if image is None:
        return b""
    scale = THUMBNAIL / max(image.shape[:2])
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    done, small = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 75])
    return small.tobytes() if done else b""


def _figure(folder: Path, photo: PhotoRow, caption: str) -> str:
    small = thumbnail(picture_path(folder, photo.name, photo.key.content)) if photo.key else b""
    picture = (
        f'<img alt="{shown(caption)}" loading="lazy" src="data:image/jpeg;base64,{base64.b64encode(small).decode()}">'
        if small
        else "<p>no picture</p>"
    )
    return f'<figure id="{_anchor(photo)}">{picture}<figcaption>{shown(caption)}</figcaption></figure>'


def _anchor(photo: PhotoRow) -> str:
    return "p" + sha256(photo.address.encode()).hexdigest()[:12]


def _standings_table(evening: Evening, lines: Sequence[Line]) -> Iterator[str]:
    heads = "".join(f'<th class="n">round {number}</th>' for number in evening.rounds)
    yield f'<table><tr><th class="n">rank</th><th>player</th>{heads}<th class="n">total</th></tr>'
    for line in lines:
        cells = []
        for number, points in zip(evening.rounds, line.points, strict=True):
            score = evening.scores.get((line.player, number))
            text = "–" if points is None else str(points)
            if score is not None and score.low != score.high:
                text += ' <span class="mark" title="doubtful">?</span>'
            if score is not None and (score.photo is None or (score.part and score.part.corrected)):
                text += ' <span title="by hand">✎</span>'
            if score is not None and score.photo is not None:
                text = f'<a href="#{_anchor(score.photo)}">{text}</a>'
            cells.append(f'<td class="n">{text}</td>')
        total = f"{line.total}{' <span class=mark>?</span>' if line.doubtful else ''}"
        first = ' class="first"' if line.rank == 1 else ""
        yield (
            f'<tr{first}><td class="n">{line.rank}</td><td>{shown(line.player)}</td>'
            f'{"".join(cells)}<td class="n">{total}</td></tr>'
        )
    yield "</table>"


def _issues_list(evening: Evening, found: Sequence[Issue]) -> Iterator[str]:
    if not found:
        yield "<p>Nothing.</p>"
        return
    photos = {photo.address: photo for photo in evening.evidence.photos}
    yield '<table><tr><th>what</th><th class="n">points</th><th class="n">places</th><th>photos</th></tr>'
    for issue in found:
        first = ' <b class="mark">may decide the first place</b>' if issue.first else ""
        links = " ".join(
            f'<a href="#{_anchor(photos[address])}">{shown(photos[address].name)}</a>'
            for address in issue.photos
            if address in photos
        )
        yield (
            f'<tr><td>{shown(issue.text)}{first}</td><td class="n">{issue.stake}</td>'
            f'<td class="n">{issue.places}</td><td>{links}</td></tr>'
        )
    yield "</table>"


def html_report(evening: Evening, lines: Sequence[Line], found: Sequence[Issue], folder: Path, title: str) -> bytes:
    """Return the standings, what a human must look at, and thumbnails of the annotated pictures as one HTML page.

    It holds no script and no address of anything outside itself, and a policy that forbids both.
    """
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{shown(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{shown(title)}</h1>",
        *_standings_table(evening, lines),
    ]
    pairs = evening.pairs()
    if pairs:
        parts.append('<h2>Pairs</h2><table><tr><th class="n">rank</th><th>pair</th><th class="n">total</th></tr>')
        parts += [
            f'<tr><td class="n">{p.rank}</td><td>{shown(p.player)}</td><td class="n">{p.total}</td></tr>' for p in pairs
        ]
        parts.append("</table>")
    parts += ["<h2>What needs a human</h2>", *_issues_list(evening, found), "<h2>Photos</h2>"]
    captions: dict[str, list[str]] = {}
    for (player, number), score in evening.scores.items():
        if score.photo is not None:
            said = f"{player}, round {number}: {score.points}"
            if score.part is not None and score.part.corrected:
                said += f" ({'; '.join(score.part.corrected)})"
            captions.setdefault(score.photo.address, []).append(said)
    for photo in evening.evidence.photos:
        caption = "; ".join([photo.name, *captions.get(photo.address, [])])
        parts.append(_figure(folder, photo, caption))
    parts.append("</body></html>\n")
    return "\n".join(parts).encode()
