// The engine: its components in the order of the flow, its shafts, and the cases with their results.

import { store } from "./store.js";
import { fold, h, number, shown } from "./dom.js";
import { schematic } from "./schematic.js";
import { sweep, transient } from "./figures.js";

let chosen = "";

function results(result) {
  const flat = (object) => Object.entries(object ?? {}).filter(([, v]) => typeof v === "number");
  const table = (title, rows) =>
    rows.length
      ? h(
          "details",
          fold("engine " + title, title === "Performance"),
          h("summary", {}, title),
          h(
            "div.wide",
            {},
            h(
              "table",
              {},
              h(
                "tbody",
                {},
                rows.map(([name, values]) =>
                  h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, shown(name)),
                    values.map(([n, v]) => h("td", {}, h("span.note", {}, shown(n)), " ", number(v, 6))),
                  ),
                ),
              ),
            ),
          ),
        )
      : null;
  return [
    table(
      "Performance",
      flat(result.performance).map(([n, v]) => [n, [["", v]]]),
    ),
    table(
      "Components",
      Object.entries(result.components ?? {}).map(([n, c]) => [n, flat(c)]),
    ),
    table(
      "Stations",
      Object.entries(result.stations ?? {}).map(([n, c]) => [n, flat(c)]),
    ),
    table(
      "Shafts",
      Object.entries(result.shafts ?? {}).map(([n, c]) => [n, flat(c)]),
    ),
  ].filter(Boolean);
}

export const engineView = {
  title: "Engine",
  count: () => 0,
  draw(main) {
    const cases = [...store.lists.cases.values()];
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
            "An older Peregrine began the study: the engine's structure is shown when its results are kept.",
          ),
      ...(c
        ? [
            h("h2", {}, shown(c.name)),
            c.text ? h("p", {}, shown(c.text)) : "",
            c.values
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
