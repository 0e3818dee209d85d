#!/usr/bin/env bash
# Tests the Python package through its wheel: builds the wheel, installs it into empty virtual environments of `python3` and of every
# other Python from 3.10 on that is found, and runs `python/tests` there. `python/test.sh WHEEL` takes a wheel that is there.
#
# It takes python3 with `venv` and a registry that pip reaches; without these it says SKIPPED. In the environment:
#   DLPROF_WHEEL_PROFILE  Cargo's profile of the wheel; `dev`, which shares what `cargo test` builds, unless given
#   DLPROF_PYTHONS        the Pythons, instead of those that are found; the first one has all tests
#   DLPROF_PYTEST         more words for pytest
#   DLPROF_BINARY, DLPROF_GENERATE  the program of the same source and the generator of captures; built unless both are named
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${DLPROF_WHEEL_PROFILE:-dev}
# What `tests/run.sh` built is used: with these features, libraries are the same.
features=()
[ "$profile" != dev ] || features=(--features dlprof-python/like-tests)
work=$PWD/target/python
mkdir -p "$work"

skipped() {
    echo "SKIPPED: tests of the Python package ($1)" >&2
    exit 0
}

# A Python of this version: on PATH, or where pyenv keeps them.
python_of() {
    local found
    for found in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1."*/bin/python; do
        if "$found" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
            command -v "$found"
            return
        fi
    done
}

version_of() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'
}

if [ -n "${DLPROF_PYTHONS:-}" ]; then
    read -ra pythons <<<"$DLPROF_PYTHONS"
else
    command -v python3 >/dev/null || skipped "there is no python3"
    pythons=(python3)
    for version in 3.10 3.11 3.12 3.13; do
        found=$(python_of "$version" || true)
        if [ -n "$found" ] && [ "$version" != "$(version_of python3)" ]; then
            pythons+=("$found")
        fi
    done
fi
main=${pythons[0]}
"$main" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
    || skipped "python3 is older than 3.10, or has no venv"

# Makes an environment with packages.
environment() {
    local python=$1 folder=$2
    shift 2
    "$python" -m venv --clear "$folder"
    "$folder/bin/pip" install -q --disable-pip-version-check "$@"
}

wheel=${1-}
if [ -z "$wheel" ]; then
    if ! [ -x "$work/build/bin/maturin" ]; then
        environment "$main" "$work/build" 'maturin>=1.9,<2' || skipped "pip reaches no registry"
    fi
    rm -rf "$work/wheels"
    # Nothing is said of the platform: this wheel is for here.
    "$work/build/bin/maturin" build --locked --profile "$profile" ${features[@]+"${features[@]}"} --compatibility linux -i "$main" \
        -o "$work/wheels" \
        || { echo "the wheel cannot be built" >&2; exit 1; }
    wheel=$(ls "$work"/wheels/*.whl)
fi
echo "wheel: $wheel, $(($(stat -c %s "$wheel" 2>/dev/null || stat -f %z "$wheel") / 1000)) kB"

# The program of the same source, and what makes captures, unless they are named.
if [ -z "${DLPROF_BINARY:-}" ] || [ -z "${DLPROF_GENERATE:-}" ]; then
    cargo build -q --locked --profile "$profile" ${features[@]+"${features[@]}"} -p dlprof-cli -p dlprof-generate -p dlprof-python --bins
    built=$PWD/target/$([ "$profile" = dev ] && echo debug || echo "$profile")
    export DLPROF_BINARY=$built/dlprof-agg DLPROF_GENERATE=$built/generate
fi

failed=
libraries=(pytest pyarrow pandas polars)
for python in "${pythons[@]}"; do
    version=$(version_of "$python")
    folder=$work/$version
    more=()
    tests=("$PWD/python/tests")
    if [ "$python" = "$main" ]; then
        more=(mypy duckdb nbclient ipykernel nbformat)
    else
        # Of other versions, what hands values and tables over: the rest is of the machine and not of the version.
        tests=("$PWD"/python/tests/test_{read,tables}.py)
    fi
    echo "Python $version"
    # The wheel alone first: it needs nothing.
    environment "$python" "$folder" "$wheel" || { failed=yes; continue; }
    "$folder/bin/dlprof-agg" demo >"$folder/demo.txt" || failed=yes
    if ! "$folder/bin/pip" install -q --disable-pip-version-check "${libraries[@]}" ${more[@]+"${more[@]}"}; then
        echo "SKIPPED: Python $version (pip cannot install ${libraries[*]} ${more[*]-})" >&2
        continue
    fi
    # From a folder without the package, so that the wheel's is imported.
    (cd "$folder" && bin/python -m pytest -q -rs -p no:cacheprovider --import-mode=append \
        --rootdir "$OLDPWD" "${tests[@]}" ${DLPROF_PYTEST-}) || failed=yes
done
[ -z "$failed" ] || { echo "tests of the Python package failed" >&2; exit 1; }
