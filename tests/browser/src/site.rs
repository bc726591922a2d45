//! A static web server, as plain as the hosts that the page is made for.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Component, Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::{Context as _, Result};

/// Serves a folder on a free port of this machine until dropped.
#[derive(Debug)]
pub struct Site {
    shared: Arc<Shared>,
    socket: SocketAddr,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    base: String,
    first: &'static str,
    missing: Mutex<Vec<String>>,
    asked: Mutex<Vec<String>>,
    closing: AtomicBool,
}

impl Site {
    /// Serves `folder` below `base`, which starts and ends with a slash. Every document of it runs `first` before
    /// anything else, if that is no empty script.
    pub fn start(folder: PathBuf, base: &str, first: &'static str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no port to serve on")?;
        let socket = listener.local_addr()?;
        let shared = Arc::new(Shared {
            folder,
            base: base.to_owned(),
            first,
            missing: Mutex::default(),
            asked: Mutex::default(),
            closing: AtomicBool::new(false),
        });
        thread::spawn({
            let shared = shared.clone();
            move || {
                for connection in listener.incoming().flatten() {
                    if shared.closing.load(Ordering::Relaxed) {
                        return;
                    }
                    let shared = shared.clone();
                    // A browser that went away needs no answer.
                    thread::spawn(move || shared.answer(connection).ok());
                }
            }
        });
        Ok(Self { shared, socket })
    }

    /// The address of the page, ending with a slash.
    pub fn address(&self) -> String {
        format!("http://{}{}", self.socket, self.shared.base)
    }

    /// Serves no more: as if there were no network.
    pub fn stop(&self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.socket)); // Wakes the listener.
    }

    /// Requested files that exist, in order: paths below the base, an empty one for the page itself.
    pub fn asked(&self) -> Vec<String> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requested files that do not exist.
    pub fn missing(&self) -> Vec<String> {
        self.shared.missing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    /// One request per connection: simple, and on one machine no slower.
    fn answer(&self, mut connection: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(connection.try_clone()?).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        for line in lines {
            if line?.is_empty() {
                break;
            }
        }
        // A connection that was opened in advance and never used asks for nothing.
        let Some(url) = request.split(' ').nth(1) else { return Ok(()) };
        let path = url.split(['?', '#']).next().and_then(|path| path.strip_prefix(&self.base));
        // Browsers ask for it on behalf of documents that name no icon.
        let icon = (url == "/favicon.ico").then(|| ("image/x-icon", Vec::new()));
        let found = path.and_then(|path| self.read(path));
        if let Some(path) = path.filter(|_| found.is_some()) {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        }
        let found = found.or(icon);
        if found.is_none() {
            self.missing.lock().unwrap_or_else(PoisonError::into_inner).push(url.to_owned());
        }
        let status = if found.is_some() { "200 OK" } else { "404 Not Found" };
        let (kind, body) = found.unwrap_or(("text/plain", Vec::new()));
        // Compressed files exist only in measurements of sizes.
        let packed = path
            .and_then(|path| self.read(&format!("{}.br", if path.is_empty() { "index.html" } else { path })));
        let (encoding, body) = match packed {
            Some((_, packed)) => ("Content-Encoding: br\r\n", packed),
            None => ("", body),
        };
        let length = body.len();
        // Any origin, as GitHub Pages answers: a sandboxed frame has none of its own.
        write!(
            connection,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
             {encoding}Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n"
        )?;
        connection.write_all(&body)
    }

    /// Puts the first script into a document, where no policy of the document forbids it yet.
    fn begin(&self, document: &mut Vec<u8>) {
        let head = b"<head>";
        let after = document.windows(head.len()).position(|tag| tag == head).map(|at| at + head.len());
        let after = after.or_else(|| document.iter().position(|byte| *byte == b'>').map(|at| at + 1));
        if !self.first.is_empty() {
            let script = format!("<script>{}</script>", self.first).into_bytes();
            document.splice(after.unwrap_or(0)..after.unwrap_or(0), script);
        }
    }

    fn read(&self, path: &str) -> Option<(&'static str, Vec<u8>)> {
        let folder = path.is_empty() || path.ends_with('/');
        let path = &if folder { Path::new(path).join("index.html") } else { PathBuf::from(path) };
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let mut body = inside.then(|| fs::read(self.folder.join(path)).ok()).flatten()?;
        let kind = match path.extension()?.to_str()? {
            "html" => {
                self.begin(&mut body);
                "text/html; charset=utf-8"
            }
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "wasm" => "application/wasm",
            "svg" => "image/svg+xml",
            "csv" => "text/csv; charset=utf-8",
            "webmanifest" => "application/manifest+json",
            _ => "application/octet-stream",
        };
        Some((kind, body))
    }
}
