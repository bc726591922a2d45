//! Reads the rows of the Validation view from comma-separated values.

use super::{Ask, Point};
use crate::csv::Records;
use crate::scenario::link;
use crate::validation::Quantity;
use crate::validation::case::Tier;

/// Reads all rows. The error names the invalid line and the reason.
pub fn read(text: &str) -> Result<Vec<Point>, String> {
    read_of(text, |_| true)
}

/// Reads the rows of the wanted quantities. Other rows are skipped before their links are decoded, which takes most of
/// the time.
pub fn read_of(text: &str, wanted: impl Fn(Quantity) -> bool) -> Result<Vec<Point>, String> {
    let mut records = Records::of(text);
    let header = records.next().unwrap_or_default();
    let columns = Columns::of(&header)?;
    let mut points: Vec<Point> = Vec::new();
    loop {
        let line = records.line;
        let Some(record) = records.next() else { return Ok(points) };
        if Quantity::named(columns.get(&record, Column::Quantity)).is_some_and(|quantity| !wanted(quantity)) {
            continue;
        }
        // Quantities of one published row are adjacent and share their link, which is decoded once.
        let asked = points
            .last()
            .filter(|last| !last.link.is_empty() && last.link == columns.get(&record, Column::Link));
        let asked = asked.map(|last| last.question.clone());
        let point = columns.point(&record, asked).map_err(|problem| format!("line {line}: {problem}"))?;
        points.push(point);
    }
}

/// Columns of the file.
#[derive(Clone, Copy)]
enum Column {
    Id,
    Source,
    Origin,
    Device,
    Model,
    Family,
    Precision,
    Tier,
    Quantity,
    Measured,
    UsedInFit,
    Link,
    Peer,
    PeerPredicted,
    Predicted,
}

impl Column {
    /// All columns, with their names in the header.
    const ALL: [(Self, &'static str); 15] = [
        (Self::Id, "id"),
        (Self::Source, "source"),
        (Self::Origin, "origin"),
        (Self::Device, "device"),
        (Self::Model, "model"),
        (Self::Family, "family"),
        (Self::Precision, "precision"),
        (Self::Tier, "tier"),
        (Self::Quantity, "quantity"),
        (Self::Measured, "measured"),
        (Self::UsedInFit, "used_in_fit"),
        (Self::Link, "link"),
        (Self::Peer, "peer"),
        (Self::PeerPredicted, "peer_predicted"),
        (Self::Predicted, "predicted"),
    ];
}

/// Place of each [`Column`] in the lines of a file.
struct Columns([usize; Column::ALL.len()]);

impl Columns {
    fn of(header: &[String]) -> Result<Self, String> {
        let mut places = [0; Column::ALL.len()];
        for (column, name) in Column::ALL {
            let found = header.iter().position(|column| column == name);
            places[column as usize] = found.ok_or_else(|| format!("there is no column `{name}`"))?;
        }
        Ok(Self(places))
    }

    fn get<'a>(&self, record: &'a [String], column: Column) -> &'a str {
        record.get(self.0[column as usize]).map_or("", String::as_str)
    }

    fn point(&self, record: &[String], asked: Option<Ask>) -> Result<Point, String> {
        let value = |column| self.get(record, column);
        let [source, device, family, precision] =
            [Column::Source, Column::Device, Column::Family, Column::Precision].map(value);
        let [tier, name, link, peer] =
            [Column::Tier, Column::Quantity, Column::Link, Column::Peer].map(value);
        let number =
            |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
        let required = |text: &str| number(text).ok_or_else(|| format!("`{text}` is no number"));
        let question = match (asked, link.is_empty()) {
            (Some(asked), _) => asked,
            (None, true) => Ask::Given(required(value(Column::Predicted))?),
            (None, false) => Ask::Scenario(Box::new(link::decode(link).scenario)),
        };
        let (generation, bits) = question.hardware(device);
        let software = match &question {
            Ask::Scenario(scenario) => scenario.software(),
            Ask::Given(_) => "",
        };
        let traits = [source, device, &generation, family, software, precision, &bits].map(str::to_owned);
        Ok(Point {
            id: value(Column::Id).to_owned(),
            origin: value(Column::Origin).to_owned(),
            model: value(Column::Model).to_owned(),
            tier: Tier::named(tier).ok_or_else(|| format!("`{tier}` is no tier: use A, B or C"))?,
            quantity: Quantity::named(name).ok_or_else(|| format!("`{name}` is no known quantity"))?,
            measured: required(value(Column::Measured))?,
            used_in_fit: value(Column::UsedInFit) == "true",
            link: link.to_owned(),
            peer: number(value(Column::PeerPredicted))
                .filter(|_| !peer.is_empty())
                .map(|said| (peer.to_owned(), said)),
            traits,
            question,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::points::tests::one;

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(read("id,source\n"), Err("there is no column `origin`".to_owned()));
        assert_eq!(
            one("k1,l,x,b200,g,kernel,FP8,A,latency_us,ten,true,,,,11"),
            Err("line 2: `ten` is no number".to_owned())
        );
        assert!(one("k1,l,x,b200,g,kernel,FP8,A,speed,1,true,,,,11").is_err());
        assert!(one("k1,l,x,b200,g,kernel,FP8,A,latency_us,inf,true,,,,11").is_err());
    }
}
