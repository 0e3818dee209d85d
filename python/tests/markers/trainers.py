"""A training loop of Lightning or of Hugging Face's `Trainer` with our callback: `python trainers.py lightning`."""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import finding

finding.package()

import torch  # noqa: E402
from loops import Mlp  # noqa: E402
from torch.nn import functional  # noqa: E402

import dlprof_agg.pytorch as markers  # noqa: E402

STEPS = 6


def lightning() -> None:
    import lightning.pytorch as pl

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = Mlp()

        def training_step(self, batch: Any, index: int) -> torch.Tensor:
            inputs, targets = batch
            return functional.cross_entropy(self.net(inputs), targets)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    dataset = torch.utils.data.TensorDataset(torch.randn(4 * STEPS, 16), torch.randint(0, 10, (4 * STEPS,)))
    loader = torch.utils.data.DataLoader(dataset, batch_size=4)
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
    trainer = pl.Trainer(max_epochs=1, accelerator="cpu", devices=1, callbacks=[markers.lightning_callback()], **quiet)
    trainer.fit(Module(), loader)


def transformers() -> None:
    import transformers

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = Mlp()

        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"loss": functional.cross_entropy(self.net(inputs), labels)}

    dataset = [{"inputs": torch.randn(16), "labels": index % 10} for index in range(4 * STEPS)]
    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            folder,
            per_device_train_batch_size=4,
            num_train_epochs=1,
            use_cpu=True,
            report_to=[],
            save_strategy="no",
            disable_tqdm=True,
            remove_unused_columns=False,
        )
        trainer = transformers.Trainer(
            model=Model(), args=arguments, train_dataset=dataset, callbacks=[markers.trainer_callback()]
        )
        trainer.train()


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    {"lightning": lightning, "transformers": transformers}[sys.argv[1]]()
