// The engine: its components in the order of the flow, the stations between them, and its shafts.

import { unitOf } from "./store.js";
import { h, number, shown } from "./dom.js";

const boxWide = 132,
  boxHigh = 34,
  rowHigh = 62,
  colWide = 322,
  topEdge = 6;

/**
 * Places the components: each stream runs down a column. The longest chain of components is the first column; a further
 * chain goes into the first column that has room for it.
 */
function layout(engine) {
  const parts = [],
    edges = [],
    at = new Map();
  for (const c of engine.components) {
    if (at.has(c.Name)) continue;
    at.set(c.Name, parts.length);
    parts.push({ name: c.Name, type: c.Type, row: -1, col: -1, in: [], out: [] });
  }
  for (const l of engine.links ?? []) {
    const from = at.get(l.From),
      to = at.get(l.To);
    if (from === undefined || to === undefined || from === to) continue;
    parts[from].out.push(edges.length);
    parts[to].in.push(edges.length);
    edges.push({ from, to, port: l.From + "." + l.Out, back: false });
  }
  const open = new Set(),
    done = new Set();
  const visit = (i) => {
    open.add(i);
    for (const e of parts[i].out) {
      if (open.has(edges[e].to))
        edges[e].back = true; // it closes a circle
      else if (!done.has(edges[e].to)) visit(edges[e].to);
    }
    open.delete(i);
    done.add(i);
  };
  for (const sources of [true, false]) parts.forEach((p, i) => !done.has(i) && (!sources || !p.in.length) && visit(i));
  const row = (i) => {
    const p = parts[i];
    if (p.row < 0) p.row = Math.max(0, ...p.in.filter((e) => !edges[e].back).map((e) => row(edges[e].from) + 1));
    return p.row;
  };
  const joined = parts.flatMap((p, i) => (p.in.length || p.out.length ? [i] : []));
  let rows = Math.max(0, ...joined.map((i) => row(i) + 1));
  const taken = []; // the stretches of each column
  for (;;) {
    const length = new Map(),
      next = new Map();
    let best = -1;
    for (const i of [...joined].sort((a, b) => parts[b].row - parts[a].row)) {
      if (parts[i].col >= 0) continue;
      length.set(i, 1);
      for (const e of parts[i].out) {
        const { to, back } = edges[e];
        if (!back && parts[to].col < 0 && length.get(to) + 1 > length.get(i)) {
          length.set(i, length.get(to) + 1);
          next.set(i, to);
        }
      }
      if (best < 0 || length.get(i) >= length.get(best)) best = i;
    }
    if (best < 0) break;
    const chain = [];
    for (let i = best; i !== undefined; i = next.get(i)) chain.push(parts[i]);
    const first = chain[0],
      last = chain.at(-1);
    const s = {
      from: Math.min(first.row, ...first.in.map((e) => parts[edges[e].from].row)),
      to: Math.max(last.row, ...last.out.map((e) => parts[edges[e].to].row)),
    };
    let col = taken.findIndex(
      (list) => !list.some((o) => (s.from < o.to && o.from < s.to) || (s.from === o.from && s.to === o.to)),
    );
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
  const shafts = engine.shafts ?? [];
  const left = 26 + 26 * shafts.length;
  const width = left + boxWide + colWide * (g.columns - 1) + 190,
    height = topEdge + rowHigh * (g.rows - 1) + boxHigh + 8;
  const svg = h("svg.engine", {
    viewBox: `0 0 ${width} ${height}`,
    width: Math.round(1.05 * width),
    role: "img",
    "aria-label": "flow path of " + engine.name,
  });
  const text = (of, anchor, x, y, words) => h("text" + of, { x, y, "text-anchor": anchor }, shown(words));
  const cut = (words, most) => (words.length > most ? words.slice(0, most - 1) + "…" : words);
  const center = (i) => [
    left + boxWide / 2 + colWide * g.parts[i].col,
    topEdge + boxHigh / 2 + rowHigh * g.parts[i].row,
  ];
  const spread = (s) => {
    const rows = (s.Parts ?? []).filter((n) => g.at.has(n)).map((n) => g.parts[g.at.get(n)].row);
    return Math.max(...rows) - Math.min(...rows);
  };
  [...shafts] // one that spans others is outside of them
    .sort((a, b) => spread(b) - spread(a))
    .forEach((s, k) => {
      const ends = (s.Parts ?? []).filter((n) => g.at.has(n)).map((n) => center(g.at.get(n)));
      if (!ends.length) return;
      const x = 18 + 26 * k,
        low = Math.min(...ends.map(([, y]) => y)),
        high = Math.max(...ends.map(([, y]) => y)),
        speed = result?.shafts?.[s.Name]?.N,
        middle = high - low > 60 ? (low + high) / 2 : low + 30;
      for (const [cx, cy] of ends)
        svg.append(h("path.shaft", { d: `M${x} ${cy}H${cx - boxWide / 2}` }), h("circle.shaft", { cx: x, cy, r: 2.5 }));
      svg.append(
        h("path.shaft", { d: `M${x} ${low}V${high}` }),
        h(
          "text.shaft.small",
          { transform: `translate(${x - 4} ${middle})rotate(-90)`, "text-anchor": "middle" },
          shown(s.Name) + (typeof speed === "number" ? `  ${number(speed, 5)} rpm` : ""),
        ),
      );
    });
  /** Keeps streams apart that come from above into the same box. */
  const shift = (to, i) => {
    const above = g.parts[to].in.filter((e) => !g.edges[e].back && g.parts[g.edges[e].from].col <= g.parts[to].col);
    const n = above.indexOf(i);
    return n < 0 || above.length < 2 ? 0 : 28 * ((above.length - 1) / 2 - n);
  };
  const station = (port, x, y) => {
    const s = result?.stations?.[port];
    if (!s) return;
    if (s.station) {
      const name = cut(s.station, 5),
        wide = 9 + 6 * name.length;
      svg.append(
        h("rect.pill", { x, y: y - 10, width: wide, height: 14, rx: 7 }, h("title", {}, port)),
        text(".number", "middle", x + wide / 2, y + 0.8, name),
      );
      x += wide + 5;
    }
    const values = [
      ["pressure", s.Pt],
      ["temperature", s.Tt],
      ["mass flow", s.W],
    ].map(([dimension, v]) => unitOf(dimension).text(v, 4));
    svg.append(text(".small.over", "start", x, y, values.join("  ")));
  };
  g.edges.forEach((e, i) => {
    const from = g.parts[e.from],
      to = g.parts[e.to];
    const [x1, y1] = center(e.from),
      [middle, y2] = center(e.to);
    const x2 = middle + shift(e.to, i),
      reach = Math.max(0, ...g.parts[e.to].in.map((k) => shift(e.to, k)));
    const head = (x, y, down) => h("path.head", { d: `M${x} ${y}` + (down ? "l-3.5-6h7z" : "l6-3.5v7z") });
    const between = g.parts.some((p) => p.col === from.col && p.row > from.row && p.row < to.row);
    const draw = (d, ...arrow) =>
      svg.append(
        h("path.stream" + (e.back ? ".back" : ""), { d }, h("title", {}, `${e.port} → ${to.name}`)),
        head(...arrow),
      );
    if (e.back || (from.col === to.col && between)) {
      const x = Math.max(x1, x2) + boxWide / 2 + 142; // beside the stations' values
      draw(`M${x1 + boxWide / 2} ${y1}H${x}V${y2}H${x2 + boxWide / 2 + 4}`, x2 + boxWide / 2, y2, false);
      station(e.port, x1 + boxWide / 2 + 8, y1 + (to.row > from.row ? -5 : 13));
    } else if (to.col < from.col) {
      draw(`M${x1} ${y1 + boxHigh / 2}V${y2}H${middle + boxWide / 2 + 4}`, middle + boxWide / 2, y2, false);
      station(e.port, x1 + 10, y1 + boxHigh / 2 + 17);
    } else {
      const begin = from.col === to.col ? `M${x2} ${y1 + boxHigh / 2}` : `M${x1 + boxWide / 2} ${y1}H${x2}`;
      draw(`${begin}V${y2 - boxHigh / 2 - 4}`, x2, y2 - boxHigh / 2, true);
      station(e.port, middle + reach + 10, y1 + boxHigh / 2 + 17);
    }
  });
  g.parts.forEach((p, i) => {
    const [x, y] = center(i),
      zoomed = result?.zoom?.[p.name],
      ratio = result?.components?.[p.name]?.PR,
      second = p.type.replaceAll("_", " ") + (zoomed ? ", zoomed" : "") + (ratio ? ` · PR ${number(ratio, 3)}` : "");
    svg.append(
      h(
        "g.part" + (zoomed ? ".zoomed" : ""),
        {},
        h("rect", { x: x - boxWide / 2, y: y - boxHigh / 2, width: boxWide, height: boxHigh, rx: 4 }),
        text("", "middle", x, y - 2.5, cut(p.name, 19)),
        h(
          "text.small",
          {
            x,
            y: y + 10.5,
            "text-anchor": "middle",
            textLength: second.length > 22 ? boxWide - 10 : null, // it fits into the box
            lengthAdjust: "spacingAndGlyphs",
          },
          shown(cut(second, 30)),
        ),
        h("title", {}, shown(`${p.name}: ${second}`)),
      ),
    );
  });
  return svg;
}
