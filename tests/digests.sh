#!/usr/bin/env bash
# Writes a digest of whatever the program says of the captures of a folder: the same before and after a change of the code.
#
#   cargo build --release
#   tests/digests.sh ../shared/corpus > before.txt        # on the old code
#   tests/digests.sh ../shared/corpus > after.txt         # on the new code
#   diff before.txt after.txt
#
# A line is: digest, capture, what was written. Of each capture, whatever recorded it, these are dashboards (text at 80 and at 140
# columns, JSON, Markdown), findings, rules, `check`, `ask`, `what-if`, and its tables as CSV and JSON; of exports of nsys also HTML,
# XLSX, PDF and Parquet, DLProf's reports and those of `nsys stats`. Of two captures that follow each other in the folder it is what
# `compare` says, and what `gate` says of the second by a baseline of the first; of folders with several captures what `ranks` says;
# of logs of Nsight Compute what `ncu` says. What cannot be read has the digest of the error.
#
# The program is target/release/dlprof-agg, or the one in DLPROF_AGG. Nothing is read from the cache. With DIGESTS=quick, files for
# people and spreadsheets are left out, and tables as well.
set -euo pipefail

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    echo "usage: tests/digests.sh FOLDER" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
program=$(realpath "${DLPROF_AGG:-$(dirname "$0")/../target/release/dlprof-agg}")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

line() {
    printf '%s  %s  %s\n' "$(sha256sum <"$1" | cut -c1-64)" "$2" "$3"
}

# What a command prints, errors and the exit code as well.
prints() {
    local of=$1 what=$2 code=0
    shift 2
    "$program" "$@" --no-cache --quiet >"$out/printed" 2>&1 || code=$?
    echo "exit code $code" >>"$out/printed"
    line "$out/printed" "$of" "$what"
}

# What a command writes to a folder.
writes() {
    local of=$1 what=$2
    shift 2
    mkdir "$out/written"
    "$program" "$@" --no-cache --quiet >/dev/null 2>"$out/error" || line "$out/error" "$of" "error of $what"
    find "$out/written" -type f -printf '%P\n' | LC_ALL=C sort | while read -r file; do
        line "$out/written/$file" "$of" "$what: $file"
    done
    rm -r "$out/written"
}

says_of_capture() {
    local capture=$1
    COLUMNS=80 prints "$capture" "dashboard, 80 columns" "$capture" --details
    COLUMNS=140 prints "$capture" "dashboard, 140 columns" "$capture" --details
    for format in json markdown; do
        prints "$capture" "dashboard, $format" "$capture" --format "$format"
    done
    prints "$capture" findings show findings "$capture"
    prints "$capture" rules rules "$capture"
    prints "$capture" check check "$capture"
    prints "$capture" "why slow" ask why_slow "$capture"
    prints "$capture" "what if" what-if "$capture" "kernels x 0.5"
    [ -z "$quick" ] || return 0
    for format in csv json; do
        writes "$capture" "tables, $format" export --tables all --format "$format" -o "$out/written" "$capture"
    done
}

says_of_nsys() {
    local capture=$1
    [ -z "$quick" ] || return 0
    for format in html xlsx pdf parquet; do
        writes "$capture" "$format" export --tables all --format "$format" -o "$out/written" "$capture"
    done
    writes "$capture" "reports of DLProf" reports --formats csv,json --output-path "$out/written" "$capture"
    writes "$capture" "reports of nsys" stats --format csv -o "$out/written/report" "$capture"
}

says_of_pair() {
    local first=$1 second=$2
    prints "$first, $second" compare compare "$first" "$second"
    prints "$first, $second" "compare, JSON" compare --format json "$first" "$second"
    "$program" baseline --no-cache --quiet --force -o "$out/baseline.json" "$first" >/dev/null 2>&1 || return 0
    prints "$first, $second" gate gate --baseline "$out/baseline.json" "$second"
}

quick=
[ "${DIGESTS:-}" != quick ] || quick=yes
cd "$folder"
list() {
    find -L . -type f \( "$@" \) -printf '%P\n' | LC_ALL=C sort
}
list -name '*.sqlite' >"$out/nsys"
list -name '*.json.gz' -o -name '*.json' -o -name '*.chrome_trace' -o -name '*.db' -o -name '*.rpd' -o -name '*.xplane.pb' \
    -o -name '*.nsys-rep' >"$out/others"
[ -s "$out/nsys" ] || [ -s "$out/others" ] || { echo "no captures in $folder" >&2; exit 1; }
while read -r capture; do
    says_of_capture "$capture"
    says_of_nsys "$capture"
done <"$out/nsys"
while read -r capture; do says_of_capture "$capture"; done <"$out/others"
for captures in "$out/nsys" "$out/others"; do
    paste -d '\t' "$captures" <(tail -n +2 "$captures") | while IFS=$'\t' read -r first second; do
        [ -z "$second" ] || says_of_pair "$first" "$second"
    done
done
# Folders in which several captures lie side by side.
cat "$out/nsys" "$out/others" | sed -n 's|/[^/]*$||p' | LC_ALL=C sort | uniq -d | while read -r job; do
    prints "$job" ranks ranks "$job"
    prints "$job" "ranks, JSON" ranks --format json "$job"
done
list -name '*.csv' -path '*ncu*' -o -name '*.log' | while read -r log; do
    prints "$log" ncu ncu "$log"
done
