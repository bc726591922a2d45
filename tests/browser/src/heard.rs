//! The accessibility tree: what a screen reader is told, in reading order. Of the drivers, only that of Chromium gives it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use thirtyfour::WebDriver;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// Role, as Chromium names it, e.g. `textbox`.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// Accessible description.
    pub description: String,
    /// All text within the node.
    pub text: String,
}

/// The nodes that are not hidden from screen readers, in reading order.
pub(crate) async fn tree(web: &WebDriver) -> Result<Vec<Heard>> {
    let tools = web.cdp();
    tools.send_raw("Accessibility.enable", json!({})).await?;
    let tree = tools.send_raw("Accessibility.getFullAXTree", json!({})).await?;
    tools.send_raw("Accessibility.disable", json!({})).await?;
    let nodes = tree["nodes"].as_array().context("a tree")?;
    // The list has one level of the tree after the other.
    let by_id: BTreeMap<&str, &Value> =
        nodes.iter().filter_map(|node| Some((node["nodeId"].as_str()?, node))).collect();
    let mut heard = Vec::new();
    walk(nodes.first().context("a root")?, &by_id, &mut heard);
    Ok(heard)
}

/// Adds a node and those below it. Returns their text.
fn walk(node: &Value, by_id: &BTreeMap<&str, &Value>, heard: &mut Vec<Heard>) -> String {
    let value = |key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
    let (role, name) = (value("role"), value("name"));
    if role == "StaticText" {
        return name;
    }
    let place = (node["ignored"] != true).then(|| {
        let description = value("description");
        heard.push(Heard { role, name, description, text: String::new() });
        heard.len() - 1
    });
    let below = node["childIds"].as_array().into_iter().flatten();
    let below = below.filter_map(|id| by_id.get(id.as_str()?));
    let text: String = below.map(|node| walk(node, by_id, heard)).collect();
    if let Some(place) = place {
        heard[place].text.clone_from(&text);
    }
    text
}
