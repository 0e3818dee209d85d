// What the program ran on, and DLProf's hints.

import { withCode } from "../../findings.js";
import { el } from "../../dom.js";
import { phrases } from "../../format.js";
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
          [phrases.runtime, or(summary.cuda_version)],
          [phrases.library, or(summary.cudnn_version)],
          [phrases.recorder, or(summary.nsys_version)],
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
    phrases.units_and_types,
    phrases.mixed_precision,
    "Kernels that only transpose or convert layouts go away if the whole model uses one layout, such as `channels_last`.",
  ];
  return card(
    "Guidance",
    null,
    null,
    el("ul.body.hints", null, ...hints.map((hint) => el("li", null, ...withCode(hint)))),
  );
}
