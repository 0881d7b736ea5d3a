// What was commanded, by whom, and what became of it.

import { store } from "./store.js";
import { clock, h, number, shown, table } from "./dom.js";
import { handles } from "./steer.js";
import { most, omitted } from "./warnings.js";

let bar = null;

const value = (v) =>
  v === null || v === undefined ? "" : typeof v === "number" ? number(v, 6) : shown(JSON.stringify(v));

function tableOf(list) {
  const head = ["time", "of", "command", "changes", "state", "iteration", "by", "reason"];
  const change = (d) => `${shown(d.object)}: ${value(d.old)} → ${value(d.new)}`;
  const row = (c) => [
    clock(c.time),
    shown(c.run || c.case || "study"),
    shown([c.verb, c.name, c.steps || ""].filter(Boolean).join(" ")),
    (c.effects ?? []).map(change).join("; "),
    shown(c.state),
    c.iteration || null,
    shown(c.rule ? "rule " + c.rule : c.by),
    shown(c.reason),
  ];
  const rows = list.reverse().slice(0, most);
  return h("div", {}, table(head, rows.map(row)), h("p.note", {}, omitted(rows.length, list.length)));
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
    document.getElementById("commands").replaceChildren(list.length ? tableOf(list) : h("p", {}, "No command yet."));
  },
};
