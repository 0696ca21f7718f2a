"use strict";
(() => {
  const changes = [...document.querySelectorAll(".diff .c[id]")];
  const place = document.getElementById("place");
  let at = -1;
  const pair = (change) =>
    [change, document.querySelector(`.c[data-c="${change.id.slice(1)}"]`)].filter(Boolean);
  const show = (index) => {
    if (at >= 0) pair(changes[at]).forEach((each) => each.classList.remove("here"));
    at = index;
    const change = changes[at];
    pair(change).forEach((each) => each.classList.add("here"));
    change.scrollIntoView({block: "center"});
    change.focus({preventScroll: true});
    place.textContent = `${at + 1} of ${changes.length}`;
  };
  const go = (step) => {
    if (!changes.length) return;
    show(at < 0 ? (step > 0 ? 0 : changes.length - 1)
      : (at + step + changes.length) % changes.length);
  };
  const unfold = document.getElementById("unfold");
  const folds = [...document.querySelectorAll("details.fold")];
  const all = () => {
    const open = unfold.getAttribute("aria-pressed") !== "true";
    unfold.setAttribute("aria-pressed", String(open));
    folds.forEach((each) => { each.open = open; });
  };
  document.querySelectorAll(".scripted").forEach((each) => { each.hidden = false; });
  if (!folds.length) unfold.hidden = true;
  unfold.addEventListener("click", all);
  document.getElementById("next").addEventListener("click", () => go(1));
  document.getElementById("previous").addEventListener("click", () => go(-1));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n" || event.key === "j") go(1);
    if (event.key === "p" || event.key === "k") go(-1);
    if (event.key === "a" && folds.length) all();
  });
  window.addEventListener("hashchange", () => {
    const index = changes.findIndex((each) => `#${each.id}` === location.hash);
    if (index >= 0) show(index);
  });
  // Lines join the two places of a moved passage.
  const mapped = document.querySelector(".mapped");
  const moved = [...document.querySelectorAll(".row > div:first-child .moved")]
    .slice(0, Number(mapped.dataset.joined));
  const ns = "http://www.w3.org/2000/svg";
  const lines = document.createElementNS(ns, "svg");
  lines.setAttribute("class", "lines");
  lines.setAttribute("aria-hidden", "true");
  const draw = () => {
    lines.replaceChildren();
    const frame = mapped.getBoundingClientRect();
    lines.setAttribute("width", frame.width);
    lines.setAttribute("height", frame.height);
    for (const from of moved) {
      const to = document.getElementById(from.getAttribute("href").slice(1));
      if (!to || !from.offsetParent || !to.offsetParent) continue;
      const a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
      const x0 = from.closest("div").getBoundingClientRect().right - frame.left + 2;
      const x1 = to.closest("div").getBoundingClientRect().left - frame.left - 2;
      if (x1 < x0) continue;
      const y0 = (a.top + a.bottom) / 2 - frame.top, y1 = (b.top + b.bottom) / 2 - frame.top;
      const path = document.createElementNS(ns, "path");
      const middle = (x0 + x1) / 2;
      path.setAttribute("d", `M${x0},${y0} C${middle},${y0} ${middle},${y1} ${x1},${y1}`);
      lines.append(path);
    }
  };
  if (moved.length) {
    mapped.append(lines);
    document.addEventListener("toggle", draw, true);
    document.addEventListener("change", draw);
    setTimeout(() => new ResizeObserver(draw).observe(mapped), 50);  // After the first paint.
  }
})();
