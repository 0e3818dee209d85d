"""What a notebook shows."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Html:
    """A piece of HTML, which a notebook shows. ``str()`` is its text."""

    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.text
