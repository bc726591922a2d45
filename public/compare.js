// Questions side by side. The link of a comparison is their links joined by `~`, the baseline first.
import { run } from "./desk.js";
import { ask, copyable, dialogue, element, place, question } from "./tool.js";

const KEY = "foretoken-compared";
const MOST = 8; // As src/scenario/link.rs has it.

let links;

function recall() {
  try {
    return (localStorage.getItem(KEY) ?? "").split("~").filter(Boolean);
  } catch {
    return []; // A sandboxed frame has no storage.
  }
}

function remember() {
  try {
    localStorage.setItem(KEY, links.join("~"));
  } catch {
    // Then they last as long as the page.
  }
}

/** Shows what was compared before, or these links. */
export async function open(given) {
  links = given ?? links ?? recall();
  const table = element("div");
  const address = element("div");
  const pin = element("button", { type: "button", id: "compare-pin" }, "Add this question");
  const show = async () => {
    remember();
    pin.disabled = links.length >= MOST || links.includes(question());
    if (links.length === 0) {
      table.replaceChildren(element("p", {}, "Add a question, change it on the page, and add it again"));
      address.replaceChildren();
      return;
    }
    const [markup] = await run("compare", links.join("~"));
    table.innerHTML = markup; // From src/worker/comparison.rs, which escapes whatever a link says.
    address.replaceChildren(copyable("Link to this comparison", `${place()}#${links.join("~")}`));
  };
  pin.onclick = () => {
    links.push(question());
    return show();
  };
  table.onclick = ({ target }) => {
    const { ask: wanted, remove, baseline } = target.dataset;
    if (wanted !== undefined) {
      ask(links[Number(wanted)]);
      box.close();
      return;
    }
    if (remove !== undefined) links.splice(Number(remove), 1);
    else if (baseline !== undefined) links.unshift(...links.splice(Number(baseline), 1));
    else return;
    show();
  };
  await show();
  const box = await dialogue("Compare", element("div", { className: "choices" }, pin), table, address);
}
