//! Tables of the Technology view: where the budgets go, errors on built dies, every scaling number.

use super::parts::Parts;
use crate::catalog::technology_numbers::Listed;
use crate::figure::{Cell, Column, Row, Table};
use crate::technology::{DiePart, references};
use crate::units::{Amount, Unit, format};
use crate::view::TablePart;

impl Parts<'_> {
    /// Area, power and edge of the chosen die, part by part.
    pub(super) fn budgets(&self) -> TablePart {
        let mut table = Table::under([
            Column::new("Part"),
            Column::of("Area", "mm²"),
            Column::of("Power", "W"),
            Column::of("Edge", "mm"),
        ]);
        let title = "Budgets of a die by part";
        let Some(point) = self.chosen() else {
            return TablePart::new("account", title, "There is no such accelerator", table);
        };
        let spent = &point.die.budgets;
        let mut push = |name: &str, area: f64, power: f64, edge: f64| {
            table.push([
                Cell::text(name),
                Cell::amount(Amount::new(area, Unit::SquareMillimetres)),
                Cell::number(power, format!("{} W", format::number(power))),
                Cell::amount(Amount::new(edge, Unit::Millimetres)),
            ]);
        };
        for part in DiePart::ALL {
            let (area, power, edge) = (spent.area.get(part), spent.power.get(part), spent.edge.get(part));
            push(part.name(), area.get(), power.get(), edge.get());
        }
        let (area, power, edge) = (spent.area.total(), spent.power.total(), spent.edge.total());
        push("Total", area.get(), power.get(), edge.get());
        let finding = format!(
            "The best die in {} with {} and {} for {}: its {} is used up first. Power is that of all units busy",
            point.node,
            point.memory,
            point.fabric,
            self.scenario.technology.task.name().to_ascii_lowercase(),
            point.die.bound.name()
        );
        TablePart::new("account", title, finding, table)
    }

    /// Errors of the model on dies that were built: a row for each quantity, an error for each accelerator.
    pub(super) fn built(&self) -> TablePart {
        let built = references(self.technology);
        let mut columns = vec![Column::new("Figure of a die"), Column::new("Unit")];
        for reference in &built {
            let fitted = if reference.fitted { "" } else { ", not fitted" };
            columns.extend([
                Column::of(format!("{}{fitted}", reference.name), "%"),
                Column::new(format!("{}: model", reference.name)).file_only(),
                Column::new(format!("{}: published", reference.name)).file_only(),
            ]);
        }
        let mut table = Table::under(columns);
        let quantities = built.first().map_or(&[][..], |reference| &reference.misses[..]);
        for (place, quantity) in quantities.iter().enumerate() {
            let mut cells = vec![Cell::text(quantity.quantity), Cell::text(quantity.unit)];
            for reference in &built {
                cells.extend(reference.misses.get(place).map_or_else(
                    || [Cell::none(), Cell::none(), Cell::none()],
                    |miss| {
                        let [model, real] = [miss.model, miss.real].map(format::number);
                        let error = Cell::signed_percent(miss.error()).noted(format!("{model} for {real}"));
                        [error, Cell::number(miss.model, model), Cell::number(miss.real, real)]
                    },
                ));
            }
            table.rows.push(cells.into());
        }
        let finding = "Each is built from its own node, memory, links and budgets, with the numbers below. Errors are \
                       model over published, minus 1; four of the numbers are fitted, to nine published figures";
        TablePart::new("built", "Errors of the model on dies that were built", finding, table)
    }

    /// Every scaling number; rows that the question changes are marked.
    pub(super) fn numbers(&self) -> TablePart {
        let mut table = Table::under([
            Column::new("Number"),
            Column::new("Unit"),
            Column::new("Value"),
            Column::new("Yours"),
            Column::new("Confidence"),
            Column::new("Source"),
        ]);
        let published = crate::catalog::technology().listed();
        for (known, own) in published.iter().zip(self.technology.listed()) {
            let Listed { of, what, sourced, .. } = known;
            let changed = own.sourced.value.to_bits() != sourced.value.to_bits();
            let cells = vec![
                Cell::text(format!("{of}: {}", what.meaning)),
                Cell::text(what.unit),
                exact(sourced.value),
                if changed { exact(own.sourced.value) } else { Cell::none() },
                Cell::text(sourced.confidence.name()),
                Cell::text(&sourced.source),
            ];
            table.rows.push(Row { group: None, current: changed, cells });
        }
        let finding = "Each number can be changed under Constants; the link contains every change";
        TablePart::new("numbers", "Every scaling number", finding, table)
    }
}

/// A number as it was published, digit for digit.
fn exact(value: f64) -> Cell {
    Cell::number(value, value.to_string())
}
