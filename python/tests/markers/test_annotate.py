"""What `annotate`, `step` and `batches` open and close, written down by functions that stand in for NVTX's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import finding
import pytest


class Written:
    """Ranges as an outline: each text with the number of ranges around it."""

    def __init__(self) -> None:
        self.outline: list[tuple[int, str]] = []
        self.depth = 0

    def push(self, text: str) -> None:
        self.outline.append((self.depth, text))
        self.depth += 1

    def pop(self) -> None:
        self.depth -= 1
        assert self.depth >= 0

    def texts(self) -> list[str]:
        return [text for _, text in self.outline]


@pytest.fixture
def written(torch: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Written]:
    from dlprof_agg import _nvtx
    from dlprof_agg.pytorch import _state

    written = Written()
    ranges = _nvtx.Ranges(written.push, written.pop, marks_operators=False)
    monkeypatch.setattr(_state, "ranges", lambda enabled=None: None if enabled is False else ranges)
    monkeypatch.setattr(_state.here, "next_step", 0)
    yield written
    assert written.depth == 0
    assert not _state.running and not _state.here.modules and not _state.here.path


def net(torch: Any) -> Any:
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Sequential(torch.nn.ReLU()))


def test_the_import_takes_nothing_along() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(finding.HERE)!r}); import finding; finding.package()\n"
        "import dlprof_agg.pytorch, dlprof_agg.jax\n"
        "heavy = {'torch', 'jax', 'nvtx', 'numpy', 'lightning', 'transformers'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_one_object_is_entered_again_inside_itself() -> None:
    from dlprof_agg.pytorch import _state, annotate

    marks = annotate(enabled=False)
    with marks:
        with marks:
            pass
        assert _state.running, "the outer one is open"
    assert not _state.running


def test_modules_are_named_by_their_place() -> None:
    from dlprof_agg.pytorch._modules import text_of

    cases = [
        ("", None, "Net"),
        ("h.0", "", "h.0"),
        ("h.0.mlp", "h.0", "mlp"),
        ("h.0.mlp.1", "h.0.mlp", "mlp.1"),
        ("0", "", "Net.0"),
        ("tied", "h.0", "tied"),
        ("h.0", None, "h.0"),
    ]
    for name, around, text in cases:
        assert text_of(name, around, "Net") == text, (name, around)


@pytest.mark.parametrize("is_given", [True, False])
def test_modules_passes_and_steps(torch: Any, written: Written, is_given: bool) -> None:
    from dlprof_agg.pytorch import annotate, step

    model = net(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with annotate(model if is_given else None):
        for _ in range(2):
            step()
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
    inside = [(1, "Sequential"), (2, "Linear.0"), (2, "Sequential.1"), (3, "1.0"), (1, "backward"), (1, "SGD")]
    assert written.outline == [(0, "step 0"), *inside, (0, "step 1"), *inside]


def test_everything_is_taken_away_again(torch: Any, written: Written) -> None:
    from dlprof_agg.pytorch import annotate

    model = net(torch)
    backward = torch.autograd.backward
    for given in (model, None):
        with annotate(given, stacks=True):
            pass
        assert torch.autograd.backward is backward
        model(torch.ones(1, 2)).sum().backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert written.outline == []


def test_an_error_closes_what_is_open(torch: Any, written: Written) -> None:
    from dlprof_agg.pytorch import annotate, step

    model = net(torch)
    with pytest.raises(RuntimeError, match="shapes"):
        with annotate(model, stacks=True):
            step()
            model(torch.ones(1, 5))
    assert written.depth == 0
    written.outline.clear()
    with annotate(model):
        model(torch.ones(1, 2))
    assert written.texts() == ["Sequential", "Linear.0", "Sequential.1", "1.0"]


def test_a_step_of_an_optimizer_that_raises_is_closed_with_its_step(torch: Any, written: Written) -> None:
    from dlprof_agg.pytorch import annotate, step

    model = net(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def fails() -> float:
        raise ValueError("the loss is not finite")

    with annotate(model, operators=False):
        for closure in (fails, None):
            step()
            try:
                optimizer.step(closure)
            except ValueError:
                pass
    assert written.depth == 0
    assert written.outline == [(0, "step 0"), (1, "SGD"), (0, "step 1"), (1, "SGD")]


def test_one_inside_another_does_nothing(torch: Any, written: Written) -> None:
    from dlprof_agg.pytorch import annotate

    model = net(torch)

    @annotate(model)
    def run() -> int:
        """Runs."""
        model(torch.ones(1, 2))
        return 7

    with annotate(model):
        assert run() == 7
    assert written.texts().count("Linear.0") == 1
    assert (run(), run(), run.__doc__) == (7, 7, "Runs.")
    assert written.texts().count("Linear.0") == 3


def test_nothing_is_marked_where_that_is_asked_for(torch: Any, written: Written) -> None:
    from dlprof_agg.pytorch import annotate, batches, step

    model = net(torch)
    with annotate(model, enabled=False), annotate(model):
        step()
        for inputs in batches([torch.ones(1, 2)]):
            model(inputs)
    assert written.outline == []


def test_a_model_is_a_module(torch: Any) -> None:
    from dlprof_agg.pytorch import annotate

    with pytest.raises(TypeError, match=r"a torch\.nn\.Module, or nothing; this is a int"):
        annotate(3)


def test_batches_are_steps_and_a_loader_stays_a_loader(torch: Any, written: Written) -> None:
    from dlprof_agg.pytorch import batches

    loader = torch.utils.data.DataLoader([1.0, 2.0, 3.0], batch_size=1)
    marked: batches[Any] = batches(loader)
    assert len(marked) == 3 and marked.batch_size == 1 and marked.dataset == [1.0, 2.0, 3.0]
    for batch in marked:
        if batch.item() == 2.0:
            break
    fetch = "DataLoader"
    assert written.outline == [(0, fetch), (0, "step 0"), (1, fetch), (0, "step 1")]
    assert written.depth == 0, "a loop that is left closes its step"
    written.outline.clear()
    assert [batch.item() for batch in batches(loader, steps=False)] == [1.0, 2.0, 3.0]
    assert written.outline == [(0, fetch)] * 4


def test_markers_of_functions(torch: Any, written: Written) -> None:
    from dlprof_agg.pytorch import annotate

    with annotate(stacks=True):
        torch.stack([torch.ones(2), torch.ones(2)], dim=0)
    trace, call = written.texts()[-2:]
    assert trace.startswith("{'traceMarker': ['") and trace.endswith("'funcStack': '/stack'}")
    assert "test_annotate.py:" in trace and "dlprof_agg/pytorch" not in trace
    tensor = "{'name': '', 'type': 'tensor', 'shape': (2,), 'dtype': 'float32'}"
    dim = "{'name': 'dim', 'type': 'int', 'value': 0}"
    assert call == f"{{'mod': 'torch', 'op': 'stack', 'args': [{tensor}, {tensor}, {dim}]}}"
    written.outline.clear()
    with annotate(stacks=True, shapes=False):
        torch.ones(2)
    assert written.texts()[-1] == "{'mod': 'torch', 'op': 'ones', 'args': []}"


@pytest.mark.parametrize("stacks", [False, True])
def test_compiled_modules_are_quiet(torch: Any, written: Written, stacks: bool) -> None:
    from dlprof_agg.pytorch import annotate

    model = net(torch)
    model[1].compile(backend="eager", fullgraph=True)
    compiled = torch.compile(net(torch), backend="eager", fullgraph=True)
    torch._dynamo.utils.counters.clear()
    with annotate(model, stacks=stacks):
        model(torch.ones(1, 2)).sum().backward()
    modules = [text for text in written.texts() if not text.startswith("{")]
    assert modules[:2] == ["Sequential", "Linear.0"] and "1.0" not in modules
    written.outline.clear()
    with annotate(compiled, stacks=stacks):
        compiled(torch.ones(1, 2)).sum().backward()
    assert [text for text in written.texts() if not text.startswith("{")] == ["Sequential", "backward"]
    assert not torch._dynamo.utils.counters["graph_break"]


def test_another_profiler_is_named(torch: Any, written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    from dlprof_agg import _nvtx
    from dlprof_agg.pytorch import _state, annotate

    ranges = _nvtx.Ranges(written.push, written.pop, marks_operators=True)
    monkeypatch.setattr(_state, "ranges", lambda enabled=None: ranges)
    monkeypatch.setattr(_nvtx, "_said", set())
    model = net(torch)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        with pytest.warns(UserWarning, match="another profiler of PyTorch runs"):
            with annotate(model):
                model(torch.ones(1, 2))
    assert "Linear.0" in written.texts()


def test_without_nvtx_there_is_one_clear_word(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dlprof_agg import _nvtx
    from dlprof_agg.pytorch import _state, annotate

    monkeypatch.setattr(_nvtx, "of_torch", lambda: None)
    monkeypatch.setattr(_nvtx, "of_package", lambda: None)
    monkeypatch.setattr(_nvtx, "_said", set())
    monkeypatch.setattr(_state, "_decided", [])
    with pytest.warns(UserWarning, match="no NVTX and the package `nvtx` is not installed") as warned:
        for _ in range(2):
            with annotate(net(torch), enabled=True):
                pass
    assert len(warned) == 1
    assert warned[0].filename == __file__


def test_nothing_is_marked_where_nobody_listens(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dlprof_agg import _nvtx
    from dlprof_agg.pytorch import _state

    for name in (*_nvtx.LISTENERS, _nvtx.SWITCH):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(_state, "_decided", [])
    assert _state.ranges() is None
    monkeypatch.setattr(_state, "_decided", [])
    monkeypatch.setenv("NSYS_PROFILING_SESSION_ID", "1")
    assert (_state.ranges() is None) == (_nvtx.of_torch() is None and _nvtx.of_package() is None)
    monkeypatch.setenv(_nvtx.SWITCH, "0")
    assert _state.ranges(enabled=True) is None
