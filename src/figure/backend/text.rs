//! Estimates the size of text, with the same result inside and outside the browser.

/// An upper estimate of the width of a text, in the unit of its size.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let weight = if bold { 1.1 } else { 1.0 };
    // The widest usual interface font is the yardstick, as the page's font is not known here.
    let ems: f64 = text
        .chars()
        .map(|character| match character {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' => 0.34,
            'f' | 't' | 'r' | '(' | ')' | '/' | '-' | '·' => 0.42,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.97,
            character if character.is_ascii_uppercase() => 0.72,
            character if character.is_ascii() => 0.63,
            character if (character as u32) < 0x2000 => 0.72,
            _ => 1.0,
        })
        .sum();
    ems * size * weight
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn wide_and_bold_text_takes_more_room() {
        assert!(width("mm", 12.0, false) > width("ii", 12.0, false));
        assert!(width("mm", 12.0, true) > width("mm", 12.0, false));
        assert!((width("ab", 24.0, false) - 2.0 * width("ab", 12.0, false)).abs() < 1e-9);
    }
}
