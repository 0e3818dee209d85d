#!/usr/bin/env bash
# Runs the campaign of damaged inputs, kills and odd requests for an hour, with another seed every night, and writes its counts into
# the summary of the job. Ends with 1 if there was a fault; the files and commands of each are in target/campaign/faults.
#
#   examples/ci/nightly.sh [MINUTES] [SEED]
#
# Environment: DLPROF_AGG (the program, if it is not to be built).
set -euo pipefail

minutes=${1:-60}
seed=${2:-$(date +%Y%m%d)}
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT

code=0
"$(dirname "$0")/../../tests/campaign.sh" "$minutes" "$seed" >"$counts" || code=$?
cat "$counts"
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then
    cat "$counts" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
