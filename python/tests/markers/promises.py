"""What the program must show of each loop, recorded or run."""

from __future__ import annotations

from typing import Any

STEPS = 6


def has_steps(shown: Any) -> None:
    """The key node is found, and each step is an iteration; what comes before the first one is number 0."""
    rows = shown.table("iterations")
    assert [int(row["iteration"]) for row in rows] == list(range(STEPS + 1))
    (step,) = [op for op in shown.ops() if op["op_name"] == "/step"]
    assert int(step["calls"]) == STEPS
    fetches = [op for op in shown.ops() if op["op_name"] == "/step/DataLoader"]
    # The fetch of the first batch comes before the first step; the one that finds the end is in the last.
    assert not fetches or [int(op["calls"]) for op in fetches] == [STEPS]


def of_op(shown: Any, name: str, direction: str) -> list[dict[str, str]]:
    return [op for op in shown.ops() if op["op_name"] == name and op["direction"] == direction]


def has_op(shown: Any, name: str, count: int = 1, *, backward: bool = True) -> None:
    """There are `count` ops of a name, called once in each step and, in the backward pass, at least as often, with GPU work."""
    forward = of_op(shown, name, "fprop")
    assert [int(op["calls"]) for op in forward] == [STEPS] * count, name
    if backward:
        behind = of_op(shown, name, "bprop")
        assert len(behind) == count, name
        for op in behind:
            assert int(op["calls"]) >= STEPS
            assert op["op_id"].endswith("_BPROP")
        assert any(int(op["gpu_time_ns"]) > 0 for op in behind), name


def shapes(shown: Any, op_name: str) -> set[str]:
    """The shapes of the inputs of ops."""
    return {op["input_shapes"] for op in of_op(shown, op_name, "fprop")}


def all_work_is_claimed(shown: Any) -> None:
    assert not [name for name in shown.names() if name.startswith("unassociated_") and "zero" not in name]


def gradients_are_one_op(shown: Any) -> None:
    assert len([op for op in shown.ops() if op["op_name"] == "torch::autograd::AccumulateGrad"]) == 1


def mlp(shown: Any) -> None:
    has_steps(shown)
    has_op(shown, "/step/Mlp/layers/layers.0/aten::linear")
    has_op(shown, "/step/Mlp/layers/layers.1/aten::relu")
    has_op(shown, "/step/Mlp/layers/layers.2/aten::linear")
    has_op(shown, "/step/aten::cross_entropy_loss")
    assert shapes(shown, "/step/Mlp/layers/layers.0/aten::linear") == {"<N:4, K:16>; <M:32, K:16>; <32>"}
    (optimizer,) = [op for op in shown.ops() if op["op_name"] == "/step/Optimizer.step#SGD.step"]
    assert optimizer["direction"] == "" and int(optimizer["gpu_time_ns"]) > 0
    gradients_are_one_op(shown)
    all_work_is_claimed(shown)


def cnn(shown: Any) -> None:
    has_steps(shown)
    for name in ("conv1/aten::conv2d", "conv2/aten::conv2d", "norm/aten::batch_norm", "head/aten::linear", "aten::relu"):
        has_op(shown, f"/step/Cnn/{name}")
    assert shapes(shown, "/step/Cnn/conv1/aten::conv2d") == {"<N:4, C:3, H:8, W:8>; <K:8, C:3, R:3, S:3>; <8>"}
    gradients_are_one_op(shown)
    all_work_is_claimed(shown)


def transformer(shown: Any) -> None:
    has_steps(shown)
    for block in ("blocks.0", "blocks.1"):
        around = f"/step/Transformer/{block}"
        has_op(shown, f"{around}/attention/aten::scaled_dot_product_attention")
        has_op(shown, f"{around}/attention/aten::linear", 2)
        has_op(shown, f"{around}/mlp/mlp.0/aten::linear")
        has_op(shown, f"{around}/mlp/mlp.1/aten::gelu")
        has_op(shown, f"{around}/norm/aten::layer_norm")
    has_op(shown, "/step/Transformer/embedding/aten::embedding")
    gradients_are_one_op(shown)
    all_work_is_claimed(shown)


def compiled(shown: Any) -> None:
    """What is compiled is one op without modules inside; what is not compiled is as ever."""
    has_steps(shown)
    has_op(shown, "/step/aten::cross_entropy_loss")
    names = shown.names()
    assert "/step/Transformer" in names
    inside = {name for name in names if name.startswith("/step/Transformer/")}
    assert not [name for name in inside if "blocks" in name or "aten::" in name], inside
    (region,) = [name for name in inside if "Torch-Compiled Region" in name]
    # The first call compiles: what it does meanwhile is of PyTorch's own ranges.
    (forward,) = of_op(shown, region, "fprop")
    assert int(forward["gpu_time_ns"]) > 0
    (backward,) = of_op(shown, region, "bprop")
    assert int(backward["gpu_time_ns"]) > 0


def stacks(shown: Any) -> None:
    has_steps_as_iterations(shown)
    has_op(shown, "/Mlp/layers/layers.0/linear")
    has_op(shown, "/Mlp/layers/layers.1/relu")
    has_op(shown, "/cross_entropy")
    (linear,) = of_op(shown, "/Mlp/layers/layers.0/linear", "fprop")
    assert linear["op_type"] == "linear" and linear["data_type"] == "float32"
    lines = linear["stack_trace"].splitlines()
    assert lines and all("loops.py:" in line for line in lines), lines
    assert shapes(shown, "/Mlp/layers/layers.0/linear") == {"<N:4, K:16>; <M:32, K:16>; <32>"}
    gradients_are_one_op(shown)


def convolution_stacks(shown: Any) -> None:
    """DLProf's markers say the parameters of convolutions, from which the shapes of outputs follow."""
    rows = [row for row in shown.launches() if (row["Op Name"], row["Direction"]) == ("/Cnn/conv2/conv2d", "fprop")]
    assert {row["Parameters"] for row in rows} == {"<SH:2, SW:2>; <PH:0, PW:0>; <DH:1, DW:1>; <G:1>"}
    assert {row["Output Shapes"] for row in rows} == {"<N:4, K:8, P:3, Q:3>"}


def has_steps_as_iterations(shown: Any) -> None:
    rows = shown.table("iterations")
    assert [int(row["iteration"]) for row in rows] == list(range(STEPS + 1))


def ranges(shown: Any) -> None:
    """Steps, modules and passes alone."""
    has_steps(shown)
    names = shown.names()
    modules = {"/step/Mlp", "/step/Mlp/layers", *(f"/step/Mlp/layers/layers.{at}" for at in range(3))}
    assert modules | {"/step/backward", "/step/SGD"} <= names
    assert not [name for name in names if "aten::" in name]
