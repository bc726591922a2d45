// Figures and numbers of Foretoken in Docusaurus: code blocks of the language "foretoken", and code within a sentence that
// begins with "foretoken". docs/embed.md says how to use it.
//
//   import foretoken, { figures } from "./foretoken.mjs";
//   presets: [["classic", { docs: { beforeDefaultRemarkPlugins: [[figures, { page }]] } }]],
//   plugins: [[foretoken, { page: "https://example.org/foretoken/" }]],

const OPTIONS = ["controls", "theme", "label", "frameless"];
const SWITCHES = ["range", "equation"];

// Names in each view's answers, written by a test of Foretoken.
// <!-- names -->
const PARTS = {
    "training": [
        "step-breakdown", "bound", "memory", "memory-timeline", "roofline", "operators", "timeline", "sensitivity",
        "plan-sensitivity", "costs", "launch", "published", "measured", "measured-rows", "profile-terms",
        "profile-course", "measured-terms", "measured-phases", "difference-step", "difference-ttft", "difference-tpot",
        "difference-latency", "causes", "changes", "changes-tpot", "nearest",
    ],
    "inference": [
        "load", "percentiles", "prefix-cache", "cache-tiers", "prefill-breakdown", "decode-breakdown", "dram-gpus",
        "dram-latency", "dram-batch", "dram-format", "dram-model", "link-latency", "memory", "memories", "capacity",
        "roofline", "bound-by", "tradeoff", "deployments", "models", "launch", "published", "measured", "measured-rows",
        "profile-terms", "profile-course", "measured-terms", "measured-phases", "difference-step", "difference-ttft",
        "difference-tpot", "difference-latency", "causes", "changes", "changes-tpot", "nearest",
    ],
    "sizing": [
        "fleets", "runs", "fleet-costs", "run-costs", "missed",
    ],
    "search": [
        "ranking", "plans", "scaling", "stopped", "axes", "strategies", "dram-llm", "dram-vit", "sweep-dram",
        "rate-llm", "rate-vit", "sweep-rate", "domain-llm", "domain-vit", "sweep-domain",
    ],
    "generations": [
        "speedup", "plans", "speedup-served", "speedup-prefill", "speedup-decode", "speedup-energy", "speedup-cost",
        "served-plans", "waterfall", "configurations", "variants", "binding-training", "binding-prefill",
        "binding-decode",
    ],
    "technology": [
        "node-speedup", "node-speedup-links", "node-energy", "binding-map", "binding-shares", "account", "built",
        "numbers",
    ],
    "papers": [
        "validated-steps", "authors-steps", "validated-mfu", "validated-hfu", "replicated-step", "validated-requests",
        "layer-passes", "recompute-activations", "recompute-shares", "recompute-memory", "recompute-state",
        "dram-memories", "operator-roofline", "operator-intensity", "operator-times", "system-speedup", "system-causes",
        "nodes-memory", "nodes-links", "study-gpt3", "study-vit", "study-plans", "study-gpt3-a100", "study-gpt3-h200",
        "study-gpt3-b200", "study-vit-a100", "study-vit-h200", "study-vit-b200", "days-nvs4", "days-nvs8", "days-nvs64",
        "days-smallest", "days-2d-gain", "optimum-shares", "optimum-steps", "optimum-memory", "depth-time",
        "depth-memory", "grid-time", "sweep-dram", "sweep-rate", "domain-gpt3-1d", "domain-vit-summa",
        "domain-vit-seqp", "device-speedup", "nccl-times", "nccl-ratio", "megatron-steps", "megatron-fused",
        "megatron-code", "megatron-activations", "megatron-layer", "perlmutter-steps", "perlmutter-memory", "values",
    ],
    "validation": [
        "scatter", "histogram", "groups", "league", "rows",
    ],
};
const NUMBERS = {
    "training": [
        "step", "mfu", "tokens", "days", "memory", "measured",
    ],
    "inference": [
        "ttft", "tpot", "latency", "tokens", "kv", "batch", "memory", "usd-input", "usd-output", "energy", "cached",
        "vision", "audio", "host-memory", "second-memory", "expert-memory", "context", "measured",
    ],
    "sizing": [
        "gpus", "cost", "sure", "ttft", "tpot", "ttft-p50", "ttft-p90", "ttft-p95", "ttft-p99", "tpot-p50", "tpot-p90",
        "tpot-p95", "tpot-p99", "latency-p50", "latency-p90", "latency-p95", "latency-p99", "usd-output", "in-flight",
        "utilisation", "power", "servers", "on-demand", "owned", "fleets", "cached", "days", "energy", "gpu-hours",
        "step", "mfu", "memory", "runs",
    ],
    "search": [
        "step", "mfu", "memory", "cost", "feasible", "cheapest", "below", "above", "dram-llm", "dram-vit", "rate-llm",
        "rate-vit", "domain-llm", "domain-vit", "sweep-dram", "sweep-rate", "sweep-domain",
    ],
    "generations": [
        "speedup-b200", "speedup-best", "served-b200", "speedup-asked",
    ],
    "technology": [
        "speedup", "peak", "dram", "energy", "binds",
    ],
    "papers": [
        "mean", "largest", "points", "kundu-2024", "subramanian-2024",
    ],
    "validation": [
        "abroad", "rows", "mean", "median", "bias", "p90",
    ],
};
// <!-- /names -->

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
    else if (child.type === "inlineCode" && child.value.startsWith("foretoken ")) node.children[index] = number(child, page, file);
    else visit(child, page, file);
  }
}

const afterHash = (link) => link.slice(link.indexOf("#") + 1);

/** Refuses a name that no answer of the link's view has. */
function check(kind, names, name, link, page, refuse) {
  // The first of several questions decides.
  const asked = new URLSearchParams(link.split("~")[0].replaceAll("&amp;", "&"));
  const view = asked.getAll("view").pop() ?? "training";
  const known = Object.hasOwn(names, view) ? names[view] : refuse(`there is no view ${view}; there are ${Object.keys(names).join(", ")}`);
  if (known.includes(name)) return;
  const [near] = known.filter((other) => edits(name, other) <= name.length / 3).sort((a, b) => edits(name, a) - edits(name, b));
  const hint = near ? `: did you mean ${near}?` : ".";
  refuse(`answers of the ${view} view have no ${kind} ${name}${hint} ${page}docs/embed.html lists the names`);
}

/** Letters to insert, remove or replace to make one word of another. */
function edits(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [index, letter] of [...from].entries()) {
    const above = row;
    row = [index + 1];
    for (const [at, other] of [...to].entries()) {
      row.push(Math.min(above[at] + (letter === other ? 0 : 1), above[at + 1] + 1, row[at] + 1));
    }
  }
  return row[to.length];
}

const jsx = (type, name, attributes, children) => ({
  type,
  name,
  attributes: Object.entries(attributes).map(([name, value]) => ({ type: "mdxJsxAttribute", name, value })),
  children,
  // Marked as explicit JSX, so that the theme's MDX components do not replace it.
  data: { _mdxExplicitJsx: true },
});

/** A number within a sentence: its name, switches, its link, and the text that is shown until it is known. */
function number(node, page, file) {
  const { value: code } = node;
  const refuse = (reason) => file.fail(reason, node);
  const [, value, ...rest] = code.trim().split(/\s+/);
  const attributes = { value };
  while (SWITCHES.includes(rest[0])) attributes[rest.shift()] = "";
  const [link, ...text] = rest;
  if (!link?.includes("=")) refuse(`${code}: a number needs its name and a link, such as: days v=1&gpus=64 some days`);
  check("number", NUMBERS, value, afterHash(link), page, refuse);
  const content = [{ type: "text", value: text.join(" ") || value }];
  return jsx("mdxJsxTextElement", "foretoken-value", { ...attributes, link: afterHash(link) }, content);
}

function element(node, page, file) {
  const { meta, value } = node;
  const refuse = (reason) => file.fail(reason, node);
  const [first = "", ...lines] = value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (!meta || !first) refuse("a foretoken block names its figure, and its first line is its link");
  const link = afterHash(first);
  const attributes = { figure: meta.trim(), link };
  check("figure", PARTS, attributes.figure, link, page, refuse);
  for (const line of lines) {
    const [name, ...rest] = line.split(":");
    if (!OPTIONS.includes(name.trim())) refuse(`${line}: an option is one of ${OPTIONS.join(", ")}`);
    attributes[name.trim()] = rest.join(":").trim();
  }
  const flow = "mdxJsxFlowElement";
  const text = [{ type: "text", value: attributes.label ?? attributes.figure }];
  return jsx(flow, "foretoken-figure", attributes, [jsx(flow, "a", { href: `${page}#${link}` }, text)]);
}
