// The table of the runs: sorted by a column, filtered by words.

import { store } from "./store.js";
import { duration, h, number, saveCSV, shown } from "./dom.js";

/** Columns: title, value for sorting and CSV, text, whether it is a number. */
const columns = [
  ["run", (r) => r.run, (r) => shown(r.run)],
  ["state", (r) => r.line_end || r.state, (r) => shown(r.line_end || r.state)],
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
  ["reason", (r) => r.reason ?? "", (r) => shown(r.reason)],
];

let sorted = { column: -1, down: false };
let filter = "";
let hideEqual = false;
const most = 500; // rows drawn at once

function chosen() {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
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
    ]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (sorted.column >= 0) {
    const value = columns[sorted.column][1];
    rows = rows.sort((a, b) => {
      const x = value(a),
        y = value(b);
      if (x === y) return 0;
      if (x === null || x === undefined || x === "") return 1;
      if (y === null || y === undefined || y === "") return -1;
      return (x < y ? -1 : 1) * (sorted.down ? -1 : 1);
    });
  }
  return rows;
}

function table(rows) {
  let shownColumns = columns.map((column, i) => ({ column, i }));
  if (hideEqual && rows.length > 1) {
    shownColumns = shownColumns.filter(
      ({ column, i }) => i === 0 || rows.some((r) => column[1](r) !== column[1](rows[0])),
    );
  }
  const head = shownColumns.map(({ column: [title, , , isNumber], i }) => {
    const direction = sorted.column !== i ? "none" : sorted.down ? "descending" : "ascending";
    return h(
      isNumber ? "th.number" : "th",
      { scope: "col", "aria-sort": direction },
      h(
        "button",
        {
          id: "sort-" + i,
          type: "button",
          onclick: () => {
            sorted = { column: i, down: sorted.column === i && !sorted.down };
            redraw();
          },
        },
        title,
        direction === "ascending" ? " ▲" : direction === "descending" ? " ▼" : "",
      ),
    );
  });
  const body = rows.slice(0, most).map((r) =>
    h(
      "tr",
      {},
      shownColumns.map(({ column: [, , text, isNumber], i }) => {
        if (i === 0) return h("th", { scope: "row" }, h("a", { href: "#run=" + encodeURIComponent(r.run) }, text(r)));
        if (i === 1) return h("td", {}, h("span.badge." + r.state, {}, text(r)), r.cached ? " cached" : "");
        return h(isNumber ? "td.number" : "td.line", { title: isNumber ? null : text(r) }, text(r));
      }),
    ),
  );
  return h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body));
}

let place = null;

function redraw() {
  const rows = chosen();
  const all = store.lists.runs.size;
  place.replaceChildren(
    h(
      "p.note",
      {},
      rows.length === all ? `${all} runs` : `${rows.length} of ${all} runs`,
      rows.length > most ? `; the first ${most} are shown` : "",
    ),
    rows.length ? h("div.wide", {}, table(rows)) : h("p", {}, all ? "No run has these words." : "No run yet."),
  );
}

export const runsView = {
  title: "Runs",
  count: () => store.lists.runs.size,
  draw(main, moved) {
    if (!moved && place?.isConnected) return redraw();
    place = h("div");
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
        h(
          "label",
          {},
          h("input", {
            id: "equal",
            type: "checkbox",
            checked: hideEqual,
            onchange: (e) => {
              hideEqual = e.target.checked;
              redraw();
            },
          }),
          " hide columns that are equal",
        ),
        h(
          "button",
          {
            type: "button",
            onclick: () =>
              saveCSV("runs.csv", [columns.map((c) => c[0]), ...chosen().map((r) => columns.map((c) => c[1](r)))]),
          },
          "CSV",
        ),
      ),
      place,
    );
    redraw();
  },
};
