//! Writes markup: SVG of drawings, HTML that a visitor copies into other pages, and HTML files of a site. An element is a value that closes its
//! own tag, and text is escaped in one place.

use std::fmt::Write as _;

/// An element that is being written. Dropping it writes its end.
pub struct Element<'a> {
    text: &'a mut String,
    name: &'static str,
    has_content: bool,
}

/// Types of attribute values.
pub trait Value: Copy {
    /// Appends the value in its form between quotes.
    fn write(&self, text: &mut String);
}

impl<'a> Element<'a> {
    /// Begins an element at the end of a text.
    pub fn new(text: &'a mut String, name: &'static str) -> Self {
        text.push('<');
        text.push_str(name);
        Self { text, name, has_content: false }
    }

    /// Begins an element within this one.
    pub fn child(&mut self, name: &'static str) -> Element<'_> {
        self.begin_content();
        Element::new(self.text, name)
    }

    /// Writes an attribute. Attributes come before any content.
    pub fn attribute(&mut self, name: &str, value: impl Value) -> &mut Self {
        debug_assert!(!self.has_content, "{name} after the content of {}", self.name);
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push_str("=\"");
        value.write(self.text);
        self.text.push('"');
        self
    }

    /// Writes text within the element.
    pub fn text(&mut self, text: &str) {
        self.begin_content();
        text.write(self.text);
    }

    /// Writes an end tag also if the element has no content. HTML requires it, unlike XML.
    pub fn with_end_tag(&mut self) {
        self.begin_content();
    }

    /// Writes markup that this module wrote before, e.g. a drawing, unchanged.
    pub fn markup(&mut self, markup: &str) {
        self.begin_content();
        self.text.push_str(markup);
    }

    fn begin_content(&mut self) {
        if !self.has_content {
            self.text.push('>');
            self.has_content = true;
        }
    }
}

impl Drop for Element<'_> {
    fn drop(&mut self) {
        if self.has_content {
            self.text.push_str("</");
            self.text.push_str(self.name);
            self.text.push('>');
        } else {
            self.text.push_str("/>");
        }
    }
}

impl Value for &str {
    fn write(&self, text: &mut String) {
        for character in self.chars() {
            match character {
                '<' => text.push_str("&lt;"),
                '>' => text.push_str("&gt;"),
                '&' => text.push_str("&amp;"),
                '"' => text.push_str("&quot;"),
                '\'' => text.push_str("&apos;"),
                other if allowed(other) => text.push(other),
                _ => {}
            }
        }
    }
}

/// Parts of one word, e.g. of a class.
impl<const N: usize> Value for [&str; N] {
    fn write(&self, text: &mut String) {
        for part in self {
            part.write(text);
        }
    }
}

/// Writes a number without formatting.
impl Value for f64 {
    fn write(&self, text: &mut String) {
        // Writing to a string cannot fail, here and below.
        let _ = write!(text, "{self}");
    }
}

/// Returns true if XML allows this character in one line of text.
fn allowed(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut text = String::new();
        "<a b=\"c\">&'\u{0}\u{7}\n".write(&mut text);
        assert_eq!(text, "&lt;a b=&quot;c&quot;&gt;&amp;&apos;");
    }

    #[test]
    fn elements_close_themselves() {
        let mut text = String::new();
        let mut root = Element::new(&mut text, "p");
        root.attribute("title", "\"x\"");
        root.child("br").attribute("id", 10.5);
        root.child("i").with_end_tag();
        root.text("a < b");
        drop(root);
        assert_eq!(text, r#"<p title="&quot;x&quot;"><br id="10.5"/><i></i>a &lt; b</p>"#);
    }
}
