#!/usr/bin/env bash
# Judges a new run and writes the reports for the CI system. Ends with the exit code of the gate:
# 0 passed, 1 failed, 6 inconclusive; all other codes are errors, and an error is never a pass.
#
#   examples/ci/gate.sh NEW BASELINE [REPORTS]
#
# NEW       capture (`.sqlite`, or `.nsys-rep` where nsys is installed)
# BASELINE  file written by `dlprof-agg baseline`, or a capture
# REPORTS   folder for the reports [default: gate-reports]
#
# Environment: POLICY (a policy file), HISTORY (a folder of earlier baselines), DLPROF_AGG (the program).
set -euo pipefail

if [[ $# -lt 2 || $# -gt 3 ]]; then
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
new=$1
baseline=$2
reports=${3:-gate-reports}
program=${DLPROF_AGG:-dlprof-agg}

if [[ $new == *.nsys-rep ]]; then
    nsys export --type sqlite --force-overwrite true --output "${new%.nsys-rep}.sqlite" "$new"
    new=${new%.nsys-rep}.sqlite
fi

mkdir -p "$reports"
# Reports of an earlier run must not be taken for those of this run.
rm -f "$reports"/gate.{txt,json,md,xml,sarif}

arguments=(gate "$new" --baseline "$baseline" --no-progress --force)
for format in txt json md xml sarif; do
    arguments+=(--output "$reports/gate.$format")
done
if [[ -n ${POLICY:-} ]]; then
    arguments+=(--policy "$POLICY")
fi
if [[ -n ${HISTORY:-} ]]; then
    arguments+=(--history "$HISTORY")
fi
# GitHub shows annotations on the pull request; elsewhere the report is text for people.
if [[ ${GITHUB_ACTIONS:-} == true ]]; then
    arguments+=(--format github)
fi

code=0
"$program" "${arguments[@]}" || code=$?
if [[ -n ${GITHUB_STEP_SUMMARY:-} && ($code == 0 || $code == 1 || $code == 6) ]]; then
    cat "$reports/gate.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
