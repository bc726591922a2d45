//! Workers that span several servers.

use super::line::Line;
use super::pool::Pool;
use super::role::Role;
use super::writer::Writer;

/// The servers of one worker. A server is assumed to be one scale-up domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Servers {
    /// Number of servers; at least 2.
    pub(super) count: u32,
    /// Number of GPUs of the worker.
    pub(super) gpus: u32,
}

impl Servers {
    /// The servers of each of a pool's workers; `None` if a worker fits into one server.
    pub(super) fn of(writer: &Writer<'_>, pool: Pool) -> Option<Self> {
        let domain = writer.question.machine().ok()?.network.domain.max(1);
        let gpus = match pool.role {
            Role::Prefill => pool.tensor.saturating_mul(pool.data),
            Role::Both | Role::Decode => writer.question.inference.worker_gpus(),
        };
        (gpus > domain).then(|| Self { count: gpus.div_ceil(domain), gpus })
    }

    /// Returns true if all workers of a pool fit into one server.
    pub(super) fn hold(writer: &Writer<'_>, pool: Pool) -> bool {
        let gpus = writer.question.inference.worker_gpus().saturating_mul(pool.workers);
        writer.question.machine().is_ok_and(|system| gpus <= system.network.domain)
    }

    /// Appends the shell variables that differ between the servers of a worker: rank and address of the first server.
    pub(super) fn variables(self, writer: &mut Writer<'_>) {
        let Self { count, gpus } = self;
        writer
            .line(&format!("RANK=0  # start it on {count} servers ({gpus} GPUs): ranks 0 to {}", count - 1));
        writer.line("HEAD=HOST  # set to the address of the server of rank 0");
    }

    /// Appends the flags that connect the servers of a tensor-parallel or pipelined worker. The pair is the flag for the
    /// address of the first server, and the port that follows the address.
    pub(super) fn ranks(self, line: &mut Line, (address, port): (&str, &str)) {
        line.value("--nnodes", self.count);
        line.variable("--node-rank", "$RANK");
        line.variable(address, &format!("$HEAD{port}"));
    }
}
