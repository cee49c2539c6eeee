// Parts of the page that change with every step: those in view change at once, the others when the steps pause.

const PAUSE = 150; // milliseconds without a new step

export class Refreshed {
  /** `parts` are pairs of an element in `host` and a function that brings it up to date. */
  constructor(host, parts) {
    this.host = host;
    this.refresh = new Map(parts);
    this.inView = new Set(this.refresh.keys()); // until the observer knows better
    this.stale = new Set();
    this.observer = new IntersectionObserver((entries) => this.moved(entries), { rootMargin: "100px" });
    for (const node of this.refresh.keys()) this.observer.observe(node);
  }

  moved(entries) {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) this.inView.delete(target);
      else {
        this.inView.add(target);
        this.bring(target);
      }
    }
  }

  bring(node) {
    if (this.stale.delete(node)) this.refresh.get(node)();
  }

  /** There is a new step to show. */
  update() {
    for (const node of this.refresh.keys()) this.stale.add(node);
    for (const node of this.inView) this.bring(node);
    this.host.setAttribute("aria-busy", String(this.stale.size > 0));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), PAUSE);
  }

  rest() {
    for (const node of this.stale) this.bring(node);
    this.host.setAttribute("aria-busy", "false");
  }

  /** Stop; the parts are no longer shown. */
  end() {
    this.observer.disconnect();
    clearTimeout(this.timer);
  }
}
