"""What a profile and a job have in common: tables, and files of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dlprof_agg import _native
from dlprof_agg._asked import PathLike, as_path
from dlprof_agg.table import Column, Table

__all__ = ["HasTables", "TableInfo"]


@dataclass(frozen=True)
class TableInfo:
    """A table that every profile, or every job, has.

    Attributes:
        name: the stable name.
        title: the title for people.
        meaning: what a row is.
        columns: its columns with their units and meanings, in order.
    """

    name: str
    title: str
    meaning: str
    columns: tuple[Column, ...] = field(repr=False)


class HasTables:
    """Has tables: a :class:`dlprof_agg.Profile` or a :class:`dlprof_agg.Job`."""

    def __init__(self, native: _native.Tables) -> None:
        self._tables = native

    @property
    def tables(self) -> dict[str, TableInfo]:
        """The tables that :meth:`table` has, by name.

        >>> import dlprof_agg
        >>> kernels = dlprof_agg.read(sample).tables["kernels"]
        >>> [column.unit for column in kernels.columns if column.key == "gpu_time_ns"]
        ['ns']
        """
        return {
            name: TableInfo(name, title, meaning, tuple(Column(*column) for column in columns))
            for name, title, meaning, columns in self._tables.tables
        }

    def table(
        self,
        name: str,
        columns: str | Sequence[str] | None = None,
        where: str | Sequence[str] | None = None,
        sort: str | Sequence[str] | None = None,
        top: int | None = None,
        per_iteration: bool = False,
    ) -> Table:
        """Columns and rows of a table.

        Args:
            name: the table; :attr:`tables` lists them.
            columns: keys or titles in the order wanted; all if not given.
            where: a condition such as ``"gpu_time > 1ms and kernel_name like %gemm%"``, or several of which all are true
                (``docs/expressions.md``).
            sort: columns to sort by, ``-`` in front for the largest first.
            top: at most so many rows; those that people see first if ``sort`` is not given.
            per_iteration: divide sums over the aggregated iterations by their number. Keys then say it, such as
                ``gpu_time_per_iteration_ns``; ``columns``, ``where`` and ``sort`` take the usual ones.

        Raises:
            UsageError: there is no such table or column, the condition cannot be read, or the table has no sums to divide.

        >>> import dlprof_agg
        >>> table = dlprof_agg.read(sample).table("kernels", columns=["kernel_name", "gpu_time_ns"], top=3)
        >>> len(table), [column.key for column in table.columns]
        (3, ['kernel_name', 'gpu_time_ns'])
        """
        return Table(self._tables.table(name, _list(columns), _list(where), _list(sort), top, per_iteration))

    def to_report(
        self,
        path: PathLike,
        *,
        tables: str | Sequence[str] | None = None,
        format: str | None = None,
        overwrite: bool = False,
    ) -> list[Path]:
        """Writes a file, whose ending is its format: ``.html``, ``.pdf``, ``.xlsx``, ``.json``, ``.csv``, ``.parquet``, ….

        Args:
            path: the file, or a folder (``out/``) of a file per table.
            tables: the tables; the usual ones if not given.
            format: the format, whatever the ending is.
            overwrite: whether a file that exists is replaced.

        Returns:
            The files that were written. Either all of them are, or none.

        Raises:
            UsageError: there is no such table or format.
            OutputError: the file exists, or cannot be written.
        """
        return self._tables.write(as_path(path), _list(tables), format, overwrite)


def _list(given: str | Sequence[str] | None) -> list[str]:
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)
