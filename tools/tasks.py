"""Run the project's checks: ``python tools/tasks.py test``, or one of them by its name.

It needs the environment that ``make setup`` (or ``pip install -e ".[test]"``) makes, and runs in
the same way with and without make.
"""

from __future__ import annotations

import glob
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PYTEST = ["-m", "pytest", "-p", "no:cacheprovider"]
# What only notebooks need takes each process half a second to load.
TESTS = [*PYTEST, "-p", "no:nbval"]
# A file stays on one core, so that what it prepares once is prepared once. Files come in their own
# order: by the number of its tests, the longest of all would come last and alone.
ALL_CORES = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]

# Each check is named, and is one or more commands for this Python.
CHECKS: dict[str, list[list[str]]] = {
    "lint": [
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
    ],
    "types": [["-m", "mypy", "--num-workers=auto"]],
    "imports": [["-c", "from importlinter.cli import lint_imports_command as lint; lint()"]],
    "unit": [[*TESTS, "-m", "not browser", "--benchmark-disable", "--durations=5", *ALL_CORES]],
    "notebooks": [
        [
            *PYTEST,
            # What the notebooks do not use, each process would take seconds to load.
            *("-p", "no:hypothesispytest"),
            "--nbval",
            "--nbval-current-env",
            "--nbval-sanitize-with=tests/notebooks/sanitize.cfg",
            *ALL_CORES,
            "notebooks",
        ]
    ],
    "browser": [[*TESTS, "-m", "browser", *ALL_CORES, "tests/browser"]],
}

TASKS: dict[str, list[list[str]]] = {
    **CHECKS,
    "bench": [[*PYTEST, "--benchmark-only", "--benchmark-columns=min,median,rounds", "benchmarks"]],
    "run-notebooks": [["-m", "tools.notebooks"]],
    "data": [["-m", "tools.data"]],
    "optimal": [["-m", "tools.optimal"], ["-m", "tools.data"]],
    "chaos": [["-m", "tools.chaos"], ["-m", "tools.data"]],
    "format": [
        ["-m", "ruff", "check", "--fix", "."],
        ["-m", "ruff", "format", "."],
    ],
    "locale": [["hatch_build.py"]],
}


def readers_notebooks() -> list[str]:
    """The notebooks that Git does not know: a reader's own, which no check looks at."""
    if not (ROOT / ".git").exists():
        return []
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z", "--", "*.ipynb"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return [os.fsdecode(path) for path in listed.split(b"\0") if path]


def sparing(command: list[str], notebooks: list[str]) -> list[str]:
    """A command of ruff or nbval that leaves these notebooks alone; any other one as it is."""
    if "ruff" in command:
        return [*command, *(f"--extend-exclude={glob.escape(path)}" for path in notebooks)]
    if "--nbval" in command:
        return [*command, *(f"--ignore={path}" for path in notebooks)]
    return command


def environment(scratch: Path) -> dict[str, str]:
    """Variables under which every machine gives a notebook the same outputs."""
    return {
        **os.environ,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "LANGUAGE": "en",
        "TZ": "UTC",
        "PYTHONUTF8": "1",
        # Dozens of kernels start, and each would compile all that it imports.
        "PYTHONDONTWRITEBYTECODE": "",
        "PLOTLY_RENDERER": "plotly_mimetype",
        # A reader's own start-up files and kernels stay out of it.
        "IPYTHONDIR": str(scratch / "ipython"),
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "JUPYTER_DATA_DIR": str(scratch / "data"),
        "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
    }


def run(name: str, variables: dict[str, str]) -> bool:
    """Run the commands of one task, up to the first that fails; whether all went well."""
    print(f"\n=== {name}", flush=True)
    start = time.perf_counter()
    own = readers_notebooks()
    for command in TASKS[name]:
        spared = sparing(command, own)
        if spared != command:
            print(f"left alone, as Git does not know them: {', '.join(own)}", flush=True)
        code = subprocess.run([sys.executable, *spared], cwd=ROOT, env=variables).returncode
        if code:
            break
    verdict = f"FAILED with exit code {code}" if code else "passed"
    print(f"=== {name}: {verdict} in {time.perf_counter() - start:.1f} s", flush=True)
    return code == 0


def main(arguments: list[str]) -> int:
    """Run the tasks that are named; ``test`` stands for every check."""
    unknown = [name for name in arguments if name not in TASKS and name != "test"]
    if unknown or not arguments:
        print(f"Usage: python tools/tasks.py {{test,{','.join(TASKS)}}} ...", file=sys.stderr)
        return 2
    names = [task for name in arguments for task in (CHECKS if name == "test" else [name])]
    with tempfile.TemporaryDirectory(prefix="cardlab-") as scratch:
        variables = environment(Path(scratch))
        if "test" in arguments:
            # The catalogues may have changed since the installation compiled them.
            run("locale", variables)
        failed = [name for name in names if not run(name, variables)]
    if failed:
        print(f"\nFailed: {', '.join(failed)}")
    print(f"\nchecks: {len(names) - len(failed)} passed, {len(failed)} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
