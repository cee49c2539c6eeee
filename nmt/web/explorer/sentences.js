// The test set as a table; a sentence opens in the player.

import { element } from "../dom.js";
import { sentenceTable } from "../report/table.js";

export class Sentences {
  constructor({ rows, languages, open }) {
    this.node = element("section", { className: "card", "aria-label": "Sentences of the test set" });
    this.fill = () => sentenceTable(this.node, rows, { languages, onOpen: open });
  }

  show() {
    this.fill?.(); // when it is first looked at
    this.fill = null;
  }
}
