// The likeliest next tokens of a step; choosing one writes it instead.

import { element, percent, signed, update } from "../dom.js";

/** A list of candidates as buttons, which are used again from step to step. */
export class Choices {
  constructor(force) {
    this.force = force;
    this.list = element("ol", { className: "candidates" });
    this.odds = element("p", { className: "about odds" });
    this.node = element("div", { children: [this.list, this.odds] });
    this.items = [];
  }

  show(step) {
    const { candidates, token } = step;
    while (this.items.length < candidates.length) this.add();
    this.items.forEach((item, place) => {
      const each = candidates[place];
      item.node.hidden = !each;
      if (!each) return;
      item.candidate = each;
      update(item.name, "", each.label);
      update(item.number, "", percent(each.probability));
      update(item.button, "aria-pressed", String(each.id === token));
      update(item.button, "--share", each.probability.toFixed(3));
    });
    update(this.odds, "", odds(step));
  }

  /** Focus the token that is written. */
  focus() {
    this.list.querySelector("[aria-pressed=true]")?.focus({ preventScroll: true });
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
    this.list.append(item.node);
  }
}

/** How a probability follows from logits: softmax keeps their differences, as those of log p. */
function odds({ candidates, token, logProb }) {
  const other = candidates.find((each) => each.id !== token);
  if (!other) return "";
  const difference = logProb - other.logProb;
  const times = Math.exp(difference);
  const whole = (number) => Math.round(number).toLocaleString("en");
  const often = times >= 100 ? whole(times) : times < 0.1 ? `1/${whole(1 / times)}` : times.toPrecision(2);
  const sum = `“${other.label}” ${difference < 0 ? "−" : "+"} ${Math.abs(difference).toFixed(2)}`;
  return `log p = ${signed(logProb)}: its logit is that of ${sum}, which makes it exp(${signed(difference)}) = ${often} times as likely.`;
}

/** What is particular about a step, in a sentence or two. */
export function remarks(trace, step, place) {
  const found = [];
  if (step.given) found.push("The weights of this step were set by hand.");
  if (place < trace.begun) found.push("This token was given.");
  else if (step.candidates[0].id !== step.token) {
    const why = trace.free ? ": the search found that it leads to a better whole." : ".";
    found.push(`Not the likeliest token here${why}`);
  }
  return found.join(" ");
}
