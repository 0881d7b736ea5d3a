// What was commanded, by whom, and what became of it.

import { store } from "./store.js";
import { clock, h, table, words } from "./dom.js";
import { changes, handles } from "./steer.js";
import { most, omitted } from "./warnings.js";

let bar = null;

function tableOf(list) {
  const head = ["time", "of", "command", "changes", "state", "iteration", "by", "reason"];
  const row = (c) => [
    clock(c.time),
    c.run || c.case || "study",
    [c.verb, c.name, c.steps || ""].filter(Boolean).join(" "),
    changes(c),
    words(c.state),
    c.iteration || null,
    c.rule ? "rule " + c.rule : c.by,
    c.reason,
  ];
  const rows = list.reverse().slice(0, most);
  return [table(head, rows.map(row)), h("p.note", omitted(rows.length, list.length))];
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
    document.getElementById("commands").replaceChildren(...(list.length ? tableOf(list) : ["No command yet."]));
  },
};
