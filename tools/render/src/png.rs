//! Drawings as PNG.

use anyhow::{Context as _, Result, ensure};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels of the file for each unit of the drawing; 2 is sharp on high-density screens and in print.
pub(crate) const SCALE: f32 = 2.0;

/// Fonts of texts, the first that the system has.
const FAMILIES: [&str; 8] = [
    "Inter",
    "Segoe UI",
    "Helvetica Neue",
    "Helvetica",
    "Arial",
    "Liberation Sans",
    "Noto Sans",
    "DejaVu Sans",
];

/// A drawing as the bytes of a PNG file, on white.
pub(crate) fn of(svg: &str, scale: f32) -> Result<Vec<u8>> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let known =
        |family: &&&str| fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == **family));
    let family = FAMILIES.iter().find(known).with_context(|| {
        format!("texts of figures need a font, which this system lacks: one of {}", FAMILIES.join(", "))
    })?;
    let family = (*family).to_owned();
    fonts.set_sans_serif_family(family);
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size().scale_by(scale).context("an empty drawing")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).context("a drawing too large")?;
    pixels.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    ensure!(pixels.data().iter().any(|byte| *byte != 255), "the drawing is empty");
    Ok(pixels.encode_png()?)
}
