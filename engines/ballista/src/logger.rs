//! The log on standard error: a line per message, with the time in UTC, the level and the module.

use std::io::Write;

use chrono::Utc;
use log::{LevelFilter, Log, Metadata, Record};

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let time = Utc::now().format("%Y-%m-%dT%H:%M:%S%.3fZ");
            let line = format!("{time} {} {}: {}\n", record.level(), record.target(), record.args());
            // Writes once, so that lines of several threads do not mix. A log that cannot be
            // written does not stop the program.
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
    }

    fn flush(&self) {}
}

/// Logs messages of this level and above from now on.
pub(crate) fn start(level: LevelFilter) {
    // Fails if a logger is already set, as in tests. The older logger stays.
    if log::set_logger(&Logger).is_ok() {
        log::set_max_level(level);
    }
}
