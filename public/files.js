// Files in and out: a scenario, a checkpoint's config.json or a link becomes the question; the question becomes files.
import { run } from "./desk.js";
import { ask, dialogue, element, question, save } from "./tool.js";

/** Asks what a file asks. Returns what was wrong with it. */
async function take(text) {
  const [link, ...wrong] = await run("import", question(), text);
  if (link) ask(link);
  return wrong;
}

/** With a file, takes it at once and opens only to say what is wrong with it. */
export async function open(file) {
  const wrong = file ? await take(await file.text()) : [];
  if (file && wrong.length === 0) return;

  const text = element("textarea", { id: "file-text", rows: 8, spellcheck: false });
  const said = element("div", { role: "status", className: "wrong" });
  const explain = (sentences) => said.replaceChildren(...sentences.map((sentence) => element("p", {}, sentence)));
  const chooser = element("input", { type: "file", id: "file-chooser", accept: ".json,.txt,application/json" });
  const offer = async (given) => {
    try {
      const wrong = await take(given);
      if (wrong.length === 0) box.close();
      else explain(wrong);
    } catch (error) {
      explain([error.message]);
    }
  };
  chooser.onchange = async () => offer(await chooser.files[0].text());
  const use = element("button", { type: "button", id: "file-use", onclick: () => offer(text.value) }, "Use this");
  const give = (label, name, errand) =>
    element(
      "button",
      { type: "button", id: `file-${errand}`, onclick: async () => save(name, "application/json", (await run(errand, question()))[0]) },
      label,
    );
  explain(wrong);
  const box = await dialogue(
    "Files",
    element("h3", {}, "Open"),
    element("p", {}, "A scenario, the config.json of a model on Hugging Face, or a link. It is read here and sent nowhere"),
    element("label", { htmlFor: "file-chooser" }, "A file; or drop it anywhere on the page"),
    chooser,
    element("label", { htmlFor: "file-text" }, "Or paste what is in it"),
    text,
    element("div", { className: "choices" }, use),
    said,
    element("h3", {}, "Save"),
    element(
      "div",
      { className: "choices" },
      give("Scenario (JSON)", "foretoken-scenario.json", "scenario"),
      give("Estimate (JSON)", "foretoken-estimate.json", "answer"),
    ),
  );
}
