// The engine: its components in the order of the flow, its shafts, and the cases with their results.

import { store, unitOf } from "./store.js";
import { fold, h, number, shown, table } from "./dom.js";
import { schematic } from "./schematic.js";
import { sweep, transient } from "./figures.js";

let chosen = "";

/** Named numbers: a row for each name, a column for each quantity that a row has, with its unit. */
function numbers(title, rows, dimensions = {}) {
  const names = [...new Set(rows.flatMap(([, of]) => Object.keys(of).filter((n) => typeof of[n] === "number")))];
  if (!names.length) return null;
  const head = names.map((n) => [shown(n), unitOf(dimensions[n]).name].filter(Boolean).join(", "));
  const value = (of, n) => (typeof of[n] === "number" ? unitOf(dimensions[n]).of(of[n]) : "");
  const row = ([name, of]) => [h("th", { scope: "row" }, shown(name)), ...names.map((n) => value(of, n))];
  return table([shown(title), ...head], rows.map(row));
}

function results(result) {
  const of = store.dimensions ?? {};
  const part = (title, ...tables) =>
    tables.some(Boolean)
      ? h("details", fold("engine " + title, title === "Performance"), h("summary", {}, title), tables.filter(Boolean))
      : null;
  const components = Object.entries(result.components ?? {});
  const types = [...new Set(components.map(([, c]) => c.type))];
  const performance = Object.entries(result.performance ?? {}).filter(([, v]) => typeof v === "number");
  const line = ([n, v]) => {
    const unit = unitOf(of.performance?.[n]);
    return [h("th", { scope: "row" }, shown(n)), unit.of(v), unit.name];
  };
  return [
    part("Performance", performance.length ? table(["", "value", "unit"], performance.map(line)) : null),
    part(
      "Components",
      ...types.map((type) =>
        numbers(
          (type ?? "").replaceAll("_", " "),
          components.filter(([, c]) => c.type === type),
          of.components?.[type],
        ),
      ),
    ),
    part("Stations", numbers("", Object.entries(result.stations ?? {}), of.stations)),
    part("Shafts", numbers("", Object.entries(result.shafts ?? {}), of.shafts)),
  ].filter(Boolean);
}

export const engineView = {
  title: "Engine",
  count: () => 0,
  draw(main) {
    const timed = (x) => store.lists.transients.has(x.name);
    const cases = [...store.lists.cases.values()].sort((a, b) => timed(a) - timed(b));
    const c = cases.find((x) => x.name === chosen) ?? cases[0];
    const engine = store.engine;
    main.replaceChildren(
      h(
        "div.bar",
        {},
        cases.map((x) =>
          h(
            "button",
            {
              id: "case-" + x.name,
              type: "button",
              "aria-pressed": x === c ? "true" : "false",
              onclick: () => {
                chosen = x.name;
                engineView.draw(main);
              },
            },
            shown(x.name),
            " ",
            x.class ? h("span.badge." + x.class, {}, x.class) : null,
          ),
        ),
      ),
      engine?.components
        ? h("div.wide", {}, schematic(engine, c?.result))
        : h(
            "p.note",
            {},
            engine?.name ? "Its structure is shown when results are kept." : "The study has no engine yet.",
          ),
      ...(c
        ? [
            h("h2", {}, shown(c.name)),
            c.text ? h("p", {}, shown(c.text)) : "",
            c.values && !c.result
              ? h(
                  "p.note",
                  {},
                  Object.entries(c.values)
                    .map(([n, v]) => `${shown(n)} ${number(v, 5)}`)
                    .join(", "),
                )
              : "",
            ...Object.entries(c.errors ?? {}).map(([name, v]) =>
              h(
                "p.note",
                {},
                `estimated errors of ${shown(name)}'s map: ` +
                  Object.entries(v)
                    .map(([n, x]) => `${shown(n)} ${number(100 * x, 2)} %`)
                    .join(", "),
              ),
            ),
            ...(c.result ? results(c.result) : []),
            h("div.figures", {}, transient(c.name)),
          ]
        : [h("p", {}, "No case yet.")]),
      ...[...store.lists.sweeps.keys()].map((name) =>
        h("section", {}, h("h2", {}, "Sweep " + shown(name)), h("div.figures", {}, sweep(name))),
      ),
    );
  },
};
