#!/usr/bin/env bash
# ProfBench on captures that are made here: fails below 95 % of the points, or where a statement is false.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v python3 >/dev/null; then
    echo "SKIPPED: ProfBench (no Python)" >&2
    exit 0
fi
# As the tests build them, so that nothing is compiled again after these.
cargo build --locked --features dlprof-python/like-tests -p dlprof-cli -p dlprof-generate -p dlprof-python --bins
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
programs=${CARGO_TARGET_DIR:-target}/debug
bench=benches/profbench
python3 $bench/make.py "$folder" --generate "$programs/generate"
python3 $bench/score.py --cases "$folder/cases" --root "$folder" --verify
export DLPROF_AGG=$programs/dlprof-agg XDG_CACHE_HOME=$folder/cache
python3 $bench/score.py --cases "$folder/cases" --root "$folder" --adapter "python3 $bench/adapters/ask.py" --jobs 2 --at-least 95 >"$folder/said" ||
    { cat "$folder/said"; exit 1; }
tail -n 1 "$folder/said"
