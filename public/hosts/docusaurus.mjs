// Figures and numbers of Foretoken in Docusaurus: code blocks of the language "foretoken", and code within a sentence that
// begins with "foretoken". docs/embed.md says how to use it.
//
//   import foretoken, { figures } from "./foretoken.mjs";
//   presets: [["classic", { docs: { beforeDefaultRemarkPlugins: [[figures, { page }]] } }]],
//   plugins: [[foretoken, { page: "https://example.org/foretoken/" }]],

const OPTIONS = ["controls", "theme", "label", "frameless"];
const SWITCHES = ["range", "equation"];

/** The plugin: the script that defines the element, on every page. */
export default function foretoken(_, { page }) {
  page = withSlash(page);
  return {
    name: "foretoken",
    injectHtmlTags: () => ({
      headTags: [{ tagName: "script", attributes: { type: "module", src: `${page}embed.js` } }],
    }),
  };
}

/** The remark plugin: each block and each number becomes an element. */
export function figures({ page }) {
  return (tree, file) => visit(tree, withSlash(page), file);
}

const withSlash = (page) => page.replace(/\/*$/, "/");

function visit(node, page, file) {
  for (const [index, child] of (node.children ?? []).entries()) {
    if (child.type === "code" && child.lang === "foretoken") node.children[index] = element(child, page, file);
    else if (child.type === "inlineCode" && child.value.startsWith("foretoken ")) node.children[index] = number(child, file);
    else visit(child, page, file);
  }
}

const afterHash = (link) => link.slice(link.indexOf("#") + 1);

const jsx = (type, name, attributes, children) => ({
  type,
  name,
  attributes: Object.entries(attributes).map(([name, value]) => ({ type: "mdxJsxAttribute", name, value })),
  children,
  // Marked as explicit JSX, so that the theme's MDX components do not replace it.
  data: { _mdxExplicitJsx: true },
});

/** A number within a sentence: its name, switches, its link, and the text that is shown until it is known. */
function number({ value: code }, file) {
  const [, value, ...rest] = code.trim().split(/\s+/);
  const attributes = { value };
  while (SWITCHES.includes(rest[0])) attributes[rest.shift()] = "";
  const [link, ...text] = rest;
  if (!link?.includes("=")) file.fail(`${code}: a number needs its name and a link, such as: days v=1&gpus=64 some days`);
  const content = [{ type: "text", value: text.join(" ") || value }];
  return jsx("mdxJsxTextElement", "foretoken-value", { ...attributes, link: afterHash(link) }, content);
}

function element({ meta, value }, page, file) {
  const [first = "", ...lines] = value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!meta || !first) file.fail("a foretoken block names its figure, and its first line is its link");
  const link = afterHash(first);
  const attributes = { figure: meta.trim(), link };
  for (const line of lines) {
    const [name, ...rest] = line.split(":");
    if (!OPTIONS.includes(name.trim())) file.fail(`${line}: an option is one of ${OPTIONS.join(", ")}`);
    attributes[name.trim()] = rest.join(":").trim();
  }
  const flow = "mdxJsxFlowElement";
  const text = [{ type: "text", value: attributes.label ?? attributes.figure }];
  return jsx(flow, "foretoken-figure", attributes, [jsx(flow, "a", { href: `${page}#${link}` }, text)]);
}
