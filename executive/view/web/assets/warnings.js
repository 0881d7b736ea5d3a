// What is wrong: warnings by severity and age, each with its evidence; those that were not seen first.

import { file, store } from "./store.js";
import { button, check, clock, h, runLink, shown, table } from "./dom.js";

const rank = { error: 0, warning: 1, info: 2 };

/** What the browser keeps for this study, and for all: it may have no place for it. */
const kept = (name, ...value) => {
  try {
    if (value.length) localStorage.setItem(name, JSON.stringify(value[0]));
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null; // it is forgotten with the page
  }
};

let seen = null;

/** The keys of the warnings that were seen: their numbers may change when the study goes on. */
const seenOnes = () => (seen ??= new Set(kept("seen " + store.study) ?? []));
const key = (w) => [w.time, w.run ?? w.case ?? "", w.rule ?? ""].join(" ");
const unseen = (w) => !seenOnes().has(key(w));

function see(list, yes) {
  for (const w of list) seenOnes()[yes ? "add" : "delete"](key(w));
  kept("seen " + store.study, [...seenOnes()].slice(-10_000));
  dispatchEvent(new Event("hashchange")); // the count in the tab, too
}

const wanted = () => kept("notify") ?? {}; // notice and sound
let called = 0; // when the user was called last

/** Calls the user for a new warning, by a notice and a sound if they are wanted. */
export function call(w) {
  if (Date.now() - called < 5000) return; // thousands may come
  called = Date.now();
  const body = shown(`${w.run || w.case || store.study}: ${w.message}`);
  try {
    if (wanted().notice && globalThis.Notification?.permission === "granted") new Notification(w.severity, { body });
  } catch {
    /* Android has no notices of a page alone */
  }
  if (!wanted().sound) return;
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  tone.frequency.value = w.severity === "error" ? 440 : 660;
  tone.connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.25);
  tone.onended = () => audio.close();
}

function wish(name, title) {
  const change = async (on, e) => {
    if (on && name === "notice") on = (await globalThis.Notification?.requestPermission()) === "granted";
    e.target.checked = on;
    kept("notify", { ...wanted(), [name]: on });
  };
  return check(title, !!wanted()[name], change, { id: name });
}

/** Says that a table does not have all that there were. */
export const omitted = (drawn, all) => [
  drawn < all ? `The first ${drawn} of ${all} are shown. ` : "",
  store.progress?.omitted ? `${store.progress.omitted} earlier warnings and commands are left out.` : "",
];
export const most = 300; // rows drawn at once

/** A table of warnings. */
export function tableOf(list) {
  const all = [...list].sort(
    (a, b) => unseen(b) - unseen(a) || (rank[a.severity] ?? 1) - (rank[b.severity] ?? 1) || b.id - a.id,
  );
  const row = (w) => {
    const of = [w.case, w.component, w.run && runLink(w.run)].filter(Boolean);
    return [
      h("span.badge." + w.severity, w.severity),
      h("td.why", w.would ? "would have: " : "", w.message, w.line && h("pre.evidence", w.file + ": " + w.line)),
      of.length ? of.flatMap((x, i) => (i ? [", ", x] : [x])) : "study",
      h("td.number", clock(w.time)),
      w.iteration || null,
      w.rule,
      check("", !unseen(w), (yes) => see([w], yes), { id: "seen-" + w.id, "aria-label": "seen" }),
    ];
  };
  const head = ["", "what", "of", "time", "iteration", "rule", "seen"];
  const rows = all.slice(0, most);
  const drawn = table(head, rows.map(row), (i) => (unseen(rows[i]) ? "" : ".seen"));
  return h("div", drawn, h("p.note", omitted(rows.length, all.length)));
}

export const warningsView = {
  title: "Warnings",
  count: () => [...store.lists.warnings.values()].filter((w) => w.severity !== "info" && !w.would && unseen(w)).length,
  draw(main) {
    const list = [...store.lists.warnings.values()];
    const dry = list.filter((w) => w.would);
    const acts = list.filter((w) => !w.would);
    main.replaceChildren(
      h(
        "div.bar",
        list.some(unseen) && button("all seen", () => see(list, true), { id: "all-seen" }),
        !file && [wish("notice", "a notice of new ones"), wish("sound", "a sound")],
      ),
      acts.length ? tableOf(acts) : h("p", "No warning."),
      ...(dry.length ? [h("h2", "Dry run: actions of rules that do not act"), tableOf(dry)] : []),
    );
  },
};
