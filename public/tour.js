// A guided tour: what stands where, in four steps. Begun by its button only.
import { element, styled } from "./tool.js";

/** What each step points at (the first of these that is shown), what it is about, and what is to be known. */
const STEPS = [
  [
    ".field:has(#model), .field:has(#system-accelerator), .form .field",
    "Say what runs where",
    "Choose a model, a device and how the work is cut. Long lists can be searched by typing; the ? beside a field says what it means and which values it takes.",
  ],
  [
    "#answer",
    "Read the answer",
    "These numbers follow every edit. The figures below say what they are made of and what they assume, and give their data as files.",
  ],
  [
    "header nav",
    "Ask something else",
    "Each view asks another question of the same model and hardware; what you entered comes along.",
  ],
  [
    ".share",
    "Keep it and pass it on",
    "The link holds the whole question. From here it also goes into documents, files, reports and comparisons.",
  ],
];
const GAP = 12;

const visible = (selector) => [...document.querySelectorAll(selector)].find((target) => target.checkVisibility());

export async function open() {
  // Inside other pages there is nothing to be shown around.
  if ("embed" in document.documentElement.dataset || document.querySelector("dialog[open]")) return;
  const steps = STEPS.map(([selector, ...rest]) => [visible(selector), ...rest]).filter(([target]) => target);
  if (steps.length === 0) return;
  await styled();
  const before = document.activeElement;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let at = 0;

  const ring = element("div", { className: "tour-ring", "aria-hidden": "true" });
  const title = element("h2", { id: "tour-title" });
  const text = element("p", { id: "tour-text" });
  const count = element("p", { className: "tour-count" });
  const button = (id, label, onclick) => element("button", { type: "button", id, onclick }, label);
  const back = button("tour-back", "Back", () => show(at - 1));
  const next = button("tour-next", "Next", () => (at + 1 < steps.length ? show(at + 1) : box.close()));
  const card = element(
    "div",
    { className: "tour-card" },
    element("div", { className: "tour-head" }, count, button("tour-end", "End tour", () => box.close())),
    element("div", { "aria-live": "polite" }, title, text),
    element("div", { className: "choices" }, back, next),
  );
  const box = element("dialog", { className: "tour", "aria-labelledby": "tour-title", "aria-describedby": "tour-text" }, ring, card);
  const gone = new AbortController();

  /** The ring around what is pointed at; the card below it, or above, or at the window's end. */
  const place = () => {
    const { top, bottom, left, right, width, height } = steps[at][0].getBoundingClientRect();
    Object.assign(ring.style, { top: `${top - 4}px`, left: `${left - 4}px`, width: `${width + 8}px`, height: `${height + 8}px` });
    const [wide, high] = [card.offsetWidth, card.offsetHeight];
    const below = bottom + GAP;
    const above = top - GAP - high;
    const lowest = innerHeight - high - 8;
    const y = below <= lowest ? Math.max(8, below) : above >= 8 ? Math.min(above, lowest) : lowest;
    const x = getComputedStyle(box).direction === "rtl" ? right - wide : left;
    card.style.top = `${y}px`;
    card.style.left = `${Math.max(8, Math.min(x, innerWidth - wide - 8))}px`;
  };
  const show = (index) => {
    at = index;
    const [target, heading, sentences] = steps[at];
    title.textContent = heading;
    text.textContent = sentences;
    count.textContent = `${at + 1} of ${steps.length}`;
    back.disabled = at === 0;
    next.textContent = at + 1 < steps.length ? "Next" : "Done";
    const block = target.offsetHeight > innerHeight / 2 ? "start" : "center";
    target.scrollIntoView({ block, behavior: calm ? "instant" : "smooth" });
    place();
    // A button that is disabled loses the keyboard.
    if (!card.contains(document.activeElement)) next.focus();
  };

  box.onkeydown = (event) => {
    const forward = getComputedStyle(box).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const other = at + (event.key === forward ? 1 : -1);
    if (steps[other]) show(other);
  };
  box.onclick = ({ target }) => target === box && box.close();
  box.onclose = () => {
    gone.abort();
    box.remove();
    (before.matches("body") ? document.querySelector("[data-tool=tour]") : before).focus();
  };
  document.body.append(box);
  box.showModal();
  show(0);
  next.focus();
  for (const kind of ["scroll", "resize"]) addEventListener(kind, place, { capture: true, signal: gone.signal });
}
