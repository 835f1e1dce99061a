"""A real Chromium and a real JupyterLab for the tests that need them."""

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from tools.notebooks import METADATA

ROOT = Path(__file__).parents[2]
COMMANDS = ("chromium", "chromium-browser", "google-chrome", "chrome")
REQUIRED = "CARDLAB_REQUIRE_BROWSER"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

VIEWPORT: ViewportSize = {"width": 1200, "height": 800}

Cells = Callable[..., Page]

# Nothing here is about speed, and the machine may be busy.
expect.set_options(timeout=30_000)

RUN_ALL = """async () => {
    const widget = window.jupyterapp.shell.currentWidget;
    await widget.context.ready;
    await widget.sessionContext.ready;
    await widget.sessionContext.session.kernel.info;
    await window.jupyterapp.commands.execute('notebook:run-all-cells');
}"""

NOTEBOOK_IS_OPEN = """() => window.jupyterapp
    && window.jupyterapp.shell.currentWidget
    && window.jupyterapp.shell.currentWidget.sessionContext"""

OPEN = """async path => {
    const { commands, restored } = window.jupyterapp;
    await restored;
    await commands.execute('docmanager:open', { path });
}"""

# Kernels that idle on would slow down whatever comes next.
CLOSE_ALL = """async () => {
    const { shell, serviceManager } = window.jupyterapp;
    for (const widget of [...shell.widgets('main')]) widget.dispose();
    shell.expandLeft();
    await serviceManager.sessions.shutdownAll();
}"""


def find_chromium() -> str | None:
    return next((path for path in map(shutil.which, COMMANDS) if path), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One headless Chromium; without one the tests skip, or fail where it is required."""
    executable = find_chromium()
    if executable is None:
        reason = f"no Chromium here (looked for {', '.join(COMMANDS)})"
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{reason}, and {REQUIRED}=1", pytrace=False)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def new_page(chromium: Browser) -> Iterator[Page]:
    """A page without a past, which fails its test on a request that leaves this machine."""
    context = chromium.new_context(viewport=VIEWPORT, locale="en-US")
    outside: list[str] = []
    context.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))
            else outside.append(request.url)
        ),
    )
    yield context.new_page()
    context.close()
    assert outside == []


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page of the test's own."""
    with new_page(chromium) as page:
        yield page


def free_port() -> int:
    """A port of its own: of servers that start at the same moment, two may find the same one."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def lab(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A running JupyterLab: its address with token, and the folder it serves."""
    base = tmp_path_factory.mktemp("lab")
    folder, runtime = base / "notebooks", base / "runtime"
    folder.mkdir()
    token = secrets.token_hex(16)
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        "--expose-app-in-browser",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={free_port()}",
        f"--ServerApp.root_dir={folder}",
        f"--IdentityProvider.token={token}",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    environment = {
        **os.environ,
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "JUPYTERLAB_SETTINGS_DIR": str(base / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(base / "workspaces"),
    }
    # JupyterLab would ask, in a box over the page, whether it may fetch news.
    news = base / "settings" / "@jupyterlab" / "apputils-extension"
    news.mkdir(parents=True)
    (news / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    with (base / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield address(server, runtime, base / "log"), folder
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()  # A busy machine: nothing of the tests hangs on a tidy end.
            server.wait()


@pytest.fixture(scope="module")
def made_lab(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """What ``make lab`` starts, with this Python: address as in ``lab``, and workspaces."""
    if shutil.which("make") is None:
        pytest.skip("no make here")
    base = tmp_path_factory.mktemp("made-lab")
    arguments = "--no-browser --expose-app-in-browser"
    arguments += f" --ServerApp.ip=127.0.0.1 --ServerApp.port={free_port()}"
    command = [
        *("make", "lab", f"VENV={sys.prefix}", f"WORKSPACES={base / 'workspaces'}"),
        *("-o", f"{sys.prefix}/lab.stamp", f"LAB_ARGS={arguments}"),
    ]
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(base / "config"),
        "JUPYTER_RUNTIME_DIR": str(base / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(base / "settings"),
    }
    with (base / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        url = address(server, base / "runtime", base / "log").removesuffix("&reset")
        yield url, base / "workspaces"
    finally:
        # make hands no signal on to what it has started. A kernel ends when its server is gone.
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(timeout=30)


def address(server: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    """The address of a server once it answers."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        for record in runtime.glob("jpserver-*.json"):
            info = json.loads(record.read_text() or "{}")
            url = f"{info['url']}{{path}}?token={info['token']}&reset" if info else ""
            try:
                with urllib.request.urlopen(f"{info['url']}api", timeout=5):
                    return url
            except (KeyError, urllib.error.URLError):
                pass
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def lab_page(chromium: Browser, lab: tuple[str, Path]) -> Iterator[Page]:
    """A page on which JupyterLab is open: for each test anew, that would take most of the time."""
    with new_page(chromium) as page:
        page.goto(lab[0].format(path="lab"))
        page.wait_for_function("() => window.jupyterapp", timeout=60_000)
        yield page


@pytest.fixture
def lab_tab(lab_page: Page) -> Iterator[Page]:
    """The page of JupyterLab with nothing open on it."""
    lab_page.set_viewport_size(VIEWPORT)
    yield lab_page
    lab_page.evaluate(CLOSE_ALL)


def open_in_lab(page: Page, name: str) -> None:
    """Open a notebook of the served folder, without running anything."""
    page.evaluate(OPEN, name)
    page.wait_for_function(NOTEBOOK_IS_OPEN, timeout=60_000)


def run_all(page: Page) -> None:
    """Run every cell of the notebook that is open."""
    # A click on Run All may come before the kernel and be lost; the command waits for it.
    page.evaluate(RUN_ALL)


@pytest.fixture
def run_cells(
    lab_tab: Page, lab: tuple[str, Path], request: pytest.FixtureRequest
) -> Iterator[Cells]:
    """A function that runs lines of code as the cells of a new notebook, and gives the page.

    Its test fails when the page reports an error.
    """
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            errors.append(message.text)

    def fault(error: Error) -> None:
        errors.append(str(error))

    lab_tab.on("console", note)
    lab_tab.on("pageerror", fault)

    def run(*cells: str) -> Page:
        name = re.sub(r"\W+", "_", request.node.name) + ".ipynb"
        notebook = new_notebook(metadata=METADATA, cells=[new_code_cell(cell) for cell in cells])
        nbformat.write(notebook, lab[1] / name)
        open_in_lab(lab_tab, name)
        run_all(lab_tab)
        return lab_tab

    yield run
    lab_tab.remove_listener("console", note)
    lab_tab.remove_listener("pageerror", fault)
    assert errors == []
