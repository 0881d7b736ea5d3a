// The engine: its components in the order of the flow, its shafts, and the cases with their results.

import { store } from "./store.js";
import { fold, h, number, shown } from "./dom.js";

let chosen = "";

/** Places of the components: a column by the longest way from an inlet, a row within it. */
function places(engine) {
  const rank = new Map(engine.components.map((c) => [c.Name, 0]));
  for (let round = 0; round < engine.components.length; round++) {
    let moved = false;
    for (const l of engine.links ?? []) {
      const next = (rank.get(l.From) ?? 0) + 1;
      if (rank.has(l.To) && next > rank.get(l.To) && next < engine.components.length) {
        rank.set(l.To, next);
        moved = true;
      }
    }
    if (!moved) break;
  }
  const rows = new Map();
  return new Map(
    engine.components.map((c) => {
      const column = rank.get(c.Name);
      const row = rows.get(column) ?? 0;
      rows.set(column, row + 1);
      return [c.Name, { x: 20 + 140 * column, y: 30 + 74 * row, type: c.Type }];
    }),
  );
}

/** What a result says of a component, short. */
function summary(result, name) {
  const c = result?.components?.[name];
  if (!c) return "";
  const value = (n) => (typeof c[n] === "number" ? `${n} ${number(c[n], 4)}` : "");
  return [value("PR"), value("eff"), value("Fg")].filter(Boolean).slice(0, 2).join(", ");
}

function schematic(engine, result) {
  const at = places(engine);
  const width = Math.max(...[...at.values()].map((p) => p.x)) + 140,
    height = Math.max(...[...at.values()].map((p) => p.y)) + 70;
  const svg = h("svg.engine", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": "components and streams",
  });
  for (const l of engine.links ?? []) {
    const a = at.get(l.From),
      b = at.get(l.To);
    if (!a || !b) continue;
    const x0 = a.x + 118,
      y0 = a.y + 22,
      x1 = b.x,
      y1 = b.y + 22,
      m = (x0 + x1) / 2;
    svg.append(
      h(
        "path.stream",
        { d: `M${x0} ${y0}C${m} ${y0} ${m} ${y1} ${x1} ${y1}` },
        h("title", {}, `${l.From}.${l.Out} → ${l.To}.${l.In}`),
      ),
    );
  }
  const zoomed = new Set([...store.lists.runs.values()].map((r) => r.component));
  for (const [name, p] of at) {
    const station = result?.stations?.[name + ".out"] ?? result?.stations?.[name];
    const tip = station
      ? ["W", "Pt", "Tt", "MN"]
          .filter((n) => typeof station[n] === "number")
          .map((n) => `${n} ${number(station[n], 5)}`)
          .join(", ")
      : "";
    svg.append(
      h(
        "g.part" + (zoomed.has(name) ? ".zoomed" : ""),
        {},
        h("rect", { x: p.x, y: p.y, width: 118, height: 44, rx: 4 }),
        h("text", { x: p.x + 59, y: p.y + 17, "text-anchor": "middle" }, shown(name)),
        h("text.small", { x: p.x + 59, y: p.y + 34, "text-anchor": "middle" }, summary(result, name) || p.type),
        h("title", {}, [`${name}: ${p.type}`, tip].filter(Boolean).join("\n")),
      ),
    );
  }
  return svg;
}

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
        : h("p.note", {}, "The engine's structure is shown when its results are kept, at the end of the command."),
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
          ]
        : [h("p", {}, "No case yet.")]),
    );
  },
};
