// Shortcuts, a sheet that lists them, and undo and redo of edits. Loaded at the first key or edit.
import { dialogue, element, place, question } from "./tool.js";

const OFF = "foretoken-keys";
const PAUSE_MS = 400; // Edits in quick succession are undone together.
const MOST = 200;

const click = (selector) => document.querySelector(selector)?.click();
const views = () => [...document.querySelectorAll("nav [data-view]")];

const KEYS = [
  ["?", "this sheet", () => open()],
  ["1 to 6", "the view of this number", (key) => views()[Number(key) - 1]?.click()],
  ["e", "embed or cite", () => click("[data-tool=share]")],
  ["f", "files", () => click("[data-tool=files]")],
  ["r", "report", () => click("[data-tool=report]")],
  ["c", "compare", () => click("[data-tool=compare]")],
  ["t", "theme", () => click("#theme")],
  ["g", "guided tour; → and ← go through it", () => click("[data-tool=tour]")],
];

// The address lags behind the form, so that at the first edit it still says what was before.
const past = [location.hash.slice(1)];
let future = [];
let timer = setTimeout(keep, PAUSE_MS); // For the edit that this was loaded at, which may be over.

addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(keep, PAUSE_MS);
});
// Ways back and views are the browser's own to undo.
addEventListener("hashchange", keep);

function keep() {
  const link = question();
  if (link === past.at(-1)) return;
  past.push(link);
  past.splice(0, past.length - MOST);
  future = [];
}

/** Shows another question in place of this one, without an entry in the history. */
function show(link) {
  history.replaceState(null, "", `${place()}${location.search}#${link}`);
  dispatchEvent(new PopStateEvent("popstate"));
}

function undo() {
  clearTimeout(timer);
  keep();
  if (past.length < 2) return;
  future.push(past.pop());
  show(past.at(-1));
}

function redo() {
  if (future.length === 0) return;
  past.push(future.pop());
  show(past.at(-1));
}

function off() {
  try {
    return localStorage.getItem(OFF) === "off";
  } catch {
    return false; // A sandboxed frame has no storage.
  }
}

/** Does what a key stands for. */
export function press({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  if (ctrlKey || metaKey) {
    const name = key.toLowerCase();
    if (name === "y" || (name === "z" && shiftKey)) redo();
    else if (name === "z") undo();
  } else if (!altKey && (!off() || key === "?")) {
    KEYS.find(([name]) => name === key || (name === "1 to 6" && /^[1-6]$/.test(key)))?.[2](key);
  }
}

export async function open() {
  if (document.querySelector("dialog[open]")) return;
  const row = (keys, what) => element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, keys)), element("td", {}, what));
  const single = element("input", { type: "checkbox", id: "keys-single", checked: !off() });
  single.onchange = () => {
    try {
      localStorage.setItem(OFF, single.checked ? "on" : "off");
    } catch {
      // Then it lasts as long as nothing does.
    }
  };
  await dialogue(
    "Keys",
    element(
      "table",
      {},
      element(
        "tbody",
        {},
        ...KEYS.map(([keys, what]) => row(keys, what)),
        row("Ctrl+Z or ⌘Z", "undo an edit of the form"),
        row("Ctrl+Shift+Z, Ctrl+Y", "redo it"),
        row("Space, Enter or letters", "search a long list that has the keyboard"),
        row("Escape", "close an explanation or a dialogue"),
      ),
    ),
    element("div", { className: "choices" }, single, element("label", { htmlFor: "keys-single" }, "Use single keys outside of fields")),
  );
}
