//! The page's second program: answers what the page would rather not compute itself, once it is asked to.

fn main() {
    #[cfg(target_arch = "wasm32")]
    foretoken::app::serve();
}
