// What was commanded, by whom, and what became of it.

import { store } from "./store.js";
import { clock, h, number, shown } from "./dom.js";
import { handles } from "./steer.js";

let bar = null;

const value = (v) =>
  v === null || v === undefined ? "" : typeof v === "number" ? number(v, 6) : shown(JSON.stringify(v));

function table(list) {
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
          ["time", "of", "command", "changes", "state", "iteration", "by", "reason"].map((t) =>
            h("th", { scope: "col" }, t),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        list
          .reverse()
          .map((c) =>
            h(
              "tr",
              {},
              h("td", {}, clock(c.time)),
              h("td", {}, shown(c.run || c.case || "study")),
              h("td", {}, shown([c.verb, c.name, c.steps || ""].filter(Boolean).join(" "))),
              h(
                "td",
                {},
                (c.effects ?? []).map((d) => `${shown(d.object)}: ${value(d.old)} → ${value(d.new)}`).join("; "),
              ),
              h("td", {}, shown(c.state)),
              h("td.number", {}, number(c.iteration || "", 7)),
              h("td", {}, shown(c.rule ? "rule " + c.rule : c.by)),
              h("td", {}, shown(c.reason)),
            ),
          ),
      ),
    ),
  );
}

export const commandsView = {
  title: "Commands",
  count: () => store.lists.commands.size,
  draw(main, moved) {
    if (moved || !bar?.isConnected || bar.control !== store.control) {
      bar = handles("");
      bar.control = store.control;
      main.replaceChildren(bar, h("div", { id: "commands" }));
    }
    const list = [...store.lists.commands.values()];
    document.getElementById("commands").replaceChildren(list.length ? table(list) : h("p", {}, "No command yet."));
  },
};
