//! Whatever a link asks, the views answer it or say what is wrong with it.
#![no_main]

use foretoken::answer;
use foretoken::figure::Size;
use foretoken::scenario::link::decode;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|link: &str| {
    let question = decode(link).scenario;
    for answer in [answer::training, answer::inference, answer::generations] {
        if let Ok(answer) = answer(&question, Size::Wide) {
            assert!(!answer.headline.contains("NaN") && !answer.headline.contains("inf "), "{link}");
        }
    }
});
