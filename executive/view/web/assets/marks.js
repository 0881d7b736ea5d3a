// Notes, tags and keep marks of people on the study and its runs.

import { ask, file, store } from "./store.js";
import { h, shown } from "./dom.js";
import { acts, line } from "./steer.js";

const on = (run) => store.lists.marks.get(run) ?? {};

/** The tags of a run and of its study, and whether it is kept, as words. */
export const marksOf = (run) =>
  [...(on("").tags ?? []), ...(on(run).tags ?? []), on(run).kept || on("").kept ? "kept" : ""]
    .filter(Boolean)
    .join(" ");

/** The marks on a run, or on the study, and the handles to change them. It draws itself into a place. */
export function drawMarks(place, run) {
  const { tags = [], kept, notes = [] } = on(run);
  const state = JSON.stringify([tags, kept, notes, store.control]);
  if (place.dataset.state === state) return; // what is being typed stays
  place.dataset.state = state;
  const told = h("span.fault", { role: "alert" });
  const set = async (name, text = "") => {
    try {
      told.textContent = "";
      await ask("/api/note", { run, name, text });
      return true;
    } catch (error) {
      told.textContent = shown(error.message);
      return false;
    }
  };
  const may = store.control && !file;
  const button = (title, act, name, rest) =>
    acts(title, act, () => line(run, name, rest(), "studies"), { "aria-label": title });
  const input = (name, size) => {
    const field = h("input", { size, "aria-label": name, placeholder: name });
    const give = async () => {
      if (field.value.trim() && (await set(name, field.value))) field.value = "";
    };
    field.addEventListener("keydown", (e) => e.key === "Enter" && give());
    return [field, button(name, give, name, () => [field.value.trim() || name.toUpperCase()])];
  };
  const tag = (t) =>
    h(
      "span.badge.tag",
      t,
      may &&
        button(
          "×",
          () => set("untag", t),
          "tag",
          () => [t, "--remove"],
        ),
    );
  const keep = () => set(kept ? "unkeep" : "keep");
  place.replaceChildren(
    may || tags.length || kept || notes.length ? h("h3", run ? "Notes" : "Notes on the study") : "",
    h(
      "div.bar",
      tags.map(tag),
      kept && !may ? h("span.badge.tag", "kept") : null,
      may && [
        input("tag", 12),
        button(kept ? "no longer keep" : "keep", keep, "keep", () => (kept ? ["--remove"] : [])),
        input("note", 40),
        told,
      ],
    ),
    ...notes.map((n) => h("p.remark", h("span.note", `${new Date(n.time).toLocaleString()}, ${n.by}: `), n.text)),
  );
}
