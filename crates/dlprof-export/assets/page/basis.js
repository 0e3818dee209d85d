// What figures are of: one iteration, or all of them.

/** What sums are divided by, and the words for it; `state` is what the address says. */
export function basisOf(window, state) {
  const divisor = state.per === "total" || window.key_node === null ? 1 : Math.max(1, window.passes);
  return { divisor, perWords: divisor > 1 ? "per iteration" : "in all" };
}
