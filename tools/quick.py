"""Loaded first by the tests and by the kernels of the checked notebooks, to save their time.

Notebooks are read, and plotly's figures shown, with nbformat. It loads jsonschema, which in turn
builds three parsers of web addresses if it finds their grammar: two seconds in every process, for
formats that nothing here checks.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
