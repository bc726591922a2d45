// Starts the page's program once more, as its worker: the page sends its compiled module and the address of its glue.
// Every later message is for src/app/channel/worker.rs.
addEventListener(
  "message",
  async ({ data: { module, glue } }) => {
    const program = await import(glue);
    await program.default({ module_or_path: module });
    program.serve();
  },
  { once: true },
);
