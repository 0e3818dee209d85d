"""What can go wrong, as a small tree of exceptions.

Each class is what must be changed, and has the exit code that the program ``dlprof-agg`` ends with:

======================  =========  =========================================================
class                   exit code  what must be changed
======================  =========  =========================================================
:class:`UsageError`     2          what was asked for, whatever the input is
:class:`InputError`     3          the input: it cannot be read, or is of no kind that is known
:class:`OutputError`    4          the output, or what the system lets the process have
:class:`RequestError`   5          what was asked for: it does not fit this input
======================  =========  =========================================================
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "CaptureWarning",
    "DlprofError",
    "InputError",
    "OutputError",
    "RequestError",
    "UsageError",
]


class DlprofError(Exception):
    """Something was not done.

    Attributes:
        message: what was found.
        causes: why, from the nearest cause on.
        hint: what to do, in the words of the command line; ``None`` if there is nothing to do.
        exit_code: the exit code of the program for the same error.

    >>> import dlprof_agg
    >>> try:
    ...     dlprof_agg.read("nowhere.sqlite")
    ... except dlprof_agg.DlprofError as error:
    ...     print(type(error).__name__, error.exit_code, error.message)
    InputError 3 `nowhere.sqlite` does not exist
    """

    exit_code: int = 1

    def __init__(
        self, message: str, causes: Sequence[str] = (), hint: str | None = None
    ) -> None:
        super().__init__(message, tuple(causes), hint)
        self.message = message
        self.causes = tuple(causes)
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.message, *(f"cause: {cause}" for cause in self.causes)]
        if self.hint is not None:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class UsageError(DlprofError):
    """What was asked for is wrong, whatever the input is."""

    exit_code = 2


class InputError(DlprofError):
    """The input cannot be read, or is of no kind that is known."""

    exit_code = 3


class OutputError(DlprofError):
    """An output cannot be written or exists, or the system has no memory or no files left."""

    exit_code = 4


class RequestError(DlprofError):
    """What was asked for does not fit the input: no such key node, iterations out of bounds."""

    exit_code = 5


class CaptureWarning(UserWarning):
    """Something is odd about a capture, so that figures may mislead. The text begins with its code."""
