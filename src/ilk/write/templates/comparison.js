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
  document.getElementById("next")?.addEventListener("click", () => go(1));
  document.getElementById("previous")?.addEventListener("click", () => go(-1));
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
})();
