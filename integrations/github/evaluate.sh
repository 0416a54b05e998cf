#!/usr/bin/env bash
# Run by action.yml: write the table to the job summary and the full result to the log. The exit status is that of --fail-under.
set -euo pipefail
metrics=()
for metric in ${METRICS:-}; do metrics+=(--metric "$metric"); done
thresholds=()
for threshold in ${THRESHOLDS:-}; do thresholds+=(--fail-under "$threshold"); done
eval "options=(${OPTIONS:-})" # keep the user's quotes, as a shell would
read -r -a systems <<< "$SYSTEMS"
table=$(caesura evaluate "$REFERENCE" "${systems[@]}" "${metrics[@]}" "${options[@]}" --table markdown)
printf '### Caesura\n\n%s\n' "$table" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
caesura evaluate "$REFERENCE" "${systems[@]}" "${metrics[@]}" "${thresholds[@]}" "${options[@]}"
