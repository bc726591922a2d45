// Starts the page. A file of its own, since the security policy forbids inline scripts; a plain script rather than a
// module, since how the page looks has to be settled before the first paint.
{
  // Trunk.toml puts the program's addresses and integrity here.
  const { code, integrity, glue } = document.currentScript.dataset;
  const program = fetch(code, { integrity });
  const root = document.documentElement;
  // The answer in index.html is that of an address without a question.
  root.toggleAttribute("data-asked", location.hash.length > 1);

  // src/app/theme.rs keeps to this theme.
  const query = new URLSearchParams(location.search);
  const embed = query.get("embed");
  let theme = query.get("theme");
  if (embed !== null) {
    // The host decides, not what somebody once chose for the page itself.
    root.dataset.embed = embed;
    root.toggleAttribute("data-frameless", query.has("frameless"));
  } else {
    try {
      theme ??= localStorage.getItem("foretoken-theme");
    } catch {
      // A sandboxed frame has no storage.
    }
  }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  // Keeps the page for where there is no network, once the page has all that it fetches itself, so that nothing
  // travels twice.
  const register = async () => navigator.serviceWorker?.register("./sw.js");
  const complete = (main, observer) => {
    if (!("ready" in main.dataset)) return;
    observer.disconnect();
    register().catch(() => {}); // A sandboxed frame may not.
  };
  const awaitCompletion = (main) => {
    const observer = new MutationObserver(() => complete(main, observer));
    observer.observe(main, { attributes: true });
    complete(main, observer);
  };

  addEventListener("DOMContentLoaded", async () => {
    try {
      const { default: init, mount } = await import(glue);
      await init({ module_or_path: program });
      mount(new URL(glue, document.baseURI).href);
      if (embed === null) awaitCompletion(document.querySelector("main"));
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
  });
}
