//! The figures' colours: the same in the style sheet and in exported files, and legible in both themes.

#![allow(clippy::disallowed_methods)]

use foretoken::estimate::Footprint;
use foretoken::figure::{self, Size};
use foretoken::units::Bytes;

const STYLE: &str = include_str!("../../style/figure.css");

/// The name, light value and dark value of each custom property.
fn colours() -> Vec<(&'static str, [&'static str; 2])> {
    let property = |line: &'static str| {
        let (name, value) = line.trim().strip_suffix(");")?.split_once(": light-dark(")?;
        let (light, dark) = value.split_once(", ")?;
        Some((name, [light, dark]))
    };
    STYLE.lines().filter_map(property).collect()
}

/// Relative luminance as WCAG 2 defines it.
fn luminance(colour: &str) -> f64 {
    let channel = |from: usize| {
        let value = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).expect("a hex colour")) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn contrast_is_enough_in_both_themes() {
    let colours = colours();
    assert_eq!(colours.len(), 12);
    let (_, paper) = colours.iter().find(|(name, _)| *name == "--figure-paper").expect("a background");
    for (name, values) in &colours {
        // Grid lines repeat what ticks say; everything else carries meaning.
        let least = match *name {
            "--figure-paper" | "--figure-grid" => 1.0,
            "--figure-ink" | "--figure-muted" => 4.5,
            _ => 3.0,
        };
        for (colour, paper) in values.iter().zip(paper) {
            assert!(contrast(colour, paper) >= least, "{name} {colour} on {paper}");
        }
    }
}

#[test]
fn figures_lie_on_the_pages_surface() {
    let tokens = include_str!("../../style/tokens.css");
    let colours = colours();
    let (_, [light, dark]) =
        colours.iter().find(|(name, _)| *name == "--figure-paper").expect("a background");
    assert!(tokens.contains(&format!("--surface: light-dark({light}, {dark});")));
}

#[test]
fn every_colour_has_its_classes() {
    for (name, _) in colours() {
        let short = name.trim_start_matches("--figure-");
        for property in ["fill", "stroke"] {
            assert!(
                STYLE.contains(&format!(".fig-{property}-{short} {{ {property}: var({name}); }}")),
                "{name}"
            );
        }
    }
}

#[test]
fn files_have_the_light_colours() {
    let footprint = Footprint {
        weights: Bytes::from_gib(1.0),
        gradients: Bytes::from_gib(1.0),
        optimizer: Bytes::from_gib(1.0),
        activations: Bytes::from_gib(1.0),
        kv_cache: Bytes::from_gib(1.0),
        reserve: Bytes::from_gib(1.0),
        capacity: Bytes::from_gib(8.0),
    };
    let file = figure::memory(&footprint, &[], Size::Wide).standalone_svg();
    for (name, [light, _]) in colours() {
        let unused = ["--figure-6", "--figure-8"].contains(&name);
        assert!(unused || file.contains(light), "{name}");
    }
}
