"""The command ``cardlab``: games, decks, simulations and rules in the terminal.

Exit codes: 0 all went well, 1 cardlab refused (one line on stderr says why), 2 the command line
cannot be understood, 130 interrupted. When the reader of a pipe has seen enough (``| head``), the
rest is not written, and that is no error.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from itertools import pairwise

from cardlab import locale
from cardlab.errors import CardlabError

__all__ = ["UsageError", "language", "main"]

OK, REFUSED, USAGE, INTERRUPTED = 0, 1, 2, 130

_EXTRAS = {
    **dict.fromkeys(("click", "rich", "typer"), "cli"),
    **dict.fromkeys(
        ("joblib", "numba", "numpy", "pandas", "pyarrow", "scipy", "threadpoolctl"), "analysis"
    ),
    **dict.fromkeys(("dask", "distributed"), "cluster"),
}
"""The extra that brings a library."""


_REASONS = {
    errno.ENOENT: "missing",
    errno.ENOTDIR: "missing",
    errno.EISDIR: "folder",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
    errno.EROFS: "forbidden",
    errno.ENOSPC: "full",
}


class UsageError(CardlabError):
    """The command line cannot be understood."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments``, by default the process's own; return its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    lang = language(given)
    for stream in (sys.stdout, sys.stderr):
        # Where the terminal has no sign for a suit, it shows another one.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        from cardlab.cli.app import run

        run(given, lang)
        sys.stdout.flush()
    except CardlabError as error:
        return _fail(error.text(lang), USAGE if isinstance(error, UsageError) else REFUSED)
    except KeyboardInterrupt:
        return _fail(locale.text("cli.error.interrupted", lang), INTERRUPTED)
    except BrokenPipeError:
        # What is still buffered would raise once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _fail(locale.text("cli.error.file", lang, error=_reason(error, lang)), REFUSED)
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _EXTRAS:
            raise
        extra = f'pip install "cardlab[{_EXTRAS[library]}]"'
        return _fail(locale.text("cli.error.extra", lang, library=library, command=extra), REFUSED)
    return OK


def language(arguments: Sequence[str] = ()) -> str:
    """The language that ``--lang`` asks for, else that of the environment, else English."""
    asked = [
        after if option == "--lang" else option.partition("=")[2]
        for option, after in pairwise([*arguments, ""])
        if option == "--lang" or option.startswith("--lang=")
    ]
    variables = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    spoken = next(filter(None, variables), "")[:2]
    return next((lang for lang in (*asked[::-1], spoken) if lang in locale.LANGUAGES), "en")


def _reason(error: OSError, lang: str) -> str:
    known = _REASONS.get(error.errno or 0)
    reason = locale.text(f"record.reason.{known}", lang) if known else error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def _fail(message: str, code: int) -> int:
    print("cardlab:", " ".join(message.split()), file=sys.stderr)
    return code
