// The report of a page in a file: its text and tables are in the file, its pictures are drawn when they are opened.

import { file, store } from "./store.js";
import { decoded, h } from "./dom.js";
import { schematic } from "./schematic.js";
import { curves, found, spark, sweep, times, transient } from "./figures.js";

const root = document.getElementById("report");

/** The place of a run's pictures between its texts. */
const pictures = (run) => h("div.figures", { "data-draw": "pictures", "data-of": JSON.stringify(run) });

/** What each kind of place shows of its subject. */
const kinds = {
  engine: (name) => store.engine?.components && schematic(store.engine, store.lists.cases.get(name)?.result),
  transient,
  sweep,
  times,
  curves: (run) => file[run] && found(file[run], run, pictures(run)),
  pictures: (run) => curves(file[run]),
  spark: (run, place) => spark(file[run], place.closest("tr").querySelector(".badge").classList[1]),
};

/** Writes the texts of all runs, which a browser searches, and draws the pictures of what is open. */
function fill() {
  for (const kind of ['="curves"', ""])
    for (const place of root.querySelectorAll(`[data-draw${kind}]:not([data-drawn])`)) {
      if (!kind && place.closest("details:not([open])")) continue;
      place.dataset.drawn = "";
      place.append(...h("div", kinds[place.dataset.draw](JSON.parse(place.dataset.of), place)).childNodes);
    }
}

root?.addEventListener("toggle", fill, true);

export const reportView = {
  title: "Report",
  draw(main, moved) {
    if (main.firstElementChild !== root) main.replaceChildren(root);
    fill();
    if (!moved) return;
    const target = document.getElementById(decoded(location.hash.slice(1)));
    const fold = target?.closest("details");
    if (fold) fold.open = true;
    (target ?? root).scrollIntoView();
  },
};
