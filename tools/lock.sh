#!/bin/sh
# Remakes constraints.txt: the newest version of everything that any extra needs, for every
# supported Python and system. It names no package index, so that it holds with every mirror.
set -eu

uv --version >/dev/null 2>&1 || {
    echo "cardlab: the lock is made by uv: pip install uv" >&2
    exit 1
}
uv pip compile --universal --upgrade --quiet --python-version 3.11 \
    --extra test --extra adapters \
    --no-emit-package cardlab --no-header --no-annotate \
    --output-file constraints.txt pyproject.toml
