// Service worker: caches the page's files, so that the page needs no network after a first visit. The build (Trunk.toml) sets both constants.
const FILES = ["all of them"]; // Names of the files.
const VERSION = "theirs"; // Checksum of their content.

// Pages of one origin share its caches: the prefix marks those of this page.
const MINE = `foretoken ${registration.scope} `;
const NAME = MINE + VERSION;
const paths = new Map(FILES.map((file) => [new URL(file, registration.scope).pathname, file]));
paths.set(new URL(registration.scope).pathname, "index.html");
// The content of a file with a hash in its name never changes.
const lasts = (file) => /-[0-9a-f]{5,}/.test(file);

async function install() {
  const cache = await caches.open(NAME);
  // The HTTP cache may hold files without a hash from an earlier release, so that these are validated. The others are not fetched twice.
  await cache.addAll(FILES.map((file) => new Request(file, { cache: lasts(file) ? "force-cache" : "no-cache" })));
}

async function tidy() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(MINE) && name !== NAME).map((name) => caches.delete(name)));
}

async function answer(request, file) {
  const kept = await (await caches.open(NAME)).match(file);
  // Files without a hash come from the network if there is one, so that a new release shows at once.
  if (kept && lasts(file)) return kept;
  try {
    return await fetch(request);
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

// A newer service worker activates when no open page uses this one any more, so that open pages keep the files of their release.
addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("fetch", (event) => {
  const file = paths.get(new URL(event.request.url).pathname);
  if (file && event.request.method === "GET") event.respondWith(answer(event.request, file));
});
