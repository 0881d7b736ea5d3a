// The maps as the server draws them, with the runs' points as they end, and where the engine works.

import { file, measured, onChange, picture, store } from "./store.js";
import { csv, fold, h, number, runHref, table, words } from "./dom.js";
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

/** The maps of the study, and an empty one for each zoomed component without a map. */
function maps() {
  const all = new Map(store.lists.maps);
  for (const { component } of store.lists.runs.values())
    if (component && !all.has(component)) all.set(component, { name: component, component });
  return [...all.values()];
}

const article = document.getElementById("report"); // of a page in a file: it has the pictures
const drawn = new Map(); // by map: the picture that was asked for last, and the last svg

/** The picture of a map, or null; one that comes later is shown by then(), until then the one before. */
function drawingOf(map, then) {
  if (!map.picture) return null;
  const now = drawn.get(map.name) ?? {};
  if (now.picture === map.picture) return now.svg;
  const kept = [...(article?.querySelectorAll("[data-map]") ?? [])].find((f) => f.dataset.map === map.name);
  const next = { picture: map.picture, svg: kept?.querySelector("svg").cloneNode(true) ?? now.svg ?? null };
  drawn.set(map.name, next);
  const take = (svg) => {
    next.svg = svg;
    if (drawn.get(map.name) === next) then();
  };
  const fail = () => (next.failed = true); // the one before stays
  if (!file) picture("/api/map?picture=" + encodeURIComponent(map.picture)).then(take, fail);
  return next.svg;
}

/** After a break the pictures that did not come are asked for again. */
onChange((sections) => {
  if (sections.has("link")) for (const next of drawn.values()) if (next.failed) next.picture = "";
});

/**
 * The plane over (p, q) through the nearest three of some points that are on no line: a function of what is wanted of
 * a point. null: there are too few.
 */
function plane(known, p, q) {
  const wide = (of) => Math.max(...known.map(of)) - Math.min(...known.map(of)) || 1;
  const [wp, wq] = [wide((a) => a.p), wide((a) => a.q)];
  const far = (a) => Math.hypot((a.p - p) / wp, (a.q - q) / wq);
  const [a, b, ...others] = known.sort((a, b) => far(a) - far(b));
  const turn = (c) => (b.p - a.p) * (c.q - a.q) - (c.p - a.p) * (b.q - a.q);
  const c = others.find((c) => Math.abs(turn(c)) > 0.01 * wp * wq);
  if (!c) return null;
  const u = ((p - a.p) * (c.q - a.q) - (c.p - a.p) * (q - a.q)) / turn(c),
    v = ((b.p - a.p) * (q - a.q) - (p - a.p) * (b.q - a.q)) / turn(c);
  return (of) => of(a) + u * (of(b) - of(a)) + v * (of(c) - of(a));
}

/** Where a run is on a map, by its answer or its latest values; null: nowhere. */
function placeOf(map, r) {
  const known = map.points?.find((p) => p.run === r.run);
  if (known || !(r.W_in > 0 && r.PR > 0) || (map.picture && !map.scale)) return known ?? null;
  const { Wc, PR } = map.scale ?? { Wc: 1, PR: 1 };
  return { Wc: Wc * r.W_in, PR: 1 + PR * (r.PR - 1) };
}

/** Where a run without values would be by what was asked of it, among the answers; null: nowhere. */
function askedOf(map, r, runs) {
  const coordinates = ({ asked = {} }) => ({ p: asked.N, q: Math.log(asked.throttle) });
  const { p, q } = coordinates(r);
  if (!Number.isFinite(p) || !Number.isFinite(q)) return null;
  const answers = runs.filter((o) => o.state === "converged" && o.asked?.throttle > 0);
  const of = plane(
    answers.flatMap((o) => {
      const at = placeOf(map, o);
      return at ? [{ ...coordinates(o), ...at }] : [];
    }),
    p,
    q,
  );
  return of && { Wc: of((a) => a.Wc), PR: of((a) => a.PR) };
}

/** The runs on a map, the operating points, and their way there: {marks, lines}. */
function live(map) {
  const marks = [];
  const point = (shape, of, name, at, more) => {
    const title = `${name}: ${number(at.Wc, 5)} kg/s, PR ${number(at.PR, 5)}`;
    if (at.PR !== undefined && at.Wc !== undefined) marks.push({ x: at.Wc, y: at.PR, shape, of, title, ...more });
  };
  const own = map.of ? [] : [...store.lists.runs.values()].filter((r) => r.component === map.component);
  for (const r of own) {
    const [shape, of] = look(r);
    const at = placeOf(map, r) ?? (of === "failed" ? askedOf(map, r, own) : null);
    const text = of === "failed" ? words(r.state) : null;
    if (at) point(shape, of, `${r.run}: ${r.line_end || words(r.state)}`, at, { href: runHref(r.run), text });
  }
  for (const m of map.marks ?? []) point("circle", "engine", m.name, m);
  const cases = map.of ? [] : [...store.lists.cases.values()];
  if (store.state === "running" || !map.marks)
    for (const c of cases) point("circle", "engine", c.name, c.points?.[map.component] ?? {});
  for (const row of measured(map.component)) point("plus", "measured", row.file, { Wc: row.Wc ?? row.W, PR: row.PR });
  const lines = cases.map((c) => c.trail?.[map.component] ?? []).filter((way) => way.length > 1);
  return { marks, lines: lines.map((way) => ({ x: way.map((p) => p[0]), y: way.map((p) => p[1]), of: "way" })) };
}

/** The lines through the answers of each speed, in the order of their throttles, until there is a map. */
function speedLines(map) {
  const speeds = new Map();
  for (const r of store.lists.runs.values()) {
    const at = r.component === map.component && r.state === "converged" && r.asked?.N ? placeOf(map, r) : null;
    if (at) speeds.set(r.asked.N, [...(speeds.get(r.asked.N) ?? []), { at, throttle: r.asked.throttle }]);
  }
  return [...speeds.values()].map((of) => {
    of.sort((a, b) => a.throttle - b.throttle);
    return { x: of.map((p) => p.at.Wc), y: of.map((p) => p.at.PR) };
  });
}

/** A map with what is live on it, or that alone. */
function layers(map, { marks, lines }, svg) {
  const label = `points on the map of ${map.name}`;
  if (!svg) return chart(label, [...speedLines(map), ...lines], { marks, x: "W, kg/s", y: "PR" });
  const frame = svg.dataset.frame.split(" ").map(Number);
  const { width: w, height } = svg.viewBox.baseVal;
  const swap = svg.dataset.over === "PR" ? (o) => ({ ...o, x: o.y, y: o.x }) : (o) => o;
  const over = chart(label, lines.map(swap), { marks: marks.map(swap), frame, w, h: height });
  return h("div.layers", svg, over);
}

let wanted = null; // {component, text} of a new run, from a click

/** The speed and the throttle of a place on a map, among the answers; null: too few. */
function place(map, x, y) {
  const known = [...store.lists.runs.values()].flatMap((r) => {
    const { Wc, PR } = placeOf(map, r) ?? {};
    const at = r.component === map.component && r.state === "converged" && r.run.match(/-n([\d.]+)-k([+-]\d+\.\d+)/);
    return at && Wc && PR ? [{ p: Wc, q: PR, n: Number(at[1]), k: Number(at[2]) }] : [];
  });
  const of = plane(known, x, y);
  return of && { n: of((p) => p.n), throttle: Math.exp(of((p) => p.k)) };
}

/** Offers a run at the place of a click on a map. */
function offer(map, e, draw) {
  const svg = e.target.closest("svg.chart, svg.over");
  if (!svg || !store.control || e.target.closest("a")) return;
  const point = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const [x, y] = svg.at(point.x, point.y);
  const at = place(map, x, y);
  const name = map.component;
  const text = at ? `${name} n=${number(at.n, 4)} % throttle=${number(at.throttle, 4)}` : `${name} n= % throttle=`;
  wanted = { map: map.name, x, y, text };
  draw();
}

const glyphs = { circle: "●", square: "■", cross: "✕", diamond: "◆", triangle: "▲", plus: "+" };

function section(map, draw) {
  const now = live(map);
  const svg = drawingOf(map, draw);
  if (!svg && !now.marks.length) return h("section", h("h2", map.name), h("p.note", "No point yet."));
  const keys = legend.filter(([, of]) => now.marks.some((m) => m.of === of));
  const rows = [["flow, kg/s", "PR", "what"], ...now.marks.map((m) => [m.x, m.y, m.title])];
  const running = store.control && store.state === "running" && !map.of;
  return h(
    "section",
    h("h2", map.name),
    h("div", { onclick: (e) => !map.of && offer(map, e, draw) }, layers(map, now, svg)),
    wanted?.map === map.name && store.control && newRun(wanted),
    running && h("p.note", "A click on the map offers a run there."),
    h(
      "p.legend",
      keys.map(([shape, of, text]) => h("span", h("span.key." + of, glyphs[shape]), " " + text)),
    ),
    fold(
      "map " + map.name,
      "The numbers",
      false,
      csv(map.name + ".csv", () => rows),
      table(rows[0], rows.slice(1)),
    ),
  );
}

export const mapView = {
  title: "Map",
  draw(main) {
    const draw = () => location.hash.endsWith("map") && mapView.draw(main);
    const list = maps();
    if (!list.length) return main.replaceChildren(h("p", "No component is zoomed, and no map is kept."));
    main.replaceChildren(...list.map((map) => section(map, draw)));
  },
};
