// A chart of marks and lines in two dimensions: axes with round numbers, and shapes that differ without colour.

import { h, number, ticks } from "./dom.js";

const W = 760,
  H = 460,
  left = 64,
  right = 16,
  top = 12,
  bottom = 44;

/** Shapes of marks: differ in form as well as in colour. */
export const shapes = {
  circle: (x, y) => h("circle", { cx: x, cy: y, r: 5 }),
  square: (x, y) => h("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9 }),
  cross: (x, y) => h("path", { d: `M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x - 5} ${y + 5}L${x + 5} ${y - 5}` }),
  diamond: (x, y) => h("path", { d: `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z` }),
  triangle: (x, y) => h("path", { d: `M${x} ${y - 6}L${x + 6} ${y + 5}L${x - 6} ${y + 5}Z` }),
};

/**
 * Draws lines {x, y, of} and marks {x, y, shape, of, title, href}.
 * @returns {any} an svg element
 */
export function chart(lines, marks, xTitle, yTitle, label) {
  const xs = [...lines.flatMap((l) => l.x), ...marks.map((m) => m.x)].filter(Number.isFinite);
  const ys = [...lines.flatMap((l) => l.y), ...marks.map((m) => m.y)].filter(Number.isFinite);
  const range = (list) => {
    const least = Math.min(...list),
      greatest = Math.max(...list),
      span = greatest - least,
      pad = 0.05 * (span > 1e-9 * Math.abs(greatest) ? span : Math.abs(least) || 1);
    return [least - pad, greatest + pad];
  };
  const [x0, x1] = range(xs),
    [y0, y1] = range(ys);
  const X = (x) => left + ((x - x0) / (x1 - x0)) * (W - left - right);
  const Y = (y) => H - bottom - ((y - y0) / (y1 - y0)) * (H - top - bottom);
  const svg = h("svg.chart", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label });
  for (const t of ticks(x0, x1, 8))
    svg.append(
      h("path.grid", { d: `M${X(t)} ${top}V${H - bottom}` }),
      h("text.tick", { x: X(t), y: H - bottom + 16, "text-anchor": "middle" }, number(t, 6)),
    );
  for (const t of ticks(y0, y1, 6))
    svg.append(
      h("path.grid", { d: `M${left} ${Y(t)}H${W - right}` }),
      h("text.tick", { x: left - 6, y: Y(t) + 4, "text-anchor": "end" }, number(t, 6)),
    );
  svg.append(
    h("text.title", { x: (left + W - right) / 2, y: H - 8, "text-anchor": "middle" }, xTitle),
    h(
      "text.title",
      { x: 0, y: 0, "text-anchor": "middle", transform: `translate(14 ${(top + H - bottom) / 2}) rotate(-90)` },
      yTitle,
    ),
  );
  for (const l of lines) {
    const d = l.x.map((x, i) => `${i ? "L" : "M"}${X(x).toFixed(1)} ${Y(l.y[i]).toFixed(1)}`).join("");
    svg.append(h("path.line" + (l.of ? "." + l.of : ""), { d }));
    if (l.text) svg.append(h("text.tick", { x: X(l.x[0]), y: Y(l.y[0]) - 5, "text-anchor": "middle" }, l.text));
  }
  for (const m of marks) {
    if (!Number.isFinite(m.x) || !Number.isFinite(m.y)) continue;
    const g = h("g.mark." + m.of, {}, (shapes[m.shape] ?? shapes.circle)(X(m.x), Y(m.y)), h("title", {}, m.title));
    svg.append(m.href ? link(m.href, m.title, g) : g);
  }
  return svg;
}

/** A link inside of a picture. */
function link(href, title, child) {
  const a = document.createElementNS("http://www.w3.org/2000/svg", "a");
  a.setAttribute("href", href);
  a.setAttribute("aria-label", title);
  a.append(child);
  return a;
}
