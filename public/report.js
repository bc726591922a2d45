// One page to print: the question, its answer and what it rests on.
import { run } from "./desk.js";
import { dialogue, element, place, question } from "./tool.js";

export async function open() {
  const link = question();
  const [markup] = await run("report", link);
  const sheet = element("article", { className: "report" });
  sheet.innerHTML = markup; // From src/worker/report.rs, which escapes whatever a link says.
  const address = `${place()}#${link}`;
  sheet.append(element("p", { className: "source" }, "The same question: ", element("a", { href: address }, address)));
  await dialogue(
    "Report",
    element("div", { className: "choices" }, element("button", { type: "button", onclick: () => print() }, "Print")),
    sheet,
  );
}
