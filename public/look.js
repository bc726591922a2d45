// Asks for the page's program, which boot.js starts. Trunk.toml puts its name here.
{
  const { code, integrity } = document.currentScript.dataset;
  globalThis.foretokenCode = fetch(code, { integrity });
}

// Settles before the first paint how the page looks; src/app/theme.rs keeps to it.
{
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const embed = query.get("embed");
  let theme = query.get("theme");
  if (embed !== null) {
    // The host decides, not what somebody once chose for the page itself.
    root.dataset.embed = embed;
  } else {
    try {
      theme ??= localStorage.getItem("foretoken-theme");
    } catch {
      // A sandboxed frame has no storage.
    }
  }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
}
