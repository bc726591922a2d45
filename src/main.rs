//! Mounts the page. Elsewhere than in a browser there is nothing to mount: use the library or the examples.

fn main() {
    #[cfg(target_arch = "wasm32")]
    foretoken::app::mount();
}
