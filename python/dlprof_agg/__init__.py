"""Where the training time went, from Nsight Systems exports and traces of torch.profiler.

>>> import dlprof_agg
>>> profile = dlprof_agg.read(sample)
>>> profile
<dlprof_agg.Profile sample.sqlite: iterations 2 to 64 of 65>
>>> len(profile.table("ops", where="gpu_time > 0"))
12

``docs/python.md`` of the project is the guide. The program ``dlprof-agg`` is in the same package: ``python -m dlprof_agg``.
"""

import atexit as _atexit

from dlprof_agg import _native
from dlprof_agg._html import Html
from dlprof_agg._native import VERSION as __version__
from dlprof_agg.errors import (
    CaptureWarning,
    DlprofError,
    InputError,
    OutputError,
    RequestError,
    UsageError,
)
from dlprof_agg.profile import (
    Evidence,
    Finding,
    Iterations,
    Profile,
    Saving,
    read,
)
from dlprof_agg.runs import (
    Baseline,
    Comparison,
    Gate,
    Job,
    JobFinding,
    baseline,
    compare,
    gate,
    ranks,
)
from dlprof_agg.table import Column, Table
from dlprof_agg.tables import TableInfo

# Ctrl-C ends reads at once and may end the process before they have removed what they wrote.
_atexit.register(_native.leave)

__all__ = [
    "Baseline",
    "CaptureWarning",
    "Column",
    "Comparison",
    "DlprofError",
    "Evidence",
    "Finding",
    "Gate",
    "Html",
    "InputError",
    "Iterations",
    "Job",
    "JobFinding",
    "OutputError",
    "Profile",
    "RequestError",
    "Saving",
    "Table",
    "TableInfo",
    "UsageError",
    "__version__",
    "baseline",
    "compare",
    "gate",
    "ranks",
    "read",
]
