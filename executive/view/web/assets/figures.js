// Pictures of transients, sweeps and runs: curves, profiles, times.

import { bounds, chart, colour, textAt } from "./chart.js";
import { cut, duration, facts, figure, h, number, thinned, ticks, words } from "./dom.js";
import { measured, store, unitOf } from "./store.js";

/** The outputs of a transient over time. */
export const transient = (name) =>
  (store.lists.transients.get(name)?.columns ?? []).map((c) => {
    const unit = unitOf(c.dim);
    const line = { x: c.x ?? [], y: (c.y ?? []).map(unit.of), of: "c0" };
    return figure(c.path, unit.name + thinned(c), chart(c.path, [line], { w: 460, h: 170 }));
  });

/** The collected quantities of a sweep over its last axis, with a line for each combination of the other axes. */
export function sweep(name) {
  const s = store.lists.sweeps.get(name);
  const columns = s?.Columns ?? [];
  const axes = columns.findIndex((c) => !c.Axis);
  if (axes < 1) return [];
  const along = axes - 1;
  const value = (row, i) => (Number.isFinite(row.Values?.[i]) ? unitOf(columns[i].Dim).of(row.Values[i]) : NaN);
  return columns.slice(axes, axes + 8).map((column, k) => {
    const lines = new Map();
    for (const row of s.Rows ?? []) {
      const point = [value(row, along), value(row, axes + k)];
      if (!row.Converged || !point.every(Number.isFinite)) continue;
      const end = columns.slice(0, along).map((c, i) => `${number(value(row, i), 3)} ${unitOf(c.Dim).name}`.trim());
      const key = end.join(", ");
      lines.set(key, [...(lines.get(key) ?? []), point]);
    }
    const drawn = [...lines].map(([end, points], i) => {
      points.sort((a, b) => a[0] - b[0]);
      const of = lines.size > 8 ? "cx" : colour(i); // many are in order of the axis
      return { x: points.map((p) => p[0]), y: points.map((p) => p[1]), end, of };
    });
    const unit = unitOf(columns[along].Dim).name;
    const note = `${unitOf(column.Dim).name} over ${columns[along].Path}${unit ? ", " + unit : ""}`;
    return figure(column.Path, note, chart(column.Path, drawn, { w: 460, h: 240 }));
  });
}

const last = (c, digits) =>
  Number.isFinite(c.odd) && (!c.x.length || c.odd >= c.x.at(-1))
    ? "not finite from " + number(c.odd, 9)
    : number(c.y.at(-1), digits);

const residuals = (run) =>
  Object.entries(run?.curves ?? {})
    .filter(([name]) => name.startsWith("residual"))
    .map(([name, c], i) => ({ ...c, name: name.replace(/^residual_/, ""), of: colour(i) }));

/** The residual with the highest last value, as high as a line of text. */
export function spark(run, tone) {
  const worst = residuals(run).reduce((a, b) => (a && a.y.at(-1) >= b.y.at(-1) ? a : b), null);
  return [worst && chart("residual", [{ ...worst, of: tone }], { small: true, log: true, w: 110, h: 22 })];
}

/** The residuals, values and profiles of a run: {curves, values, profiles, sign}. */
export function curves(run) {
  const list = residuals(run);
  const sign = run.sign ? { at: run.sign, text: "first sign" } : null;
  const picture = chart("residuals", list, { log: true, w: 460, h: 220, sign });
  const legend = list.map((c) => h("span", h("i." + c.of), c.name + " ", h("span.note", last(c, 3))));
  const values = (run.values ?? []).map((name) => {
    const line = { ...run.curves[name], of: "c0" };
    return figure(name, last(line, 5), chart(name, [line], { small: true, w: 150, h: 44 }) ?? h("span", "–"));
  });
  const profiles = (run.profiles ?? []).map((p) =>
    figure(p.name, p.note, chart(p.name, [{ x: p.values, y: p.along, of: "c0" }], { w: 200, h: 180 })),
  );
  const first = figure("Residuals", thinned(list.find((c) => c.thinned) ?? {}), picture);
  first?.append(h("p.legend", legend));
  return [first, h("div.values", values), h("div.profiles", profiles)];
}

/** What the files and the answer of a run report: {reasons, notes, changes, numbers ...}, around its pictures. */
export function found(run, name, pictures) {
  const row = store.lists.runs.get(name);
  const { reasons = [], hidden = [] } = run;
  const left = run.further - hidden.length;
  const texts = (list) =>
    list.length > 0 &&
    h(
      "ul.reasons",
      list.map((text) => h("li", text)),
    );
  const more = (n, noun, ...inside) =>
    n > 0 && h("details", h("summary.note", `${n} further ${noun}${n === 1 ? "" : "s"}`), inside);
  const note = (n) => {
    const kind = n.Kind === "status" ? run.line_end || n.Name : n.Kind;
    const until = n.Last > n.Line ? `, the last in line ${n.Last}` : "";
    const place = n.File + (n.Line ? ":" + n.Line : "") + (n.Count > 1 ? ` ${n.Count} times${until}` : "");
    const known = !n.Quote || (n.Text && n.Quote.includes(n.Text));
    const text = h("p", h("span", { class: "badge " + kind }, words(kind)), ` ${n.Text} `, h("span.note", place));
    return h("div.remark", text, !known && h("pre", n.Quote));
  };
  const known = [
    ["for", [row?.component, row?.attempt > 1 && `attempt ${row.attempt}`].filter(Boolean).join(" ")],
    ["host", row?.host],
    ["files", run.files],
    ["not finite", run.non_finite?.join(", ")],
    ...Object.entries(run.numbers ?? {}).map(([key, value]) => [key, number(value, 7)]),
  ];
  const change = (c) => [h("span", c.name + " ", h("span.badge." + c.tone, c.text)), " "];
  return [
    run.message && !reasons.slice(0, 4).some((text) => text.includes(run.message)) && h("p.message", run.message),
    run.problem && h("p.message.bad", run.problem),
    texts(reasons.slice(0, 4)),
    more(reasons.length - 4, "reason", texts(reasons.slice(4))),
    pictures,
    more(run.further, "value", h("p.note", hidden.join(" · ") + (left ? ` · and ${left} more` : ""))),
    run.notes && [h("h4", "Messages"), run.notes.map(note)],
    run.more && h("p.note", `and ${run.more} more`),
    run.changes && h("p.changes", run.changes.map(change)),
    facts(known, "dl.facts"),
  ];
}

/** Arrays of a run: each as a picture over index and iteration, its last values as a profile. */
export const arrays = (list, run) =>
  list.flatMap((a) => {
    const rows = a.rows.map((row) => row.map((v) => v ?? NaN));
    const width = Math.max(...rows.map((row) => row.length));
    if (!(width > 0)) return [];
    const [low, high] = bounds(rows.flat());
    const label = `${a.name} over index and iteration`;
    const canvas = h("canvas", { width, height: rows.length, role: "img", "aria-label": label });
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
    const y = rows.at(-1);
    const profile = [{ x: y.map((_, i) => i + 1), y, of: "c0" }];
    const marks = measured(store.lists.runs.get(run)?.component, run)
      .filter((m) => "index" in m && a.name in m)
      .map((m) => ({ x: m.index, y: m[a.name], shape: "plus", of: "measured", title: m.file }));
    const range = `iterations ${a.x[0]} to ${a.x.at(-1)} upwards, index 1 to ${width} to the right`;
    const colours = `from ${number(low, 4)}, blue, to ${number(high, 4)}, yellow`;
    const over = chart(a.name, profile, { marks, w: 460, h: 220 });
    return [
      figure(a.name + " over its index", `at iteration ${a.x.at(-1)}`, over),
      figure(a.name, `${range}; ${colours}${a.thinned ? "; some iterations are left out" : ""}`, canvas),
    ];
  });

/** The time span and the host of each attempt: a lane for each that overlaps others on its host. */
export function times() {
  const good = [...store.lists.runs.values()]
    .flatMap((r) => [
      ...(r.spans ?? []).map((s) => ({ of: s.line_end ? "end" : s.class, ...s, run: r.run })),
      ...(r.state === "running" && r.began ? [{ ...r, of: "running", from: r.began, to: store.time }] : []),
    ])
    .map((b) => ({ ...b, from: Date.parse(b.from) / 1000, to: Date.parse(b.to) / 1000, host: b.host ?? "" }))
    .filter((b) => b.from > 0 && b.to >= b.from)
    .sort((a, b) => a.from - b.from);
  if (!good.length) return [];
  const drawn = good.slice(0, 3000);
  const hosts = new Map([...new Set(drawn.map((b) => b.host))].sort().map((host) => [host, []]));
  for (const b of drawn) {
    const lanes = hosts.get(b.host);
    b.lane = lanes.findIndex((until) => until <= b.from);
    if (b.lane < 0) b.lane = lanes.push(0) - 1;
    lanes[b.lane] = b.to;
  }
  const rows = [...hosts.values()].reduce((n, lanes) => n + lanes.length, 0);
  const high = rows > 16 ? Math.max(4, 320 / rows) : 20;
  const most = 24; // letters of a host's name
  const left = 24 + 6.5 * Math.min(most, Math.max(10, ...[...hosts.keys()].map((host) => host.length)));
  const begin = drawn[0].from;
  const total = Math.max(1e-3, bounds(drawn.map((b) => b.to))[1] - begin);
  const per = total > 4 * 3600 ? 3600 : total > 240 ? 60 : 1;
  const X = (t) => left + ((t - begin) / total) * (866 - left);
  const bottom = 6 + high * rows;
  const svg = h("svg.chart.times", { viewBox: `0 0 900 ${bottom + 24}`, role: "img", "aria-label": "runs over time" });
  const bar = (b, y) => {
    const place = { x: X(b.from), y, width: Math.max(X(b.to) - X(b.from), 0.7), height: high * 0.76 };
    return h(
      "rect.bar." + b.of,
      place,
      h("title", `${b.run}: ${b.line_end || words(b.of)}, ${duration(b.to - b.from)}`),
    );
  };
  let y = 6;
  for (const [host, lanes] of hosts) {
    const tall = high * lanes.length;
    svg.append(
      ...drawn.filter((b) => b.host === host).map((b) => bar(b, y + high * (b.lane + 0.12))),
      h("path.grid", { d: `M${left - 6} ${y + 1}V${y + tall - 1}` }),
      textAt(".tick", "end", left - 12, y + tall / 2 + 4, cut(host, most), h("title", host)),
    );
    y += tall;
  }
  for (const t of ticks(0, total / per, 8)) {
    const x = X(begin + t * per);
    svg.append(h("path.grid", { d: `M${x} ${bottom}v4` }), textAt(".tick", "middle", x, bottom + 16, number(t, 6)));
  }
  svg.append(textAt(".tick", "start", 878, bottom + 16, { 1: "s", 60: "min", 3600: "h" }[per]));
  const end = bounds(good.map((b) => b.to))[1];
  const busy = good.reduce((sum, b) => sum + b.to - b.from, 0);
  const date = (t) => new Date(t * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC";
  const key = (of) => h("span", h("i.key." + of), of === "end" ? "end of a line" : words(of));
  return [
    h("div.wide", svg),
    h("p.legend", [...new Set(drawn.map((b) => b.of))].sort().map(key)),
    facts(
      [
        ["first run began", date(begin)],
        ["last run ended", date(end)],
        ["from first to last", duration(end - begin)],
        ["sum over all runs", duration(busy)],
        ["runs at a time, on average", end > begin ? (busy / (end - begin)).toFixed(1) : "–"],
      ],
      "dl.facts",
    ),
    good.length > drawn.length && h("p.note", `The first ${drawn.length} of ${good.length} are drawn.`),
  ];
}

/** The times of all runs, as they come. */
export const timesView = {
  title: "Times",
  draw(main) {
    const drawn = times();
    main.replaceChildren(h("div", drawn.length ? drawn : h("p", "No run has begun yet.")));
  },
};
