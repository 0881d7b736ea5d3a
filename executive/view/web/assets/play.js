// The time that the page shows: a slider over the study, and the study played again. Escape leads back to the present.

import { alone, show, store } from "./store.js";
import { button, h, number } from "./dom.js";

/** The time that is shown, ms; null: the present. It may be ahead of what the server has answered for it. */
export const time = { at: null, going: false, speed: 0 };

/** What a play can go on until: the kind of an event, and its name for people. */
const goals = {
  finding: "warning",
  ended: "end of a run",
  command: "command",
  point: "point of a map",
  engine: "end of a case",
};
const records = { send: "send", receive: "receive", marker: "mark", fork: "fork", join: "join", count: "counters" };

const listeners = new Set();

/** Calls f at each change of the time that is shown: while it is played, at each picture. */
export function onTime(f) {
  listeners.add(f);
}

let range = [0, 0]; // of the slider, ms
let parts = null; // the elements
let turn = 0; // of the last choice of a time: what came before it is no longer wanted
let told = ""; // why the last step led nowhere

function tell() {
  for (const f of listeners) f();
}

/** Shows a time, ms, or an event from there; null: the present. */
async function go(at, to) {
  const mine = ++turn;
  told = "";
  time.at = at;
  await show(at, to).catch((error) => {
    if (mine !== turn) return;
    told = error.status === 404 ? "no such event" : error.message;
    time.going = false;
  });
  if (mine !== turn) return;
  if (to) time.at = store.past;
  tell();
}

/** Plays from the time that is shown, in the present from the begin, until it is stopped, or to the end. */
async function play() {
  turn++;
  time.going = true;
  if (time.at === null) time.at = range[0];
  let last = performance.now();
  let asked = null;
  while (time.going) {
    asked ??= show(time.at)
      .catch((error) => (told = error.message))
      .finally(() => (asked = null));
    const now = await new Promise(requestAnimationFrame);
    if (!time.going) break;
    time.at += Math.max(0, now - last) * time.speed;
    last = now;
    if (time.at >= range[1]) {
      time.going = false;
      return go(null);
    }
    tell();
  }
}

const stop = (then) => () => {
  time.going = false;
  return then?.();
};
const here = () => time.at ?? range[1] + 1;
const actions = {
  back: stop(() => go(here(), "previous")),
  play: () => (time.going ? stop(() => go(time.at))() : play()),
  step: stop(() => (time.at === null ? null : go(time.at, "next"))),
  now: stop(() => time.at !== null && go(null)),
};
const keys = { ",": "back", p: "play", ".": "step", Escape: "now" };

addEventListener("keydown", (e) => {
  const typing = e.target.closest?.("textarea, select, input:not([type=range], [type=checkbox])");
  const name = e.ctrlKey || e.altKey || e.metaKey || (typing && e.key !== "Escape") ? null : keys[e.key];
  if (name && parts && !parts.place.hidden) actions[name]();
});

function build(place) {
  const act = (name, text, title) => button(text, () => actions[name](), { id: "time-" + name, title });
  const slide = () => {
    time.going = false;
    const at = slider.valueAsNumber;
    go(at + Number(slider.step) > range[1] ? null : at);
  };
  const slider = h("input", { id: "moment", type: "range", "aria-label": "moment; Escape: now", oninput: slide });
  const speed = h("input", { id: "speed", type: "number", min: 0, step: "any", title: "seconds per second" });
  speed.addEventListener("input", () => speed.valueAsNumber > 0 && (time.speed = speed.valueAsNumber));
  const wish = () => {
    const kind = until.value;
    until.value = "";
    if (kind) stop(() => go(time.at ?? range[0], kind))();
  };
  const until = h(
    "select",
    { id: "until", "aria-label": "go on until", onchange: wish },
    h("option", { value: "" }, "until …"),
    Object.entries(alone() ? records : goals).map(([kind, text]) => h("option", { value: kind }, text)),
  );
  const playing = act("play", "Play", "play or stop (p)");
  place.append(
    slider,
    act("back", "Back", "to the event before (,)"),
    playing,
    act("step", "Step", "to the next event (.)"),
    until,
    h("label", "speed ", speed),
    act("now", "Now", "back to the present (Escape)"),
    h("span", { id: "time-told", role: "status" }),
  );
  return { place, slider, speed, playing };
}

/** A time of the page, ms, for people. */
export function momentText(at) {
  return alone() ? number(at / 1000 - store.trace.begin, 6) + " s" : new Date(at).toLocaleString();
}

/** One significant digit of a number. */
const round = (x) => Number(x.toPrecision(1));

/** Draws the slider and its buttons, once the study has begun. */
export function drawTime() {
  const place = document.getElementById("time");
  const begun = alone() ? store.trace.begin * 1000 : Date.parse(store.progress?.begun);
  if (!place || (Number.isNaN(begun) && !parts)) return;
  parts ??= build(place);
  const { slider, speed, playing } = parts;
  place.hidden = false;
  if (time.at === null && !Number.isNaN(begun)) {
    const end = alone() ? store.trace.end * 1000 : Date.parse(store.progress.ended ?? store.time);
    range = [begun, Math.max(begun + (alone() ? 1e-6 : 1000), end)];
    [slider.min, slider.max] = range;
    slider.step = (range[1] - range[0]) / 1000;
    time.speed ||= round((range[1] - range[0]) / 20_000); // the whole in 20 s
    if (!speed.value) speed.value = time.speed;
  }
  slider.value = time.at ?? range[1];
  slider.setAttribute("aria-valuetext", momentText(time.at ?? range[1]));
  playing.textContent = time.going ? "Stop" : "Play";
  document.getElementById("time-now").disabled = time.at === null;
  document.getElementById("time-step").disabled = time.at === null;
  document.getElementById("time-told").textContent = told;
  document.getElementById("age").setAttribute("aria-live", time.going ? "off" : "polite");
}
