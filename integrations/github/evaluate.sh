#!/usr/bin/env bash
# Run by action.yml: write the table to the job summary and to the log. The exit status is that of --fail-under and --fail-if-worse.
set -euo pipefail
metrics=()
for metric in ${METRICS:-}; do metrics+=(--metric "$metric"); done
checks=()
for threshold in ${THRESHOLDS:-}; do checks+=(--fail-under "$threshold"); done
if [ -n "${BASELINE:-}" ]; then checks+=(--baseline "$BASELINE" --fail-if-worse "${WORSE:-0.05}"); fi
eval "options=(${OPTIONS:-})" # keep the user's quotes, as a shell would
read -r -a systems <<< "$SYSTEMS"
status=0
table=$(caesura evaluate "$REFERENCE" "${systems[@]}" "${metrics[@]}" "${checks[@]}" "${options[@]}" --table markdown) || status=$?
if [ -n "$table" ]; then
    printf '### Caesura\n\n%s\n' "$table" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
    printf '%s\n' "$table"
fi
exit "$status"
