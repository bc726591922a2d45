// What the page's tools have in common: a dialogue, markup without text that could be code, the question, copying.

/** An element with properties or attributes, and what is in it. */
export function element(name, properties = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

/** Opens a dialogue, which is gone once it is closed. */
export async function dialogue(title, ...content) {
  const heading = element("h2", { id: "tool-title" }, title);
  const close = element("button", { type: "button", onclick: () => box.close() }, "Close");
  const box = element(
    "dialog",
    { className: "tool", "aria-labelledby": "tool-title", onclose: () => box.remove() },
    element("div", { className: "tool-head" }, heading, close),
    ...content,
  );
  document.body.append(box);
  box.showModal();
  return box;
}

/** The address of this page, without what it shows. */
export const place = () => location.href.split(/[?#]/)[0];

/** The link of the question that is asked, which the address bar lags behind. */
export const question = () => document.getElementById("share-link").value.split("#")[1] ?? "";

/** Asks another question, to which the browser's way back leads from. */
export function ask(link) {
  location.hash = link;
}

/** A text with a button that copies it. */
export function copyable(label, text) {
  const id = `copy-${label.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  const field = element("textarea", { id, readOnly: true, rows: Math.min(6, text.split("\n").length), spellcheck: false });
  field.value = text;
  const said = element("span", { role: "status" });
  const copy = async () => {
    said.textContent = "";
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied";
    } catch {
      // Not allowed in some frames and on insecure addresses.
      field.select();
      said.textContent = "Press Ctrl+C or ⌘C";
    }
  };
  const button = element("button", { type: "button", onclick: copy, "aria-label": `Copy ${label}` }, "Copy");
  return element("div", { className: "copyable" }, element("label", { htmlFor: id }, label), field, button, said);
}

/** Saves a text as a file. */
export function save(name, kind, text) {
  const href = URL.createObjectURL(new Blob([text], { type: kind }));
  element("a", { href, download: name }).click();
  URL.revokeObjectURL(href);
}
