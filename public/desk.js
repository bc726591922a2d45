// Runs errands: src/worker/errand.rs has their names, what they take and what they bring.
// For the page's tools, and for estimate.js in other people's pages.

/** What an errand brings: a list of texts. */
export async function run(errand, ...texts) {
  const program = await import("./foretoken.js"); // Trunk.toml puts the name with its hash here.
  await program.default();
  return program.errand(errand, texts);
}
