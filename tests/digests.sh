#!/usr/bin/env bash
# Writes a digest of the CSV of every table, and of every report as DLProf and as nsys write them, of every capture of a folder:
# the same before and after a change of the code.
#
#   cargo build --release
#   tests/digests.sh ../shared/corpus > before.txt        # on the old code
#   tests/digests.sh ../shared/corpus > after.txt         # on the new code
#   diff before.txt after.txt
#
# A line is: digest, capture, file. A capture that cannot be read has the digest of the error. The program is
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

digest() {
    sha256sum <"$1" | cut -c1-64
}

# Runs a command of the program, and prints the digest of its error.
writes() {
    if ! "$program" "$@" --no-cache --quiet "$capture" >/dev/null 2>"$out/error"; then
        printf '%s  %s  error of %s\n' "$(digest "$out/error")" "$capture" "$1"
    fi
}

cd "$folder"
for capture in *.sqlite; do
    [ -e "$capture" ] || { echo "no captures in $folder" >&2; exit 1; }
    mkdir "$out/tables" "$out/dlprof" "$out/nsys"
    writes export --tables all --format csv -o "$out/tables"
    writes reports --formats csv,json --output-path "$out/dlprof"
    writes stats --format csv -o "$out/nsys/report"
    for file in "$out"/{tables,dlprof,nsys}/*; do
        [ -e "$file" ] || continue
        printf '%s  %s  %s\n' "$(digest "$file")" "$capture" "${file#"$out"/}"
    done
    rm -r "$out/tables" "$out/dlprof" "$out/nsys"
done
