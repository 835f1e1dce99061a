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

function render({ model, el }) {
  el.classList.add("cl-board");
  // JupyterLab's own shortcuts (two d's delete a cell) stay out of the table.
  el.dataset.lmSuppressShortcuts = "true";
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
    if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
  });
  table.addEventListener("submit", (event) => {
    event.preventDefault();
    send(`${event.target.dataset.action} ${event.target.elements.value.value}`);
  });

  draw();
  tell();
  model.on("change:html", draw);
  model.on("change:status", tell);
  return () => {
    model.off("change:html", draw);
    model.off("change:status", tell);
  };
}

export default { render };
