//! One command and its arguments, as shell text.

use super::role::Role;

/// One command and its arguments, in order.
#[derive(Default)]
pub(super) struct Line(Vec<String>);

impl Line {
    /// A command without arguments: its program, and any words that precede the flags.
    pub(super) fn new(start: impl Into<String>) -> Self {
        Self(vec![start.into()])
    }

    /// Appends a flag that takes no value.
    pub(super) fn switch(&mut self, name: &str) {
        self.0.push(name.to_owned());
    }

    /// Appends a flag with its value, quoted for the shell: `--name value`, or `key=value` if the name has no leading
    /// dash.
    pub(super) fn value(&mut self, name: &str, value: impl std::fmt::Display) {
        let value = value.to_string();
        let quoted = shlex::try_quote(&value).map(std::borrow::Cow::into_owned).unwrap_or_default();
        let between = if name.starts_with('-') { ' ' } else { '=' };
        self.0.push(format!("{name}{between}{quoted}"));
    }

    /// Appends a flag with several values.
    pub(super) fn values(&mut self, name: &str, values: &[&str]) {
        self.0.push(format!("{name} {}", values.join(" ")));
    }

    /// Appends a flag whose value has shell variables, in double quotes.
    pub(super) fn variable(&mut self, name: &str, text: &str) {
        self.0.push(format!("{name} \"{text}\""));
    }

    /// Appends the port of a server of separate pools, of which both kinds may run on one machine.
    pub(super) fn port(&mut self, role: Role) {
        match role {
            Role::Both => {}
            Role::Prefill => self.value("--port", 8100),
            Role::Decode => self.value("--port", 8200),
        }
    }

    /// Appends a parallelism degree, unless it is 1.
    pub(super) fn degree(&mut self, name: &str, degree: u32) {
        if degree > 1 {
            self.value(name, degree);
        }
    }

    /// The command as shell text, one flag per line.
    pub(super) fn text(&self) -> String {
        self.0.join(" \\\n  ")
    }
}
