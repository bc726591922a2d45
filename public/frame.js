// The page inside another one: as high as its content, in its host's colours, with one figure if the address names one.
// Loaded where `?embed` asks for it. docs/embed.md describes the messages.
const root = document.documentElement;
const wanted = new URLSearchParams(location.search).get("figure");

// Which origin the host has is none of the page's business, and heights are no secret.
const tell = (message) => parent.postMessage(message, "*");

if (root.dataset.embed === "figure" && wanted) {
  const name = CSS.escape(wanted);
  const sheet = new CSSStyleSheet();
  sheet.insertRule(`.figures > :not([data-figure=${name}], [data-table=${name}]) { display: none }`);
  document.adoptedStyleSheets = [sheet];
}

/** Says in place of a figure that there is none of this name. */
function explain(main) {
  const figures = [...main.querySelectorAll(".figures > :is([data-figure], [data-table])")];
  const names = figures.map(({ dataset }) => dataset.figure ?? dataset.table);
  const missing = root.dataset.embed === "figure" && wanted && names.length > 0 && !names.includes(wanted);
  let note = document.getElementById("no-figure");
  if (!missing) return note?.remove();
  if (!note) {
    note = document.createElement("p");
    note.id = "no-figure";
    note.className = "notice";
    main.prepend(note);
  }
  const text = `This answer has no figure called ${wanted.slice(0, 40)}. It has ${names.join(", ")}`;
  // Every change of the text is seen by the observer below.
  if (note.textContent !== text) note.textContent = text;
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.foretoken !== "theme") return;
  if (data.theme === "light" || data.theme === "dark") root.dataset.theme = data.theme;
});

/** Tells the numbers of the answer, for hosts that show one of them in their text. */
function report(main) {
  if (root.dataset.embed !== "value" || !("ready" in main.dataset)) return;
  const values = {};
  for (const number of main.querySelectorAll("[data-answer]")) {
    const range = number.parentElement.querySelector("[data-range]");
    values[number.dataset.answer] = { text: number.textContent, range: range?.textContent ?? "" };
  }
  tell({ foretoken: "values", values });
}

/** Called once the page has been drawn. */
export function drawn() {
  const app = document.getElementById("app");
  const main = app.querySelector("main");
  const measure = () =>
    tell({ foretoken: "height", height: Math.ceil(app.getBoundingClientRect().bottom + scrollY) });
  new ResizeObserver(measure).observe(app);
  const look = () => (explain(main), report(main));
  new MutationObserver(look).observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-ready"] });
  look();
  tell({ foretoken: "ready" });
}
