// Foretoken's model for notebooks and scripts. It runs where it is imported; nothing is sent anywhere.
//
//   import { estimate } from "https://example.org/foretoken/estimate.js";
//   const { training } = await estimate({ model: "llama-3.1-70b", system: { gpus: 1024 } });
//   training.step // seconds
//
// The scenario and the answers are those of `examples/predict.rs`; docs/embed.md describes them.

const GLUE = "./foretoken.js"; // Trunk.toml puts the name with its hash here.

async function ask(what, scenario) {
  const program = await import(GLUE);
  await program.default({ module_or_path: new URL(GLUE.replace(/\.js$/, "_bg.wasm"), import.meta.url) });
  const text = program[what](typeof scenario === "string" ? scenario : JSON.stringify(scenario));
  const answer = JSON.parse(text);
  if (answer.error) throw Object.assign(new Error(answer.error), { problems: answer.problems });
  return answer;
}

/** The estimate of a scenario, which is an object or JSON. Throws what is wrong with it, as `problems` and in words. */
export const estimate = (scenario) => ask("estimate", scenario);

/** Everything that the page shows of a scenario, for every view without measured rows; an array of scenarios is compared. */
export const answer = (scenario) => ask("answer", scenario);
