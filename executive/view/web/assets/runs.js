// The table of the runs: sorted by a column, filtered by words and by a condition, with runs chosen for comparison.

import { ask, choose as mark, file, store } from "./store.js";
import { duration, h, number, refocused, saveCSV, shown } from "./dom.js";
import { drawMarks, words } from "./marks.js";

/** Columns: title, value for sorting and CSV, text, whether it is a number. */
const fixed = [
  ["run", (r) => r.run, (r) => shown(r.run)],
  ["state", (r) => r.line_end || r.state, (r) => shown(r.line_end || r.state).replaceAll("_", " ")],
  ["host", (r) => r.host ?? "", (r) => shown(r.host)],
  ["try", (r) => r.attempt ?? 0, (r) => number(r.attempt), true],
  ["iteration", (r) => r.iteration, (r) => number(r.iteration, 7), true],
  ["residual", (r) => r.residual, (r) => number(r.residual, 3), true],
  ["W in, kg/s", (r) => r.W_in, (r) => number(r.W_in, 5), true],
  ["W out, kg/s", (r) => r.W_out, (r) => number(r.W_out, 5), true],
  ["PR", (r) => r.PR, (r) => number(r.PR, 5), true],
  ["PR of the engine", (r) => r.model?.PR, (r) => number(r.model?.PR, 5), true],
  ["time", (r) => r.wall, (r) => (r.wall ? duration(r.wall) : ""), true],
  ["steered", (r) => (r.steered ? "steered" : ""), (r) => (r.steered ? "steered" : "")],
  ["warnings", (r) => r.warnings ?? 0, (r) => number(r.warnings || ""), true],
  ["marks", (r) => words(r.run), (r) => shown(words(r.run))],
  ["reason", (r) => r.reason ?? "", (r) => shown(r.reason)],
];

const first = 1; // the run's name stands before its settings

/** The settings of a run, from their text: "orders 6, mode cold". */
function settingsOf(r) {
  const pairs = (r.settings ?? "").split(", ").map((pair) => pair.split(" "));
  return Object.fromEntries(pairs.map(([name, ...value]) => [name, value.join(" ")]).filter(([name]) => name));
}

/** The columns for some runs: their names, the settings in which they differ, then the fixed ones. */
function columnsOf(rows) {
  const texts = new Map(rows.map((r) => [r, settingsOf(r)]));
  const names = new Set(rows.flatMap((r) => [...Object.keys(r.asked ?? {}), ...Object.keys(texts.get(r))]));
  const differ = (f) => rows.some((r) => f(r) !== f(rows[0]));
  const asked = [...names].sort().map((name) => {
    const value = (r) => r.asked?.[name] ?? texts.get(r)?.[name];
    return [name, value, (r) => shown(number(value(r), 6)), rows.some((r) => typeof value(r) === "number")];
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
  let rows = [...store.lists.runs.values()].filter((r) => {
    const text = [
      r.run,
      r.state,
      r.line_end,
      r.host,
      r.component,
      r.reason,
      r.steered ? "steered" : "",
      r.cached ? "cached" : "",
      words(r.run),
    ]
      .join(" ")
      .toLowerCase();
    return (!where.runs || where.runs.has(r.run)) && wanted.every((word) => text.includes(word));
  });
  const by = columnsOf(rows).find(([title]) => title === sorted.column);
  if (by) {
    rows = rows.sort((a, b) => {
      const x = by[1](a),
        y = by[1](b);
      if (x === y) return 0;
      if (x === null || x === undefined || x === "") return 1;
      if (y === null || y === undefined || y === "") return -1;
      return (x < y ? -1 : 1) * (sorted.down ? -1 : 1);
    });
  }
  return rows;
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

function table(rows) {
  const columns = columnsOf(rows);
  const head = columns.map(([title, , , isNumber]) => {
    const direction = sorted.column !== title ? "none" : sorted.down ? "descending" : "ascending";
    const sort = () => {
      sorted = { column: title, down: sorted.column === title && !sorted.down };
      redraw();
    };
    return h(
      isNumber ? "th.number" : "th",
      { scope: "col", "aria-sort": direction },
      h(
        "button",
        { id: "sort-" + title, type: "button", onclick: sort },
        shown(title),
        direction === "ascending" ? " ▲" : direction === "descending" ? " ▼" : "",
      ),
    );
  });
  const choice = (r) =>
    h("input", {
      id: "choose-" + r.run,
      type: "checkbox",
      checked: store.chosen.has(r.run),
      "aria-label": "compare " + shown(r.run),
      onchange: () => {
        mark(r.run);
        redraw();
      },
    });
  const body = rows.slice(0, most).map((r) =>
    h(
      "tr",
      {},
      h("td", {}, choice(r)),
      columns.map(([title, , text, isNumber], i) => {
        if (i === 0) return h("th", { scope: "row" }, h("a", { href: "#run=" + encodeURIComponent(r.run) }, text(r)));
        if (title === "state") return h("td", {}, h("span.badge." + r.state, {}, text(r)), r.cached ? " cached" : "");
        return h(isNumber ? "td.number" : "td.line", { title: isNumber ? null : text(r) }, text(r));
      }),
    ),
  );
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span.quiet", {}, "compare")), head)),
    h("tbody", {}, body),
  );
}

let place = null;
let notes = null;

function redraw() {
  const rows = chosen();
  refocused(() => fill(rows));
  drawMarks(notes, "");
}

function fill(rows) {
  const all = store.lists.runs.size;
  const names = [...store.chosen].filter((run) => store.lists.runs.has(run));
  place.replaceChildren(
    h(
      "p.note",
      { role: "status" },
      rows.length === all ? `${all} runs` : `${rows.length} of ${all} runs`,
      rows.length > most ? `; the first ${most} are shown` : "",
      names.length
        ? [
            "; ",
            h("a", { href: "#compare=" + names.map(encodeURIComponent).join(",") }, `compare ${names.length} chosen`),
            " ",
            h(
              "button",
              { id: "none", type: "button", onclick: () => (names.forEach((run) => mark(run)), redraw()) },
              "choose none",
            ),
          ]
        : null,
    ),
    where.error ? h("p.fault", { role: "alert" }, shown(where.error)) : "",
    rows.length ? h("div.wide", {}, table(rows)) : h("p", {}, all ? "No run is chosen by these words." : "No run yet."),
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
    const save = () => {
      const rows = chosen(),
        columns = columnsOf(rows);
      saveCSV("runs.csv", [columns.map((c) => c[0]), ...rows.map((r) => columns.map((c) => c[1](r)))]);
    };
    main.replaceChildren(
      h(
        "form.bar",
        { onsubmit: (e) => e.preventDefault() },
        h("label", { for: "filter" }, "Words "),
        h("input", {
          id: "filter",
          type: "search",
          value: filter,
          placeholder: "running fan lost",
          oninput: (e) => {
            filter = e.target.value;
            redraw();
          },
        }),
        file
          ? null
          : [
              h("label", { for: "where" }, "Where "),
              h("input", {
                id: "where",
                type: "search",
                size: 32,
                value: where.text,
                placeholder: 'class == "diverged" and cfl > 5',
                onchange: (e) => choose(e.target.value),
              }),
            ],
        h(
          "label",
          {},
          h("input", { id: "equal", type: "checkbox", checked: hideEqual, onchange: (e) => toggle(e.target.checked) }),
          " hide columns that are equal (h)",
        ),
        h("button", { type: "button", onclick: save }, "CSV"),
      ),
      place,
      notes,
    );
    redraw();
  },
};
