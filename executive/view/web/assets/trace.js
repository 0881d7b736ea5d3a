// The trace of the study, or of a file: pictures of the server at the time that is shown, and what its processes do.

import { ask, choose, picture as fetched, store } from "./store.js";
import {
  check,
  csv,
  cut,
  decoded,
  duration,
  facts,
  h,
  number,
  refocused,
  rowHead,
  runHref,
  shown,
  table,
} from "./dom.js";
import { textAt } from "./chart.js";
import { onTime, time } from "./play.js";

/** What a picture shows, for its caption; those of sums are drawn from the begin to the time that is shown. */
const sums = { matrix: "bytes until then", kiviat: "share of the time until then" };
const most = 200; // rows of processes
const pause = 500; // ms between two questions to the server while a trace is played
const natural = new Intl.Collator("en", { numeric: true });
const order = ["blocked", "perturbed", "idle", "overhead", "busy", "inactive"];

let place = null; // the elements of the tab
let seen = null; // the last answer of the server
let fault = "";
let drawn = ""; // address of the picture
let moving = null; // an animation: {svg, from, to, length, messages, layer}
let busy = false;
let again = false;

const view = () => {
  const [, name] = decoded(location.hash.slice(1)).split("=");
  return seen?.views.includes(name) ? name : "animation";
};

/** The time that is shown, s, as the server reads it. */
const at = () => (time.at === null ? null : time.at / 1000);

/** Asks for the state at the time that is shown, and again if it has changed meanwhile. */
async function refresh() {
  again = busy;
  if (busy) return;
  busy = true;
  try {
    do {
      again = false;
      try {
        seen = await ask("/api/trace" + (at() === null ? "" : "?at=" + at()));
        fault = "";
        await picture();
      } catch (error) {
        fault = error.message;
      }
      if (place?.isConnected) drawState();
      if (time.going) await new Promise((done) => setTimeout(done, pause));
    } while (again && place?.isConnected);
  } finally {
    busy = false;
  }
}

/** Draws the picture, if it is another one than before. */
async function picture() {
  const name = view();
  const [from, to] = name in sums ? [seen.begin, seen.time] : name === "animation" ? seen.moving : seen.drawn;
  const query = new URLSearchParams({ view: name, from, to });
  for (const run of store.chosen) query.append("chosen", run);
  if (name !== "animation" && !(name in sums)) query.append("at", seen.time);
  const address = "/api/trace/picture?" + query;
  if (drawn === address && place.picture.firstChild) return;
  if (name === "animation") {
    const svg = await fetched(address);
    place.picture.replaceChildren(svg);
    svg.pauseAnimations();
    svg.addEventListener("click", (e) => choose(e.target.closest("[data-process]")?.dataset.process));
    const messages = [...svg.querySelectorAll("[data-begin]")].map((g) => ({ g, ...g.dataset }));
    const layer = h("g");
    messages[0]?.g.before(layer);
    for (const { g } of messages) g.remove();
    moving = { svg, from, to, messages, layer, length: parseFloat(svg.querySelector("animate")?.getAttribute("dur")) };
  } else {
    const alt = `${name} of the trace; the table below has its processes`;
    const image = h(name in sums ? "img.square" : "img", { src: address, alt });
    await image.decode().catch(() => ask(address)); // which has the reason
    place.picture.replaceChildren(image);
    moving = null;
  }
  drawn = address;
}

/** Moves the animation to the time that is shown. Only the messages under way are in the picture: the others cost time. */
function move() {
  if (!moving || !seen) return;
  const part = Math.max(0, Math.min(0.9999, ((at() ?? seen.end) - moving.from) / (moving.to - moving.from || 1)));
  for (const { g, begin, end } of moving.messages) {
    const under = begin <= part && part < end;
    if (under && !g.parentNode) moving.layer.append(g);
    if (!under && g.parentNode) g.remove();
  }
  moving.svg.setCurrentTime(part * moving.length);
}

/** The call under way of each process of the animation, below its name. */
function calls() {
  for (const shape of moving?.svg.querySelectorAll("[data-process]") ?? []) {
    const { process, x, y } = shape.dataset;
    const text = shape.querySelector(".call") ?? shape.appendChild(textAt(".call", "middle", x, Number(y) + 25));
    text.textContent = cut(seen.processes[process]?.region ?? "", 12);
  }
}

const since = (t) => duration(Math.max(0, seen.time - t));
const names = (list) => list.slice(0, 6).join(", ") + (list.length > 6 ? ` and ${list.length - 6} more` : "");

/** What is held and awaited. */
function waits() {
  const row = (w) => [
    w.for,
    names(w.holders) || (w.for === "message" ? "any process" : "not known"),
    names(w.waiters),
    since(w.since),
  ];
  const head = ["awaited", "holder or sender", "waiting", "for"];
  return seen.waits.length ? table(head, seen.waits.map(row)) : h("p", "No process waits.");
}

function processRow([name, p]) {
  const run = name.split("/")[0];
  const mark = check("", store.chosen.has(name), () => choose(name), { id: "mark-" + name });
  const text = store.lists.runs.has(run) ? h("a", { href: runHref(run) }, name) : name;
  return [
    rowHead(h("label", mark, " ", text)),
    [h("span.activity." + p.state), p.state, seen.stuck.includes(name) ? " – stuck" : ""],
    p.region,
    p.blocked_on,
    p.records ? since(p.since) : "",
    p.queue,
    p.records,
  ];
}

function processes() {
  const rank = ([name, p]) => (store.chosen.has(name) ? -2 : seen.stuck.includes(name) ? -1 : order.indexOf(p.state));
  const all = Object.entries(seen.processes).sort((a, b) => rank(a) - rank(b) || natural.compare(a[0], b[0]));
  const head = ["process", "state", "call under way", "waits for", "for", "queue", "records"];
  const rows = () => [
    [...head.slice(0, 4), "since, s", "queue", "records"],
    ...all.map(([name, p]) => [name, p.state, p.region, p.blocked_on, p.since, p.queue, p.records]),
  ];
  const count = (all.length > most ? `The first ${most} of ` : "") + `${all.length} processes. `;
  return [h("p.note", count, csv("processes.csv", rows)), table(head, all.slice(0, most).map(processRow))];
}

/** The light of the whole, and how far the page is. */
function status() {
  const { last } = seen;
  const stuck = seen.stuck.map((name) => {
    const on = seen.processes[name]?.blocked_on;
    return name + (on ? " waits for " + on : " waits");
  });
  return [
    h("p", h("span.light." + seen.together, seen.together), " ", names(stuck)),
    facts([
      ["last read", `${seen.records} records, to ${number(seen.end - seen.begin, 6)} s`],
      ["last applied", last ? [last.process, last.kind, last.name].filter(Boolean).join(" ") : "none"],
      ["clock", `${number(seen.time - seen.begin, 6)} s`],
      ["held back", `${seen.records - seen.passed} records`],
      ["under way", `${seen.under_way} messages`],
      ["late", `${seen.late} records`],
      ["lost", `${seen.lost} records`],
      ["not read", seen.problems ? `${seen.problems} places` : ""],
    ]),
  ];
}

function drawState() {
  place.fault.textContent = shown(fault);
  if (!seen) return;
  const now = view();
  place.views.replaceChildren(
    ...seen.views.map((name) =>
      h("a", { href: "#trace=" + name, "aria-current": name === now ? "true" : null, id: "trace-" + name }, name),
    ),
  );
  const count = Object.keys(seen.processes).length;
  const [from, to] = now === "animation" ? seen.moving : seen.drawn;
  const part = now in sums || to - from >= (seen.end - seen.begin) * 0.999;
  place.caption.textContent = [
    sums[now],
    !part && `${number(from - seen.begin, 6)} to ${number(to - seen.begin, 6)} s of the trace`,
    count > seen.rows && `the ${seen.rows} busiest of ${count} processes`,
  ]
    .filter(Boolean)
    .join("; ");
  place.status.replaceChildren(...status());
  place.waits.replaceChildren(waits());
  refocused(() => place.processes.replaceChildren(...processes()));
  calls();
  move();
}

onTime(() => {
  if (!place?.isConnected) return;
  move();
  refresh();
});

export const traceView = {
  title: "Trace",
  draw(main) {
    if (!place?.isConnected) {
      const part = (name, what = "div") => (place[name] = h(what + "." + name));
      place = h("div.trace");
      place.append(
        part("fault", "p"),
        part("status"),
        h("nav.bar", { "aria-label": "Pictures" }, part("views", "span")),
        h("figure", part("caption", "figcaption"), part("picture")),
        h("h2", "Held and awaited"),
        part("waits"),
        h("h2", "Processes"),
        part("processes"),
      );
      main.replaceChildren(place);
    }
    if (Date.now() - (place.asked ?? 0) < 1000 && place.address === location.hash && place.choices === store.choices)
      return;
    [place.asked, place.address, place.choices] = [Date.now(), location.hash, store.choices];
    refresh();
  },
};
