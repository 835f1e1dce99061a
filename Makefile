# make lab     opens JupyterLab on the start notebook
# make test    runs every check
#
# PYTHON=...    the interpreter for a new environment (default: the newest suitable one on PATH)
# VENV=...      the environment (default: .venv)
# LANG=en       the English notebooks (default: the Japanese ones)
# LAB_ARGS=...  further arguments for JupyterLab, such as --no-browser

VENV ?= .venv
START ?= notebooks/$(if $(filter en%,$(LANG)),en,ja)/start.ipynb

PYTHON_BIN := $(VENV)/bin/python
TASK := $(PYTHON_BIN) tools/tasks.py
SETUP_FILES := pyproject.toml constraints.txt hatch_build.py tools/setup.sh \
	$(wildcard cardlab/locale/*/LC_MESSAGES/*.po)
# JupyterLab refuses to run as root, which a container often is, unless it is told to.
ALLOW_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

export PYTHON

.PHONY: lab setup test lint types imports unit notebooks browser bench data \
	run-notebooks format locale lock clean

lab: $(VENV)/lab.stamp
	$(VENV)/bin/jupyter lab $(ALLOW_ROOT) --LabApp.default_url=/lab/tree/$(START) $(LAB_ARGS)

setup: $(VENV)/test.stamp

test lint types imports unit notebooks browser bench data run-notebooks format locale: $(VENV)/test.stamp
	$(TASK) $@

lock:
	sh tools/lock.sh

clean:
	rm -rf $(VENV) build dist .hypothesis .benchmarks .mypy_cache .pytest_cache .ruff_cache
	rm -rf .import_linter_cache
	find cardlab -name '*.mo' -delete

$(VENV)/%.stamp: $(SETUP_FILES)
	@sh tools/setup.sh $(VENV) $*
