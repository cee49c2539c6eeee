// The likeliest next tokens of a step; choosing one writes it instead.

import { element, percent, update } from "../dom.js";

/** A list of candidates as buttons, which are used again from step to step. */
export class Choices {
  constructor(force) {
    this.force = force;
    this.node = element("ol", { className: "candidates" });
    this.items = [];
  }

  show(step) {
    const { candidates, token } = step;
    while (this.items.length < candidates.length) this.add();
    const most = Math.max(1e-9, ...candidates.map((each) => each.probability));
    this.items.forEach((item, place) => {
      const each = candidates[place];
      item.node.hidden = !each;
      if (!each) return;
      item.candidate = each;
      update(item.name, "", each.label);
      update(item.number, "", percent(each.probability));
      update(item.button, "aria-pressed", String(each.id === token));
      update(item.button, "--share", (each.probability / most).toFixed(3));
    });
  }

  add() {
    const item = { name: element("bdi"), number: element("span", { className: "number" }) };
    item.button = element("button", {
      type: "button",
      className: "candidate",
      title: "Write this, and go on from here",
      children: [item.name, item.number],
      on: { click: () => item.button.getAttribute("aria-pressed") === "false" && this.force(item.candidate) },
    });
    item.node = element("li", { children: [item.button] });
    this.items.push(item);
    this.node.append(item.node);
  }
}

/** What is particular about a step, in a sentence or two. */
export function remarks(trace, step, place) {
  const found = [];
  if (step.given) found.push("The weights of this step were set by hand.");
  if (place < trace.begun) found.push("This token was given.");
  else if (step.candidates[0].id !== step.token) {
    found.push("Not the likeliest token here: the search found that it leads to a better whole.");
  }
  return found.join(" ");
}
