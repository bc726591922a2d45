// Figures of Foretoken in Docusaurus: code blocks of the language "foretoken". docs/embed.md says how to use it.
//
//   import foretoken, { figures } from "./foretoken.mjs";
//   presets: [["classic", { docs: { beforeDefaultRemarkPlugins: [[figures, { page }]] } }]],
//   plugins: [[foretoken, { page: "https://example.org/foretoken/" }]],

const OPTIONS = ["controls", "theme", "label", "frameless"];

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

/** The remark plugin: each block becomes an element. */
export function figures({ page }) {
  return (tree, file) => visit(tree, withSlash(page), file);
}

const withSlash = (page) => page.replace(/\/*$/, "/");

function visit(node, page, file) {
  for (const [index, child] of (node.children ?? []).entries()) {
    if (child.type === "code" && child.lang === "foretoken") node.children[index] = element(child, page, file);
    else visit(child, page, file);
  }
}

function element({ meta, value }, page, file) {
  const [first = "", ...lines] = value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!meta || !first) file.fail("a foretoken block names its figure, and its first line is its link");
  const link = first.slice(first.indexOf("#") + 1);
  const attributes = { figure: meta.trim(), link };
  for (const line of lines) {
    const [name, ...rest] = line.split(":");
    if (!OPTIONS.includes(name.trim())) file.fail(`${line}: an option is one of ${OPTIONS.join(", ")}`);
    attributes[name.trim()] = rest.join(":").trim();
  }
  const jsx = (name, attributes, children) => ({
    type: "mdxJsxFlowElement",
    name,
    attributes: Object.entries(attributes).map(([name, value]) => ({ type: "mdxJsxAttribute", name, value })),
    children,
    // Marked as explicit JSX, so that the theme's MDX components do not replace it.
    data: { _mdxExplicitJsx: true },
  });
  const fallback = jsx("a", { href: `${page}#${link}` }, [{ type: "text", value: attributes.label ?? attributes.figure }]);
  return jsx("foretoken-figure", attributes, [fallback]);
}
