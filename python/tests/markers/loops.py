"""Small training loops on the CPU with markers: `python loops.py KIND`. Needs PyTorch, but no GPU."""

from __future__ import annotations

import sys
from collections.abc import Callable

import finding

finding.package()

import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from dlprof_agg.pytorch import annotate, batches, step  # noqa: E402

STEPS = 6
BATCH = 4
CLASSES = 10


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, CLASSES))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.layers(inputs)


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, stride=2)
        self.head = nn.Linear(8, CLASSES)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        hidden = functional.relu(self.norm(self.conv1(inputs)))
        return self.head(self.conv2(hidden).mean((2, 3)))


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        mixed = inputs + self.attention(inputs, inputs, inputs, need_weights=False)[0]
        return mixed + self.mlp(self.norm(mixed))


class Transformer(nn.Module):
    def __init__(self, is_checkpointed: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.blocks = nn.ModuleList(Block(16) for _ in range(2))
        self.head = nn.Linear(16, CLASSES)
        self.is_checkpointed = is_checkpointed

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.embedding(tokens)
        for block in self.blocks:
            hidden = checkpoint(block, hidden, use_reentrant=False) if self.is_checkpointed else block(hidden)
        return self.head(hidden.mean(1))


def examples(kind: str) -> torch.Tensor:
    if kind == "cnn":
        return torch.randn(STEPS, BATCH, 3, 8, 8)
    if kind == "mlp":
        return torch.randn(STEPS, BATCH, 16)
    return torch.randint(0, 50, (STEPS, BATCH, 6))


def model_of(kind: str) -> nn.Module:
    return {"mlp": Mlp, "cnn": Cnn}.get(kind, lambda: Transformer(kind == "checkpointing"))()


def train(model: nn.Module, loader: object, begin_step: Callable[[], None] = lambda: None) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for inputs, targets in loader:  # type: ignore[attr-defined]
        begin_step()
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()


def main() -> None:
    kind = sys.argv[1]
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = "mlp" if kind in ("package", "ranges", "stacks", "unnamed") else "cnn" if kind == "cnn_stacks" else kind
    inputs = examples(data)
    dataset = torch.utils.data.TensorDataset(inputs, torch.randint(0, CLASSES, (STEPS, BATCH)))
    # A row of the dataset is a batch already.
    loader = torch.utils.data.DataLoader(dataset, batch_size=None)
    model = model_of(data)
    if kind == "compile":
        compiled = torch.compile(model, backend="aot_eager")
        with annotate(compiled) as marks:
            train(compiled, marks.batches(loader))
        breaks = dict(torch._dynamo.utils.counters["graph_break"])
        assert not breaks, breaks
    elif kind in ("stacks", "cnn_stacks"):
        with annotate(model, stacks=True):
            train(model, batches(loader))
    elif kind in ("package", "ranges"):
        if kind == "package":
            # As in a build of PyTorch without NVTX.
            del torch._C._nvtx
        with annotate(model, operators=kind == "package"):
            train(model, loader, step)
    elif kind == "unnamed":
        annotate()(train)(model, loader, step)
    else:
        with annotate(model):
            train(model, batches(loader))


if __name__ == "__main__":
    main()
