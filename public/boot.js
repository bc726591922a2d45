// Starts the page. A file of its own, so that the security policy can forbid inline scripts.
const preloaded = (kind) => document.querySelector(`head > link[rel="${kind}"]`);

try {
  // Beside the page's own code, which is on its way already.
  const frame = "embed" in document.documentElement.dataset && (await import("./frame.js"));
  const code = await import(preloaded("modulepreload").href);
  const { href, dataset } = preloaded("preload");
  await code.default({ module_or_path: fetch(href, { integrity: dataset.integrity }) });
  frame && frame.drawn();
} catch (error) {
  const status = document.getElementById("starting");
  if (status) {
    status.textContent =
      "Foretoken could not start. It needs a browser with WebAssembly, and all of its files: " +
      "reloading may help, and so may a newer browser.";
  }
  throw error;
}
