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

    #[test]
    fn faults_name_the_place_and_what_belongs_there() {
        for (text, path, says) in [
            (r#"{"whole": "x"}"#, "whole", r#"must be a whole number, not the text "x""#),
            (r#"{"whole": -1}"#, "whole", "must be a whole number from 0 to 4,294,967,295, not -1"),
            (r#"{"whole": 1.5}"#, "whole", "must be a whole number, not 1.5"),
            (r#"{"whole": 1e300}"#, "whole", "must be a whole number, not 1e300"),
            (
                r#"{"whole": 4294967296}"#,
                "whole",
                "must be a whole number from 0 to 4,294,967,295, not 4294967296",
            ),
            (r#"{"signed": []}"#, "signed", "must be a whole number, not a list"),
            (r#"{"number": "1"}"#, "number", r#"must be a number, not the text "1""#),
            (r#"{"text": 1}"#, "text", "must be text, not 1"),
            (r#"{"text": null}"#, "text", "must be text, not `null`"),
            (r#"{"flag": [1]}"#, "flag", "must be `true` or `false`, not a list"),
            (r#"{"list": [0, 1, {}]}"#, "list.2", "must be a whole number, not an object"),
            (r#"{"list": [256]}"#, "list.0", "must be a whole number from 0 to 255, not 256"),
            (r#"{"list": {}}"#, "list", "must be a list, not an object"),
            (r#"{"pair": [1]}"#, "pair", "must be a list of 2 values, not of 1"),
            (r#"{"pair": [1, 2, 3]}"#, "pair", "must be a shorter list, not of 3 values"),
            (r#"{"map": {"k": true}}"#, "map.k", "must be a number, not `true`"),
            (
                r#"{"variant": "Unti"}"#,
                "variant",
                "unknown value `Unti`, expected one of `Unit`, `Newtype`, `Struct`",
            ),
            (r#"{"variant": 1}"#, "variant", "must be text or an object, not 1"),
            (
                r#"{"variant": "Newtype"}"#,
                "variant",
                "`Newtype` is the key of an object here: its value is missing",
            ),
            (r#"{"variant": {"Newtype": "x"}}"#, "variant", r#"must be a whole number, not the text "x""#),
            (
                r#"{"variants": ["Unit", {"Struct": {"field": []}}]}"#,
                "variants.1.field",
                "must be a number, not a list",
            ),
            (
                r#"{"inner": {"inner": {"whole": {}}}}"#,
                "inner.inner.whole",
                "must be a whole number, not an object",
            ),
            (r#"{"inner": 3}"#, "inner", "must be an object, not 3"),
            (r#"{"whole": 1, "whole": 2}"#, "whole", "duplicate field `whole`"),
            (r#"{"maybe": "x"}"#, "maybe", r#"must be a number, not the text "x""#),
        ] {
            let fault = from_text::<Everything>(text).expect_err(text);
            assert_eq!((fault.path().join(".").as_str(), fault.message()), (path, says), "{text}");
        }
        let unknown = from_text::<Everything>(r#"{"inner": {"other": 1}}"#).expect_err("an unknown field");
        assert_eq!(unknown.path(), ["inner", "other"]);
        assert!(unknown.message().starts_with("unknown field `other`, expected one of `flag`, "));
        let missing = from_text::<Wrapper>("{}").expect_err("a missing field");
        assert!(missing.is_missing(), "{missing:?}");
        assert!(
            from_text::<u32>("{").expect_err("half an object").message().starts_with("EOF while parsing")
        );
        assert!(
            from_text::<u32>("1 1").expect_err("two numbers").message().starts_with("trailing characters")
        );
    }

    /// Python writes the quotient of two whole numbers with a decimal point.
    #[test]
    fn a_whole_number_may_have_a_decimal_point() {
        let read = |text: &str| from_text::<Everything>(text).expect(text);
        assert_eq!(read(r#"{"whole": 8.0}"#).whole, 8);
        assert_eq!(read(r#"{"whole": 1e3}"#).whole, 1000);
        assert_eq!(read(r#"{"signed": -8.0}"#).signed, -8);
        assert_eq!(read(r#"{"list": [255.0]}"#).list, [255]);
        assert!(from_text::<Everything>(r#"{"list": [256.0]}"#).is_err());
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
