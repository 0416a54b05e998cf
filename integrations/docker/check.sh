#!/usr/bin/env bash
# Build the container, start it and test what docs/workbench.md says about it, with docker or podman. Without either, lint the Dockerfile if hadolint is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
file=integrations/docker/Dockerfile
for engine in docker podman; do
    if "$engine" info >/dev/null 2>&1; then break; fi
    engine=
done
if [ -z "$engine" ]; then
    if command -v hadolint >/dev/null; then exec hadolint "$file"; fi
    echo "docker, podman and hadolint are not available: the container was not checked"
    exit 0
fi
format=()
if [ "$engine" = podman ]; then format=(--format docker); fi # the OCI format has no health checks
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
    echo "not healthy after a minute: $state" >&2
    exit 1
}
start
wait_for_health
test "$("$engine" exec "$name" id -u)" = 10001
if "$engine" exec "$name" touch /usr/local/mine 2>/dev/null; then echo "it can write outside its volume" >&2; exit 1; fi
"$engine" rm --force "$name" >/dev/null
start
wait_for_health
"$engine" exec "$name" test -s /data/workbench.sqlite
echo "ok: the container builds, runs without root, responds, and keeps its data"
