// What the program ran on, and DLProf's hints.

import { withCode } from "../../findings.js";
import { el } from "../../dom.js";
import { card, pairs } from "../../plain-table.js";

/** What the program ran on. */
export function systemCard({ summary, window, overview }) {
  const or = (value) => value ?? el("span.dim", null, "not recorded");
  const names = summary.gpu_names ? [...new Set(summary.gpu_names.split(", "))].join(", ") : null;
  return card(
    "System",
    null,
    null,
    el(
      "div.body",
      null,
      pairs(
        [
          ["Profile", window.profile_name],
          [
            "GPUs",
            names
              ? `${summary.gpu_count ?? overview.gpus.length} × ${names}`
              : `${summary.gpu_count ?? overview.gpus.length}, type not recorded`,
          ],
          ["CPU", or(summary.cpu_model)],
          ["Driver", or(summary.driver_version)],
          ["Framework", or(summary.framework)],
          ["CUDA", or(summary.cuda_version)],
          ["cuDNN", or(summary.cudnn_version)],
          ["nsys", or(summary.nsys_version)],
          ["dlprof-agg", window.tool_version],
          ["Mode", window.mode],
        ],
        "kv.sysk",
      ),
    ),
  );
}

/** DLProf's static hints. */
export function guidanceCard() {
  const hints = [
    "Tensor Cores work on FP16, BF16, TF32, FP8 and INT8. Matrix sizes that are multiples of 8 (16 for INT8) use them fully.",
    "Automatic mixed precision, such as `torch.autocast`, moves eligible ops to Tensor Cores without other changes.",
    "Kernels that only transpose or convert layouts go away if the whole model uses one layout, such as `channels_last`.",
  ];
  return card(
    "Guidance",
    null,
    null,
    el("ul.body.hints", null, ...hints.map((hint) => el("li", null, ...withCode(hint)))),
  );
}
