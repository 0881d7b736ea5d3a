// Elements, numbers and texts. Text of the study is only ever set as text, never as markup.

const svgNames = new Set(["svg", "g", "path", "circle", "line", "rect", "text", "title", "polyline", "polygon"]);

/**
 * Makes an element: h("td.number", {title: "x"}, "text", child ...). A property that begins with "on" is a listener.
 * @returns {any}
 */
export function h(what, properties, ...children) {
  const [name, ...classes] = what.split(".");
  const element = svgNames.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked") element[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

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
export function clock(stamp) {
  return stamp ? new Date(stamp).toLocaleTimeString() : "";
}

/** A text as it can be shown: control characters and marks of direction become visible. */
export function shown(text) {
  return String(text ?? "").replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

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

/** Saves rows as CSV. A text that a spreadsheet would run is quoted by an apostrophe. */
export function saveCSV(name, rows) {
  const cell = (value) => {
    let text = value === null || value === undefined ? "" : String(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const text = rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A table with the head's texts and rows of cells, numbers with seven digits; kind(i) is the class of a row. */
export function table(head, rows, kind = () => "") {
  const digits = (i) => rows.some((cells) => typeof cells[i] === "number");
  const titles = head.map((t, i) => h(digits(i) ? "th.number" : "th", { scope: "col" }, t));
  const cell = (c) =>
    typeof c === "number" ? h("td.number", {}, number(c, 7)) : ["TH", "TD"].includes(c?.tagName) ? c : h("td", {}, c);
  const body = rows.map((cells, i) => h("tr" + kind(i), {}, cells.map(cell)));
  return h("div.wide", {}, h("table", {}, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, body)));
}

/** The server's picture at an address, an svg element; the error has the server's own words. */
export async function picture(address) {
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(JSON.parse(text).error);
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

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

/** The properties of a details element that stays open or shut when it is drawn again. */
export function fold(name, open = false) {
  return { open: opened.get(name) ?? open, ontoggle: (e) => opened.set(name, e.target.open) };
}
