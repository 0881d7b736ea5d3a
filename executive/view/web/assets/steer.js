// The handles: pause, resume, step, stop, and the objects of a run with unit, bounds and value. Each shows its receipt,
// and the line of the command line that does the same.

import { ask, file, link, onChange, store } from "./store.js";
import { button, h, number, rowHead, table, words } from "./dom.js";

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

/** The line of the command line that does the same. */
export const line = (run, verb, rest = [], group = "steer") =>
  ["peregrine", group, verb, quoted(store.study + (run ? "/" + run : "")), ...rest.map(quoted)].join(" ");

const copied = h("p.same", { hidden: true });

/** A button that acts. While it has the focus or the pointer, the line that does the same is shown, to copy. */
export function acts(title, act, text, properties = {}) {
  const b = button(title, act, { class: "acts", disabled: link.how !== "live", ...properties });
  const tell = () => {
    const words = text();
    const done = h("span", { role: "status" });
    const copy = () => navigator.clipboard?.writeText(words).then(() => (done.textContent = " copied"));
    copied.hidden = false;
    copied.replaceChildren(h("span.note", "The same: "), h("code", words), " ", button("copy", copy), done);
    if (!copied.isConnected) document.body.append(copied);
  };
  for (const event of ["focus", "pointerenter"]) b.addEventListener(event, tell);
  return b;
}

let left = null; // the handle that had the focus when it was disabled

/** Enables the handles while the server answers, and disables them otherwise. Fields for text stay as they are. */
export function enable() {
  const off = link.how !== "live";
  const had = document.activeElement;
  if (off && had?.matches(".acts:enabled")) left = had;
  for (const handle of document.querySelectorAll(".acts")) handle.disabled = off;
  if (off || !left) return;
  if (left.isConnected && [document.body, null].includes(document.activeElement)) left.focus({ preventScroll: true });
  left = null;
}
onChange((sections) => sections.has("link") && enable());

const value = (v) => (typeof v === "number" ? number(v, 6) : v === undefined ? "" : JSON.stringify(v));

/** The objects that a command changed, with their values before and after. */
export const changes = ({ effects }) =>
  (effects ?? []).map((d) => `${d.object}: ${value(d.old ?? undefined)} → ${value(d.new ?? undefined)}`).join("; ");

/** Gives a command, and shows its receipts in a place, or why there are none. */
async function give(place, command, note) {
  place.replaceChildren(h("p.note", "given …"));
  try {
    const answer = await ask("/api/steer", command);
    const receipt = (x) => {
      const at = x.iteration ? ` at iteration ${x.iteration}` : "";
      return h(
        "p",
        h("span.badge." + x.state, words(x.state)),
        [" " + x.run + at, x.reason, changes(x)].filter(Boolean).join(": "),
      );
    };
    place.replaceChildren(...(answer.receipts ?? [answer]).map(receipt), note ? h("p.note", note) : "");
  } catch (error) {
    failed(place, error);
  }
}

const failed = (place, error) => place.replaceChildren(h("p.fault", { role: "alert" }, error.message));

/** A button that acts. With a question it asks once before. */
function sure(title, act, help, question = () => "") {
  let asked = 0;
  const name = (text, is) => {
    b.classList.toggle("sure", is);
    b.textContent = text;
  };
  const b = acts(
    title,
    () => {
      if (Date.now() - asked < 500) return; // the second click of a double click
      if (question() && !b.classList.contains("sure")) {
        asked = Date.now();
        name(question(), true);
        setTimeout(() => name(title, false), 4000);
        return;
      }
      name(title, false);
      act();
    },
    help,
  );
  return b;
}

/** What a change of an object means. */
const effects = {
  answer: "It changes the answer of the run: the cache keeps it under a key of its own, with this change.",
  numerics: "It changes the way to the answer, not the answer: the cache keeps it under a key with this change.",
  monitor: "It changes neither the answer nor its key in the cache.",
};

/** The row of an object: its value, and a new one to preview and to set. */
function row(place, run, o) {
  const input = h("input", { "aria-label": "new value of " + o.name, size: 10, placeholder: number(o.value, 6) });
  const bounded = Number.isFinite(o.min) || Number.isFinite(o.max);
  const note = `${effects[o.effect] ?? ""} It is done at the run's next safe point, the end of an iteration.`;
  const set = (dry) =>
    input.value.trim()
      ? give(place, { run, verb: "set", set: { [o.name]: input.value }, dry_run: dry }, dry && note)
      : input.focus();
  const slides = Number.isFinite(o.min) && Number.isFinite(o.max) && o.max > o.min && typeof o.value === "number";
  const slider = h("input.acts", {
    type: "range",
    min: o.min,
    max: o.max,
    step: (o.max - o.min) / 200,
    value: o.value,
    "aria-label": "slider of " + o.name,
    oninput: (e) => (input.value = number(e.target.valueAsNumber, 5) + (o.unit ? " " + o.unit : "")),
    onchange: () => o.effect !== "answer" && set(false),
  });
  const help = () => line(run, "set", [o.name + "=" + (input.value.trim() || "VALUE")]);
  const question = () => (o.effect === "answer" && input.value.trim() ? "it changes the answer: sure?" : "");
  return [
    rowHead({ title: o.doc }, o.name),
    o.value,
    o.unit,
    bounded ? `${number(o.min) || "−∞"} to ${number(o.max) || "∞"}` : "",
    o.effect,
    o.operations?.includes("actuate") && [
      slides && slider,
      input,
      " ",
      sure("preview", () => set(true), help),
      " ",
      sure("set", () => set(false), help, question),
    ],
  ];
}

/** A form for one more run of the study, at a place of a map. */
export function newRun(wanted) {
  const place = h("div.receipts", { "aria-live": "polite" });
  const input = h("input", {
    id: "new-run",
    size: 44,
    value: wanted.text,
    "aria-label": "new run: component, speed, throttle",
    oninput: () => (wanted.text = input.value),
  });
  const add = () => give(place, { run: "study", verb: "call", function: "add", argument: input.value });
  wanted.form ??= h(
    "div",
    h("h3", `One more run near ${number(wanted.x, 4)} kg/s, PR ${number(wanted.y, 4)}`),
    h(
      "div.bar",
      input,
      sure("add", add, () => line("study", "call", ["add", input.value])),
    ),
    place,
  );
  return wanted.form; // what was typed and answered stays when the map is drawn again
}

/** The handles of a run; of all runs if it has no name. */
export function handles(run) {
  if (file) return h("div");
  const place = h("div.receipts", { "aria-live": "polite" });
  const objects = h("div");
  const command = (verb, question) =>
    sure(
      verb,
      () => give(place, { run, verb }),
      () => line(run, verb),
      question,
    );
  const steps = h("input", { type: "number", min: 1, value: 1, "aria-label": "iterations" });
  const step = () => give(place, { run, verb: "step", steps: Number(steps.value) });
  const load = async () => {
    try {
      const lists = await ask("/api/objects?run=" + encodeURIComponent(run));
      const list = (lists[run || Object.keys(lists)[0]] ?? []).filter((o) => !o.name.startsWith("sensors."));
      const head = ["object", "value", "unit", "bounds", "changes", "new value"];
      const rows = list.map((o) => row(place, run, o));
      objects.replaceChildren(rows.length ? table(head, rows) : h("p.note", "No run with objects is under way."));
    } catch (error) {
      failed(objects, error);
    }
  };
  const build = () => [
    h(
      "div.bar",
      command("pause"),
      command("resume"),
      run && [sure("step", step, () => line(run, "step", [steps.value])), steps],
      command("stop", () => (run ? "stop this run: sure?" : "stop all runs: sure?")),
      sure("objects", load, () => line(run, "list")),
    ),
    objects,
    place,
  ];
  const refuse = () =>
    h(
      "p.note",
      "This page only shows. ",
      h("code", `peregrine view ${store.study} --control`),
      " lets it steer; so does ",
      h("code", line(run, "pause")),
      ".",
    );
  return h("section.handles", h("h3", run ? "Steer this run" : "Steer all runs"), store.control ? build() : refuse());
}
