"""What can be checked of the page's looks and manners without a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from boardsight.web.colours import contrast_ratio

CSS = files("boardsight.web").joinpath("static/app.css").read_text("utf-8")
JS = files("boardsight.web").joinpath("static/app.js").read_text("utf-8")
TEMPLATES = {
    item.name: item.read_text("utf-8")
    for item in files("boardsight.web").joinpath("templates").iterdir()
    if item.is_file()
}

#: Text and the ground that it stands on.
PAIRS = (
    ("text", "ground"),
    ("text", "card"),
    ("text", "lit"),
    ("dim", "card"),
    ("dim", "ground"),
    ("dim", "lit"),
    ("accent", "card"),
    ("on-accent", "accent"),
    ("on-quiet", "quiet"),
    ("warn", "warn-ground"),
    ("warn", "card"),
)


def palettes() -> dict[str, dict[str, str]]:
    """Return the light and the dark colours by name."""
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[:2]
    return {
        name: dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))
        for name, block in (("light", light), ("dark", dark))
    }


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_stands_out(mode: str, text: str, ground: str) -> None:
    colours = palettes()[mode]
    assert contrast_ratio(colours[text], colours[ground]) >= 4.5


def test_labels_on_the_photo_stand_out() -> None:
    assert contrast_ratio("#ff9a2e", "#191206") >= 4.5
    assert "fill: #191206" in CSS


def test_nothing_comes_from_elsewhere() -> None:
    for name, text in {"app.css": CSS, "app.js": JS, **TEMPLATES}.items():
        assert not re.search(r"(?:src|href|action|url\(|import|fetch\()\s*[=(]?\s*[\"']?(?:https?:)?//", text), name


def test_a_still_picture_is_shown_to_those_who_ask_for_one() -> None:
    assert "prefers-reduced-motion" in CSS
    assert "prefers-color-scheme: dark" in CSS


class _Labels(HTMLParser):
    """Finds fields and buttons that a screen reader could not name."""

    def __init__(self) -> None:
        super().__init__()
        self.labels, self.unnamed = 0, [""]
        self.unnamed.clear()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "label":
            self.labels += 1
        elif tag in ("select", "input") and given.get("type") != "hidden":
            if not self.labels and "aria-label" not in given and "id" not in given:
                self.unnamed.append(f"{tag} {given}")
        elif tag == "img" and "alt" not in given:
            self.unnamed.append(f"{tag} {given}")

    def handle_endtag(self, tag: str) -> None:
        self.labels -= tag == "label"


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_field_has_a_name(name: str) -> None:
    parser = _Labels()
    parser.feed(re.sub(r"\{[%{].*?[%}]\}", "", TEMPLATES[name], flags=re.DOTALL))
    assert parser.unnamed == []


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_form_that_changes_something_carries_the_secret(name: str) -> None:
    for form in re.findall(r"<form\b.*?</form>", TEMPLATES[name], re.DOTALL):
        assert 'method="post"' in form
        assert "csrf_field(csrf)" in form
    assert "|safe" not in TEMPLATES[name].replace(" ", "")
