#!/usr/bin/env bash
# What action.yml runs: the table goes into the job's summary, the whole result into the log, and the status is that of the floors.
set -euo pipefail
words=()
for metric in ${METRICS:-}; do words+=(--metric "$metric"); done
floors=()
for floor in ${FLOORS:-}; do floors+=(--fail-under "$floor"); done
eval "more=(${OPTIONS:-})" # the user's own quotes count, as in a shell
read -r -a systems <<< "$SYSTEMS"
table=$(caesura evaluate "$REFERENCE" "${systems[@]}" "${words[@]}" "${more[@]}" --table markdown)
printf '### Caesura\n\n%s\n' "$table" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
caesura evaluate "$REFERENCE" "${systems[@]}" "${words[@]}" "${floors[@]}" "${more[@]}"
