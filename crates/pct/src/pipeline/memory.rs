//! Memory limits for long records.
#![forbid(unsafe_code)]

/// Memory that processing a record takes, as a multiple of its length: the parsed fields, their
/// results, and the output, which grows by doubling. Measured for records of 8 and 64 MiB: 2 for a
/// field, 3 to 7 for a JSON string or a quoted field, 15 to 17 for CSV in which all bytes are
/// escaped and for JSON arrays of tiny strings. Forms of very many tiny pairs take more.
const MULTIPLE: usize = 20;

/// Records up to this length are always processed.
const SHORT: usize = 4 * 1024 * 1024;

/// Reserves `length` more bytes for a record; false if memory would not suffice to process it.
pub(super) fn make_room(record: &mut Vec<u8>, length: usize) -> bool {
    let needed = record.len() + length;
    if needed <= record.capacity() {
        return true;
    }
    // Grows by less than doubling, because the last step is the one that may fail.
    let capacity = needed.max(record.capacity() / 4 * 5);
    (capacity <= SHORT || is_available(capacity.saturating_mul(MULTIPLE)))
        && record.try_reserve_exact(capacity - record.len()).is_ok()
}

/// Whether `bytes` can be allocated and, if the system reports it, are physically available.
fn is_available(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok() && available().is_none_or(|available| bytes as u64 <= available)
}

/// Linux's estimate. It overcommits memory and kills processes that use it.
#[cfg(target_os = "linux")]
fn available() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

#[cfg(not(target_os = "linux"))]
fn available() -> Option<u64> {
    None
}
