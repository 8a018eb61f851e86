//! Transforms blocks on several threads and writes them in input order.
//!
//! Each thread reads a block, transforms it, waits for its turn and writes it; so there are as many
//! blocks in memory as threads. Short inputs start no thread. A record that is longer than a block
//! is processed by one thread in its turn: see `oversize`.
#![forbid(unsafe_code)]

mod memory;
mod observer;
mod oversize;
mod progress;
mod spool;

use std::hint::spin_loop;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

pub(crate) use observer::Observer;
pub(crate) use progress::Progress;

use crate::error::Error;
use crate::format::Format;
use crate::lock::lock;
use crate::operation::{Fault, Filter};
use crate::record::{Job, Policy};
use crate::report::{FileReport, InvalidRecord, Place};
use crate::sink::Sink;
use crate::source::{BLOCK, Blocks, Buffer, Cut, binary};
use crate::unique::Seen;

/// Settings for all blocks of an input.
pub(crate) struct Plan<'p> {
    pub(crate) format: &'p dyn Format,
    pub(crate) policy: Policy,
    pub(crate) filter: Filter,
    /// Number of further invalid records that are allowed.
    pub(crate) limit: u64,
    /// The limit for the message about the record that exceeds it.
    pub(crate) max_errors: Option<u64>,
    /// Number of threads; by default that of the cores.
    pub(crate) threads: Option<NonZero<usize>>,
    /// Length of the longest record that is held in memory; `None` if memory alone is the limit.
    pub(crate) max_record: Option<u64>,
    /// Bytes to read at once: at least a few, and `BLOCK` unless a short text is to be cut into
    /// many blocks.
    pub(crate) block: usize,
    /// Whether to count lines to the end of the input, and not only up to the last invalid record
    /// that is named.
    pub(crate) counts_lines: bool,
    /// Whether to write a byte order mark at the start of the input. Otherwise it is dropped.
    pub(crate) keeps_mark: bool,
    /// Receives every invalid record.
    pub(crate) observer: Option<&'p dyn Observer>,
    /// If records are compared: the keys of the records so far.
    pub(crate) seen: Option<&'p Seen>,
}

impl Plan<'_> {
    fn job(&self) -> Job {
        let comparison = self.seen.map(|seen| seen.comparison);
        let job = Job::new(self.policy, self.observer.is_some()).filtered(self.filter);
        job.comparing(comparison, self.format.ending())
    }

    /// Whether a record that is not processed is written.
    fn writes_unprocessed(&self) -> bool {
        self.filter == Filter::All && self.seen.is_none_or(|seen| seen.comparison.keeps_keyless)
    }
}

/// Processes one input, to its end or to the invalid record that exceeds the limit.
pub(crate) fn run(plan: &Plan<'_>, mut blocks: Blocks, sink: &mut Sink, report: &mut FileReport) -> Result<(), Error> {
    if blocks.skip_mark() && plan.keeps_mark {
        sink.write_mark()?;
    }
    let holds_back = sink.holds_back();
    let pipeline = Pipeline {
        plan,
        input: Mutex::new(Input { blocks, number: 0, is_done: false }),
        ordered: Mutex::new(Ordered { sleepers: 0, sink, report, result: Ok(()) }),
        turn: AtomicU64::new(0),
        turned: Condvar::new(),
        is_stopped: AtomicBool::new(false),
        counts_lines: AtomicBool::new(true),
    };
    thread::scope(|scope| {
        // Closes the channel when dropped, even by a panic.
        let (_working, over) = mpsc::channel();
        if holds_back {
            let pipeline = &pipeline;
            // If spawning fails, output is just not flushed while idle.
            let _ = thread::Builder::new().spawn_scoped(scope, move || pipeline.flush_when_idle(&over));
        }
        // More threads are worth their start-up only if input remains after the first blocks.
        if !pipeline.work(Some(BLOCKS_BEFORE_THREADS), plan.block) {
            let threads = plan.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
            let block = (MEMORY / threads).clamp(BLOCK / 4, BLOCK).min(plan.block);
            thread::scope(|scope| {
                for _ in 1..threads {
                    // If spawning fails, for lack of memory or by a limit, the existing threads do
                    // all the work.
                    if thread::Builder::new().spawn_scoped(scope, || pipeline.work(None, block)).is_err() {
                        break;
                    }
                }
                pipeline.work(None, block);
            });
        }
    });
    pipeline.ordered.into_inner().unwrap_or_else(PoisonError::into_inner).result
}

/// After this time without output, held-back output is flushed.
const IDLE: Duration = Duration::from_millis(500);

/// Number of blocks before other threads are started.
const BLOCKS_BEFORE_THREADS: u64 = 8;

/// Length of an input from which on other threads are started.
pub(crate) const LONG: u64 = BLOCKS_BEFORE_THREADS * BLOCK as u64;

/// Limit of the total length of all blocks in memory, unless there are very many threads. Their
/// output is at most three times as long.
const MEMORY: usize = 8 * 1024 * 1024;

struct Pipeline<'p> {
    plan: &'p Plan<'p>,
    input: Mutex<Input>,
    ordered: Mutex<Ordered<'p>>,
    /// Number of the next block to write. Changed only with `ordered` locked.
    turn: AtomicU64,
    /// Notified when `turn` changes, if a thread sleeps.
    turned: Condvar,
    /// Set after an error: no more input is needed.
    is_stopped: AtomicBool,
    /// Whether places of invalid records are still needed.
    counts_lines: AtomicBool,
}

struct Input {
    blocks: Blocks,
    /// Number of the next block.
    number: u64,
    is_done: bool,
}

struct Ordered<'p> {
    /// Number of threads that wait for `turned`.
    sleepers: usize,
    sink: &'p mut Sink,
    report: &'p mut FileReport,
    /// After an error, nothing more is written.
    result: Result<(), Error>,
}

impl<'p> Pipeline<'p> {
    /// Processes blocks until `most` are done or the input ends; returns whether it has ended.
    fn work(&self, most: Option<u64>, block: usize) -> bool {
        let mut buffer = Buffer::new(block);
        let mut job = self.plan.job();
        loop {
            let mut input = lock_spinning(&self.input);
            if input.is_done || self.is_stopped.load(Ordering::Relaxed) {
                return true;
            }
            if most.is_some_and(|most| input.number == most) {
                return false;
            }
            let number = input.number;
            input.number += 1;
            match input.blocks.next(&mut buffer) {
                Ok(Cut::Records) => {
                    if number == 0 {
                        self.suggest(&buffer);
                    }
                    if let Err(message) = self.plan.format.begin(number == 0, &buffer) {
                        self.in_turn(number, |ordered| {
                            Err(Error::Usage(format!("{}: {message}", ordered.report.name)))
                        });
                        return true;
                    }
                    self.plan.format.look_ahead(number, &buffer);
                    drop(input);
                    job.begin(self.plan.limit, number == 0);
                    job.number = number;
                    self.plan.format.transform(&buffer, &mut job);
                    let counts_lines = self.counts_lines.load(Ordering::Relaxed);
                    let text: &[u8] = if counts_lines { &buffer } else { b"" };
                    let end = Place::START.after(text, self.plan.format.separator());
                    self.in_turn(number, |ordered| ordered.write(self.plan, &buffer, &mut job, number, end));
                }
                // `input` stays locked: no other thread may read until this record is processed.
                Ok(Cut::Beginning) => self.in_turn(number, |ordered| {
                    if number == 0 {
                        ordered.report.suggest(binary::hint(&buffer, self.plan.format.ending()));
                    }
                    oversize::write(self.plan, &mut input.blocks, &mut buffer, &mut job, number, ordered)
                }),
                Ok(Cut::End) => {
                    input.is_done = true;
                    return true;
                }
                Err(error) => {
                    input.is_done = true;
                    drop(input);
                    self.in_turn(number, |ordered| Err(Error::Input(ordered.report.name.clone(), error)));
                    return true;
                }
            }
        }
    }

    /// Notes what to try if the input, which begins with these records, is probably in another
    /// format.
    fn suggest(&self, records: &[u8]) {
        let format = self.plan.format;
        let hint = binary::hint(records, format.ending()).or_else(|| format.misread(records));
        lock(&self.ordered).report.suggest(hint);
    }

    /// Flushes compressed output whenever no block was written for [`IDLE`], until `over` is
    /// closed.
    fn flush_when_idle(&self, over: &mpsc::Receiver<()>) {
        let mut seen = 0;
        let mut flushed = 0;
        while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(IDLE) {
            let mut ordered = lock(&self.ordered);
            let turn = self.turn.load(Ordering::Relaxed);
            if turn == seen && seen != flushed && ordered.result.is_ok() {
                ordered.result = ordered.sink.flush();
                self.is_stopped.fetch_or(ordered.result.is_err(), Ordering::Relaxed);
                flushed = seen;
            }
            seen = turn;
        }
    }

    /// Waits until all preceding blocks are written, then calls `write`, unless there was an error.
    fn in_turn(&self, number: u64, write: impl FnOnce(&mut Ordered<'p>) -> Result<(), Error>) {
        spin_for(|| (self.turn.load(Ordering::Relaxed) == number).then_some(()));
        let mut ordered = lock(&self.ordered);
        while self.turn.load(Ordering::Relaxed) != number {
            ordered.sleepers += 1;
            ordered = self.turned.wait(ordered).unwrap_or_else(PoisonError::into_inner);
            ordered.sleepers -= 1;
        }
        if ordered.result.is_ok() {
            ordered.result = write(&mut ordered);
            if ordered.result.is_err() {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
            if ordered.report.has_all_names() && !self.plan.counts_lines {
                self.counts_lines.store(false, Ordering::Relaxed);
            }
        }
        self.turn.store(number + 1, Ordering::Relaxed);
        let is_awaited = ordered.sleepers != 0;
        drop(ordered);
        if is_awaited {
            self.turned.notify_all();
        }
    }
}

/// Spin iterations before parking: about one block's time. Waking a parked thread can take longer
/// than that, above all in a virtual machine.
const SPINS: u32 = 2000;

fn spin_for<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    for _ in 0..SPINS {
        if let Some(found) = look() {
            return Some(found);
        }
        spin_loop();
    }
    None
}

/// [`lock`] with a spin phase, for locks that are held briefly.
fn lock_spinning<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    spin_for(|| mutex.try_lock().ok()).unwrap_or_else(|| lock(mutex))
}

impl Ordered<'_> {
    /// Writes a transformed block and adds its findings to the report.
    fn write(&mut self, plan: &Plan<'_>, block: &[u8], job: &mut Job, number: u64, end: Place) -> Result<(), Error> {
        let left = self.remaining_faults(plan);
        if job.tally.faults() > left && left < plan.limit {
            // The limit was computed without the preceding blocks, so the block stopped too late,
            // or not at all: transform it again.
            job.begin(left, number == 0);
            plan.format.transform(block, job);
        }
        let start = self.report.place;
        if let Some(observer) = plan.observer {
            observer::notify(observer, self.report, &job.tally, block)?;
        }
        self.report.absorb(&job.tally, block, start.then(end));
        if let (Some(seen), Some(keyed)) = (plan.seen, &job.keyed) {
            seen.filter(&mut job.output, &keyed.records);
        }
        self.sink.write(&job.output)?;
        match job.stop {
            None => Ok(()),
            Some(Fault { kind, position, .. }) => {
                let place = start.after(&block[..position], self.report.separator);
                Err(self.limit_exceeded(plan, InvalidRecord::new(kind, place)))
            }
        }
    }

    /// Number of further invalid records that are allowed.
    fn remaining_faults(&self, plan: &Plan<'_>) -> u64 {
        plan.limit.saturating_sub(self.report.faults())
    }

    fn limit_exceeded(&self, plan: &Plan<'_>, invalid: InvalidRecord) -> Error {
        let name = self.report.name.clone();
        match plan.max_errors {
            Some(max_errors) if plan.policy != Policy::Fail => Error::TooMany(name, invalid.place, max_errors),
            _ => Error::Undecodable(name, invalid.place, invalid.field, invalid.kind),
        }
    }
}
