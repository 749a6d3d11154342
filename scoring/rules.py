"""Which of a game's optional rules and variants are played."""

from __future__ import annotations

from dataclasses import dataclass, replace

from boardsight.scoring.errors import NotationError

#: What each word of ``Rules.parse`` switches on: field and value.
WORDS: dict[str, tuple[str, object]] = {
    "basic": ("studs", False),
    "studs": ("studs", True),
    "simple": ("ships", "simple"),
    "advanced": ("ships", "advanced"),
    "no-ships": ("ships", "none"),
    "lowest-scrapyard": ("scrapyard", "lowest"),
    "pass-scrapyard": ("scrapyard", "pass"),
    "no-scrapyard": ("scrapyard", "none"),
    "suns-and-moons": ("mixed", True),
    "pairs": ("pairs", True),
}


@dataclass(frozen=True, slots=True)
class Rules:
    """The optional rules and variants in force; the default is each game's basic game.

    A ring that the state shows counts unless ``ships`` is ``none``: a board with ships was played with them.
    Gold and silver studs are on every tile, so that a board cannot show whether they count: only if asked.
    """

    studs: bool = False
    """Take It Higher!: gold and silver bonuses count."""
    ships: str = ""
    """Take It Higher!: ``simple``, ``advanced``, ``none``, or empty where it is not known which."""
    scrapyard: str = "standard"
    """Take It to the Limit!: ``standard``, ``lowest``, ``pass`` or ``none``."""
    mixed: bool = False
    """Orchid with suns and moons: rays count."""
    pairs: bool = False
    """Take It to the Limit!: played in pairs, whose totals are added."""

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Return the rules that words name, separated by commas or spaces, e.g. ``studs,advanced``.

        Raises NotationError for an unknown word, or for two that contradict each other.
        """
        rules, said = cls(), dict[str, str]()
        for word in text.replace(",", " ").split():
            if word not in WORDS:
                raise NotationError(f"{word!r} in {text!r} is no rule; known: {', '.join(WORDS)}")
            name, value = WORDS[word]
            if said.setdefault(name, word) != word:
                raise NotationError(f"{said[name]!r} and {word!r} in {text!r} contradict each other")
            rules = replace(rules, **{name: value})  # type: ignore[arg-type]
        return rules

    def __str__(self) -> str:
        default = Rules()
        words = [
            word
            for word, (name, value) in WORDS.items()
            if getattr(self, name) == value and getattr(default, name) != value
        ]
        return ",".join(words) or "basic"
