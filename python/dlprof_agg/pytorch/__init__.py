"""Markers for PyTorch: steps, modules and operators as NVTX ranges, which Nsight Systems records and `dlprof-agg` reads.

    from dlprof_agg.pytorch import annotate, batches

    with annotate(model):
        for inputs, targets in batches(loader):
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()

Nothing here imports PyTorch before it is used. `docs/markers.md` has examples, costs and limits.
"""

from dlprof_agg.pytorch._annotate import annotate
from dlprof_agg.pytorch._steps import batches, step
from dlprof_agg.pytorch._trainers import lightning_callback, trainer_callback

__all__ = ["annotate", "batches", "lightning_callback", "step", "trainer_callback"]
