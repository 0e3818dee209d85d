#!/usr/bin/env bash
# Takes the pictures of this folder: each view of three captures.
#
#     docs/pictures/viewer/make.sh DLPROF_AGG GENERATE W_RELU_CAPTURE MULTI_GPU_CAPTURE [OUTPUT_FOLDER]
#
# GENERATE is the program of testdata/generate, which makes the third capture. Needs chromium and node.
set -euo pipefail
product=$(realpath "$1")
generate=$(realpath "$2")
relu=$(realpath "$3")
gpus=$(realpath "$4")
here=$(realpath "$(dirname "$0")")
output=$(realpath "${5:-$here}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$relu" "$work/w_relu.sqlite"
cp "$gpus" "$work/multi_gpu.sqlite"
"$generate" "$work/generated_100.sqlite" --iterations 100 --outlier-every 17 --step-noise 4 --style markers --backward=true --layers 6 >/dev/null

for name in w_relu multi_gpu generated_100; do
    "$product" export --no-cache --quiet "$work/$name.sqlite" -o "$work/$name.html" >/dev/null
    node "$here/../../../tests/browser/pictures.mjs" chromium "file://$work/$name.html" "$output/$name" docs
done
