#!/usr/bin/env bash
# Counts the instructions of a dashboard of a hundred thousand kernels: the same number every time, whatever else the
# machine does. Needs valgrind. Run it before and after a change.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --quiet
# The benchmark makes the capture.
file=target/tmp/markers-100000.sqlite
[ -e "$file" ] || cargo bench --quiet --bench stages -- --test >/dev/null

counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
for reader in auto sqlite; do
    valgrind --tool=callgrind --callgrind-out-file="$counts" --quiet \
        target/release/dlprof-agg --no-cache --no-progress --threads 1 --memory 1T --reader "$reader" "$file" >/dev/null
    echo "reader $reader: $(awk '/^(summary|totals):/ {print $2; exit}' "$counts") instructions"
    callgrind_annotate "$counts" 2>/dev/null | grep -E '^ *[0-9,]+ \(' | sed -n 2,11p | cut -c1-140
done
