// <foretoken-figure>, a figure of Foretoken in another page, and <foretoken-value>, a number of an answer within a sentence.
// docs/embed.md describes their attributes.
//
//   <script type="module" src="https://example.org/foretoken/embed.js"></script>
//   <foretoken-figure figure="step-breakdown" link="v=1&amp;model=llama-3.1-70b&amp;gpus=1024">
//     <a href="https://example.org/foretoken/#v=1&amp;model=llama-3.1-70b&amp;gpus=1024">Step time of Llama 3.1 70B</a>
//   </foretoken-figure>
//
//   It takes <foretoken-value value="days" link="v=1&amp;gpus=64">some days</foretoken-value> on 64 GPUs.

const here = new URL(".", import.meta.url);
const elements = new Set();

/** Whether an element's background is dark, however the page around it says so. */
function isDark(element) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  for (let node = element; node instanceof Element; node = node.parentElement ?? node.getRootNode().host) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = getComputedStyle(node).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    if (alpha > 127) return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
  }
  const schemes = getComputedStyle(document.documentElement).colorScheme;
  return schemes.includes("dark") && (!schemes.includes("light") || matchMedia("(prefers-color-scheme: dark)").matches);
}

/** Custom properties by which a page sets colours and font, e.g. `--foretoken-ink: #222`. */
const SKIN = ["surface", "ink", "muted", "line", "accent", "font", ...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `series-${i}`)];

/** The address of an element's question, shown as `asked` says. */
function addressOf(element, asked) {
  const page = element.getAttribute("page");
  const url = page ? new URL(page, document.baseURI) : new URL(here);
  if (!url.protocol.startsWith("http")) throw new TypeError(`${url.protocol} is no place for Foretoken`);
  url.search = new URLSearchParams(asked);
  const link = element.getAttribute("link") ?? "";
  url.hash = link.slice(link.indexOf("#") + 1);
  return url;
}

class ForetokenFigure extends HTMLElement {
  static observedAttributes = ["link", "figure", "theme", "label", "controls", "frameless", "page", "sandbox"];

  // The shadow root hides the element's children, but they stay: React's hydration fails without the nodes of the server's HTML.
  #root = this.attachShadow({ mode: "open" });
  #frame = null;
  #theme = "";
  #looks = "";
  #shown = "";
  #ready = false;

  connectedCallback() {
    elements.add(this);
    this.style.display ||= "block";
    this.#theme = this.#wanted();
    this.#show();
  }

  disconnectedCallback() {
    elements.delete(this);
    this.#frame = null;
    this.#ready = false;
  }

  attributeChangedCallback(name) {
    if (!elements.has(this)) return;
    if (name === "theme") this.light();
    else this.#show();
  }

  /** Reads the theme and the colours of this page again, and sends them to the frame. */
  light() {
    this.#theme = this.#wanted();
    this.#tell();
  }

  /** Handles a message if its source is this element's frame. */
  hear(source, data) {
    if (!this.#frame || source !== this.#frame.contentWindow) return;
    if (data.foretoken === "ready") {
      this.#ready = true;
      this.#looks = "";
      this.#tell();
    } else if (data.foretoken === "height" && data.height > 0 && data.height < 20000) {
      this.#frame.style.height = `${data.height}px`;
    }
  }

  #wanted() {
    const theme = this.getAttribute("theme");
    return theme === "light" || theme === "dark" ? theme : isDark(this) ? "dark" : "light";
  }

  #tell() {
    if (!this.#ready) return;
    // A frame is transparent only if its colour scheme is that of its document.
    this.#frame.style.colorScheme = this.#theme;
    const style = getComputedStyle(this);
    const skin = Object.fromEntries(SKIN.map((name) => [name, style.getPropertyValue(`--foretoken-${name}`).trim()]));
    const messages = [{ foretoken: "theme", theme: this.#theme }, { foretoken: "skin", skin }];
    // Any transition of the page may have changed its colours; most have not.
    const looks = JSON.stringify(messages);
    if (looks === this.#looks) return;
    this.#looks = looks;
    // A sandboxed frame has no origin to name, and the colours are not secret.
    messages.forEach((message) => this.#frame.contentWindow.postMessage(message, "*"));
  }

  #address() {
    const [figure, controls] = [this.getAttribute("figure"), this.getAttribute("controls")];
    const frameless = this.hasAttribute("frameless") && { frameless: "" };
    const asked = { ...(figure && { figure }), ...(controls && { controls }), ...frameless, theme: this.#theme };
    return addressOf(this, { embed: figure ? "figure" : "", ...asked });
  }

  #show() {
    const url = this.#address();
    const title = this.getAttribute("label") ?? "A figure of Foretoken";
    const sandboxed = this.hasAttribute("sandbox");
    const kept = ["figure", "controls", "frameless"].map((name) => this.getAttribute(name));
    const shown = JSON.stringify([url.origin, url.pathname, sandboxed, kept]);
    if (this.#ready && this.#shown === shown) {
      // Another question to the same frame, without an entry in this page's history.
      this.#frame.title = title;
      this.#frame.contentWindow.location.replace(new URL(url.hash, this.#frame.src));
      return;
    }
    // A new frame, since one that still loads may keep its first address although its `src` changes.
    const frame = document.createElement("iframe");
    frame.loading = "lazy";
    // Other browsers ask for no permission, and some complain of a name that they do not know.
    if (document.featurePolicy) frame.allow = "clipboard-write";
    if (sandboxed) frame.setAttribute("sandbox", "allow-scripts allow-popups allow-popups-to-escape-sandbox");
    frame.style.cssText = `display: block; width: 100%; height: ${this.#frame?.style.height || "30rem"}; border: 0; color-scheme: ${this.#theme}`;
    frame.title = title;
    frame.src = url;
    this.#ready = false;
    this.#shown = shown;
    this.#frame = frame;
    this.#root.replaceChildren(frame);
  }
}

/** Unseen frames that compute numbers, by address. */
const sources = new Map();

class ForetokenValue extends HTMLElement {
  static observedAttributes = ["link", "value", "range", "equation", "page"];

  #root = this.attachShadow({ mode: "open" });

  connectedCallback() {
    // The slot shows the element's children until the number is known.
    this.#root.replaceChildren(document.createElement("slot"));
    elements.add(this);
    this.#show();
  }

  disconnectedCallback() {
    elements.delete(this);
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#show();
  }

  light() {}

  hear(source, { foretoken, values }) {
    for (const known of sources.values()) {
      if (foretoken === "values" && source === known.frame.contentWindow) known.values = values;
    }
    this.#write();
  }

  #address = () => addressOf(this, { embed: "value" }).href;

  #show() {
    const address = this.#address();
    if (!sources.has(address)) {
      const frame = document.createElement("iframe");
      frame.style.cssText = "position: absolute; width: 1px; height: 1px; border: 0; visibility: hidden";
      frame.title = "Foretoken";
      frame.src = address;
      sources.set(address, { frame, values: {} });
      document.body.append(frame);
    }
    this.#write();
  }

  #write() {
    const value = sources.get(this.#address())?.values[this.getAttribute("value")];
    if (!value) return this.#root.replaceChildren(document.createElement("slot"));
    const range = this.hasAttribute("range") && value.range ? ` (${value.range})` : "";
    const equation = this.hasAttribute("equation") && value.equation;
    this.#root.textContent = `${equation || value.text}${range}`;
  }
}

const relight = () => elements.forEach((element) => element.light());

addEventListener("message", ({ source, data }) => {
  if (typeof data?.foretoken === "string") elements.forEach((element) => element.hear(source, data));
});
// Documents change their looks by a class or an attribute on one of these, some of them gradually.
const looks = new MutationObserver(relight);
looks.observe(document.documentElement, { attributes: true });
looks.observe(document.body, { attributes: true });
addEventListener("transitionend", relight);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", relight);

customElements.get("foretoken-value") ?? customElements.define("foretoken-value", ForetokenValue);
customElements.get("foretoken-figure") ?? customElements.define("foretoken-figure", ForetokenFigure);
