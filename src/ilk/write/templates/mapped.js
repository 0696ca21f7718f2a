"use strict";
// Beside two texts a map of their changes, and lines that join both places of moved passages.
(() => {
  const BINS = 100, JOINED = 200;
  const make = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const each in attributes) made.setAttribute(each, attributes[each]);
    return made;
  };
  // Places by length of text, not by layout, which is not known of what is folded or far below.
  const mapChanges = (frame) => {
    const changes = [];
    let at = 0;
    for (const {children: [left, right]} of frame.querySelectorAll(".row")) {
      const before = [...left.querySelectorAll(".c")];
      for (const node of right.childNodes) {
        if (node.matches?.(".c")) {
          const gone = before.shift().textContent.trim();
          const fresh = [...node.childNodes].some((each) => each.className !== "was" && each.textContent.trim());
          changes.push({id: node.id, at, role: !gone ? "new" : fresh ? "both" : "gone"});
        }
        at += node.textContent.length;
      }
    }
    const marks = new Map();
    changes.forEach((change, index) => {
      const bin = Math.floor(change.at * BINS / (at + 1)), known = marks.get(bin);
      if (!known) marks.set(bin, {...change, index});
      else if (known.role !== change.role) known.role = "both";
    });
    const map = make("svg", {class: "map", role: "group", "aria-label": "Map of changes"});
    const said = {gone: "removed", new: "added", both: "changed"};
    for (const [bin, {id, role, index}] of marks) {
      const link = make("a", {href: `#${id}`, tabindex: map.childElementCount ? -1 : 0,
        "aria-label": `Change ${index + 1} of ${changes.length}: ${said[role]}`});
      link.append(make("rect", {class: `m-${role}`, x: role === "new" ? "50%" : 0,
        width: role === "both" ? "100%" : "50%", y: `${100 * bin / BINS}%`}));
      map.append(link);
    }
    // One stop for the Tab key; arrows lead from mark to mark.
    map.addEventListener("keydown", (event) => {
      const from = event.target.closest("a");
      const to = {ArrowDown: from.nextElementSibling, ArrowUp: from.previousElementSibling}[event.key];
      if (!to) return;
      event.preventDefault();
      from.setAttribute("tabindex", -1);
      to.setAttribute("tabindex", 0);
      to.focus();
    });
    frame.append(map);
  };
  const joinMoved = (frame) => {
    const moved = [...frame.querySelectorAll(".row > div:first-child .moved")].slice(0, JOINED);
    if (!moved.length) return;
    const lines = make("svg", {class: "lines", "aria-hidden": true});
    const draw = () => {
      lines.replaceChildren();
      const {left, top, width, height} = frame.getBoundingClientRect();
      lines.setAttribute("width", width);
      lines.setAttribute("height", height);
      for (const from of moved) {
        const to = document.getElementById(from.getAttribute("href").slice(1));
        if (!to || !from.offsetParent || !to.offsetParent) continue;
        const a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
        const x0 = from.closest("div").getBoundingClientRect().right - left + 2;
        const x1 = to.closest("div").getBoundingClientRect().left - left - 2;
        if (x1 < x0) continue;
        const y0 = (a.top + a.bottom) / 2 - top, y1 = (b.top + b.bottom) / 2 - top;
        const middle = (x0 + x1) / 2;
        const line = make("path", {d: `M${x0},${y0} C${middle},${y0} ${middle},${y1} ${x1},${y1}`});
        line.classList.toggle("here", [from, to].includes(document.activeElement));
        lines.append(line);
      }
    };
    frame.append(lines);
    for (const each of ["focusin", "focusout", "toggle"]) frame.addEventListener(each, draw, true);
    document.addEventListener("change", draw);
    setTimeout(() => new ResizeObserver(draw).observe(frame), 50);  // After the first paint.
  };
  for (const frame of document.querySelectorAll(".mapped")) {
    const draw = () => { mapChanges(frame); joinMoved(frame); };
    const member = frame.closest("details");
    if (member) member.addEventListener("toggle", draw, {once: true});
    else draw();
  }
})();
