#!/usr/bin/env bash
# Build the container and start it where docker or podman works, and see that it is what docs/workbench.md says; else lint the file where hadolint is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
file=integrations/docker/Dockerfile
for engine in docker podman; do
    if "$engine" info >/dev/null 2>&1; then break; fi
    engine=
done
if [ -z "$engine" ]; then
    if command -v hadolint >/dev/null; then exec hadolint "$file"; fi
    echo "neither docker nor podman works here, and hadolint is not installed: the container was not checked"
    exit 0
fi
format=()
if [ "$engine" = podman ]; then format=(--format docker); fi # OCI's own format knows no health check
"$engine" build "${format[@]}" --tag caesura-check --file "$file" .
if "$engine" run --rm caesura-check; then echo "it started without a token" >&2; exit 1; fi
volume=caesura-check-$$
name=caesura-check-$$
trap '"$engine" rm --force "$name" >/dev/null 2>&1; "$engine" volume rm "$volume" >/dev/null 2>&1' EXIT
start() { "$engine" run --detach --name "$name" --volume "$volume:/data" --env CAESURA_TOKEN=a-long-random-word --health-interval 2s caesura-check; }
wait_for_health() {
    for _ in $(seq 60); do
        state=$("$engine" inspect --format '{{.State.Health.Status}}' "$name")
        if [ "$state" = healthy ]; then return; fi
        sleep 1
    done
    "$engine" logs "$name" >&2
    echo "not healthy after a minute, but $state" >&2
    exit 1
}
start
wait_for_health
test "$("$engine" exec "$name" id -u)" = 10001
if "$engine" exec "$name" touch /usr/local/mine 2>/dev/null; then echo "it may write outside of its volume" >&2; exit 1; fi
"$engine" rm --force "$name" >/dev/null
start
wait_for_health
"$engine" exec "$name" test -s /data/workbench.sqlite
echo "the container was built, started without root, answered, and found its data again"
