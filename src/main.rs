//! The page's program, whose entry points are those of `foretoken::app`: the page mounts it, a worker serves with it,
//! other pages compute estimates with it. Elsewhere than in a browser use the library or the examples.

#[cfg(target_arch = "wasm32")]
use foretoken as _;

fn main() {}
