// Keeps the page for where there is no network. Trunk.toml puts the names of the page's files here, and the hash of all.
const FILES = ["all of them"];
const VERSION = "theirs";

// Pages of one origin share its caches.
const MINE = `foretoken ${registration.scope} `;
const NAME = MINE + VERSION;
const paths = new Map(FILES.map((file) => [new URL(file, registration.scope).pathname, file]));
paths.set(new URL(registration.scope).pathname, "index.html");
// A name with a hash stands for the same content for ever.
const lasts = (file) => /-[0-9a-f]{5,}/.test(file);

async function install() {
  const cache = await caches.open(NAME);
  // What the browser kept of an earlier release may have the same name; what lasts does not travel twice.
  await cache.addAll(FILES.map((file) => new Request(file, { cache: lasts(file) ? "force-cache" : "no-cache" })));
}

async function tidy() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(MINE) && name !== NAME).map((name) => caches.delete(name)));
}

async function answer(request, file) {
  const kept = await (await caches.open(NAME)).match(file);
  // Others are asked for, so that a new release shows at once.
  if (kept && lasts(file)) return kept;
  try {
    return await fetch(request);
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

// A newer one waits until no page needs the files of this one any more.
addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("fetch", (event) => {
  const file = paths.get(new URL(event.request.url).pathname);
  if (file && event.request.method === "GET") event.respondWith(answer(event.request, file));
});
