//! A number of an answer within a sentence: code that begins with `foretoken`, such as
//! `` `foretoken days range v=1&gpus=1024 about a year` ``: the number's name, switches, its link, and the text that is shown until
//! the number is known.

use anyhow::{Context as _, Result, anyhow};
use foretoken::markup::Element;
use foretoken::view::Card;

use crate::block::LANGUAGE;
use crate::draw::{answer, fragment};

/// Names of the switches: attributes of the element without a value.
const SWITCHES: [&str; 2] = ["range", "equation"];

/// A number as a document states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    name: String,
    switches: Vec<String>,
    link: String,
    /// The document's text, or the number as it is when the document is built.
    text: String,
}

impl Value {
    /// Parses the words after the language, and computes the number.
    pub(crate) fn read(words: &str) -> Result<Self> {
        let mut rest = words.split_whitespace().peekable();
        let name = rest.next().unwrap_or_default();
        let switches: Vec<&str> =
            std::iter::from_fn(|| rest.next_if(|word| SWITCHES.contains(word))).collect();
        let link = rest
            .next()
            .with_context(|| format!("`{LANGUAGE} {words}`: a number needs its name and a link"))?;
        let answer = answer(link)?;
        let card = answer.card(name).ok_or_else(|| {
            let known: Vec<&str> = answer.cards.iter().map(|card| &*card.id).collect();
            anyhow!("`{LANGUAGE} {words}`: the answer has no number {name}; it has {}", known.join(", "))
        })?;
        let text = rest.collect::<Vec<_>>().join(" ");
        Ok(Self {
            name: name.to_owned(),
            link: fragment(link).to_owned(),
            text: if text.is_empty() { said(card, &switches) } else { text },
            switches: switches.into_iter().map(str::to_owned).collect(),
        })
    }

    /// The element, with the text as its content.
    pub(crate) fn to_html(&self) -> String {
        let mut html = String::new();
        let mut element = Element::new(&mut html, "foretoken-value");
        element.attribute("value", &*self.name);
        for switch in &self.switches {
            element.attribute(switch, "");
        }
        element.attribute("link", &*self.link).text(&self.text);
        drop(element);
        html
    }

    /// The text as a link in Markdown, for output that is not HTML.
    pub(crate) fn to_markdown(&self, page: &str) -> String {
        let text = self.text.replace('[', "\\[").replace(']', "\\]");
        format!("[{text}](<{page}#{}>)", self.link)
    }
}

/// A number as the element writes it.
fn said(card: &Card, switches: &[&str]) -> String {
    let equation = switches.contains(&"equation") && !card.equation.is_empty();
    let range = card.range.as_ref().filter(|_| switches.contains(&"range"));
    let range = range.map_or_else(String::new, |range| format!(" ({range})"));
    format!("{}{range}", if equation { card.equation.clone() } else { card.shown() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::PAGE;

    const LINK: &str = "v=1&gpus=64&tp=8&recompute=full";

    #[test]
    fn a_number_becomes_an_element_with_its_text() {
        let words = format!("days range https://example.org/#{LINK} some [long] time");
        let value = Value::read(&words).expect("a number");
        assert_eq!(
            value.to_html(),
            "<foretoken-value value=\"days\" range=\"\" link=\"v=1&amp;gpus=64&amp;tp=8&amp;recompute=full\">\
             some [long] time</foretoken-value>"
        );
        assert_eq!(
            value.to_markdown(PAGE),
            format!("[some \\[long\\] time](<https://example.org/foretoken/#{LINK}>)")
        );
    }

    #[test]
    fn without_a_text_it_is_the_number_of_today() {
        let of = |switches: &str| Value::read(&format!("step {switches} {LINK}")).expect("a number").text;
        let answer = answer(LINK).expect("an answer");
        let card = answer.card("step").expect("a card");
        assert_eq!(of(""), card.shown());
        assert_eq!(of("equation"), card.equation);
        assert!(of("range").starts_with(&format!("{} (", card.shown())), "{}", of("range"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fault = |words: &str| Value::read(words).expect_err("a fault").to_string();
        assert!(fault("step").contains("needs its name and a link"));
        assert!(fault("stop v=1&gpus=64&tp=8").contains("no number stop; it has step, "));
        assert!(fault("step v=1&gpu=h10").contains("h10"));
    }
}
