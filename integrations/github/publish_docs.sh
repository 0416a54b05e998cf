#!/usr/bin/env bash
# Run by docs.yml: publish the site next to those of other versions (branch gh-pages, with mike). The tag v0.2.1 becomes "0.2" and "latest", everything else "dev".
set -euo pipefail
export VERSIONS_BY=mike # read by mkdocs.yml
if [[ ${GITHUB_REF_NAME:-} =~ ^v([0-9]+\.[0-9]+)\.[0-9]+$ ]]; then
    mike deploy --push --update-aliases "${BASH_REMATCH[1]}" latest
    mike set-default --push latest
else
    mike deploy --push dev
    mike list latest >/dev/null 2>&1 || mike set-default --push dev # until there is a release
fi
