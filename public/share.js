// The question as others can use it: link, Markdown, iframe, element, citation; with a look at what they will see.
import { copyable, dialogue, element, place, question } from "./tool.js";

const attribute = (text) => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`).replaceAll("&#38;", "&amp;");
const markdown = (text) => text.replace(/[\\[\]]/g, "\\$&");
const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "×": "$\\times$", "–": "--" };
const tex = (text) => text.replace(/[\\~^×–]|[&%$#_{}]/g, (mark) => TEX[mark] ?? `\\${mark}`);

/** The texts to copy, by what they are. */
export function snippets({ page, link, figure, theme, title, date }) {
  const query = new URLSearchParams({ embed: figure ? "figure" : "", ...(figure && { figure }), ...(theme && { theme }) });
  const [whole, frame] = [`${page}#${link}`, `${page}?${query}#${link}`];
  const named = attribute(title);
  const chosen = (name, value) => (value ? ` ${name}="${attribute(value)}"` : "");
  return {
    Link: whole,
    Markdown: `[${markdown(title)}](${whole})`,
    Iframe:
      `<iframe src="${attribute(frame)}" title="${named}"\n` +
      `  width="100%" height="520" loading="lazy" style="border: 0"></iframe>`,
    Element:
      `<script type="module" src="${attribute(page)}embed.js"></script>\n` +
      `<foretoken-figure${chosen("figure", figure)}${chosen("theme", theme)} label="${named}"\n` +
      `  link="${attribute(link)}">\n  <a href="${attribute(whole)}">${named}</a>\n</foretoken-figure>`,
    BibTeX:
      `@misc{foretoken-${date},\n  title = {{${tex(title)}}},\n  howpublished = {Foretoken, an analytical model},\n` +
      `  url = {${whole}},\n  urldate = {${date}},\n  year = {${date.slice(0, 4)}}\n}`,
  };
}

export async function open() {
  const page = place().replace(/index\.html$/, "");
  const figures = [...document.querySelectorAll(".figures > :is([data-figure], [data-table])")].map((figure) => {
    const name = figure.dataset.figure ?? figure.dataset.table;
    return element("option", { value: name }, figure.querySelector("h3")?.textContent ?? name);
  });
  const figure = element("select", { id: "share-figure" }, ...figures, element("option", { value: "" }, "The whole answer"));
  const theme = element(
    "select",
    { id: "share-theme" },
    element("option", { value: "" }, "As the document"),
    element("option", { value: "light" }, "Light"),
    element("option", { value: "dark" }, "Dark"),
  );
  const texts = element("div");
  const preview = element("div", { className: "preview" });
  await import("./embed.js");
  const show = () => {
    const title = document.title.replace(/ – Foretoken$/, "");
    const date = new Date().toISOString().slice(0, 10);
    const wanted = { page, link: question(), figure: figure.value, theme: theme.value, title, date };
    texts.replaceChildren(...Object.entries(snippets(wanted)).map(([label, text]) => copyable(label, text)));
    const { link } = wanted;
    const looks = { link, label: "Preview", ...(wanted.figure && { figure: wanted.figure }), ...(wanted.theme && { theme: wanted.theme }) };
    preview.replaceChildren(element("foretoken-figure", looks));
  };
  figure.onchange = theme.onchange = show;
  const choices = element(
    "div",
    { className: "choices" },
    element("label", { htmlFor: "share-figure" }, "Show"),
    figure,
    element("label", { htmlFor: "share-theme" }, "Theme"),
    theme,
  );
  show();
  await dialogue("Share", choices, texts, element("h3", {}, "Preview"), preview);
}
