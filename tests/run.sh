#!/usr/bin/env bash
# The tests of `cargo test`, two test programs at a time: `tests/run.sh`, or `tests/run.sh WORD` for tests with WORD in their name.
# What a program prints is shown when it ends, without the names of the tests that passed.
set -euo pipefail
cd "$(dirname "$0")/.."
word=${1-}

# Property tests draw the same cases each time, so that what fails is owed to a change. Other seeds draw others.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED-1}

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# Runs a test program in the folder of its package, as `cargo test` does.
run_program() {
    local results=$1 word=$2 folder=$3 program=$4 code=0
    local output="$results/${program##*/}"
    (cd "$folder" && "$program" ${word:+"$word"}) >"$output" 2>&1 || code=$?
    { echo "     Running $program"; sed '/^test .* \.\.\. ok$/d' "$output"; } >"$output.shown"
    cat "$output.shown"
    [ "$code" -eq 0 ] || { echo "FAILED with code $code: $program"; return 1; }
}
export -f run_program

# The Python package has no tests here. It is named so that libraries have the features that its wheel needs, and are compiled once.
packages=(-p dlprof-core -p dlprof-export -p dlprof-cli -p dlprof-python)

# The folder and the file of each program; those of the command line, which take longest, come first.
cargo test --locked "${packages[@]}" --no-run --message-format=json-render-diagnostics >"$results/built"
folder_and_file='s|.*"manifest_path":"([^"]*)/Cargo.toml".*"profile":\{[^}]*"test":true.*"executable":"([^"]+)".*|\1\t\2|p'
sed -nE "$folder_and_file" "$results/built" | sort | tr '\t\n' '\0\0' >"$results/programs"
built=$(grep -cE '"profile":\{[^}]*"test":true[^}]*\}.*"executable":"' "$results/built" || true)
found=$(tr -cd '\0' <"$results/programs" | wc -c)
if [ "$built" -eq 0 ] || [ "$found" -ne $((2 * built)) ]; then
    echo "$built test programs were built, of which $((found / 2)) were found" >&2
    exit 1
fi

failed=
xargs -0 -n 2 -P 2 bash -euo pipefail -c 'run_program "$@"' _ "$results" "$word" <"$results/programs" || failed=yes
cargo test --locked "${packages[@]}" --doc -- ${word:+"$word"} || failed=yes
[ -z "$failed" ] || { echo "some tests failed" >&2; exit 1; }
