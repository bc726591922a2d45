// Starts the page. A file of its own, so that the security policy can forbid inline scripts.

// Once the page has all that it asks for itself, so that nothing travels twice: the search of long lists, and what keeps
// the page for where there is no network.
const register = async () => navigator.serviceWorker?.register("./sw.js");
const complete = (main) =>
  new MutationObserver((_, observer) => {
    if (!("ready" in main.dataset)) return;
    observer.disconnect();
    import("./pick.js");
    register().catch(() => {}); // A sandboxed frame may not.
  }).observe(main, { attributes: true });

// Tools are loaded when they are asked for.
const tool = async (name, ...given) => (await import(`./${name}.js`)).open(...given);

addEventListener("click", ({ target }) => {
  const button = target.closest("[data-tool]");
  if (button) tool(button.dataset.tool);
});
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => {
    const { files, types } = event.dataTransfer;
    if (!types.includes("Files")) return;
    event.preventDefault();
    if (files.length) tool("files", files[0]);
  });
}

// So are shortcuts, at the first edit or key outside of a field.
const keys = () => import("./keys.js");
addEventListener("input", keys, { once: true });
addEventListener("keydown", async (event) => {
  const { key, target, ctrlKey, metaKey } = event;
  // Fields use keys themselves; only undoing a choice is not theirs.
  const fields = `input:not([type=checkbox]), textarea, dialog${ctrlKey || metaKey ? "" : ", select"}`;
  if (key.length === 1 && !target.closest(fields)) (await keys()).press(event);
});

// A comparison: the page shows its first question, and the tool all of them.
const links = location.hash.slice(1).split("~");

try {
  if (links[1]) history.replaceState(null, "", `#${links[0]}`);
  // Beside the page's own code, which is on its way already.
  const frame = "embed" in document.documentElement.dataset && (await import("./frame.js"));
  const code = await import(document.querySelector("link[rel=modulepreload]").href);
  await code.default({ module_or_path: foretokenCode });
  if (frame) frame.drawn();
  else complete(document.querySelector("main"));
  if (links[1]) tool("compare", links.slice(0, 8));
} catch (error) {
  const status = document.getElementById("starting");
  if (status) {
    status.closest("main").classList.add("failed");
    status.textContent =
      "Foretoken could not start. It needs a browser with WebAssembly, and all of its files: " +
      "reloading may help, and so may a newer browser. Your question stays in the address.";
  }
  throw error;
}
