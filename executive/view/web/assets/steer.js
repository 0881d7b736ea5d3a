// The handles: pause, resume, step, stop, and the objects of a run with unit, bounds and value. Each shows its receipt,
// and the line of the command line that does the same.

import { ask, file, link, onChange, store } from "./store.js";
import { h, number, shown, table } from "./dom.js";

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

/** The line of the command line that does the same. */
export function line(run, verb, rest = [], group = "steer") {
  return ["peregrine", group, verb, quoted(store.study + (run ? "/" + run : "")), ...rest.map(quoted)].join(" ");
}

const copied = h("p.same", { hidden: true });

/** Shows, while a handle has the focus or the pointer, the line of the command line that does the same, to copy. */
export function same(handle, text) {
  const tell = () => {
    const words = text();
    const copy = () => navigator.clipboard?.writeText(words).then(() => (done.textContent = " copied"));
    const done = h("span", { role: "status" });
    copied.hidden = false;
    copied.replaceChildren(
      h("span.note", {}, "The same: "),
      h("code", {}, shown(words)),
      " ",
      h("button", { type: "button", onclick: copy }, "copy"),
      done,
    );
    if (!copied.isConnected) document.body.append(copied);
  };
  handle.addEventListener("focus", tell);
  handle.addEventListener("pointerenter", tell);
  handle.addEventListener("input", tell);
  return handle;
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

function receipts(answer) {
  return answer.receipts ?? [answer];
}

function tell(place, answer) {
  place.replaceChildren(
    ...receipts(answer).map((x) =>
      h(
        "p",
        {},
        h("span.badge." + x.state, {}, shown(x.state)),
        " ",
        shown(x.run),
        x.iteration ? ` at iteration ${x.iteration}` : "",
        x.reason ? ": " + shown(x.reason) : "",
        ...(x.effects ?? []).map(
          (d) => ` ${shown(d.object)}: ${shown(JSON.stringify(d.old))} → ${shown(JSON.stringify(d.new))}`,
        ),
      ),
    ),
  );
}

async function give(place, command, note) {
  place.replaceChildren(h("p.note", {}, "given …"));
  try {
    tell(place, await ask("/api/steer", command));
    if (note) place.append(h("p.note", {}, note));
  } catch (error) {
    place.replaceChildren(h("p.fault", { role: "alert" }, shown(error.message)));
  }
}

/** A button that acts. With a question it asks once before. */
function button(title, act, help, question = () => "") {
  let asked = 0;
  const b = h(
    "button",
    {
      type: "button",
      class: "acts",
      disabled: link.how !== "live",
      onclick: () => {
        if (Date.now() - asked < 500) return; // the second click of a double click
        if (question() && !b.classList.contains("sure")) {
          asked = Date.now();
          b.classList.add("sure");
          b.textContent = question();
          setTimeout(() => {
            b.classList.remove("sure");
            b.textContent = title;
          }, 4000);
          return;
        }
        b.classList.remove("sure");
        b.textContent = title;
        act();
      },
    },
    title,
  );
  return same(b, help);
}

/** What a change of an object means. */
const effects = {
  answer: "It changes the answer of the run: the cache keeps it under a key of its own, with this change.",
  numerics: "It changes the way to the answer, not the answer: the cache keeps it under a key with this change.",
  monitor: "It changes neither the answer nor its key in the cache.",
};

/** The row of an object: its value, and a new one to preview and to set. */
function row(place, run, o) {
  const input = h("input", {
    type: "text",
    "aria-label": "new value of " + o.name,
    size: 10,
    placeholder: number(o.value, 6),
  });
  const bounded = [o.min, o.max].some((b) => b !== null && b !== undefined);
  const set = (dry) =>
    input.value.trim()
      ? give(
          place,
          { run, verb: "set", set: { [o.name]: input.value }, dry_run: dry },
          dry && `${effects[o.effect] ?? ""} It is done at the run's next safe point, the end of an iteration.`,
        )
      : input.focus();
  const slides = Number.isFinite(o.min) && Number.isFinite(o.max) && o.max > o.min && typeof o.value === "number";
  const slider = slides
    ? h("input", {
        type: "range",
        class: "acts",
        min: o.min,
        max: o.max,
        step: (o.max - o.min) / 200,
        value: o.value,
        "aria-label": "slider of " + o.name,
        oninput: (e) => (input.value = number(Number(e.target.value), 5) + (o.unit ? " " + o.unit : "")),
        onchange: () => (o.effect === "answer" ? null : set(false)),
      })
    : null;
  const help = () => line(run, "set", [o.name + "=" + (input.value.trim() || "VALUE")]);
  return [
    h("th", { scope: "row", title: o.doc ?? "" }, shown(o.name)),
    o.value,
    shown(o.unit),
    bounded ? `${number(o.min) || "−∞"} to ${number(o.max) || "∞"}` : "",
    shown(o.effect),
    (o.operations ?? []).includes("actuate")
      ? [
          slider,
          input,
          " ",
          button("preview", () => set(true), help),
          " ",
          button(
            "set",
            () => set(false),
            help,
            () => (o.effect === "answer" && input.value.trim() ? "it changes the answer: sure?" : ""),
          ),
        ]
      : null,
  ];
}

/** A form for one more run of the study, at a place of a map. */
export function newRun(wanted) {
  const place = h("div.receipts", { "aria-live": "polite" });
  const input = h("input", {
    id: "new-run",
    type: "text",
    size: 44,
    value: wanted.text,
    "aria-label": "new run: component, speed, throttle",
    oninput: (e) => (wanted.text = e.target.value),
  });
  wanted.form ??= h(
    "div",
    {},
    h("h3", {}, `One more run near ${number(wanted.x, 4)} kg/s, PR ${number(wanted.y, 4)}`),
    h(
      "div.bar",
      {},
      input,
      button(
        "add",
        () => give(place, { run: "study", verb: "call", function: "add", argument: input.value }),
        () => line("study", "call", ["add", input.value]),
      ),
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
  const box = h("section.handles", {}, h("h3", {}, run ? "Steer this run" : "Steer all runs"));
  const command = (verb, question) =>
    button(
      verb,
      () => give(place, { run, verb }),
      () => line(run, verb),
      question,
    );
  const build = () => {
    const steps = h("input", { type: "number", min: 1, value: 1, "aria-label": "iterations", size: 4 });
    box.append(
      h(
        "div.bar",
        {},
        command("pause"),
        command("resume"),
        run
          ? [
              button(
                "step",
                () => give(place, { run, verb: "step", steps: Number(steps.value) }),
                () => line(run, "step", [steps.value]),
              ),
              steps,
            ]
          : null,
        command("stop", () => (run ? "stop this run: sure?" : "stop all runs: sure?")),
        button("objects", load, () => line(run, "list")),
      ),
      objects,
      place,
    );
  };
  const load = async () => {
    try {
      const lists = await ask("/api/objects?run=" + encodeURIComponent(run));
      const list = (lists[run || Object.keys(lists)[0]] ?? []).filter((o) => !o.name.startsWith("sensors."));
      objects.replaceChildren(
        list.length
          ? table(
              ["object", "value", "unit", "bounds", "changes", "new value"],
              list.map((o) => row(place, run, o)),
            )
          : h("p.note", {}, "No run with objects is under way."),
      );
    } catch (error) {
      objects.replaceChildren(h("p.fault", { role: "alert" }, shown(error.message)));
    }
  };
  const refuse = () =>
    box.append(
      h(
        "p.note",
        {},
        "This page only shows. ",
        h("code", {}, `peregrine view ${store.study} --control`),
        " lets it steer; so does ",
        h("code", {}, line(run, "pause")),
        ".",
      ),
    );
  (store.control ? build : refuse)();
  return box;
}
