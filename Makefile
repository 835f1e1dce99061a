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
# JupyterLab neither asks whether it may fetch news, nor opens its file browser over a narrow page.
# What a reader changes there is kept: in the own settings, and in the workspace of this environment.
LAB_CONFIG := JUPYTER_CONFIG_PATH="$(CURDIR)/tools/jupyter$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}"
WORKSPACES ?= $(VENV)/workspaces
# JupyterLab's name for the workspace "default".
WORKSPACE := $(WORKSPACES)/default-37a8.jupyterlab-workspace

export PYTHON

.PHONY: lab setup test lint types imports unit notebooks browser bench data optimal chaos \
	run-notebooks format locale lock clean

lab: $(VENV)/lab.stamp $(WORKSPACE)
	$(LAB_CONFIG) $(VENV)/bin/jupyter lab $(ALLOW_ROOT) --LabApp.default_url=/lab/tree/$(START) \
		--LabApp.workspaces_dir=$(WORKSPACES) $(LAB_ARGS)

$(WORKSPACE):
	@mkdir -p $(WORKSPACES)
	@cp tools/jupyter/first.jupyterlab-workspace $@

setup: $(VENV)/test.stamp

test lint types imports unit notebooks browser bench data optimal chaos run-notebooks format locale: $(VENV)/test.stamp
	$(TASK) $@

lock:
	sh tools/lock.sh

clean:
	rm -rf $(VENV) build dist .hypothesis .benchmarks .mypy_cache .pytest_cache .ruff_cache
	rm -rf .import_linter_cache
	find cardlab -name '*.mo' -delete

$(VENV)/%.stamp: $(SETUP_FILES)
	@sh tools/setup.sh $(VENV) $*
