#!/bin/sh
# Usage: tools/setup.sh VENV EXTRA
# Makes the environment VENV if it is not there and installs cardlab with EXTRA (lab or test) into
# it, in the versions of constraints.txt. PYTHON names the interpreter; without it the newest
# suitable one on PATH is taken. Uses uv where there is one, and pip otherwise.
set -eu

venv=$1
extra=$2

fail() {
    echo "cardlab: $*" >&2
    exit 1
}

# A version manager may put commands on PATH that only say "not found": so each one is run.
works() { "$@" >/dev/null 2>&1; }
suitable() { works "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))'; }

has_uv() { works uv --version; }
can_make_venv() { has_uv || works "$1" -c 'import ensurepip, venv'; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        works "$PYTHON" --version || fail "$PYTHON does not run: PYTHON=... names a Python 3.11 to 3.14"
        suitable "$PYTHON" || fail "$("$PYTHON" --version 2>&1) does not suit: PYTHON=... names a Python 3.11 to 3.14"
        can_make_venv "$PYTHON" || fail "$PYTHON has no venv module: install it (Debian, Ubuntu: apt install python3-venv) or uv"
        return
    fi
    found=
    for PYTHON in python3.14 python3.13 python3.12 python3.11 python3 python; do
        if suitable "$PYTHON"; then
            found=$PYTHON
            if can_make_venv "$PYTHON"; then
                return
            fi
        fi
    done
    [ -z "$found" ] || fail "$found has no venv module: install it (Debian, Ubuntu: apt install python3-venv) or uv"
    fail "no Python 3.11 to 3.14 here: install one (Debian, Ubuntu: apt install python3 python3-venv) or name it with PYTHON=..."
}

python=$venv/bin/python
if ! works "$python" --version; then
    find_python
    # The interpreter's own path, because uv may resolve a bare command to another one.
    PYTHON=$("$PYTHON" -c 'import sys; print(sys.executable)')
    echo "cardlab: making $venv with $("$PYTHON" --version)"
    if has_uv; then
        uv venv --quiet --clear --no-python-downloads --python "$PYTHON" "$venv"
    else
        "$PYTHON" -m venv --clear "$venv"
    fi
fi

if has_uv; then
    uv pip install --python "$python" --constraint constraints.txt --editable ".[$extra]"
else
    echo "cardlab: installing with pip, which takes about a minute"
    pip_install() {
        "$python" -m pip install --disable-pip-version-check --progress-bar off --quiet "$@"
    }
    # The one that comes with an older Python takes twice as long for all the rest.
    pip_install "pip>=26"
    pip_install --constraint constraints.txt --editable ".[$extra]"
fi

touch "$venv/$extra.stamp"
# What the tests need includes what the notebooks need.
[ "$extra" != test ] || touch "$venv/lab.stamp"
