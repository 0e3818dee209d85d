#!/usr/bin/env bash
# Writes a digest of the CSV of every table of every capture of a folder: the same before and after a change of the code.
#
#   cargo build --release
#   tests/digests.sh ../shared/corpus > before.txt        # on the old code
#   tests/digests.sh ../shared/corpus > after.txt         # on the new code
#   diff before.txt after.txt
#
# A line is: digest, capture, table. A capture that cannot be read has the digest of the error. The program is
# target/release/dlprof-agg, or the one in DLPROF_AGG. Nothing is read from the cache.
set -euo pipefail

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    echo "usage: tests/digests.sh FOLDER" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
program=$(realpath "${DLPROF_AGG:-$(dirname "$0")/../target/release/dlprof-agg}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cd "$folder"
for capture in *.sqlite; do
    [ -e "$capture" ] || { echo "no captures in $folder" >&2; exit 1; }
    mkdir "$out/tables"
    if ! "$program" export --tables all --format csv --no-cache --quiet -o "$out/tables" "$capture" >/dev/null 2>"$out/error"; then
        printf '%s  %s  error\n' "$(sha256sum <"$out/error" | cut -c1-64)" "$capture"
    fi
    for table in "$out"/tables/*; do
        [ -e "$table" ] || continue
        printf '%s  %s  %s\n' "$(sha256sum <"$table" | cut -c1-64)" "$capture" "$(basename "$table")"
    done
    rm -r "$out/tables"
done
