"""Tables: the same cells as the program's CSV, in pyarrow, pandas, polars and plain Python."""

from __future__ import annotations

import csv
import io
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dlprof_agg
import pytest

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


def csv_rows(program: list[str], *words: str) -> list[list[str]]:
    done = subprocess.run([*program, *words, "--format", "csv"], capture_output=True, text=True, check=True)
    return list(csv.reader(io.StringIO(done.stdout)))


def as_text(cell: Any) -> str:
    if cell is None or cell is pandas.NA or cell != cell:
        return ""
    if isinstance(cell, bool) or type(cell).__name__ in {"bool", "bool_"}:
        return "true" if cell else "false"
    return str(cell)


def same(text: str, cell: Any) -> bool:
    """Whether a cell of CSV and one of a table are the same. Fractions are compared as numbers."""
    shown = as_text(cell)
    if text == shown:
        return True
    try:
        return isinstance(cell, float) and float(text) == cell
    except ValueError:
        return False


def test_every_table_has_the_cells_of_the_csv(sample: str, program: list[str]) -> None:
    profile = dlprof_agg.read(sample)
    filled = 0
    for name in profile.tables:
        table = profile.table(name)
        header, *rows = csv_rows(program, "show", name, sample)
        assert header == [column.key for column in table.columns], name
        assert len(table) == len(rows), name
        frames = [
            [list(row.values()) for row in table],
            table.to_arrow().to_pylist(),
            table.to_polars().rows(),
        ]
        frame = table.to_pandas()
        frames.append([[frame[key].iloc[at] for key in header] for at in range(len(rows))])
        for at, row in enumerate(rows):
            for cells in frames:
                found = cells[at]
                found = list(found.values()) if isinstance(found, dict) else list(found)
                for key, text, cell in zip(header, row, found):
                    assert same(text, cell), (name, at, key, text, cell)
            filled += len(row)
    assert filled > 5_000


def test_columns_have_units_and_meanings(sample: str) -> None:
    table = dlprof_agg.read(sample).table("kernels")
    schema = table.to_arrow().schema
    for column, field in zip(table.columns, schema):
        assert field.name == column.key
        assert field.metadata[b"unit"].decode() == column.unit
        assert field.metadata[b"description"].decode() == column.meaning
        assert column.meaning.endswith(".") or column.meaning
    assert {column.unit for column in table.columns} >= {"ns", ""}
    assert pyarrow.schema(table) == schema


def test_selections_are_those_of_show(sample: str, program: list[str]) -> None:
    profile = dlprof_agg.read(sample)
    table = profile.table(
        "kernels",
        columns=["kernel_name", "gpu_time_ns"],
        where=["gpu_time > 5us", "kernel_name like %gemm%"],
        sort="-gpu_time_ns",
        top=7,
    )
    header, *rows = csv_rows(
        program,
        "show",
        "kernels",
        sample,
        "--columns=kernel_name,gpu_time_ns",
        "--where=gpu_time > 5us",
        "--where=kernel_name like %gemm%",
        "--sort=-gpu_time_ns",
        "--top=7",
    )
    assert header == ["kernel_name", "gpu_time_ns"]
    assert [[as_text(cell) for cell in row.values()] for row in table] == rows
    assert 0 < len(table) <= 7
    top = profile.table("ops", top=3)
    assert [list(map(as_text, row.values())) for row in top][0][0] == csv_rows(
        program, "show", "ops", sample, "--top=3"
    )[1][0]


@pytest.mark.parametrize(
    "asked",
    [
        {"name": "opps"},
        {"name": "ops", "columns": "no_column"},
        {"name": "ops", "sort": "no_column"},
        {"name": "ops", "where": "gpu_time >"},
        {"name": "ops", "where": "gpu_time > 'a'"},
    ],
)
def test_what_a_table_does_not_have(sample: str, asked: dict[str, Any]) -> None:
    with pytest.raises(dlprof_agg.UsageError) as refused:
        dlprof_agg.read(sample).table(**asked)
    assert refused.value.hint


def test_a_table_outlives_its_profile_and_streams_several_times(generated: Callable[..., Path]) -> None:
    file = generated("more.sqlite", "--kernels", "150000")
    table = dlprof_agg.read(file, iter_range="all").table("kernels", columns=["kernel_name", "gpu_start_ns", "gpu_time_ns"])
    stream = pyarrow.RecordBatchReader.from_stream(table)
    first = stream.read_next_batch()
    second = table.to_arrow()
    del table
    rest = stream.read_all()
    assert first.num_rows == 65_536 and first.num_rows + rest.num_rows == second.num_rows > 100_000
    assert pyarrow.Table.from_batches([first, *rest.to_batches()]).equals(second)
    assert second["gpu_time_ns"].null_count == 0


def test_an_empty_table_keeps_its_columns(sample: str) -> None:
    table = dlprof_agg.read(sample).table("ops", where="gpu_time > 100s")
    assert len(table) == 0 and list(table) == []
    assert table.to_arrow().num_rows == 0 and table.to_arrow().num_columns == len(table.columns)
    assert list(table.to_pandas().columns) == table.to_polars().columns
    assert "0 rows" in table._repr_html_()


def test_other_libraries_take_a_table_as_it_is(sample: str) -> None:
    table = dlprof_agg.read(sample).table("ops")
    assert pyarrow.table(table).num_rows == polars.DataFrame(table).height == len(table)
    duckdb = pytest.importorskip("duckdb")
    ours = sum(row["gpu_time_ns"] for row in table)
    arrow = table.to_arrow()
    assert arrow is not None
    assert duckdb.sql("select sum(gpu_time_ns) from arrow").fetchall()[0][0] == ours


def test_without_a_library_there_is_a_clear_word(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    table = dlprof_agg.read(sample).table("ops")
    for package, call in [
        ("pyarrow", table.to_arrow),
        ("pandas", table.to_pandas),
        ("polars", table.to_polars),
    ]:
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(dlprof_agg.UsageError, match=package) as refused:
            call()
        assert "pip install" in str(refused.value.hint)
        monkeypatch.undo()


def test_sums_are_divided_by_the_iterations(sample: str) -> None:
    profile = dlprof_agg.read(sample, iter_start=15, iter_stop=58)
    sums = profile.table("copies", columns="gpu_time_ns")
    means = profile.table("copies", columns="gpu_time_ns", per_iteration=True)
    assert [column.key for column in means.columns] == ["gpu_time_per_iteration_ns"]
    pairs = zip((row["gpu_time_ns"] for row in sums), (row["gpu_time_per_iteration_ns"] for row in means))
    assert all(total == pytest.approx(44 * mean) for total, mean in pairs)
    with pytest.raises(dlprof_agg.UsageError, match="does not fit table `kernels`"):
        profile.table("kernels", per_iteration=True)
