//! The programs that drive browsers: one of each per test, ended when dropped.

use std::{
    env,
    io::{self, BufRead as _, BufReader},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::Engine;

/// Time limit for the page's reactions, on a machine with other load.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);

/// A running `chromedriver`, `geckodriver` or `WebKitWebDriver`.
#[derive(Debug)]
pub(crate) struct Driver {
    /// Address on which the driver listens.
    pub(crate) address: String,
    /// Processes that the driver needs. The field follows the driver's own process, so they end later.
    _processes: Vec<Process>,
}

impl Driver {
    pub(crate) fn start(engine: Engine) -> Result<Self> {
        match engine {
            Engine::Chromium => {
                let program = env::var("CHROMEDRIVER").or_else(|_| find(&["chromedriver"]))?;
                let mut command = Command::new(program);
                command.args(["--port=0", "--log-level=SEVERE"]);
                Self::named(&mut command, "was started successfully on port ")
            }
            Engine::Firefox => {
                let mut command = Command::new(find(&["geckodriver"])?);
                // Some of what is checked only the browser itself knows.
                command.args(["--port=0", "--websocket-port=0", "--log=info", "--allow-system-access"]);
                Self::named(&mut command, "Listening on 127.0.0.1:")
            }
            Engine::WebKit => Self::on_a_screen(),
        }
    }

    /// A driver that chooses a port and says which. `chromedriver` chooses a free port of IPv6 and ends if another
    /// program has the same port of IPv4, so it is started again.
    fn named(command: &mut Command, before: &str) -> Result<Self> {
        let mut start = || {
            Process::saying(command, |line| {
                let (_, port) = line.split_once(before)?;
                port.trim_end_matches('.').parse().ok()
            })
        };
        let (process, port) = start().or_else(|_| start()).or_else(|_| start())?;
        Ok(Self::at(port, vec![process]))
    }

    /// `WebKitGTK` draws to a screen, here one in memory; and its driver takes a port without choosing it.
    fn on_a_screen() -> Result<Self> {
        let mut command = Command::new(find(&["Xvfb"])?);
        command.args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]);
        let (screen, display) = Process::saying(&mut command, |line| line.parse::<u32>().ok())?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new(find(&["WebKitWebDriver"])?);
        command.arg(format!("--port={port}")).env("DISPLAY", format!(":{display}")).stdout(Stdio::null());
        let process = Process::start(&mut command)?;
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(start.elapsed() < PATIENCE, "{command:?} does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Self::at(port, vec![process, screen]))
    }

    fn at(port: u16, processes: Vec<Process>) -> Self {
        Self { address: format!("http://127.0.0.1:{port}"), _processes: processes }
    }
}

#[derive(Debug)]
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Result<Self> {
        let started = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(Self(started.with_context(|| format!("cannot start {command:?}"))?))
    }

    /// Starts a program, and waits for the first line that says what is wanted.
    fn saying<T>(command: &mut Command, wanted: impl Fn(&str) -> Option<T>) -> Result<(Self, T)> {
        let mut this = Self::start(command.stdout(Stdio::piped()))?;
        let mut output = BufReader::new(this.0.stdout.take().context("has a pipe")?);
        let mut line = String::new();
        while output.read_line(&mut line)? > 0 {
            if let Some(found) = wanted(line.trim_end()) {
                // The output must be drained: a writer to a full pipe blocks forever.
                std::thread::spawn(move || io::copy(&mut output, &mut io::sink()));
                return Ok((this, found));
            }
            line.clear();
        }
        bail!("{command:?} ended without saying where it listens")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A program on the path, by the first of these names that is there.
pub(crate) fn find(names: &[&str]) -> Result<String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
        .map(|file| file.display().to_string())
        .with_context(|| format!("found none of {names:?}: run `.ci/setup test`"))
}
