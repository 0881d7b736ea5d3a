// The page: its head, its tabs, and which view is shown. A view is an object {title, draw(main), count?()}; it draws
// again when the state changes, at most once a picture. Its inputs stay as they are.

import { alone, file, follow, link, onChange, store } from "./store.js";
import { clock, decoded, duration, h, refocused, shown } from "./dom.js";
import { runsView } from "./runs.js";
import { runView } from "./run.js";
import { mapView } from "./map.js";
import { engineView } from "./engine.js";
import { call, warningsView } from "./warnings.js";
import { commandsView } from "./commands.js";
import { timesView } from "./figures.js";
import { enable } from "./steer.js";
import { traceView } from "./trace.js";
import { reportView } from "./report.js";
import { drawTime, momentText, onTime } from "./play.js";

const views = {
  ...(file ? { report: reportView } : {}),
  runs: runsView,
  map: mapView,
  engine: engineView,
  warnings: warningsView,
  commands: commandsView,
  times: timesView,
  ...(file ? {} : { trace: traceView }),
};
const prefix = file ? "view-" : ""; // of the views' fragments: in a file the others lead to its sections
const main = document.getElementById("main");
let place = "";
let waiting = false;
let held = false; // a button of the mouse is down: its target stays until the click is complete

/** The view of the address's fragment: a tab, run=NAME, or compare=NAME,NAME. */
function current() {
  let fragment = decoded(location.hash.slice(1));
  const [, runs] = location.hash.match(/^#(?:run|compare)=(.*)/) ?? [];
  if (runs !== undefined) return { name: "runs", view: runView(runs) };
  if (fragment.startsWith("trace=") || alone()) fragment = "trace";
  const known = fragment.startsWith(prefix) && Object.hasOwn(views, fragment.slice(prefix.length));
  const name = known ? fragment.slice(prefix.length) : Object.keys(views)[0];
  return { name, view: views[name] };
}

function drawHead() {
  drawTabs();
  if (file) return; // its head is in its text
  const s = store.progress;
  document.getElementById("study").textContent = shown(
    store.engine?.name ? store.engine.name + " — " + store.study : store.study,
  );
  document.title = [link.how === "lost" ? "no answer" : store.state, store.study].filter(Boolean).join(" · ");
  const state = document.getElementById("state");
  state.hidden = alone();
  state.textContent = store.state ?? "…";
  state.className = "badge " + (store.state ?? "");
  state.title = s?.text ?? "";
  const parts = s
    ? [
        `${s.done} of ${Math.max(s.planned, s.done)} runs done`,
        s.running && `${s.running} running`,
        s.cached && `${s.cached} from the cache`,
        s.failed && `${s.failed} failed`,
        store.state === "running" && s.left && `${duration(s.left)} left`,
      ]
    : [];
  document.getElementById("counts").textContent = parts.filter(Boolean).join(", ");
}

function drawTabs() {
  const tabs = document.getElementById("tabs");
  const now = current().name;
  tabs.replaceChildren(
    ...(alone() ? [["trace", traceView]] : Object.entries(views)).map(([name, view]) => {
      const n = view.count?.();
      const of = { id: "tab-" + name, href: "#" + prefix + name, role: "tab", "aria-selected": String(name === now) };
      return h("a", of, view.title, n > 0 && h("span.count", n));
    }),
  );
}

function drawAge() {
  if (file) return;
  const age = document.getElementById("age");
  const past = store.past !== null && "as it was at " + momentText(store.past);
  age.className = past && link.how === "live" ? "past" : link.how;
  drawTime();
  const anew = alone() ? "the command that served this page" : `peregrine view ${shown(store.study)}`;
  const texts = {
    live: past || "live",
    refused: `this link is not valid any more: open the one that the server printed last, or that ${anew} prints now`,
    lost:
      store.time &&
      `no answer from the server since ${clock(link.since)}; the page shows ${past || clock(store.time)}. ` +
        `If the server has ended, ${anew} prints a new link`,
  };
  age.textContent = texts[link.how] || "connecting";
}

let last = { begun: 0, cost: 0 }; // of the last drawing, with its layout, ms

function draw() {
  waiting = false;
  if (held) return;
  const mine = (last = { begun: performance.now(), cost: last.cost });
  setTimeout(() => (mine.cost = performance.now() - mine.begun));
  refocused(() => {
    drawHead();
    drawAge();
    current().view.draw(main, location.hash !== place);
  });
  enable();
  place = location.hash;
}

/** Draws at the next picture; a drawing that takes long is followed by a pause, so that the page answers its user. */
function soon() {
  if (waiting) return;
  waiting = true;
  const pause = last.begun + Math.min(5 * last.cost, 1000) - performance.now();
  if (pause > 0) setTimeout(() => requestAnimationFrame(draw), pause);
  else requestAnimationFrame(draw);
}

/** Says a new warning to those who do not see the table. */
let told = null; // the last one that was said or there at first; null: nothing is known yet
function news(sections) {
  const latest = [...store.lists.warnings.values()].pop();
  if (told === null && sections.has("state")) told = latest?.id ?? 0;
  if (told === null || !latest || store.past !== null) return;
  if (latest.id > told) {
    if (!latest.would) call(latest);
    document.getElementById("news").textContent =
      `${latest.severity}: ${shown(latest.run || latest.case || "study")}: ` + shown(latest.message);
  }
  told = latest.id;
}

onChange((sections) => {
  news(sections);
  if (sections.has("link")) drawAge();
  if (document.hidden) drawHead(); // a tab that is not seen has its title; it draws the rest when it is
  soon();
});
document.addEventListener("visibilitychange", drawHead); // a drawing that was to come may not come any more
onTime(drawAge);
addEventListener("hashchange", () => requestAnimationFrame(draw));
addEventListener("pointerdown", () => (held = true), true);
for (const end of ["pointerup", "pointercancel"]) {
  const release = () => {
    held = false;
    soon();
  };
  addEventListener(end, () => setTimeout(release), true);
}
addEventListener("beforeprint", () => file && reportView.draw(main, false));
addEventListener("afterprint", soon);
follow();
if (file && !store.state) {
  for (const name of ["map", "engine", "warnings", "commands", "times"]) delete views[name]; // it has runs alone
}
draw();
