// One run: its curves, its numbers beside those of the engine, its notes, its warnings, and the handles to act. Several
// runs: each value in one picture.

import { ask, curvesOf, file, measured, store } from "./store.js";
import { clock, decoded, duration, h, number, shown } from "./dom.js";
import { arrays, found } from "./figures.js";
import { drawMarks } from "./marks.js";
import { handles } from "./steer.js";
import { tableOf as warningTable } from "./warnings.js";

/* global uPlot */

const state = { run: "", curves: {}, at: 0, latest: false, plots: [], place: null };

/** The curves that share a picture. */
function pictures(curves) {
  const names = Object.keys(curves).sort();
  const list = [
    { title: "Residuals", names: names.filter((name) => name.startsWith("residual")), log: true },
    { title: "Flow, kg/s", names: ["W_in", "W_out"] },
    { title: "Pressure ratio", names: ["PR"], model: "PR" },
    { title: "Efficiency", names: ["eff"] },
  ];
  const known = new Set(list.flatMap((p) => p.names));
  return [...list, ...names.filter((name) => !known.has(name)).map((name) => ({ title: shown(name), names: [name] }))];
}
const colours = ["#0b6e99", "#c4500b", "#5b7f00", "#8a3f8f", "#c98500", "#d04f86", "#5f6b75", "#008300"];

function picture(p, curves) {
  const names = p.names.filter((name) => curves[name]?.x.length);
  if (!names.length) return null;
  const component = store.lists.runs.get(state.run)?.component;
  const laid = names
    .map((name) => ({ name, rows: measured(component, state.run).filter((r) => "iteration" in r && name in r) }))
    .filter(({ rows }) => rows.length);
  const joined = uPlot.join([
    ...names.map((name) => [curves[name].x, curves[name].y]), // each has its own iterations
    ...laid.map(({ name, rows }) => {
      const sorted = rows.sort((a, b) => a.iteration - b.iteration);
      return [sorted.map((r) => r.iteration), sorted.map((r) => r[name])];
    }),
  ]);
  const data = joined.map((row) => (state.latest ? row.slice(-100) : row));
  if (p.log) for (let i = 1; i < data.length; i++) data[i] = data[i].map((y) => (y > 0 ? y : null));
  const model = p.model && store.lists.runs.get(state.run)?.model?.[p.model];
  const lines = names.map((name, i) => ({
    label: name,
    stroke: colours[i % colours.length],
    width: 1.5,
    spanGaps: true,
  }));
  for (const { name } of laid)
    lines.push({ label: name + " measured", stroke: "#d04f86", paths: () => null, points: { show: true, size: 8 } });
  if (model) {
    data.push(data[0].map(() => model));
    lines.push({ label: p.model + " of the engine", stroke: "#777", dash: [6, 4], width: 1 });
  }
  const ink = getComputedStyle(document.body).color;
  const axis = { stroke: ink, grid: { stroke: "rgba(128,128,128,.25)" }, ticks: { stroke: "rgba(128,128,128,.4)" } };
  const tens = (_, list) => list.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
  const marked = p.log ? { grid: { ...axis.grid, filter: tens }, ticks: { ...axis.ticks, filter: tens } } : {};
  const box = h(
    "figure",
    {},
    h(
      "figcaption",
      {},
      p.title,
      curves[names[0]].thinned ? h("span.note", {}, " (thinned: least and greatest values are kept)") : null,
    ),
  );
  const width = Math.min(600, Math.max(280, document.getElementById("main").clientWidth - 40));
  const plot = new uPlot(
    {
      width,
      height: 220,
      scales: { x: { time: false }, y: { distr: p.log ? 3 : 1 } },
      axes: [
        { ...axis, label: "iteration" },
        {
          ...axis,
          ...marked,
          size: 64,
          values: (_, list) => list.map((v) => (v === null ? "" : p.log ? v.toExponential(0) : number(v, 5))),
        },
      ],
      series: [{ label: "iteration" }, ...lines],
    },
    data,
    box,
  );
  state.plots.push(plot);
  return box;
}

function numbers(r) {
  const rows = [
    ["state", shown(r.line_end || r.state)],
    ["reason", shown(r.reason)],
    ["component", shown(r.component)],
    ["host", shown(r.host)],
    ["attempt", number(r.attempt)],
    ["began", clock(r.began)],
    ["time", r.wall ? duration(r.wall) : ""],
    ["iteration", number(r.iteration, 7)],
    ["residual", number(r.residual)],
    ["W in, kg/s", number(r.W_in, 6)],
    ["W out, kg/s", number(r.W_out, 6)],
    ["PR", number(r.PR, 6)],
    ["PR of the engine", number(r.model?.PR, 6)],
    ["settings", shown(r.settings)],
    ...Object.entries(r.asked ?? {}).map(([name, value]) => ["asked: " + shown(name), number(value, 6)]),
  ];
  return h(
    "dl",
    {},
    rows
      .filter(([, value]) => value !== "")
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

/** Draws pictures in the place of the last ones. */
function fill(drawn) {
  for (const plot of state.plots) plot.destroy();
  state.plots = [];
  const made = drawn().filter(Boolean);
  state.place.replaceChildren(...(made.length ? made : [h("p.note", {}, "It has reported no iteration yet.")]));
}

async function load() {
  const { run } = state;
  const curves = await curvesOf(run).catch(() => (state.loaded = 0)); // 0: the next drawing asks again
  if (!curves || run !== state.run || !state.place?.isConnected) return;
  state.curves = curves;
  fill(() => pictures(curves).map((p) => picture(p, curves)));
  if (file || Date.now() - state.arrays < 2000) return;
  state.arrays = Date.now(); // their file is read each time
  const list = await ask("/api/arrays?run=" + encodeURIComponent(run)).catch(() => []);
  if (run === state.run) parts.arrays.replaceChildren(...arrays(list, run));
}

/** The curves of several runs, by value: a line for each run. */
async function loadSeveral(names) {
  const all = await Promise.all(names.map((run) => curvesOf(run).catch(() => ({}))));
  if (state.run !== names.join() || !state.place?.isConnected) return;
  const values = [...new Set(all.flatMap((curves) => Object.keys(curves)))];
  const order = pictures(Object.fromEntries(values.map((v) => [v, {}]))).flatMap((p) =>
    p.names.filter((name) => values.includes(name)).map((name) => ({ name, log: p.log })),
  );
  fill(() =>
    order.map(({ name, log }) => {
      const curves = Object.fromEntries(names.flatMap((run, i) => (all[i][name] ? [[run, all[i][name]]] : [])));
      return picture({ title: shown(name), names: Object.keys(curves), log }, curves);
    }),
  );
}

let parts = null;

/** The choice of the latest iterations. */
const latest = (load) =>
  h(
    "label",
    {},
    h("input", {
      type: "checkbox",
      checked: state.latest,
      onchange: (e) => {
        state.latest = e.target.checked;
        load();
      },
    }),
    " the latest 100 iterations alone",
  );

/** Several runs in one picture for each value. */
export function compareView(list) {
  const names = list.split(",").map(decoded);
  return {
    draw(main, moved) {
      const runs = names.map((name) => store.lists.runs.get(name)).filter(Boolean);
      const at = runs.reduce((sum, r) => sum + r.iteration, 0);
      const load = () => loadSeveral(names);
      if (moved || !state.place?.isConnected || state.run !== names.join()) {
        Object.assign(state, { run: names.join(), curves: {}, at, place: h("div.curves"), loaded: 0 });
        main.replaceChildren(
          h("p", {}, h("a", { href: "#runs" }, "All runs")),
          h("h2", {}, `${runs.length} runs`),
          latest(load),
          state.place,
        );
      }
      if (state.loaded && (at === state.at || Date.now() - state.loaded < 1000)) return;
      Object.assign(state, { at, loaded: Date.now() });
      load();
    },
  };
}

export function runView(name) {
  return {
    draw(main, moved) {
      const r = store.lists.runs.get(name);
      if (!r) {
        main.replaceChildren(
          h("p", {}, `No run is called ${shown(name)}.`),
          h("p", {}, h("a", { href: "#runs" }, "All runs")),
        );
        return;
      }
      if (moved || !state.place?.isConnected || state.run !== name || state.control !== store.control) {
        Object.assign(state, {
          run: name,
          control: store.control,
          curves: {},
          at: 0,
          arrays: 0,
          place: h("div.curves"),
        });
        parts = {
          numbers: h("div"),
          warnings: h("div"),
          handles: handles(name),
          arrays: h("div.figures"),
          found: h("div", {}, file?.[name] ? found(file[name], name, null) : null),
          marks: h("div"),
        };
        main.replaceChildren(
          h("p", {}, h("a", { href: "#runs" }, "All runs")),
          h("h2", {}, shown(name)),
          parts.numbers,
          latest(load),
          state.place,
          parts.arrays,
          parts.found,
          parts.marks,
          parts.handles,
          parts.warnings,
        );
      }
      parts.numbers.replaceChildren(numbers(r));
      drawMarks(parts.marks, name);
      const own = [...store.lists.warnings.values()].filter((w) => w.run === name);
      parts.warnings.replaceChildren(...(own.length ? [h("h3", {}, "Warnings"), warningTable(own)] : []));
      if ((r.iteration !== state.at && Date.now() - (state.loaded ?? 0) > 250) || !state.loaded || moved) {
        state.at = r.iteration;
        state.loaded = Date.now();
        load();
      }
    },
  };
}
