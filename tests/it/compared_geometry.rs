//! Geometry of Compare's bars, and the columns of its tables: one for each question.

use foretoken::estimate::Footprint;
use foretoken::figure::{Compared, Figure, Read, Size, compared_memory};
use foretoken::units::Bytes;

/// Memory of questions with these weights and caches, GiB.
fn memory(questions: &[(f64, f64)], size: Size) -> Figure {
    let side = |(index, &(weights, cache)): (usize, &(f64, f64))| Compared {
        name: format!("{}. question", index + 1),
        link: format!("v=1&batch={}", index + 1),
        of: Footprint {
            weights: Bytes::from_gib(weights),
            kv_cache: Bytes::from_gib(cache),
            capacity: Bytes::from_gib(80.0),
            ..Footprint::default()
        },
    };
    compared_memory(&questions.iter().enumerate().map(side).collect::<Vec<_>>(), size)
}

/// Areas of a question's bar, from left to right.
fn bar(figure: &Figure, question: usize) -> Vec<&Read> {
    let link = format!("v=1&batch={question}");
    figure.reads.iter().filter(|read| read.link == link && read.extent.0 > 0.0).collect()
}

#[test]
fn bars_are_as_long_as_what_they_show() {
    for size in [Size::Wide, Size::Medium, Size::Narrow] {
        let figure = memory(&[(20.0, 10.0), (40.0, 20.0), (40.0, 0.0)], size);
        let left = |read: &Read| read.x - read.extent.0 / 2.0;
        let length = |question| bar(&figure, question).iter().map(|read| read.extent.0).sum::<f64>();
        for (question, share) in [(1, 0.5), (3, 2.0 / 3.0)] {
            assert!((length(question) / length(2) - share).abs() < 0.01, "{size:?}: {}", length(question));
        }
        // Parts adjoin; bars begin at one edge and lie below one another.
        let (first, second) = (bar(&figure, 1), bar(&figure, 2));
        assert!((left(first[0]) - left(second[0])).abs() < 0.25, "{size:?}");
        assert!((left(second[1]) - left(second[0]) - second[0].extent.0).abs() < 0.25, "{size:?}");
        assert!(first[0].y + first[0].extent.1 <= second[0].y, "{size:?}");
        for read in &figure.reads {
            assert!(left(read) >= 0.0 && left(read) + read.extent.0 <= figure.width, "{size:?}: {read:?}");
            assert!(read.y >= 0.0 && read.y <= figure.height, "{size:?}: {read:?}");
        }
    }
}

#[test]
fn tables_have_a_column_for_each_question() {
    for count in 1..=8 {
        let figure = memory(&vec![(20.0, 10.0); count], Size::Wide);
        assert_eq!(figure.table.columns.len(), 1 + count);
        assert!(figure.table.rows.iter().all(|row| row.cells.len() == 1 + count));
        // Weights, cache, total, capacity.
        assert_eq!(figure.table.rows.len(), 4);
    }
}
