// Notes, tags and keep marks of people on the study and its runs.

import { ask, file, link, store } from "./store.js";
import { h, shown } from "./dom.js";
import { line, same } from "./steer.js";

const on = (run) => store.lists.marks.get(run) ?? {};

/** The tags of a run and of its study, and whether it is kept, as words. */
export function words(run) {
  const kept = on(run).kept || on("").kept;
  return [...(on("").tags ?? []), ...(on(run).tags ?? []), kept ? "kept" : ""].filter(Boolean).join(" ");
}

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
  const command = (name, rest = []) => line(run, name, rest, "studies");
  const may = store.control && !file;
  const button = (title, act, text) =>
    same(
      h("button.acts", { type: "button", onclick: act, "aria-label": title, disabled: link.how !== "live" }, title),
      text,
    );
  const input = (name, label, size) => {
    const field = h("input", { type: "text", size, "aria-label": label, placeholder: label });
    const give = async () => {
      if (field.value.trim() && (await set(name, field.value))) field.value = "";
    };
    field.addEventListener("keydown", (e) => e.key === "Enter" && give());
    return [field, button(name, give, () => command(name, [field.value.trim() || name.toUpperCase()]))];
  };
  place.replaceChildren(
    ...(may || tags.length || kept || notes.length ? [h("h3", {}, run ? "Notes" : "Notes on the study")] : []),
    h(
      "div.bar",
      {},
      tags.map((t) =>
        h(
          "span.badge.tag",
          {},
          shown(t),
          may
            ? button(
                "×",
                () => set("untag", t),
                () => command("tag", [t, "--remove"]),
              )
            : null,
        ),
      ),
      kept && !may ? h("span.badge.tag", {}, "kept") : null,
      may
        ? [
            input("tag", "tag", 12),
            button(
              kept ? "no longer keep" : "keep",
              () => set(kept ? "unkeep" : "keep"),
              () => command("keep", kept ? ["--remove"] : []),
            ),
            input("note", "note", 40),
            told,
          ]
        : null,
    ),
    ...notes.map((n) =>
      h("p.remark", {}, h("span.note", {}, `${new Date(n.time).toLocaleString()}, ${shown(n.by)}: `), shown(n.text)),
    ),
  );
}
