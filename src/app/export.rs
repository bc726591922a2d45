//! Figures and their data as files.

use js_sys::Array;
use leptos::prelude::document;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement,
    Url,
};

/// Pixels of a PNG file per unit of the drawing, so that it is sharp on paper.
const PNG_SCALE: u32 = 3;

/// Media type of a drawing.
const SVG: &str = "image/svg+xml;charset=utf-8";

/// Saves a table.
pub(crate) fn csv(text: &str, name: &str) {
    save(text, "text/csv;charset=utf-8", &file_name(name, "csv"));
}

/// Saves a document.
pub(crate) fn json(text: &str, name: &str) {
    save(text, "application/json", &file_name(name, "json"));
}

/// Saves a document of one JSON value per line.
pub(crate) fn lines(text: &str, name: &str) {
    save(text, "application/jsonl", &file_name(name, "jsonl"));
}

/// Saves a drawing.
pub(crate) fn svg(drawing: &str, name: &str) {
    save(drawing, SVG, &file_name(name, "svg"));
}

/// Saves a drawing as pixels, once the browser has loaded it as an image that a canvas can draw.
pub(crate) fn png(drawing: &str, name: &str) {
    let file = file_name(name, "png");
    let (Some(source), Ok(image)) = (object_url(drawing, SVG), HtmlImageElement::new()) else { return };
    let (loaded, url) = (image.clone(), source.clone());
    let draw = Closure::once_into_js(move || {
        if let Some(data) = pixels(&loaded) {
            download(&data, &file);
        }
        Url::revoke_object_url(&url).ok();
    });
    image.set_onload(draw.dyn_ref());
    image.set_src(&source);
}

/// Name of a saved file.
fn file_name(name: &str, extension: &str) -> String {
    format!("foretoken-{name}.{extension}")
}

/// The image as a PNG data URL.
fn pixels(image: &HtmlImageElement) -> Option<String> {
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    canvas.set_width(image.natural_width() * PNG_SCALE);
    canvas.set_height(image.natural_height() * PNG_SCALE);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    context.draw_image_with_html_image_element_and_dw_and_dh(image, 0.0, 0.0, width, height).ok()?;
    canvas.to_data_url().ok()
}

/// Saves a text as a file.
fn save(text: &str, kind: &str, file: &str) {
    if let Some(url) = object_url(text, kind) {
        download(&url, file);
        Url::revoke_object_url(&url).ok();
    }
}

/// Object URL of a text; the caller revokes it.
fn object_url(text: &str, kind: &str) -> Option<String> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = Array::of1(&JsValue::from_str(text));
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options).ok()?;
    Url::create_object_url_with_blob(&blob).ok()
}

/// Saves the content of a URL as a file by a click on a temporary link with a `download` attribute.
fn download(url: &str, file: &str) -> Option<()> {
    let link: HtmlAnchorElement = document().create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(url);
    link.set_download(file);
    document().body()?.append_child(&link).ok()?;
    link.click();
    link.remove();
    Some(())
}
