// What is wrong: warnings by severity and age, each with its evidence.

import { store } from "./store.js";
import { clock, h, number, shown } from "./dom.js";

const rank = { error: 0, warning: 1, info: 2 };

/** A table of warnings. */
export function table(list) {
  const rows = [...list].sort((a, b) => (rank[a.severity] ?? 1) - (rank[b.severity] ?? 1) || b.id - a.id);
  return h(
    "div.wide",
    {},
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["", "time", "of", "iteration", "what", "rule"].map((t) => h("th", { scope: "col" }, t)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((w) =>
          h(
            "tr",
            {},
            h("td", {}, h("span.badge." + w.severity, {}, w.severity)),
            h("td", {}, clock(w.time)),
            h(
              "td",
              {},
              w.run
                ? h("a", { href: "#run=" + encodeURIComponent(w.run) }, shown(w.run))
                : shown(w.component || w.case || "study"),
            ),
            h("td.number", {}, number(w.iteration || "", 7)),
            h(
              "td",
              {},
              w.would ? "would have: " : "",
              shown(w.message),
              w.line ? h("pre.evidence", {}, shown(w.file) + ": " + shown(w.line)) : null,
            ),
            h("td", {}, shown(w.rule)),
          ),
        ),
      ),
    ),
  );
}

export const warningsView = {
  title: "Warnings",
  count: () => [...store.lists.warnings.values()].filter((w) => w.severity !== "info" && !w.would).length,
  draw(main) {
    const list = [...store.lists.warnings.values()];
    main.replaceChildren(list.length ? table(list) : h("p", {}, "No warning."));
  },
};
