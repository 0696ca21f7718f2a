"use strict";
// Families: filter, order, and draw as one scrolls.
(async () => {
  const source = document.getElementById("data");
  if (!source) return;
  const packed = Uint8Array.from(atob(source.textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const {folders, reasons, verdicts, families} = await new Response(stream).json();
  const list = document.getElementById("list");
  const status = document.getElementById("status");
  const box = document.getElementById("filter");
  const kind = document.getElementById("kind");
  const sort = document.getElementById("sort");
  const more = document.getElementById("more");
  const STEP = 40, MOST = 60;
  const made = new Map([...list.children].map((each) => [Number(each.id.slice(1)) - 1, each]));
  const unit = list.dataset.unit;
  let order = [], drawn = 0;

  const number = (value) => value.toLocaleString("en");
  const size = (value) => {
    if (value === null || value === undefined) return "";
    for (const name of ["B", "kB", "MB", "GB"]) {
      if (value < 999.5) return `${name === "B" || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${name}`;
      value /= 1000;
    }
    return `${value.toFixed(1)} TB`;
  };
  const day = (value) => value === null ? "" : new Date(value * 864e5).toISOString().slice(0, 10);
  const make = (name, kind, ...inside) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...inside);
    return made;
  };
  // A path may break after a slash.
  const bdi = (text) => make("bdi", "", ...text.split(/(?<=\/)/).flatMap((part) => [part, document.createElement("wbr")]));
  const badge = (index) => {
    const [word, said, sign] = index < 0 ? ["original", "original", "★"] : verdicts[index];
    const mark = make("i", "", sign);
    mark.setAttribute("aria-hidden", "true");
    const known = /^[a-z_]+$/.test(word) ? word : "other";
    return make("span", `badge k-${known}`, mark, said);
  };
  const shared = (names) => {
    let least = names[0], most = names[0];
    for (const name of names) { if (name < least) least = name; if (name > most) most = name; }
    let at = 0;
    while (at < least.length && least[at] === most[at]) at += 1;
    return least.slice(0, least.lastIndexOf("/", at - 1) + 1);
  };
  const full = (member) => folders[member[0]] + member[1];
  const line = (member, cut) => {
    const alike = member[2] >= 0 && member[3] !== null && member[3] < 1000;
    return make("li", "member", badge(member[2]),
      make("span", "num", alike ? `${(member[3] / 10).toFixed(1)}%` : ""),
      make("span", "name", bdi(full(member).slice(cut))), make("span", "how", reasons[member[6]]),
      make("span", "num", size(member[4])), make("span", "num", day(member[5])));
  };
  const article = (index) => {
    if (made.has(index)) return made.get(index);
    const [begins, all, spare, , members] = families[index];
    const folder = shared(members.map(full));
    const title = make("h3", "", bdi(full(members[0]).slice(folder.length)));
    title.id = `t${index + 1}`;
    const much = [`${number(members.length)} ${unit}s`];
    if (all) much.push(size(all));
    const sums = make("span", "num", much.join(" · "));
    if (spare) sums.append(" · ", make("b", "", `${size(spare)} ${list.dataset.go}`));
    const found = make("article", "family", make("header", "", title, sums));
    found.id = `f${index + 1}`;
    found.tabIndex = -1;
    found.setAttribute("aria-labelledby", title.id);
    if (folder) found.append(make("p", "where", bdi(folder)));
    if (begins) {
      const first = make("p", "begins", begins);
      first.dir = "auto";
      found.append(first);
    }
    // An original begins a group, if there are several.
    const several = members.filter((one) => one[2] < 0).length > 1;
    let group = 0;
    const lines = (some) => some.flatMap((one) => several && one[2] < 0
      ? [make("li", "cluster", `group ${group += 1}`), line(one, folder.length)] : [line(one, folder.length)]);
    const rows = make("ul", "members", ...lines(members.slice(0, MOST)));
    found.append(rows);
    if (members.length > MOST) {
      const rest = make("button", "", `Show ${number(members.length - MOST)} more`);
      rest.type = "button";
      rest.addEventListener("click", () => {
        rows.append(...lines(members.slice(MOST)));
        rest.remove();
      });
      found.append(rest);
    }
    made.set(index, found);
    return found;
  };

  const draw = (count) => {
    const next = order.slice(drawn, drawn + count).map(article);
    list.append(...next);
    drawn += next.length;
    more.textContent = drawn < order.length ? `${number(order.length - drawn)} more below` : "";
  };
  const texts = [];
  const text = (index) => {
    if (texts[index] === undefined) {
      const [begins, , , , members] = families[index];
      texts[index] = `${members.map(full).join("\n")}\n${begins}`.toLowerCase();
    }
    return texts[index];
  };
  const least = (one) => one[4].reduce((low, each) => each[2] >= 0 && each[3] !== null && each[3] < low ? each[3] : low, 1001);
  const last = (one) => one[4].reduce((high, each) => each[5] !== null && each[5] > high ? each[5] : high, -1);
  const orders = {
    members: (a, b) => keys[b] - keys[a],
    alike: (a, b) => keys[a] - keys[b],
    date: (a, b) => keys[b] - keys[a],
    name: (a, b) => keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0,
  };
  let keys = [];
  const choose = (only) => {
    const asked = box.value.trim().toLowerCase(), wanted = kind.value;
    const every = families.map((_, index) => index);
    order = only === undefined
      ? every.filter((at) => (wanted === "" || families[at][3] === Number(wanted)) && (asked === "" || text(at).includes(asked)))
      : [only];
    const by = sort.value;
    if (by !== "") {
      keys = families.map({alike: least, date: last, members: (one) => one[4].length,
        name: (one) => full(one[4][0])}[by]);
      order.sort((a, b) => orders[by](a, b) || a - b);
    }
    drawn = 0;
    list.replaceChildren();
    draw(STEP);
    const of = `${number(families.length)} ${families.length === 1 ? "family" : "families"}`;
    status.textContent = order.length === families.length ? of : `${number(order.length)} of ${of}`;
  };
  const go = (step) => {
    const shown = [...list.children];
    if (!shown.length) return;
    const at = shown.indexOf(document.activeElement.closest("article.family"));
    const next = at < 0 ? (step > 0 ? 0 : shown.length - 1) : at + step;
    if (next >= shown.length - 2) draw(STEP);
    const to = list.children[Math.max(0, Math.min(list.children.length - 1, next))];
    to.focus({preventScroll: true});
    to.scrollIntoView({block: "start"});
  };
  // In an opened member, from change to change.
  const change = (step) => {
    const opened = document.activeElement.closest("details.differing[open]");
    const changes = opened ? [...opened.querySelectorAll(".c[id]")] : [];
    const to = changes[changes.indexOf(document.activeElement.closest(".c")) + step];
    to?.focus();
    return Boolean(to);
  };
  const jump = () => {
    const found = /^#f(\d+)$/.exec(location.hash);
    if (!found) return;
    const index = Number(found[1]) - 1;
    if (!families[index]) return;
    if (!document.getElementById(`f${index + 1}`)) {
      box.value = "";
      kind.value = "";
      choose(index);
      const back = make("button", "", "Show all");
      back.type = "button";
      back.addEventListener("click", () => choose());
      status.append(" ", back);
    }
    const to = document.getElementById(`f${index + 1}`);
    to.focus({preventScroll: true});
    to.scrollIntoView({block: "start"});
  };

  document.getElementById("scripted").hidden = false;
  const present = new Set(families.map((one) => one[3]));
  verdicts.forEach(([, said], at) => {
    if (present.has(at)) kind.append(new Option(said, String(at)));
  });
  let waiting;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(choose, families.length > 2000 ? 150 : 0);
  });
  kind.addEventListener("change", () => choose());
  sort.addEventListener("change", () => choose());
  window.addEventListener("hashchange", jump);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && document.activeElement === box) {
      box.value = "";
      choose();
      box.blur();
    }
    if (document.activeElement.matches("input:not([type=checkbox]):not([type=radio]), select")) return;
    if (event.key === "/") { box.focus(); event.preventDefault(); }
    const step = {n: 1, j: 1, p: -1, k: -1}[event.key];
    if (step) change(step) || go(step);
  });
  order = families.map((_, index) => index);
  drawn = list.children.length;
  more.textContent = drawn < order.length ? `${number(order.length - drawn)} more below` : "";
  new IntersectionObserver((seen) => {
    if (seen.some((each) => each.isIntersecting)) draw(STEP);
  }, {rootMargin: "1200px"}).observe(more);
  jump();
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...list.querySelectorAll("details:not([open])")];
    closed.forEach((each) => { each.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
})();
