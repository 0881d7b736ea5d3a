// The engine: its components in the order of the flow, its shafts, and the cases with their results.

import { store, unitOf } from "./store.js";
import { fold, h, number, rowHead, table, words } from "./dom.js";
import { schematic } from "./schematic.js";
import { sweep, transient } from "./figures.js";

let chosen = "";

/** Named numbers: a row for each name, a column for each quantity that a row has, with its unit. */
function numbers(title, rows, dimensions = {}) {
  const names = [...new Set(rows.flatMap(([, of]) => Object.keys(of).filter((n) => typeof of[n] === "number")))];
  if (!names.length) return null;
  const head = names.map((n) => [n, unitOf(dimensions[n]).name].filter(Boolean).join(", "));
  const value = (of, n) => (typeof of[n] === "number" ? unitOf(dimensions[n]).of(of[n]) : "");
  return table(
    [title, ...head],
    rows.map(([name, of]) => [rowHead(name), ...names.map((n) => value(of, n))]),
  );
}

function results({ components = {}, performance = {}, stations = {}, shafts = {} }) {
  const of = store.dimensions ?? {};
  const part = (title, ...tables) =>
    tables.some(Boolean) && fold("engine " + title, title, title === "Performance", tables);
  const byType = Object.groupBy(Object.entries(components), ([, c]) => c.type ?? "");
  const lines = Object.entries(performance).flatMap(([n, v]) => {
    const unit = unitOf(of.performance?.[n]);
    return typeof v === "number" ? [[rowHead(n), unit.of(v), unit.name]] : [];
  });
  return [
    part("Performance", lines.length && table(["", "value", "unit"], lines)),
    part(
      "Components",
      ...Object.entries(byType).map(([type, list]) => numbers(words(type), list, of.components?.[type])),
    ),
    part("Stations", numbers("", Object.entries(stations), of.stations)),
    part("Shafts", numbers("", Object.entries(shafts), of.shafts)),
  ];
}

const listed = (values, text) =>
  Object.entries(values)
    .map(([n, v]) => `${n} ${text(v)}`)
    .join(", ");

/** A case: what is known of it while it runs, and its results. */
const about = (c) => [
  h("h2", c.name),
  c.text && h("p", c.text),
  c.class &&
    c.values &&
    !c.result &&
    h(
      "p.note",
      listed(c.values, (v) => number(v, 5)),
    ),
  Object.entries(c.errors ?? {}).map(([name, of]) =>
    h("p.note", `estimated errors of ${name}'s map: ` + listed(of, (x) => `${number(100 * x, 2)} %`)),
  ),
  c.result && results(c.result),
  h("div.figures", transient(c.name)),
];

export const engineView = {
  title: "Engine",
  draw(main) {
    const timed = (x) => store.lists.transients.has(x.name);
    const cases = [...store.lists.cases.values()].sort((a, b) => timed(a) - timed(b));
    const c = cases.find((x) => x.name === chosen) ?? cases[0];
    const { engine } = store;
    const choose = (x) => () => {
      chosen = x.name;
      engineView.draw(main);
    };
    const choice = (x) =>
      h(
        "button",
        { id: "case-" + x.name, type: "button", "aria-pressed": String(x === c), onclick: choose(x) },
        x.name,
        " ",
        x.class && h("span.badge." + x.class, words(x.class)),
      );
    const none = engine?.name ? "Its structure is shown when results are kept." : "The study has no engine yet.";
    main.replaceChildren(
      h("div.bar", cases.map(choice)),
      engine?.components ? h("div.wide", schematic(engine, c?.result)) : h("p.note", none),
      h("section", c ? about(c) : h("p", "No case yet.")),
      ...[...store.lists.sweeps.keys()].map((name) =>
        h("section", h("h2", "Sweep " + name), h("div.figures", sweep(name))),
      ),
    );
  },
};
