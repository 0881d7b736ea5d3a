// The maps: speed lines, the runs' points as they end, and where the engine works.

import { measured, store } from "./store.js";
import { fold, h, number, saveCSV, shown } from "./dom.js";
import { chart } from "./chart.js";
import { newRun } from "./steer.js";

/** Shape and class of a run's point. */
function look(r) {
  if (r.steered) return ["diamond", "steered"];
  if (r.state === "running" || r.state === "paused" || r.state === "planned") return ["triangle", "running"];
  if (r.state === "converged") return ["circle", r.cached ? "cached" : "converged"];
  return r.line_end ? ["square", "end"] : ["cross", "failed"];
}

const legend = [
  ["circle", "converged", "converged"],
  ["circle", "cached", "from the cache"],
  ["triangle", "running", "under way"],
  ["square", "end", "end of a line"],
  ["cross", "failed", "no answer"],
  ["diamond", "steered", "steered"],
  ["circle", "engine", "engine's cases"],
  ["plus", "measured", "measured"],
];

function components() {
  return [
    ...new Set([
      ...[...store.lists.runs.values()].map((r) => r.component),
      ...[...store.lists.maps.values()].map((m) => m.name),
    ]),
  ].filter(Boolean);
}

/** The lines through the answers of each speed, in the order of their throttles, while there is no map. */
function speedLines(runs) {
  const speeds = new Map();
  for (const r of runs.filter((r) => r.state === "converged" && r.asked?.N))
    speeds.set(r.asked.N, [...(speeds.get(r.asked.N) ?? []), r]);
  return [...speeds].map(([, of]) => {
    of.sort((a, b) => a.asked.throttle - b.asked.throttle);
    return { x: of.map((r) => r.W_in), y: of.map((r) => r.PR) };
  });
}

function drawing(name) {
  const map = store.lists.maps.get(name);
  const runs = [...store.lists.runs.values()].filter((r) => r.component === name && r.W_in > 0 && r.PR > 0);
  const places = new Map((map?.points ?? []).map((p) => [p.run, p])); // scaled, as the lines
  const lines = (map?.lines ?? []).map((l) => ({ x: l.Wc, y: l.PR, text: number(l.Nc, 4) }));
  const marks = [];
  for (const r of runs) {
    const at = lines.length ? places.get(r.run) : { Wc: r.W_in, PR: r.PR };
    if (!at) continue;
    const [shape, of] = look(r);
    marks.push({
      x: at.Wc,
      y: at.PR,
      shape,
      of,
      href: "#run=" + encodeURIComponent(r.run),
      title: `${shown(r.run)}: ${shown(r.line_end || r.state)}, W ${number(r.W_in, 5)} kg/s, PR ${number(r.PR, 5)}`,
    });
  }
  for (const m of map?.marks ?? [])
    marks.push({
      x: m.Wc,
      y: m.PR,
      shape: "circle",
      of: "engine",
      title: `${shown(m.name)}: Wc ${number(m.Wc, 5)}, PR ${number(m.PR, 5)}`,
    });
  if (!map?.marks) {
    for (const c of store.lists.cases.values()) {
      const p = c.points?.[name];
      if (p)
        marks.push({
          x: p.Wc,
          y: p.PR,
          shape: "circle",
          of: "engine",
          title: `${shown(c.name)}: Wc ${number(p.Wc, 5)}, PR ${number(p.PR, 5)}`,
        });
    }
  }
  for (const row of measured(name)) {
    const x = lines.length ? row.Wc : (row.W ?? row.Wc);
    if (x === undefined || row.PR === undefined) continue;
    const title = `${shown(row.file)}: ${number(x, 5)} kg/s, PR ${number(row.PR, 5)}`;
    marks.push({ x, y: row.PR, shape: "plus", of: "measured", title });
  }
  return { lines: lines.length ? lines : speedLines(runs), marks, corrected: lines.length > 0 };
}

let wanted = null; // {component, text} of a new run, from a click

/** The speed and the throttle of a place on a map, by the planes through the nearest answers; null: too few. */
function place(name, x, y) {
  const places = new Map((store.lists.maps.get(name)?.points ?? []).map((p) => [p.run, p]));
  const known = [...store.lists.runs.values()].flatMap((r) => {
    const { Wc, PR } = places.size ? (places.get(r.run) ?? {}) : { Wc: r.W_in, PR: r.PR };
    const at = r.component === name && r.state === "converged" && r.run.match(/-n([\d.]+)-k([+-]\d+\.\d+)/);
    return at && Wc && PR ? [{ x: Wc, y: PR, n: Number(at[1]), k: Number(at[2]) }] : [];
  });
  const wide = (of) => Math.max(...known.map(of)) - Math.min(...known.map(of)) || 1;
  const [wx, wy] = [wide((p) => p.x), wide((p) => p.y)];
  const far = (p) => Math.hypot((p.x - x) / wx, (p.y - y) / wy);
  known.sort((a, b) => far(a) - far(b));
  const [a, b] = known;
  if (!b) return null;
  const turn = (p) => (b.x - a.x) * (p.y - a.y) - (p.x - a.x) * (b.y - a.y);
  const c = known.slice(2).find((p) => Math.abs(turn(p)) > 0.01 * wx * wy);
  if (!c) return null;
  const u = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / turn(c),
    v = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / turn(c);
  const at = (of) => of(a) + u * (of(b) - of(a)) + v * (of(c) - of(a));
  return { n: at((p) => p.n), throttle: Math.exp(at((p) => p.k)) };
}

/** Offers a run at the place of a click on a map. */
function offer(name, e, draw) {
  const svg = e.target.closest("svg.chart");
  if (!svg?.at || !store.control || e.target.closest("a")) return;
  const point = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const [x, y] = svg.at(point.x, point.y);
  const at = place(name, x, y);
  const text = at ? `${name} n=${number(at.n, 4)} % throttle=${number(at.throttle, 4)}` : `${name} n= % throttle=`;
  wanted = { component: name, x, y, text };
  draw();
}

export const mapView = {
  title: "Map",
  count: () => 0,
  draw(main) {
    const names = components();
    if (!names.length) return main.replaceChildren(h("p", {}, "No component is zoomed, and no map is kept."));
    main.replaceChildren(
      ...names.map((name) => {
        const { lines, marks, corrected } = drawing(name);
        if (!lines.length && !marks.length)
          return h("section", {}, h("h2", {}, shown(name)), h("p.note", {}, "No point yet."));
        return h(
          "section",
          {},
          h("h2", {}, shown(name)),
          h(
            "div",
            { onclick: (e) => offer(name, e, () => mapView.draw(main)) },
            chart("map of " + name, lines, { marks, x: corrected ? "Wc, kg/s" : "W, kg/s", y: "PR" }),
          ),
          wanted?.component === name && store.control ? newRun(wanted) : null,
          store.control && store.state === "running" ? h("p.note", {}, "A click on the map offers a run there.") : null,
          h(
            "p.legend",
            {},
            legend
              .filter(([, of]) => marks.some((m) => m.of === of))
              .map(([shape, of, text]) =>
                h(
                  "span",
                  {},
                  h(
                    "span.key." + of,
                    {},
                    { circle: "●", square: "■", cross: "✕", diamond: "◆", triangle: "▲", plus: "+" }[shape],
                  ),
                  " " + text,
                ),
              ),
          ),
          h(
            "details",
            fold("map " + name),
            h("summary", {}, "The numbers"),
            h(
              "button",
              {
                type: "button",
                onclick: () => saveCSV(name + ".csv", [["x", "PR", "what"], ...marks.map((m) => [m.x, m.y, m.title])]),
              },
              "CSV",
            ),
            h(
              "table",
              {},
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  ["flow, kg/s", "PR", "what"].map((t) => h("th", { scope: "col" }, t)),
                ),
              ),
              h(
                "tbody",
                {},
                marks.map((m) =>
                  h(
                    "tr",
                    {},
                    h("td.number", {}, number(m.x, 6)),
                    h("td.number", {}, number(m.y, 6)),
                    h("td", {}, m.title),
                  ),
                ),
              ),
            ),
          ),
        );
      }),
    );
  },
};
