// One run: its curves, its numbers beside those of the engine, its notes, its warnings, and the handles to act. Several
// runs: each value in one picture.

import { ask, curvesOf, file, measured, store } from "./store.js";
import { check, clock, decoded, duration, facts, figure, h, number, thinned, words } from "./dom.js";
import { arrays, found } from "./figures.js";
import { drawMarks } from "./marks.js";
import { askedOf } from "./runs.js";
import { handles } from "./steer.js";
import { tableOf as warningTable } from "./warnings.js";

/* global uPlot */

const state = { run: "", at: 0, latest: false, plots: [], place: null };

/** The curves that share a picture. */
function pictures(all) {
  const names = all.sort();
  const list = [
    { title: "Residuals", names: names.filter((name) => name.startsWith("residual")), log: true },
    { title: "Flow, kg/s", names: ["W_in", "W_out"] },
    { title: "Pressure ratio", names: ["PR"], model: "PR" },
    { title: "Efficiency", names: ["eff"] },
  ];
  const known = new Set(list.flatMap((p) => p.names));
  return [...list, ...names.filter((name) => !known.has(name)).map((name) => ({ title: name, names: [name] }))];
}
const colours = ["#0b6e99", "#c4500b", "#5b7f00", "#8a3f8f", "#c98500", "#d04f86", "#5f6b75", "#008300"];

function picture(p, curves) {
  const names = p.names.filter((name) => curves[name]?.x.length);
  if (!names.length) return null;
  const run = store.lists.runs.get(state.run);
  const laid = names
    .map((name) => ({ name, rows: measured(run?.component, state.run).filter((r) => "iteration" in r && name in r) }))
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
  const lines = names.map((label, i) => ({ label, stroke: colours[i % 8], width: 1.5, spanGaps: true }));
  for (const { name } of laid)
    lines.push({ label: name + " measured", stroke: "#d04f86", paths: () => null, points: { show: true, size: 8 } });
  const model = p.model && run?.model?.[p.model];
  if (model) {
    data.push(data[0].map(() => model));
    lines.push({ label: p.model + " of the engine", stroke: "#777", dash: [6, 4], width: 1 });
  }
  const stroke = getComputedStyle(document.body).color;
  const axis = { stroke, grid: { stroke: "rgba(128,128,128,.25)" }, ticks: { stroke: "rgba(128,128,128,.4)" } };
  const tens = (_, list) => list.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
  const marked = p.log ? { grid: { ...axis.grid, filter: tens }, ticks: { ...axis.ticks, filter: tens } } : {};
  const write = (v) => (v === null ? "" : p.log ? v.toExponential(0) : number(v, 5));
  const box = figure(p.title, thinned(curves[names[0]]), []);
  const options = {
    width: Math.min(600, Math.max(280, document.getElementById("main").clientWidth - 40)),
    height: 220,
    scales: { x: { time: false }, y: { distr: p.log ? 3 : 1 } },
    axes: [
      { ...axis, label: "iteration" },
      { ...axis, ...marked, size: 64, values: (_, list) => list.map(write) },
    ],
    series: [{ label: "iteration" }, ...lines],
  };
  state.plots.push(new uPlot(options, data, box));
  return box;
}

const numbers = (r) =>
  facts([
    ["state", r.line_end || words(r.state)],
    ["reason", r.reason],
    ["component", r.component],
    ["host", r.host],
    ["attempt", number(r.attempt)],
    ["began", clock(r.began)],
    ["time", r.wall && duration(r.wall)],
    ["iteration", number(r.iteration, 7)],
    ["residual", number(r.residual)],
    ["W in, kg/s", number(r.W_in, 6)],
    ["W out, kg/s", number(r.W_out, 6)],
    ["PR", number(r.PR, 6)],
    ["PR of the engine", number(r.model?.PR, 6)],
    ...Object.entries(askedOf(r)).map(([name, value]) => ["asked: " + name, number(value, 6)]),
  ]);

/** Draws the pictures of curves, by run, in the place of the last ones; their lines are values of a run, or runs. */
function fill(all) {
  for (const plot of state.plots.splice(0)) plot.destroy();
  const made = pictures([...new Set(all.flatMap(([, curves]) => Object.keys(curves)))]).flatMap((p) => {
    if (all.length === 1) return picture(p, all[0][1]) ?? [];
    return p.names.flatMap((title) => {
      const curves = Object.fromEntries(all.flatMap(([run, of]) => (of[title] ? [[run, of[title]]] : [])));
      return picture({ title, names: Object.keys(curves), log: p.log }, curves) ?? [];
    });
  });
  state.place.replaceChildren(...(made.length ? made : [h("p.note", "It has reported no iteration yet.")]));
}

async function load(names) {
  const { run } = state;
  const failed = () => (state.loaded = 0); // the next drawing asks again
  const all = await Promise.all(names.map(async (name) => [name, await curvesOf(name).catch(failed)]));
  if (!state.loaded || run !== state.run || !state.place?.isConnected) return;
  fill(all);
  if (file || names.length > 1 || Date.now() - state.arrays < 2000) return;
  state.arrays = Date.now(); // their file is read each time
  const list = await ask("/api/arrays?run=" + encodeURIComponent(run)).catch(() => []);
  if (run === state.run) parts.arrays.replaceChildren(...arrays(list, run).filter(Boolean));
}

let parts = null;

/** The runs of an address: one with all that is known, or several in one picture for each value. */
export const runView = (list) => ({
  draw(main, moved) {
    const names = list.split(",").map(decoded);
    const [name, one, run] = [names[0], names.length === 1, names.join()];
    const runs = names.flatMap((name) => store.lists.runs.get(name) ?? []);
    const home = h("p", h("a", { href: "#runs" }, "All runs"));
    if (one && !runs.length) return main.replaceChildren(h("p", `No run is called ${name}.`), home);
    const at = runs.reduce((sum, r) => sum + r.iteration, 0);
    if (moved || !state.place?.isConnected || state.run !== run || state.control !== store.control) {
      Object.assign(state, { run, control: store.control, arrays: 0, loaded: 0, place: h("div.curves") });
      parts = { numbers: h("div"), arrays: h("div.figures"), marks: h("div"), warnings: h("div") };
      const latest = check("the latest 100 iterations alone", state.latest, (on) => {
        state.latest = on;
        load(names);
      });
      const known = one && h("div", file?.[name] && found(file[name], name, null));
      const acts = one ? [parts.arrays, known, parts.marks, handles(name), parts.warnings] : [];
      main.replaceChildren(
        home,
        h("h2", one ? name : `${runs.length} runs`),
        parts.numbers,
        latest,
        state.place,
        ...acts,
      );
    }
    if (one) {
      parts.numbers.replaceChildren(numbers(runs[0]));
      drawMarks(parts.marks, name);
      const own = [...store.lists.warnings.values()].filter((w) => w.run === name);
      parts.warnings.replaceChildren(...(own.length ? [h("h3", "Warnings"), warningTable(own)] : []));
    }
    if (state.loaded && (at === state.at || Date.now() - state.loaded < (one ? 250 : 1000))) return;
    Object.assign(state, { at, loaded: Date.now() });
    load(names);
  },
});
