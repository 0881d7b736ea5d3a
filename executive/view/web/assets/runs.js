// The table of the runs: sorted by a column, filtered by words and by a condition, with runs chosen for comparison.

import { ask, choose as mark, file, store } from "./store.js";
import { button, check, csv, duration, h, number, refocused, rowHead, runLink, table, words } from "./dom.js";
import { drawMarks, marksOf } from "./marks.js";

const own = (name, digits) => [(r) => r[name], digits ? (r) => number(r[name], digits) : (r) => r[name], digits > 0];

/** Columns: title, value for sorting and CSV, text, whether it is a number. */
const fixed = [
  ["run", ...own("run")],
  ["state", (r) => r.line_end || r.state, (r) => words(r.line_end || r.state)],
  ["host", ...own("host")],
  ["try", ...own("attempt", 4)],
  ["iteration", ...own("iteration", 7)],
  ["residual", ...own("residual", 3)],
  ["W in, kg/s", ...own("W_in", 5)],
  ["W out, kg/s", ...own("W_out", 5)],
  ["PR", ...own("PR", 5)],
  ["PR of the engine", (r) => r.model?.PR, (r) => number(r.model?.PR, 5), true],
  ["time", (r) => r.wall, (r) => (r.wall ? duration(r.wall) : ""), true],
  ["steered", (r) => (r.steered ? "steered" : ""), (r) => (r.steered ? "steered" : "")],
  ["warnings", (r) => r.warnings ?? 0, (r) => number(r.warnings || ""), true],
  ["marks", (r) => marksOf(r.run), (r) => marksOf(r.run)],
  ["reason", (r) => r.reason ?? "", (r) => r.reason],
];

const first = 1; // the run's name stands before its settings

/** What was asked of a run: its settings, from their text, "orders 6, mode cold", and the numbers of its request. */
export function askedOf(r) {
  const pairs = (r.settings ?? "").split(", ").map((pair) => pair.split(" "));
  const texts = Object.fromEntries(pairs.map(([name, ...value]) => [name, value.join(" ")]).filter(([name]) => name));
  return { ...texts, ...r.asked };
}

/** The columns for some runs: their names, the settings in which they differ, then the fixed ones. */
function columnsOf(rows) {
  const all = new Map(rows.map((r) => [r, askedOf(r)]));
  const names = new Set([...all.values()].flatMap(Object.keys));
  const differ = (f) => rows.some((r) => f(r) !== f(rows[0]));
  const asked = [...names].sort().map((name) => {
    const value = (r) => all.get(r)?.[name];
    return [name, value, (r) => number(value(r), 6), rows.some((r) => typeof value(r) === "number")];
  });
  const chosen = asked.filter(([, value]) => differ(value));
  return [...fixed.slice(0, first), ...chosen, ...fixed.slice(first)].filter(
    ([, value], i) => i === 0 || !hideEqual || rows.length < 2 || differ(value),
  );
}

let sorted = { column: "", down: false };
let filter = "";
let hideEqual = false;
let where = { text: "", runs: null, error: "" };
const most = 500; // rows drawn at once

function chosen() {
  const wanted = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...store.lists.runs.values()].filter((r) => {
    const marks = [r.steered && "steered", r.cached && "cached", marksOf(r.run)];
    const text = [r.run, r.state, r.line_end, r.host, r.component, r.reason, ...marks].join(" ").toLowerCase();
    return (!where.runs || where.runs.has(r.run)) && wanted.every((word) => text.includes(word));
  });
  const by = columnsOf(rows).find(([title]) => title === sorted.column);
  const none = (x) => x === null || x === undefined || x === "";
  const compare =
    ([, value]) =>
    (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === y || none(x) || none(y)) return none(x) - none(y);
      return (x < y ? -1 : 1) * (sorted.down ? -1 : 1);
    };
  return by ? rows.sort(compare(by)) : rows;
}

/** Asks the server for the runs of a condition. */
async function choose(text) {
  where = { text, runs: text.trim() ? new Set() : null, error: "" };
  if (text.trim())
    try {
      where.runs = new Set(await ask("/api/where?condition=" + encodeURIComponent(text)));
    } catch (error) {
      where.error = error.message;
    }
  redraw();
}

function tableOf(rows) {
  const columns = columnsOf(rows);
  const head = columns.map(([title, , , isNumber]) => {
    const direction = sorted.column !== title ? "none" : sorted.down ? "descending" : "ascending";
    const sort = () => {
      sorted = { column: title, down: sorted.column === title && !sorted.down };
      redraw();
    };
    const arrow = { none: "", ascending: " ▲", descending: " ▼" }[direction];
    const properties = { scope: "col", "aria-sort": direction };
    return h(isNumber ? "th.number" : "th", properties, button(title + arrow, sort, { id: "sort-" + title }));
  });
  const choice = (r) => {
    const change = () => {
      mark(r.run);
      redraw();
    };
    return check("", store.chosen.has(r.run), change, { id: "choose-" + r.run, "aria-label": "compare " + r.run });
  };
  const cell = (r, [title, , text, isNumber]) => {
    if (title === "run") return rowHead(runLink(r.run));
    if (title === "state") return [h("span.badge." + r.state, text(r)), r.cached && " cached"];
    return h(isNumber ? "td.number" : "td.line", { title: isNumber ? null : text(r) }, text(r));
  };
  const body = rows.slice(0, most).map((r) => [choice(r), ...columns.map((column) => cell(r, column))]);
  return table([h("span.quiet", "compare"), ...head], body);
}

let place = null;
let notes = null;

function redraw() {
  refocused(fill);
  drawMarks(notes, "");
}

function fill() {
  const rows = chosen();
  const all = store.lists.runs.size;
  const names = [...store.chosen].filter((run) => store.lists.runs.has(run));
  const none = () => {
    names.forEach(mark);
    redraw();
  };
  place.replaceChildren(
    h(
      "p.note",
      { role: "status" },
      rows.length === all ? `${all} runs` : `${rows.length} of ${all} runs`,
      rows.length > most && `; the first ${most} are shown`,
      names.length > 0 && [
        "; ",
        h("a", { href: "#compare=" + names.map(encodeURIComponent) }, `compare ${names.length} chosen`),
        " ",
        button("choose none", none, { id: "none" }),
      ],
    ),
    where.error ? h("p.fault", { role: "alert" }, where.error) : "",
    rows.length ? tableOf(rows) : h("p", all ? "No run is chosen by these words." : "No run yet."),
  );
}

function toggle(on) {
  hideEqual = on;
  document.getElementById("equal").checked = on;
  redraw();
}

addEventListener("keydown", (e) => {
  if (e.key === "h" && !e.ctrlKey && !e.metaKey && !e.altKey && place?.isConnected && !e.target.closest("input"))
    toggle(!hideEqual);
});

export const runsView = {
  title: "Runs",
  count: () => store.lists.runs.size,
  draw(main, moved) {
    if (!moved && place?.isConnected) return redraw();
    place = h("div");
    notes = h("section");
    const rows = () => {
      const columns = columnsOf(chosen());
      return [columns.map((c) => c[0]), ...chosen().map((r) => columns.map((c) => c[1](r)))];
    };
    const search = (id, title, properties) =>
      h("label", title + " ", h("input", { id, type: "search", ...properties }));
    const narrow = (e) => {
      filter = e.target.value;
      redraw();
    };
    const condition = { value: where.text, size: 32, onchange: (e) => choose(e.target.value) };
    main.replaceChildren(
      h(
        "div.bar",
        search("filter", "Words", { value: filter, placeholder: "running fan lost", oninput: narrow }),
        !file && search("where", "Where", { ...condition, placeholder: 'class == "diverged" and cfl > 5' }),
        check("hide columns that are equal (h)", hideEqual, toggle, { id: "equal" }),
        csv("runs.csv", rows),
      ),
      place,
      notes,
    );
    redraw();
  },
};
