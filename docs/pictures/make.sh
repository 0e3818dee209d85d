#!/usr/bin/env bash
# Draws the pictures of this folder: the dashboard at three widths, the first page of the PDF, the first sheet of the workbook.
#
#     docs/pictures/make.sh DLPROF_AGG FOLDER_OF_CAPTURES [OUTPUT_FOLDER]
#
# Needs chromium, pdftoppm (poppler-utils) and soffice (libreoffice-calc).
set -euo pipefail
product=$(realpath "$1")
captures=$(realpath "$2")
output=$(realpath "${3:-$(dirname "$0")}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

names=(
    torch-gpt-train-nvtx-a100-2024.2.3-fp32
    torch-fastvideo-2gpu-h100-2026.2.1-1s
    torch-gpt-2.7b-nvtx-a100-2024.6.2
    cupy-nvtx-step-t4-2025.3.1
    mpi-openacc-4gpu-v100-managed-2022.3.4-ex2023
)

# Text on standard input as a picture of so many columns.
picture_of_text() {
    local columns=$1 file=$2 lines
    cat >"$work/text"
    lines=$(wc -l <"$work/text")
    {
        echo '<meta charset="utf-8"><style>body{margin:12px;background:#fff}'
        echo 'pre{font:13px/17px "DejaVu Sans Mono",monospace;margin:0}</style><pre>'
        sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$work/text"
        echo '</pre>'
    } >"$work/text.html"
    chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --log-level=3 \
        --window-size="$((columns * 8 + 24)),$((lines * 17 + 24))" \
        --screenshot="$file" "file://$work/text.html" >/dev/null 2>&1
}

for name in "${names[@]}"; do
    capture="$captures/$name.sqlite"
    for columns in 80 100 200; do
        COLUMNS=$columns LC_ALL=C.UTF-8 "$product" --quiet --color never "$capture" |
            picture_of_text "$columns" "$output/$name-dashboard-$columns.png"
    done
    "$product" export --quiet --force "$capture" -o "$work/$name.pdf" -o "$work/$name.xlsx" >/dev/null
    pdftoppm -r 70 -png -f 1 -l 1 -singlefile "$work/$name.pdf" "$output/$name-pdf"
    mkdir -p "$work/sheets"
    soffice --headless --convert-to pdf --outdir "$work/sheets" "$work/$name.xlsx" >/dev/null 2>&1
    pdftoppm -r 70 -png -f 1 -l 1 -singlefile "$work/sheets/$name.pdf" "$output/$name-xlsx"
done
