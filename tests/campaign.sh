#!/usr/bin/env bash
# Runs damaged and hostile inputs, kills and odd requests for some minutes, and judges every run.
#
#   tests/campaign.sh MINUTES [SEED]              # ends with a table of counts; exit code 1 if there was a fault
#   tests/campaign.sh --case NUMBER [SEED]        # one case again
#
# The program is target/release/dlprof-agg, which is built first, or the one in DLPROF_AGG; the generator of captures is
# target/debug/generate, or the one in DLPROF_GENERATE. What was found is in target/campaign, or in CAMPAIGN_FOLDER: a folder
# per fault, with the files, the commands (commands.sh) and what is wrong (fault.txt). docs/reliability.md says what is tried.
#
# Environment: CAMPAIGN_JOBS (cases at a time, default: one per processor), CAMPAIGN_CORPUS (a folder of further captures, which
# are copied, default: ../shared/corpus if it is there), CAMPAIGN_KINDS (only these kinds of cases, separated by commas),
# CAMPAIGN_CPU_SECONDS and CAMPAIGN_MEMORY_MB (what a run may use: 30 and 1024; a debug build needs more).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
if [[ $# -lt 1 || $1 == -h || $1 == --help ]]; then
    sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
if [[ -z ${DLPROF_AGG:-} ]]; then
    cargo build --quiet --release --locked -p dlprof-cli --manifest-path "$root/Cargo.toml"
    DLPROF_AGG=$root/target/release/dlprof-agg
fi
if [[ -z ${DLPROF_GENERATE:-} ]]; then
    cargo build --quiet --locked -p dlprof-generate --manifest-path "$root/Cargo.toml"
    DLPROF_GENERATE=$root/target/debug/generate
fi
DLPROF_AGG=$(realpath "$DLPROF_AGG")
DLPROF_GENERATE=$(realpath "$DLPROF_GENERATE")
export DLPROF_AGG DLPROF_GENERATE PYTHONDONTWRITEBYTECODE=1
export CAMPAIGN_FOLDER=${CAMPAIGN_FOLDER:-$root/target/campaign}
if [[ -d $root/../shared/corpus ]]; then
    export CAMPAIGN_CORPUS=${CAMPAIGN_CORPUS:-$root/../shared/corpus}
fi
exec python3 "$root/tests/campaign" "$@"
