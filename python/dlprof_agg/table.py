"""Tables: columns and rows, for whatever library of data frames is installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dlprof_agg import _native
from dlprof_agg.errors import UsageError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Column", "Table"]

#: Rows of a table in a notebook.
_SHOWN_ROWS = 20

#: Rows that are turned into Python's values at a time.
_PAGE = 10_000


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        key: the stable name, with the unit as suffix, such as ``gpu_time_ns``.
        title: the name for people.
        unit: ``ns``, ``%``, ``bytes``, …; empty for names, counts and flags.
        kind: ``int`` (64 bits), ``float`` (64 bits), ``bool`` or ``str``. Every cell may be missing.
        meaning: what a cell says, in one sentence.
    """

    key: str
    title: str
    unit: str
    kind: str
    meaning: str


class Table:
    """Columns and rows of a table, which other libraries take without a copy.

    ``pyarrow.table(t)``, ``polars.DataFrame(t)``, ``duckdb.sql("from t")`` and all others that know the Arrow PyCapsule interface
    take a table as it is. Texts are dictionaries (pandas: categories). The metadata of a field has ``title``, ``unit`` and
    ``description``. What is not known is null, never 0.

    >>> import dlprof_agg
    >>> ops = dlprof_agg.read(sample).table("ops", columns=["op_name", "gpu_time_ns"], sort="-gpu_time_ns", top=2)
    >>> len(ops), [column.unit for column in ops.columns]
    (2, ['', 'ns'])
    """

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """The stable name, as ``Profile.table`` takes it."""
        return self._native.name

    @property
    def title(self) -> str:
        """The title for people."""
        return self._native.title

    @property
    def columns(self) -> list[Column]:
        """The columns with their units and meanings, in order."""
        return [Column(*column) for column in self._native.columns]

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._native)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows in order, each with its cells by key; ``None`` where nothing is known. Takes no other library."""
        keys = [column.key for column in self.columns]
        for start in range(0, len(self), _PAGE):
            for cells in self._native.cells(start, start + _PAGE):
                yield dict(zip(keys, cells))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a stream of Arrow record batches, each of 65,536 rows but the last."""
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The columns as an Arrow schema, with units and meanings as metadata."""
        return self._native.__arrow_c_schema__()

    def to_arrow(self) -> pyarrow.Table:
        """The table of pyarrow: as many rows, a column of the same key for each. Needs pyarrow."""
        try:
            import pyarrow
        except ImportError as error:
            raise _missing("pyarrow", "to_arrow", "arrow") from error
        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def to_pandas(self) -> pandas.DataFrame:
        """The data frame of pandas. Whole numbers that may be missing are ``Int64``, texts are categories. Needs pandas and pyarrow."""
        try:
            import pandas
        except ImportError as error:
            raise _missing("pandas", "to_pandas", "pandas") from error
        arrow = self.to_arrow()
        frame: pandas.DataFrame = arrow.to_pandas()
        for column in self.columns:
            cells = arrow.column(column.key)
            # Fractions, which pandas has for whole numbers with gaps, hold no more than 53 bits.
            if column.kind == "int" and cells.null_count > 0:
                whole = {cells.type: pandas.Int64Dtype()}
                frame[column.key] = cells.to_pandas(types_mapper=whole.get)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The data frame of polars. Texts are categories. Needs polars."""
        try:
            import polars
        except ImportError as error:
            raise _missing("polars", "to_polars", "polars") from error
        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<dlprof_agg.Table {self.name}: {len(self)} rows, {len(self._native.columns)} columns>"

    def _repr_html_(self) -> str:
        return self._native.html(_SHOWN_ROWS)


def _missing(package: str, method: str, extra: str) -> UsageError:
    return UsageError(
        f"`{method}` needs {package}, which is not installed",
        hint=f"`pip install 'dlprof-agg[{extra}]'`",
    )
