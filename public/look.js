// Settles before the first paint how the page looks; src/app/theme.rs and app.rs keep to it.
{
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  if (query.has("embed")) root.dataset.embed = "";
  let theme = query.get("theme");
  try {
    theme ??= localStorage.getItem("foretoken-theme");
  } catch {
    // A sandboxed frame has no storage.
  }
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
}
