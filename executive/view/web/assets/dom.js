// Elements, numbers and texts. Text of the study is only ever set as text, never as markup.

const svgNames = new Set(["svg", "g", "path", "circle", "line", "rect", "text", "title"]);
const there = (x) => x !== null && x !== undefined && x !== false;

/**
 * Makes an element: h("td.number", {title: "x"}, "text", child ...); the properties may be left out. A property that
 * begins with "on" is a listener. Texts and titles are as they can be shown.
 * @returns {any}
 */
export function h(what, ...children) {
  const [name, ...classes] = what.split(".");
  const element = svgNames.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  const properties = children[0]?.constructor === Object ? children.shift() : {};
  for (const [key, value] of Object.entries(properties)) {
    if (!there(value)) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked") element[key] = value;
    else element.setAttribute(key, value === true ? "" : /^(title|aria-label)$/.test(key) ? shown(value) : value);
  }
  const list = children.flat(Infinity).filter(there);
  element.append(...list.map((child) => (child instanceof Node ? child : shown(child))));
  return element;
}

/** A button that does something when it is clicked. */
export const button = (title, onclick, properties = {}) =>
  h("button", { type: "button", onclick, ...properties }, title);

/** A box to check, with its label if it has one. */
export function check(label, checked, change, properties = {}) {
  const box = h("input", { type: "checkbox", checked, onchange: (e) => change(e.target.checked, e), ...properties });
  return label ? h("label", box, " ", label) : box;
}

/** A link to a run. */
export const runLink = (run) => h("a", { href: runHref(run) }, run);
export const runHref = (run) => "#run=" + encodeURIComponent(run);

/** Names with their texts; those without a text are left out. */
export const facts = (pairs, kind = "dl") =>
  h(
    kind,
    pairs
      .filter(([, text]) => there(text) && text !== "")
      .map(([name, text]) => h("div", h("dt", name), h("dd", text))),
  );

/** A picture with its title and a note. */
export const figure = (title, note, picture) =>
  picture && h("figure", h("figcaption", h("b", title), note ? h("span.note", " " + note) : null), picture);

/** What the note of a thinned curve says. */
export const thinned = (c) => (c.thinned ? " (thinned: least and greatest values are kept)" : "");

/** A number with so many significant digits, short. */
export function number(x, digits = 4) {
  if (x === null || x === undefined) return "";
  if (typeof x !== "number" || !Number.isFinite(x)) return String(x);
  if (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6)) return x.toExponential(Math.max(0, digits - 2));
  return String(Number(x.toPrecision(digits)));
}

/** A time in seconds, for people. */
export function duration(s) {
  if (s === null || s === undefined) return "";
  if (s < 60) return number(s, 3) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + Math.round(s % 60) + " s";
  return Math.floor(s / 3600) + " h " + Math.round((s % 3600) / 60) + " min";
}

/** The time of day of a time stamp. */
export const clock = (stamp) => (stamp ? new Date(stamp).toLocaleTimeString() : "");

/** A text as it can be shown: control characters and marks of direction become visible. */
export function shown(text) {
  return String(text ?? "").replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** A word of the state as people read it. */
export const words = (text) => (text ?? "").replaceAll("_", " ");

/** A text of so many letters at the most. */
export const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

/** A part of an address as it was encoded; one that was typed by hand and is none stays as it is. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Round numbers between least and greatest, about so many. */
export function ticks(least, greatest, about = 5) {
  const span = greatest - least || 1;
  const raw = span / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const list = [];
  for (let i = Math.ceil(least / step); i * step <= greatest + 1e-9 * span; i++)
    list.push(Number((i * step).toPrecision(12)));
  return list;
}

/** A button that saves rows as CSV. A text that a spreadsheet would run is quoted by an apostrophe. */
export function csv(name, rows) {
  const cell = (value) => {
    let text = there(value) ? String(value) : "";
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return button("CSV", () => {
    const text = rows().map((row) => row.map(cell).join(",") + "\n");
    const link = h("a", { href: URL.createObjectURL(new Blob(text, { type: "text/csv" })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

/** A table with the head's texts and rows of cells, numbers with seven digits; kind(i) is the class of a row. */
export function table(head, rows, kind = () => "") {
  const isCell = (c) => ["TH", "TD"].includes(c?.tagName);
  const digits = (i) => rows.some((cells) => typeof cells[i] === "number");
  const titles = head.map((t, i) => (isCell(t) ? t : h(digits(i) ? "th.number" : "th", { scope: "col" }, t)));
  const cell = (c) => (typeof c === "number" ? h("td.number", number(c, 7)) : isCell(c) ? c : h("td", c));
  const body = rows.map((cells, i) => h("tr" + kind(i), cells.map(cell)));
  return h("div.wide", h("table", h("thead", h("tr", titles)), h("tbody", body)));
}

/** The head of a row. */
export const rowHead = (...children) => h("th", { scope: "row" }, ...children);

/** Draws anew. What has the focus keeps it: an element of its id or, without one, of its name and place among such. */
export function refocused(draw) {
  const e = document.activeElement;
  const name = (x) => x.getAttribute("href") ?? x.getAttribute("aria-label") ?? x.textContent;
  const alike = () => [...document.querySelectorAll(e.localName)].filter((x) => name(x) === name(e));
  const nth = e && !e.id && e !== document.body ? alike().indexOf(e) : -1;
  draw();
  if (!e || e.isConnected) return;
  (e.id ? document.getElementById(e.id) : alike()[nth])?.focus({ preventScroll: true });
}

const opened = new Map();

/** A part with a title that stays open or shut when it is drawn again. */
export const fold = (name, title, open, ...inside) =>
  h(
    "details",
    { open: opened.get(name) ?? open, ontoggle: (e) => opened.set(name, e.target.open) },
    h("summary", title),
    ...inside,
  );
