//! Writes the catalogue that is compiled in. The page's copy lacks what the page never shows, since every visitor
//! transfers it.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use serde_json::{Map, Value};

/// Where the facts are.
const DATA: &str = "src/catalog/data";

/// Where facts come from and what they are checked against.
const UNSHOWN: [&str; 6] =
    ["source", "notes", "recalled", "parameters_published", "active_published", "uncounted"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DATA}");
    let page = env::var("CARGO_CFG_TARGET_ARCH")? == "wasm32";
    let written = env::var("OUT_DIR")?;
    for name in ["accelerators", "memories", "interconnects", "architectures", "prices", "aliases"] {
        let name = format!("{name}.json");
        let mut text = fs::read_to_string(Path::new(DATA).join(&name))?;
        if page {
            let mut entries: Vec<Map<String, Value>> = serde_json::from_str(&text)?;
            for entry in &mut entries {
                entry.retain(|key, _| !UNSHOWN.contains(&key.as_str()));
            }
            text = serde_json::to_string(&entries)?;
        }
        fs::write(Path::new(&written).join(&name), text)?;
    }
    Ok(())
}
