//! Reading JSON: text to a tree, and a tree to a type.
//!
//! Everything that the library reads (documents, `config.json`, the catalogue, messages) goes through the one
//! deserializer of this module, so that the code of each type is compiled once. Two deserializers more, one of text and
//! one that notes paths, weighed 60 kB of the page's program. A [`Fault`] names the place of what is wrong.

mod fault;
pub(crate) mod nonfinite;
mod read;
mod tree;

use serde::de::DeserializeOwned;

pub use fault::Fault;
pub use tree::Json;

/// Reads a JSON text as a type.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    Json::parse(text)?.read()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Everything {
        flag: bool,
        whole: u32,
        signed: i64,
        number: f64,
        text: String,
        maybe: Option<f64>,
        list: Vec<u8>,
        pair: [f64; 2],
        map: BTreeMap<String, f64>,
        variant: Variant,
        variants: Vec<Variant>,
        wrapped: Wrapped,
        inner: Option<Box<Everything>>,
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    enum Variant {
        #[default]
        Unit,
        Newtype(u32),
        Struct {
            field: f64,
        },
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Wrapped(f64);

    #[test]
    fn what_serde_json_writes_is_read() {
        let value = Everything {
            flag: true,
            whole: u32::MAX,
            signed: i64::MIN,
            number: 0.1 + 0.2,
            text: "\u{7}\"é".to_owned(),
            maybe: Some(5e-324),
            list: vec![0, 255],
            pair: [1.0, f64::MAX],
            map: [("a".to_owned(), 1.5)].into(),
            variant: Variant::Newtype(7),
            variants: vec![Variant::Unit, Variant::Struct { field: 1e300 }],
            wrapped: Wrapped(-0.0),
            inner: Some(Box::default()),
        };
        let text = serde_json::to_string(&value).expect("JSON");
        assert_eq!(from_text::<Everything>(&text), Ok(value));
    }

    /// The sentences are serde's own, which documents' readers have seen for ever.
    #[test]
    fn faults_name_the_place_and_say_what_serde_json_says() {
        for (text, path) in [
            (r#"{"whole": "x"}"#, "whole"),
            (r#"{"whole": -1}"#, "whole"),
            (r#"{"whole": 1.5}"#, "whole"),
            (r#"{"whole": 4294967296}"#, "whole"),
            (r#"{"text": 1}"#, "text"),
            (r#"{"text": null}"#, "text"),
            (r#"{"flag": [1]}"#, "flag"),
            (r#"{"list": [0, 1, {}]}"#, "list.2"),
            (r#"{"list": {}}"#, "list"),
            (r#"{"pair": [1]}"#, "pair"),
            (r#"{"map": {"k": true}}"#, "map.k"),
            (r#"{"variant": "Unti"}"#, "variant"),
            (r#"{"variant": {"Newtype": "x"}}"#, "variant"),
            (r#"{"variants": ["Unit", {"Struct": {"field": []}}]}"#, "variants.1.field"),
            (r#"{"inner": {"inner": {"whole": {}}}}"#, "inner.inner.whole"),
            (r#"{"inner": {"other": 1}}"#, "inner.other"),
            (r#"{"whole": 1, "whole": 2}"#, "whole"),
            (r#"{"maybe": "x"}"#, "maybe"),
        ] {
            let fault = from_text::<Everything>(text).expect_err(text);
            assert_eq!(fault.path().join("."), path, "{text}");
            let serde = serde_json::from_str::<Everything>(text).expect_err(text).to_string();
            let (sentence, _) = serde.split_once(" at line ").expect("a place");
            assert_eq!(fault.message(), sentence, "{text}");
        }
        let long = from_text::<Everything>(r#"{"pair": [1, 2, 3]}"#).expect_err("three of a pair");
        assert_eq!(long.message(), "invalid length 3, expected fewer elements in array");
        let missing = from_text::<Wrapper>("{}").expect_err("a missing field");
        assert!(missing.is_missing(), "{missing:?}");
        assert!(
            from_text::<u32>("{").expect_err("half an object").message().starts_with("EOF while parsing")
        );
        assert!(
            from_text::<u32>("1 1").expect_err("two numbers").message().starts_with("trailing characters")
        );
    }

    #[derive(Debug, Deserialize)]
    struct Wrapper {
        #[expect(dead_code, reason = "only its absence is read")]
        field: u32,
    }

    #[test]
    fn a_deep_text_is_refused() {
        assert!(Json::parse(&"[".repeat(1_000_000)).is_err());
        assert!(Json::parse(&"{\"a\":".repeat(1_000_000)).is_err());
    }
}
