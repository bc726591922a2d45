// Search in the form's long lists, in place of the browser's own drop-down. The list itself stays what is read and
// written: without this file it opens as ever. The keyboard does what the combobox pattern of the ARIA Authoring
// Practices asks for. Loaded once the page is there.
import { element } from "./tool.js";

const LONG = 16; // Shorter lists are seen at a glance.
const PAGE = 10;

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const words = (text) => plain(text).split(/[\s\-_/(),]+/).filter(Boolean);
const joined = (text) => plain(text).replace(/[^\p{L}\p{N}]/gu, "");

/** How well a text, given in parts, is found: 2 if every word of the query begins at one of its words, 1 if it is in it. */
export function found(query, parts) {
  const asked = words(query).map(joined);
  // From each word on, whatever joins them: "gpt3 175" begins at words of "GPT-3 175B".
  const known = parts.flatMap((part) => words(part).map((_, index, all) => joined(all.slice(index).join(""))));
  if (asked.every((word) => known.some((text) => text.startsWith(word)))) return 2;
  return asked.every((word) => known.some((text) => text.includes(word))) ? 1 : 0;
}

const maker = (option) => option.closest("optgroup")?.label ?? "";
const isLong = (target) => target instanceof HTMLSelectElement && target.length > LONG && target.closest(".form") !== null;

/** Opens the list with a search that begins with this text. */
function open(list, text) {
  const label = list.labels[0]?.firstChild.textContent.trim() ?? "";
  const options = [...list.options];
  const field = element("input", {
    type: "text",
    id: "pick-text",
    value: text,
    placeholder: "Name, size or maker",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: false,
    role: "combobox",
    "aria-label": `Search: ${label}`,
    "aria-autocomplete": "list",
    "aria-expanded": "true",
    "aria-controls": "pick-list",
  });
  const choices = element("div", { id: "pick-list", role: "listbox", "aria-label": label });
  const said = element("p", { role: "status" });
  const box = element("dialog", { className: "pick", "aria-label": label }, field, choices, said);
  const gone = new AbortController();
  let shown = [];
  let active;

  const mark = (item, scroll = "nearest") => {
    active?.setAttribute("aria-selected", "false");
    active = item;
    active?.setAttribute("aria-selected", "true");
    active?.scrollIntoView({ block: scroll });
    if (active) field.setAttribute("aria-activedescendant", active.id);
    else field.removeAttribute("aria-activedescendant");
  };
  const find = () => {
    const ranks = options.map((option) => found(field.value, [option.text, option.value, maker(option)]));
    const best = Math.max(...ranks);
    const groups = new Map();
    options.forEach((option, index) => {
      if (best === 0 || ranks[index] < best) return;
      const item = element(
        "div",
        { id: `pick-${index}`, role: "option", "aria-selected": "false", "aria-disabled": String(option.disabled) },
        option.text,
      );
      const name = maker(option);
      if (!groups.has(name)) {
        const heading = element("div", { id: `pick-group-${groups.size}`, className: "pick-group", role: "presentation" }, name);
        const group = name ? { role: "group", "aria-labelledby": heading.id } : { role: "group", "aria-label": label };
        groups.set(name, element("div", group, ...(name ? [heading] : [])));
      }
      groups.get(name).append(item);
    });
    choices.replaceChildren(...groups.values());
    // A heading may come more than once in the list, and its members stand together here.
    shown = [...choices.querySelectorAll("[role=option]")];
    said.textContent = best
      ? `${shown.length} of ${options.length}`
      : "None is called that. A link or a file can describe any other (“Files”, below)";
    const current = shown.find((item) => item.id === `pick-${list.selectedIndex}`);
    mark(current ?? shown[0], current ? "center" : "nearest");
  };
  const choose = (item) => {
    if (!item || item.getAttribute("aria-disabled") === "true") return;
    const { value } = options[Number(item.id.slice("pick-".length))];
    box.close();
    // The form may have been drawn again since.
    const now = document.getElementById(list.id) ?? list;
    if (now.value === value) return;
    now.value = value;
    for (const kind of ["input", "change"]) now.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const step = (by, wraps) => {
    const next = shown.indexOf(active) + by;
    if (wraps) return mark(shown.at(next % shown.length));
    mark(shown[Math.max(0, Math.min(shown.length - 1, next))]);
  };
  const KEYS = {
    ArrowDown: () => step(1, true),
    ArrowUp: () => step(-1, true),
    PageDown: () => step(PAGE),
    PageUp: () => step(-PAGE),
    Enter: () => choose(active),
  };
  field.onkeydown = (event) => {
    if (event.isComposing) return;
    // From the list, where the keyboard is then, the browser goes on to the next control.
    if (event.key === "Tab") box.close();
    if (!KEYS[event.key] || shown.length === 0) return;
    event.preventDefault();
    KEYS[event.key]();
  };
  field.oninput = find;
  choices.onclick = ({ target }) => choose(target.closest("[role=option]"));
  // The keyboard stays in the field.
  choices.onmousedown = (event) => event.preventDefault();
  box.onpointerdown = ({ target }) => target === box && box.close();
  // The browser gives the keyboard back to the list.
  box.onclose = () => {
    gone.abort();
    box.remove();
  };

  /** In the place of the list, as far as the window has room there. */
  const place = () => {
    const { top, left, right, width } = list.getBoundingClientRect();
    const wide = Math.min(Math.max(width, 340), innerWidth - 16);
    const start = getComputedStyle(list).direction === "rtl" ? right - wide : left;
    box.style.width = `${wide}px`;
    box.style.left = `${Math.max(8, Math.min(start, innerWidth - wide - 8))}px`;
    box.style.top = `${Math.max(8, Math.min(top, innerHeight - box.offsetHeight - 8))}px`;
  };
  document.body.append(box);
  box.showModal();
  find();
  place();
  field.focus();
  field.setSelectionRange(text.length, text.length);
  for (const kind of ["scroll", "resize"]) addEventListener(kind, place, { capture: true, signal: gone.signal });
}

// A press of a real pointer: other programs choose from lists by events of their own, and need the list itself.
let pressed;
addEventListener("pointerdown", ({ target, button, pointerType, isTrusted }) => {
  pressed = isTrusted && button === 0 && pointerType !== "touch" && isLong(target) ? target : undefined;
});
addEventListener("mousedown", (event) => {
  if (!pressed || event.target !== pressed) return;
  event.preventDefault();
  pressed.focus();
  open(pressed, "");
});
// What a finger does becomes known when it leaves the screen.
addEventListener(
  "touchend",
  (event) => {
    if (!event.cancelable || !isLong(event.target)) return;
    event.preventDefault();
    event.target.focus();
    open(event.target, "");
  },
  { passive: false },
);
addEventListener("keydown", (event) => {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  if (ctrlKey || metaKey || event.defaultPrevented || !isLong(target)) return;
  const opens = ["Enter", " ", "F4"].includes(key) || (altKey && ["ArrowDown", "ArrowUp"].includes(key));
  const types = key.length === 1 && key !== " " && !altKey;
  if (!opens && !types) return;
  event.preventDefault();
  open(target, types ? key : "");
});
