// Parts of a timeline as addresses name them: `t=156000000-196000000`.

/** Two times of an address; nothing if it does not name two. */
export function timesNamed(text) {
  const parts = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec((text ?? "").trim());
  return parts ? [Number(parts[1]), Number(parts[2])] : null;
}

/**
 * The part of a timeline that comes nearest to what an address names, as [from, to], and what is said where that is another one.
 * `whole` is all there is, `least` the narrowest part.
 */
export function viewNamed(text, whole, least) {
  if (!text) return { view: whole };
  const named = timesNamed(text);
  if (!named || !named.every(Number.isFinite)) return { view: whole, said: `t=${text} names no part: all is shown.` };
  const [from, to] = named[0] <= named[1] ? named : [named[1], named[0]];
  const size = Math.min(whole[1] - whole[0], Math.max(least, Math.min(to, whole[1]) - Math.max(from, whole[0])));
  const start = Math.max(whole[0], Math.min(whole[1] - size, from));
  const view = [start, start + size];
  const isNamed = view[0] === named[0] && view[1] === named[1];
  return isNamed ? { view } : { view, said: `t=${text} names no part of this timeline: the nearest one is shown.` };
}
