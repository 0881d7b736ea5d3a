// The engine: its components in the order of the flow, the stations between them, and its shafts.

import { unitOf } from "./store.js";
import { textAt } from "./chart.js";
import { cut, h, number, words } from "./dom.js";

const [boxWide, boxHigh, rowHigh, colWide, topEdge] = [132, 34, 62, 322, 6];

/**
 * Places the components: each stream runs down a column. The longest chain of components is the first column; a further
 * chain goes into the first column that has room for it.
 */
function layout(engine) {
  const at = new Map();
  for (const { Name: name, Type: type } of engine.components)
    if (!at.has(name)) at.set(name, { name, type, row: -1, col: -1, in: [], out: [] });
  const parts = [...at.values()];
  const edges = [];
  for (const l of engine.links ?? []) {
    const [from, to] = [at.get(l.From), at.get(l.To)];
    if (!from || !to || from === to) continue;
    const e = { from, to, port: l.From + "." + l.Out, back: false };
    from.out.push(e);
    to.in.push(e);
    edges.push(e);
  }
  const [open, done] = [new Set(), new Set()];
  const visit = (p) => {
    open.add(p);
    for (const e of p.out) {
      e.back = open.has(e.to); // it closes a circle
      if (!e.back && !done.has(e.to)) visit(e.to);
    }
    open.delete(p);
    done.add(p);
  };
  for (const p of [...parts.filter((p) => !p.in.length), ...parts]) if (!done.has(p)) visit(p);
  const row = (p) => {
    if (p.row < 0) p.row = Math.max(0, ...p.in.filter((e) => !e.back).map((e) => row(e.from) + 1));
    return p.row;
  };
  const joined = parts.filter((p) => p.in.length || p.out.length);
  let rows = Math.max(0, ...joined.map((p) => row(p) + 1));
  const downwards = [...joined].sort((a, b) => b.row - a.row);
  const taken = []; // the stretches of each column
  for (;;) {
    const [length, next] = [new Map(), new Map()];
    let best = null;
    for (const p of downwards.filter((p) => p.col < 0)) {
      length.set(p, 1);
      for (const { to, back } of p.out)
        if (!back && to.col < 0 && length.get(to) >= length.get(p)) {
          length.set(p, length.get(to) + 1);
          next.set(p, to);
        }
      if (!best || length.get(p) >= length.get(best)) best = p;
    }
    if (!best) break;
    const chain = [];
    for (let p = best; p; p = next.get(p)) chain.push(p);
    const last = chain.at(-1);
    const s = {
      from: Math.min(best.row, ...best.in.map((e) => e.from.row)),
      to: Math.max(last.row, ...last.out.map((e) => e.to.row)),
    };
    const meets = (o) => (s.from < o.to && o.from < s.to) || (s.from === o.from && s.to === o.to);
    let col = taken.findIndex((list) => !list.some(meets));
    if (col < 0) col = taken.push([]) - 1;
    taken[col].push(s);
    for (const p of chain) p.col = col;
  }
  for (const p of parts) if (p.row < 0) [p.row, p.col] = [rows++, 0]; // without a stream, as a generator
  return { parts, edges, at, rows, columns: Math.max(1, taken.length) };
}

/** Draws the flow path of an engine with the values of a result, if there is one. */
export function schematic(engine, result) {
  const g = layout(engine);
  const shafts = (engine.shafts ?? []).map((s) => ({ ...s, on: (s.Parts ?? []).flatMap((n) => g.at.get(n) ?? []) }));
  const left = 26 + 26 * shafts.length;
  const width = left + boxWide + colWide * (g.columns - 1) + 190;
  const height = topEdge + rowHigh * (g.rows - 1) + boxHigh + 8;
  const svg = h("svg.engine", {
    viewBox: `0 0 ${width} ${height}`,
    width: Math.round(1.05 * width),
    role: "img",
    "aria-label": "flow path of " + engine.name,
  });
  const center = (p) => [left + boxWide / 2 + colWide * p.col, topEdge + boxHigh / 2 + rowHigh * p.row];
  const spread = ({ on }) => Math.max(...on.map((p) => p.row)) - Math.min(...on.map((p) => p.row));
  shafts.sort((a, b) => spread(b) - spread(a)); // one that spans others is outside of them
  shafts.forEach((s, k) => {
    if (!s.on.length) return;
    const x = 18 + 26 * k;
    const heights = s.on.map((p) => center(p)[1]);
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    const middle = high - low > 60 ? (low + high) / 2 : low + 30;
    const transform = `translate(${x - 4} ${middle})rotate(-90)`;
    const speed = result?.shafts?.[s.Name]?.N;
    for (const [cx, cy] of s.on.map(center))
      svg.append(h("path.shaft", { d: `M${x} ${cy}H${cx - boxWide / 2}` }), h("circle.shaft", { cx: x, cy, r: 2.5 }));
    svg.append(
      h("path.shaft", { d: `M${x} ${low}V${high}` }),
      h(
        "text.shaft.small",
        { transform, "text-anchor": "middle" },
        s.Name + (typeof speed === "number" ? `  ${number(speed, 5)} rpm` : ""),
      ),
    );
  });
  /** Keeps streams apart that come from above into the same box. */
  const shift = (e) => {
    const above = e.to.in.filter((o) => !o.back && o.from.col <= e.to.col);
    return above.length < 2 || !above.includes(e) ? 0 : 28 * ((above.length - 1) / 2 - above.indexOf(e));
  };
  const station = (port, x, y) => {
    const s = result?.stations?.[port];
    if (!s) return;
    if (s.station) {
      const name = cut(s.station, 5);
      const wide = 9 + 6 * name.length;
      svg.append(
        h("rect.pill", { x, y: y - 10, width: wide, height: 14, rx: 7 }, h("title", port)),
        textAt(".number", "middle", x + wide / 2, y + 0.8, name),
      );
      x += wide + 5;
    }
    const values = Object.entries({ pressure: s.Pt, temperature: s.Tt, "mass flow": s.W });
    svg.append(textAt(".small.over", "start", x, y, values.map(([dim, v]) => unitOf(dim).text(v, 4)).join("  ")));
  };
  for (const e of g.edges) {
    const { from, to } = e;
    const [[x1, y1], [middle, y2]] = [center(from), center(to)];
    const x2 = middle + shift(e);
    const between = g.parts.some((p) => p.col === from.col && p.row > from.row && p.row < to.row);
    const draw = (d, x, y, head) => {
      const title = h("title", `${e.port} → ${to.name}`);
      svg.append(h("path.stream" + (e.back ? ".back" : ""), { d }, title), h("path.head", { d: `M${x} ${y}` + head }));
    };
    const [down, sideways] = ["l-3.5-6h7z", "l6-3.5v7z"];
    if (e.back || (from.col === to.col && between)) {
      const x = Math.max(x1, x2) + boxWide / 2 + 142; // beside the stations' values
      draw(`M${x1 + boxWide / 2} ${y1}H${x}V${y2}H${x2 + boxWide / 2 + 4}`, x2 + boxWide / 2, y2, sideways);
      station(e.port, x1 + boxWide / 2 + 8, y1 + (to.row > from.row ? -5 : 13));
    } else if (to.col < from.col) {
      draw(`M${x1} ${y1 + boxHigh / 2}V${y2}H${middle + boxWide / 2 + 4}`, middle + boxWide / 2, y2, sideways);
      station(e.port, x1 + 10, y1 + boxHigh / 2 + 17);
    } else {
      const begin = from.col === to.col ? `M${x2} ${y1 + boxHigh / 2}` : `M${x1 + boxWide / 2} ${y1}H${x2}`;
      draw(`${begin}V${y2 - boxHigh / 2 - 4}`, x2, y2 - boxHigh / 2, down);
      station(e.port, middle + Math.max(0, ...to.in.map(shift)) + 10, y1 + boxHigh / 2 + 17);
    }
  }
  for (const p of g.parts) {
    const [x, y] = center(p);
    const zoomed = result?.zoom?.[p.name];
    const ratio = result?.components?.[p.name]?.PR;
    const second = words(p.type) + (zoomed ? ", zoomed" : "") + (ratio ? ` · PR ${number(ratio, 3)}` : "");
    const small = textAt(".small", "middle", x, y + 10.5, cut(second, 30));
    if (second.length > 22) small.setAttribute("textLength", boxWide - 10); // it fits into the box
    small.setAttribute("lengthAdjust", "spacingAndGlyphs");
    svg.append(
      h(
        "g.part" + (zoomed ? ".zoomed" : ""),
        h("rect", { x: x - boxWide / 2, y: y - boxHigh / 2, width: boxWide, height: boxHigh, rx: 4 }),
        textAt("", "middle", x, y - 2.5, cut(p.name, 19)),
        small,
        h("title", `${p.name}: ${second}`),
      ),
    );
  }
  return svg;
}
