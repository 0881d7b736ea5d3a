// What is wrong: warnings by severity and age, each with its evidence; those that were not seen first.

import { file, store } from "./store.js";
import { clock, h, shown, table } from "./dom.js";

const rank = { error: 0, warning: 1, info: 2 };

/** What the browser keeps for this study, and for all: it may have no place for it. */
const kept = {
  get: (name) => {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null;
    }
  },
  set: (name, value) => {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      /* it is forgotten with the page */
    }
  },
};

let seen = null;

/** The keys of the warnings that were seen: their numbers may change when the study goes on. */
function seenOnes() {
  seen ??= new Set(kept.get("seen " + store.study) ?? []);
  return seen;
}

const key = (w) => [w.time, w.run ?? w.case ?? "", w.rule ?? ""].join(" ");
const unseen = (w) => !seenOnes().has(key(w));

function see(list, yes) {
  for (const w of list) seenOnes()[yes ? "add" : "delete"](key(w));
  kept.set("seen " + store.study, [...seenOnes()].slice(-10_000));
  dispatchEvent(new Event("hashchange")); // the count in the tab, too
}

const wanted = () => kept.get("notify") ?? {};

let called = 0; // when the user was called last

/** Calls the user for a new warning, by a notice and a sound if they are wanted. */
export function call(w) {
  const { notice, sound } = wanted();
  if (Date.now() - called < 5000) return; // thousands may come
  called = Date.now();
  const text = `${shown(w.run || w.case || store.study)}: ${shown(w.message)}`;
  try {
    if (notice && globalThis.Notification?.permission === "granted") new Notification(w.severity, { body: text });
  } catch {
    /* Android has no notices of a page alone */
  }
  if (!sound) return;
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  tone.frequency.value = w.severity === "error" ? 440 : 660;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.25);
  tone.onended = () => audio.close();
}

function wish(name, title) {
  const change = async (e) => {
    let on = e.target.checked;
    if (on && name === "notice") on = (await globalThis.Notification?.requestPermission()) === "granted";
    e.target.checked = on;
    kept.set("notify", { ...wanted(), [name]: on });
  };
  return h("label", {}, h("input", { id: name, type: "checkbox", checked: !!wanted()[name], onchange: change }), title);
}

/** Says that a table does not have all that there were. */
export function omitted(drawn, all) {
  return [
    drawn < all ? `The first ${drawn} of ${all} are shown. ` : "",
    store.progress?.omitted ? `${store.progress.omitted} earlier warnings and commands are left out.` : "",
  ];
}
export const most = 300; // rows drawn at once

/** A table of warnings. */
export function tableOf(list) {
  const all = [...list].sort(
    (a, b) => unseen(b) - unseen(a) || (rank[a.severity] ?? 1) - (rank[b.severity] ?? 1) || b.id - a.id,
  );
  const row = (w) => [
    h("span.badge." + w.severity, {}, w.severity),
    h(
      "td.why",
      {},
      w.would ? "would have: " : "",
      shown(w.message),
      w.line ? h("pre.evidence", {}, shown(w.file) + ": " + shown(w.line)) : null,
    ),
    [
      shown([w.case, w.component].filter(Boolean).join(", ")),
      w.run && (w.case || w.component) ? ", " : "",
      w.run ? h("a", { href: "#run=" + encodeURIComponent(w.run) }, shown(w.run)) : "",
      w.case || w.component || w.run ? "" : "study",
    ],
    h("td.number", {}, clock(w.time)),
    w.iteration || null,
    shown(w.rule),
    h("input", {
      id: "seen-" + w.id,
      type: "checkbox",
      checked: !unseen(w),
      "aria-label": "seen",
      onchange: (e) => see([w], e.target.checked),
    }),
  ];
  const head = ["", "what", "of", "time", "iteration", "rule", "seen"];
  const rows = all.slice(0, most);
  return h(
    "div",
    {},
    table(head, rows.map(row), (i) => (unseen(rows[i]) ? "" : ".seen")),
    h("p.note", {}, omitted(rows.length, all.length)),
  );
}

export const warningsView = {
  title: "Warnings",
  count: () => [...store.lists.warnings.values()].filter((w) => w.severity !== "info" && !w.would && unseen(w)).length,
  draw(main) {
    const list = [...store.lists.warnings.values()];
    const acts = list.filter((w) => !w.would);
    const dry = list.filter((w) => w.would);
    main.replaceChildren(
      h(
        "div.bar",
        {},
        list.some(unseen)
          ? h("button", { id: "all-seen", type: "button", onclick: () => see(list, true) }, "all seen")
          : null,
        file ? null : [wish("notice", " a notice of new ones"), wish("sound", " a sound")],
      ),
      acts.length ? tableOf(acts) : h("p", {}, "No warning."),
      ...(dry.length ? [h("h2", {}, "Dry run: actions of rules that do not act"), tableOf(dry)] : []),
    );
  },
};
