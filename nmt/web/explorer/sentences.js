// The test set as a table, with the translations of the chosen run; a sentence opens in the player.

import { element } from "../dom.js";
import { sentenceTable } from "../report/table.js";

export class Sentences {
  constructor({ runs, languages, open }) {
    Object.assign(this, { runs, languages, open, tables: [] });
    this.node = element("section", { className: "card", "aria-label": "Sentences of the test set" });
  }

  show(chosen) {
    const run = chosen in this.runs ? chosen : 0; // an address can say any number
    this.node.replaceChildren((this.tables[run] ??= this.table(this.runs[run])));
  }

  /** The table of a run, made when it is first looked at. */
  table({ label, sentences }) {
    const node = element("div");
    const name = element("bdi", { text: label });
    if (!sentences.length)
      node.append(element("p", { className: "about", children: [name, " has no evaluated test set on this page."] }));
    else {
      if (this.runs.length > 1)
        node.append(element("p", { className: "about", children: ["Translations of ", name, ". To see another run's, choose it above."] }));
      sentenceTable(node, sentences, { languages: this.languages, onOpen: this.open });
    }
    return node;
  }
}
