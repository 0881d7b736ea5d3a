// A chart of marks and lines in two dimensions: axes with round numbers, and shapes that differ without colour.

import { h, number, ticks } from "./dom.js";

/** Shapes of marks: differ in form as well as in colour. */
const shapes = {
  circle: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z",
  square: "M-4.5-4.5h9v9h-9Z",
  cross: "M-5-5L5 5M-5 5L5-5",
  diamond: "M0-6L6 0L0 6L-6 0Z",
  plus: "M-6 0H6M0-6V6",
  triangle: "M0-6L6 5L-6 5Z",
};

const arrow = "M-16 0H0M-7-6L0 0L-7 6"; // to the right, from the inside

/** The class of the i-th of several lines; those beyond the palette are grey. */
export const colour = (i) => (i < 8 ? "c" + i : "cx");

/** The least and the greatest of the finite numbers of a list; of none infinities. */
export const bounds = (list) =>
  list.reduce(([a, b], x) => (Number.isFinite(x) ? [Math.min(a, x), Math.max(b, x)] : [a, b]), [Infinity, -Infinity]);
const power = (n) => "10" + String(n).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));

/** A text in a picture at a place, by its anchor: start, middle or end. */
export const textAt = (kind, anchor, x, y, ...words) => h("text" + kind, { x, y, "text-anchor": anchor }, ...words);

/**
 * Draws lines {x, y, of, end: text at the end, odd: where it was not finite} and marks {x, y, shape, of, title, href}.
 * Options: titles x and y of the axes, log for powers of ten, width w and height h, small for a picture without axes,
 * frame for one that lies over a picture: least and greatest x with their places, then those of y; sign {at, text} for a
 * place on the x axis.
 * @returns {any} an svg element, or null without a finite point
 */
export function chart(label, lines, { marks = [], x = "", y = "", log = false, w = 760, h: H = 460, ...more } = {}) {
  const up = log ? (v) => (v ? Math.log10(Math.abs(v)) : NaN) : (v) => v;
  const [xs, ys] = [
    bounds([...lines, ...marks].flatMap((l) => l.x)),
    bounds([...lines, ...marks].flatMap((l) => l.y).map(up)),
  ];
  const { frame, sign, small = Boolean(frame) } = more;
  if (!(xs[0] <= xs[1] && ys[0] <= ys[1]) && !frame) return null;
  const [left, right, bottom, top] = frame
    ? [frame[2], w - frame[3], H - frame[6], frame[7]]
    : small
      ? [3, 4, 3, 3]
      : [y ? 64 : 52, lines.some((l) => l.end) ? 72 : 16, x ? 44 : 24, 12];
  const range = ([a, b], part) => {
    const pad = b - a > 1e-9 * Math.abs(b) ? part * (b - a) : 0.05 * (Math.abs(b) || 1);
    return [a - pad, b + pad];
  };
  const [x0, x1, , , y0, y1] = frame ?? [
    ...range(xs, marks.length ? 0.05 : 0),
    ...[0, 0],
    ...(log ? [Math.max(Math.floor(ys[0]), Math.ceil(ys[1]) - 18), Math.ceil(ys[1] + 1e-9)] : range(ys, 0.05)),
  ];
  const X = (v) => left + ((v - x0) / (x1 - x0)) * (w - left - right);
  const Y = (v) => H - bottom - ((Math.max(v, y0) - y0) / (y1 - y0)) * (H - top - bottom);
  const kind = frame ? ".over" : small ? ".small" : ".chart";
  const svg = h("svg" + kind, { viewBox: `0 0 ${w} ${H}`, role: "img", "aria-label": label });
  const grid = (d, ...text) => svg.append(h("path.grid", { d }), textAt(".tick", ...text));
  for (const t of small ? [] : ticks(x0, x1, Math.max(3, w / 95)))
    grid(`M${X(t)} ${top}V${H - bottom}`, "middle", X(t), H - bottom + 16, number(t, 6));
  for (const t of small ? [] : ticks(y0, y1, Math.max(4, H / 75)).filter((t) => !log || Number.isInteger(t)))
    grid(`M${left} ${Y(t)}H${w - right}`, "end", left - 6, Y(t) + 4, log ? power(t) : number(t, 6));
  const across = `translate(14 ${(top + H - bottom) / 2}) rotate(-90)`;
  if (x) svg.append(textAt("", "middle", (left + w - right) / 2, H - 8, x));
  if (y) svg.append(h("text", { "text-anchor": "middle", transform: across }, y));
  svg.at = (u, v) => [
    x0 + ((u - left) / (w - left - right)) * (x1 - x0),
    y0 + ((H - bottom - v) / (H - top - bottom)) * (y1 - y0),
  ];
  const taken = [];
  for (const l of lines) {
    let pen = "M";
    const d = [];
    l.x.forEach((v, i) => {
      const u = up(l.y[i] ?? NaN);
      if (!Number.isFinite(v) || !Number.isFinite(u)) return (pen = log ? pen : "M");
      d.push(pen + X(v).toFixed(1) + " " + Y(u).toFixed(1));
      pen = "L";
    });
    if (d.length === 1) d.push("h.1");
    svg.append(h("path.line" + (l.of ? "." + l.of : ""), { d: d.join("") }));
    if (Number.isFinite(l.odd)) {
      const at = X(Math.min(Math.max(l.odd, x0), x1));
      svg.append(h("path.odd", { d: `M${at - 3} ${top}l6 6m0-6l-6 6` }, h("title", "not finite")));
    }
    const last = Y(up(l.y.at(-1)));
    if (!l.end || !Number.isFinite(last) || taken.some((v) => Math.abs(v - last) < 11)) continue;
    taken.push(last);
    svg.append(textAt(".tick", "start", X(l.x.at(-1)) + 5, last + 4, l.end));
  }
  if (sign && sign.at > x0 && sign.at < x1) {
    const at = X(sign.at);
    const [anchor, beside] = at > 0.7 * w ? ["end", at - 4] : ["start", at + 4];
    svg.append(
      h("path.sign", { d: `M${at} ${top}V${H - bottom}` }),
      textAt(".tick", anchor, beside, top + 9, sign.text),
    );
  }
  const size = frame ? 0.6 : 1; // of marks
  const words = []; // the places of their texts, which do not cover each other
  const within = (v, a, b) => (frame ? Math.min(Math.max(v, a), b) : v);
  for (const m of marks) {
    if (!Number.isFinite(m.x) || !Number.isFinite(m.y)) continue;
    const [x, y] = [within(m.x, x0, x1), within(m.y, y0, y1)];
    const transform = `translate(${X(x)} ${Y(y)}) scale(${size})`;
    const outside = x !== m.x || y !== m.y; // of the frame: an arrow at its edge
    const turn = (Math.atan2(Math.sign(y - m.y), Math.sign(m.x - x)) * 180) / Math.PI;
    const shape = outside ? { d: arrow, transform: `rotate(${turn})` } : { d: shapes[m.shape] };
    const title = m.title + (outside ? ", outside of the picture" : "");
    const g = h(`g.mark.${m.of}${outside ? ".outside" : ""}`, { transform }, h("path", shape), h("title", title));
    const [u, v] = [X(x) / size, Y(y) / size];
    const apart = (o) => u > o.u + o.wide || o.u > u + 7 * m.text.length || Math.abs(v - o.v) > 11;
    if (m.text && words.every(apart)) {
      words.push({ u, v, wide: 7 * m.text.length });
      g.append(textAt(".small", "start", 9, 4, m.text));
    }
    svg.append(g);
    if (!m.href) continue;
    const a = document.createElementNS("http://www.w3.org/2000/svg", "a");
    a.setAttribute("href", m.href);
    a.setAttribute("aria-label", title);
    g.replaceWith(a);
    a.append(g);
  }
  return svg;
}
