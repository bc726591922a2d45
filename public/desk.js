// Runs errands in the second program: src/worker/errand.rs has their names, what they take and what they bring.
// For the page's tools, and for estimate.js in other people's pages.

let opened;

/** The program, loaded once into this page, at the other end of a channel. */
function open() {
  const { port1: port, port2 } = new MessageChannel();
  globalThis.foretokenPort = port2; // Where src/app/host.rs looks for it.
  const waiting = new Map();
  return new Promise((resolve, reject) => {
    port.onmessage = ({ data: [id, said, ...texts] }) => {
      if (said === "ready") {
        delete globalThis.foretokenPort;
        resolve({ port, waiting });
        return;
      }
      const { done, failed } = waiting.get(id);
      waiting.delete(id);
      if (said === "errand") done(texts);
      else failed(new Error(texts[0]));
    };
    import("./worker_loader.js").catch(reject); // Trunk.toml puts the name with its hash here.
  });
}

let last = 0;

/** What an errand brings: a list of texts. */
export async function run(errand, ...texts) {
  opened ??= open().catch((error) => {
    opened = undefined;
    throw error;
  });
  const { port, waiting } = await opened;
  const id = String((last += 1));
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    port.postMessage([id, "errand", errand, ...texts]);
  });
}
