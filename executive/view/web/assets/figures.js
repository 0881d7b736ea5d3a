// Pictures of transients, sweeps and runs: curves, profiles, times.

import { chart, colour } from "./chart.js";
import { duration, h, number, shown, ticks } from "./dom.js";
import { measured, store, unitOf } from "./store.js";

const figure = (title, note, picture) =>
  picture
    ? h("figure", {}, h("figcaption", {}, h("b", {}, shown(title)), h("span.note", {}, " " + shown(note))), picture)
    : "";

const thinned = (c) => (c.thinned ? " (thinned: least and greatest values are kept)" : "");

/** The outputs of a transient over time. */
export function transient(name) {
  return (store.lists.transients.get(name)?.columns ?? []).map((c) => {
    const unit = unitOf(c.dim);
    const line = { x: c.x ?? [], y: (c.y ?? []).map(unit.of), of: "c0" };
    return figure(c.path, unit.name + thinned(c), chart(c.path, [line], { w: 460, h: 170 }));
  });
}

/** The collected quantities of a sweep over its last axis, with a line for each combination of the other axes. */
export function sweep(name) {
  const s = store.lists.sweeps.get(name);
  const columns = s?.Columns ?? [];
  const axes = columns.findIndex((c) => !c.Axis);
  if (axes < 1) return [];
  const along = axes - 1;
  const value = (row, i) => ((row.Values?.[i] ?? null) === null ? NaN : unitOf(columns[i].Dim).of(row.Values[i]));
  return columns.slice(axes, axes + 8).map((column, k) => {
    const lines = new Map();
    for (const row of s.Rows ?? []) {
      const x = value(row, along),
        y = value(row, axes + k);
      if (!row.Converged || !Number.isFinite(x) || !Number.isFinite(y)) continue;
      const end = columns.slice(0, along).map((c, i) => `${number(value(row, i), 3)} ${unitOf(c.Dim).name}`.trim());
      const key = end.join(", ");
      if (!lines.has(key)) lines.set(key, { points: [], end: shown(key) });
      lines.get(key).points.push([x, y]);
    }
    const drawn = [...lines.values()].map((l, i, { length }) => {
      l.points.sort((a, b) => a[0] - b[0]);
      const of = length > 8 ? "cx" : colour(i); // many are in order of the axis
      return { x: l.points.map((p) => p[0]), y: l.points.map((p) => p[1]), end: l.end, of };
    });
    const unit = unitOf(columns[along].Dim).name;
    const note = `${unitOf(column.Dim).name} over ${columns[along].Path}${unit ? ", " + unit : ""}`;
    return figure(column.Path, note, chart(column.Path, drawn, { w: 460, h: 240 }));
  });
}

const last = (c, digits) =>
  (c.odd ?? null) !== null && (!c.x.length || c.odd >= c.x.at(-1))
    ? "not finite from " + number(c.odd, 9)
    : number(c.y.at(-1), digits);

const residuals = (run) =>
  Object.entries(run?.curves ?? {})
    .filter(([name]) => name.startsWith("residual"))
    .map(([name, c], i) => ({ ...c, name: name.replace(/^residual_/, ""), of: colour(i) }));

/** The residual with the highest last value, as high as a line of text. */
export function spark(run, tone) {
  const worst = residuals(run).reduce((a, b) => (a && a.y.at(-1) >= b.y.at(-1) ? a : b), null);
  return [worst ? chart("residual", [{ ...worst, of: tone }], { small: true, log: true, w: 110, h: 22 }) : null];
}

/** The residuals, values and profiles of a run: {curves, values, profiles, sign}. */
export function curves(run) {
  const list = residuals(run);
  const sign = run.sign ? { at: run.sign, text: "first sign" } : null;
  const picture = chart("residuals", list, { log: true, w: 460, h: 220, sign });
  const legend = list.map((c) => h("span", {}, h("i." + c.of), shown(c.name) + " ", h("span.note", {}, last(c, 3))));
  const values = (run.values ?? []).map((name) => {
    const c = run.curves[name];
    const line = { ...c, of: "c0" };
    return figure(name, last(c, 5), chart(name, [line], { small: true, w: 150, h: 44 }) ?? h("span", {}, "–"));
  });
  const profiles = (run.profiles ?? []).map((p) =>
    figure(p.name, p.note, chart(p.name, [{ x: p.values, y: p.along, of: "c0" }], { w: 200, h: 180 })),
  );
  const note = list.some((c) => c.thinned) ? thinned({ thinned: true }) : "";
  const first = figure("Residuals", note, picture);
  if (first) first.append(h("p.legend", {}, legend));
  return [first, h("div.values", {}, values), h("div.profiles", {}, profiles)];
}

/** What the files and the answer of a run report: {reasons, notes, changes, numbers ...}, around its pictures. */
export function found(run, name, pictures) {
  const row = store.lists.runs.get(name);
  const texts = (list) =>
    list.length
      ? h(
          "ul.reasons",
          {},
          list.map((text) => h("li", {}, shown(text))),
        )
      : null;
  const fold = (title, ...inside) => h("details", {}, h("summary.note", {}, title), ...inside);
  const several = (n, noun) => `${n} further ${noun}${n === 1 ? "" : "s"}`;
  const reasons = run.reasons ?? [],
    first = reasons.slice(0, 4),
    others = reasons.slice(4),
    hidden = run.hidden ?? [],
    left = run.further - hidden.length;
  const tones = { converged: "good", ended: "neutral", limit: "fair", stopped: "fair" };
  const note = (n) => {
    const said = n.Kind === "status";
    const kind = said ? run.line_end || n.Name : n.Kind;
    const tone = said
      ? run.line_end
        ? "neutral"
        : (tones[n.Name] ?? "bad")
      : n.Kind === "warning"
        ? "poor"
        : "neutral";
    const last = n.Last > n.Line ? `, the last in line ${n.Last}` : "";
    const place = n.File + (n.Line ? ":" + n.Line : "") + (n.Count > 1 ? ` ${n.Count} times${last}` : "");
    const text = h("p", {}, h("span.badge." + tone, {}, kind.replaceAll("_", " ")), ` ${shown(n.Text)} `);
    text.append(h("span.note", {}, shown(place)));
    const known = !n.Quote || (n.Text && n.Quote.includes(n.Text));
    return h("div.remark", {}, text, known ? null : h("pre", {}, shown(n.Quote)));
  };
  const facts = [
    ["for", [row?.component, row?.attempt > 1 && `attempt ${row.attempt}`].filter(Boolean).join(" ")],
    ["host", row?.host],
    ["files", run.files],
    ["not finite", run.non_finite?.join(", ")],
    ...Object.entries(run.numbers ?? {}).map(([key, value]) => [key, number(value, 7)]),
  ].filter(([, text]) => text);
  return [
    run.message && !first.some((text) => text.includes(run.message)) ? h("p.message", {}, shown(run.message)) : null,
    run.problem ? h("p.message.bad", {}, shown(run.problem)) : null,
    texts(first),
    others.length ? fold(several(others.length, "reason"), texts(others)) : null,
    pictures,
    hidden.length
      ? fold(
          several(run.further, "value"),
          h("p.note", {}, shown(hidden.join(" · ") + (left ? ` · and ${left} more` : ""))),
        )
      : null,
    run.notes ? [h("h4", {}, "Messages"), run.notes.map(note)] : null,
    run.more ? h("p.note", {}, `and ${run.more} more`) : null,
    run.changes
      ? h(
          "p.changes",
          {},
          run.changes.map((c) => [h("span", {}, c.name + " ", h("span.badge." + c.tone, {}, c.text)), " "]),
        )
      : null,
    facts.length
      ? h(
          "dl.facts",
          {},
          facts.map(([key, text]) => h("div", {}, h("dt", {}, shown(key)), h("dd", {}, shown(text)))),
        )
      : null,
  ]
    .flat(2)
    .filter(Boolean);
}

/** Arrays of a run: each as a picture over index and iteration, its last values as a profile. */
export function arrays(list, run) {
  return list.flatMap((a) => {
    const rows = a.rows.map((row) => row.map((v) => v ?? NaN));
    const width = Math.max(...rows.map((row) => row.length));
    if (!(width > 0)) return [];
    const all = rows.flat().filter(Number.isFinite);
    const low = all.reduce((x, y) => Math.min(x, y), Infinity),
      high = all.reduce((x, y) => Math.max(x, y), -Infinity);
    const canvas = h("canvas", {
      width,
      height: rows.length,
      role: "img",
      "aria-label": `${a.name} over index and iteration`,
    });
    const pen = canvas.getContext("2d");
    const image = pen.createImageData(width, rows.length);
    rows.forEach((row, i) => {
      for (let k = 0; k < width; k++) {
        const part = (row[k] - low) / (high - low || 1);
        const pixel = Number.isFinite(part) ? [40 + 205 * part, 60 + 150 * part, 130 - 60 * part, 255] : [0, 0, 0, 0];
        image.data.set(pixel, 4 * ((rows.length - 1 - i) * width + k));
      }
    });
    pen.putImageData(image, 0, 0);
    const last = rows.at(-1);
    const profile = [{ x: last.map((_, i) => i + 1), y: last, of: "c0" }];
    const marks = measured(store.lists.runs.get(run)?.component, run)
      .filter((m) => "index" in m && a.name in m)
      .map((m) => ({ x: m.index, y: m[a.name], shape: "plus", of: "measured", title: shown(m.file) }));
    const range = `iterations ${a.x[0]} to ${a.x.at(-1)} upwards, index 1 to ${width} to the right`;
    const colours = `from ${number(low, 4)}, blue, to ${number(high, 4)}, yellow`;
    return [
      figure(
        a.name + " over its index",
        `at iteration ${a.x.at(-1)}`,
        chart(a.name, profile, { marks, w: 460, h: 220 }),
      ),
      figure(a.name, `${range}; ${colours}${a.thinned ? "; some iterations are left out" : ""}`, canvas),
    ];
  });
}

/** The time span and the host of each attempt: a lane for each that overlaps others on its host. */
export function times() {
  const bars = [];
  for (const r of store.lists.runs.values()) {
    for (const s of r.spans ?? []) bars.push({ run: r.run, of: s.line_end ? "end" : s.class, ...s });
    if (r.state === "running" && r.began)
      bars.push({ run: r.run, of: "running", host: r.host, from: r.began, to: store.time });
  }
  for (const b of bars) [b.from, b.to] = [Date.parse(b.from) / 1000, Date.parse(b.to) / 1000];
  const good = bars.filter((b) => b.from > 0 && b.to >= b.from).sort((a, b) => a.from - b.from);
  if (!good.length) return [];
  const drawn = good.slice(0, 3000);
  const hosts = new Map([...new Set(drawn.map((b) => b.host ?? ""))].sort().map((host) => [host, []]));
  for (const b of drawn) {
    const lanes = hosts.get(b.host ?? "");
    b.lane = lanes.findIndex((until) => until <= b.from);
    if (b.lane < 0) b.lane = lanes.push(0) - 1;
    lanes[b.lane] = b.to;
  }
  const rows = [...hosts.values()].reduce((n, lanes) => n + lanes.length, 0);
  const high = rows > 16 ? Math.max(4, 320 / rows) : 20,
    most = 24, // letters of a host's name
    left = 24 + 6.5 * Math.min(most, Math.max(10, ...[...hosts.keys()].map((host) => host.length))),
    right = 866,
    begin = drawn[0].from,
    total = Math.max(1e-3, drawn.reduce((n, b) => Math.max(n, b.to), 0) - begin),
    per = total > 4 * 3600 ? 3600 : total > 240 ? 60 : 1;
  const X = (t) => left + ((t - begin) / total) * (right - left);
  const bottom = 6 + high * rows;
  const svg = h("svg.chart.times", { viewBox: `0 0 900 ${bottom + 24}`, role: "img", "aria-label": "runs over time" });
  let y = 6;
  for (const [host, lanes] of hosts) {
    for (const b of drawn.filter((b) => (b.host ?? "") === host))
      svg.append(
        h(
          "rect.bar." + b.of,
          {
            x: X(b.from),
            y: y + high * (b.lane + 0.12),
            width: Math.max(X(b.to) - X(b.from), 0.7),
            height: high * 0.76,
          },
          h("title", {}, shown(`${b.run}: ${b.line_end || b.of}, ${duration(b.to - b.from)}`)),
        ),
      );
    const name = host.length > most ? host.slice(0, most - 1) + "…" : host;
    svg.append(
      h("path.grid", { d: `M${left - 6} ${y + 1}V${y + high * lanes.length - 1}` }),
      h(
        "text.tick",
        { x: left - 12, y: y + (high * lanes.length) / 2 + 4, "text-anchor": "end" },
        shown(name),
        h("title", {}, shown(host)),
      ),
    );
    y += high * lanes.length;
  }
  for (const t of ticks(0, total / per, 8))
    svg.append(
      h("path.grid", { d: `M${X(begin + t * per)} ${bottom}v4` }),
      h("text.tick", { x: X(begin + t * per), y: bottom + 16, "text-anchor": "middle" }, number(t, 6)),
    );
  svg.append(h("text.tick", { x: 878, y: bottom + 16 }, { 1: "s", 60: "min", 3600: "h" }[per]));
  const end = good.reduce((n, b) => Math.max(n, b.to), 0);
  const busy = good.reduce((sum, b) => sum + b.to - b.from, 0);
  const date = (t) => new Date(t * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC";
  const facts = [
    ["first run began", date(begin)],
    ["last run ended", date(end)],
    ["from first to last", duration(end - begin)],
    ["sum over all runs", duration(busy)],
    ["runs at a time, on average", end > begin ? (busy / (end - begin)).toFixed(1) : "–"],
  ];
  const classes = [...new Set(drawn.map((b) => b.of))].sort();
  const words = { end: "end of a line", not_converged: "not converged" };
  const key = (of) => h("span", {}, h("i.key." + of, {}), words[of] ?? of.replaceAll("_", " "));
  return [
    h("div.wide", {}, svg),
    h("p.legend", {}, classes.map(key)),
    h(
      "dl.facts",
      {},
      facts.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text))),
    ),
    good.length > drawn.length ? h("p.note", {}, `The first ${drawn.length} of ${good.length} are drawn.`) : "",
  ];
}

/** The times of all runs, as they come. */
export const timesView = {
  title: "Times",
  count: () => 0,
  draw(main) {
    const drawn = times();
    main.replaceChildren(...(drawn.length ? drawn : [h("p", {}, "No run has begun yet.")]));
  },
};
