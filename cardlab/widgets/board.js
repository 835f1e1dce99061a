// Shows what the kernel draws, and tells it what was clicked. It knows nothing of any game.

const key = (control) => control.dataset.action ?? control.name;
const controls = (part) => [...part.querySelectorAll("button, input")];

/** Draw anew, and leave the keyboard where it was: on the same control, or on its neighbour. */
function redraw(table, html) {
  const focused = table.contains(document.activeElement) ? document.activeElement : null;
  const group = focused?.closest("[data-group]");
  const place = group ? controls(group).indexOf(focused) : 0;
  table.innerHTML = html;
  if (!focused) return;
  const usable = controls(table).filter((control) => control.ariaDisabled !== "true");
  const near = usable.filter((control) => control.closest("[data-group]")?.dataset.group === group?.dataset.group);
  const same = usable.find((control) => key(control) === key(focused));
  (same ?? near[Math.min(place, near.length - 1)] ?? usable[0])?.focus({ preventScroll: true });
}

/** JupyterLab's own shortcuts leave alone what has this mark; two d's would delete the cell. */
function keepShortcutsAway({ target }) {
  if (target.closest?.(".cl-board, .cl-toolbar, .cl-settings")) target.dataset.lmSuppressShortcuts = "true";
}

function render({ model, el }) {
  el.classList.add("cl-board");
  const status = document.createElement("div");
  status.className = "cl-status";
  status.setAttribute("role", "status");
  status.setAttribute("aria-live", "polite");
  const table = document.createElement("div");
  el.append(status, table);

  const draw = () => redraw(table, model.get("html"));
  const tell = () => (status.innerHTML = model.get("status"));
  const send = (action) => model.send({ action, serial: model.get("serial") });

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-action]");
    // The second click of a double click falls on what the first one has put there.
    if (button && event.detail < 2) send(button.dataset.action);
  });
  table.addEventListener("keydown", (event) => {
    const enter = event.key === "Enter";
    const field = enter && event.target.localName === "input";
    // A key that is held down is one press. In a cell, JupyterLab keeps Enter from sending a form.
    if (field || (event.repeat && (enter || event.key === " "))) event.preventDefault();
    if (field && !event.repeat) event.target.form.requestSubmit();
  });
  table.addEventListener("submit", (event) => {
    event.preventDefault();
    send(`${event.target.dataset.action} ${event.target.elements.value.value}`);
  });

  draw();
  tell();
  model.on("change:html", draw);
  model.on("change:status", tell);
  document.addEventListener("focusin", keepShortcutsAway);
  return () => {
    model.off("change:html", draw);
    model.off("change:status", tell);
    document.removeEventListener("focusin", keepShortcutsAway);
  };
}

export default { render };
