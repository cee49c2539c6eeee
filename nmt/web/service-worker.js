// Keeps the page and the files beside it for use without a network, where the page is served by a host.

const VERSION = "{version}"; // of the page: a new one replaces what was kept
const KEPT = `${self.registration.scope} `; // caches are shared by all pages of a host
const FILES = ["./", "app.webmanifest", "icon.svg"];

self.addEventListener("install", (event) => {
  const store = async () => (await caches.open(KEPT + VERSION)).addAll(FILES);
  event.waitUntil(store().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(KEPT) && name !== KEPT + VERSION;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
});

self.addEventListener("fetch", (event) => {
  const answer = async () => {
    const kept = await caches.open(KEPT + VERSION);
    return (await kept.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  };
  event.respondWith(answer());
});
