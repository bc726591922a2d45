//! Rows of bars, each a sum of parts, with published wholes as marks.

use super::quantity::{tick, title, valued};
use crate::figure::frame::Size;
use crate::figure::frame::canvas::Drawing;
use crate::figure::frame::plot::Scale;
use crate::figure::frame::stacks::{Stack, Stacks};
use crate::papers::{Bar, Bars, Origin};

/// The drawing of bars.
pub(super) fn drawing(bars: &Bars, origin: Origin, finding: &str, size: Size) -> Drawing {
    let axis = title(bars.quantity);
    let stacks = Stacks {
        parts: bars.parts.clone(),
        rows: bars.rows.iter().map(stack).collect(),
        scale: Scale::new(&axis, &tick),
        value: &|value| valued(bars.quantity, value),
        mark: origin.name(),
    };
    stacks.drawing(finding, size)
}

fn stack(bar: &Bar) -> Stack<'_> {
    Stack {
        name: &bar.name,
        parts: bar.parts.iter().map(|part| part.ours.unwrap_or(0.0)).collect(),
        whole: bar.whole.ours,
        mark: bar.whole.published.map(|published| published.value),
        link: bar.link.as_deref().unwrap_or_default(),
    }
}
