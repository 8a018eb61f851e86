//! The way of the text: blocks through as many threads as are wanted, and in their order to the
//! output.
//!
//! Each thread reads a block, does it, waits for its turn and writes it; so there are as many
//! blocks in memory as threads. A short input starts no thread. A record that is longer than a
//! block is done by one thread alone, in its turn: see `oversize`.
#![forbid(unsafe_code)]

mod memory;
mod observer;
mod oversize;
mod spool;

use std::hint::spin_loop;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

pub(crate) use observer::Observer;

use crate::error::Error;
use crate::format::Format;
use crate::operation::Fault;
use crate::record::{Job, Policy};
use crate::report::{FileReport, Offender, Place};
use crate::sink::Sink;
use crate::source::{BLOCK, Blocks, Buffer, Cut};

/// What is the same for all blocks of an input.
pub(crate) struct Plan<'p> {
    pub(crate) format: &'p dyn Format,
    pub(crate) policy: Policy,
    /// How many more records may be at fault.
    pub(crate) limit: u64,
    /// What is said of the record that is one too many.
    pub(crate) max_errors: Option<u64>,
    /// All cores, if nothing is said.
    pub(crate) threads: Option<NonZero<usize>>,
    /// The most that is read at once: a few bytes at least, and `BLOCK` unless many blocks of a
    /// short text are wanted.
    pub(crate) block: usize,
    /// Lines are to be counted to the end, not only as far as the first offenders are named.
    pub(crate) counts_lines: bool,
    /// Whether a byte order mark at the start of the input is written. Without that it is left out.
    pub(crate) keeps_mark: bool,
    /// Is told of every record at fault.
    pub(crate) observer: Option<&'p dyn Observer>,
}

/// One input to its end, or to the first record at fault that is one too many.
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
        // Dropped at the end, also that of a panic.
        let (_working, over) = mpsc::channel();
        if holds_back {
            let pipeline = &pipeline;
            // Without this thread there is but nobody who flushes.
            let _ = thread::Builder::new().spawn_scoped(scope, move || pipeline.flush_when_idle(&over));
        }
        // Whether help is worth its while is known when there is still something to do after some
        // blocks.
        if !pipeline.work(Some(ALONE), plan.block) {
            let threads = plan.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
            let block = (MEMORY / threads).clamp(BLOCK / 4, BLOCK).min(plan.block);
            thread::scope(|scope| {
                for _ in 1..threads {
                    // Where no more can be started, for want of memory or by a limit, those that
                    // there are do it.
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

/// When nothing was written for that long, whoever reads the output sees all that was written
/// before.
const IDLE: Duration = Duration::from_millis(500);

/// So many blocks are done before other threads are started.
const ALONE: u64 = 8;

/// All blocks together are no longer than this, unless there are very many threads. What becomes of
/// them is at most three times as long.
const MEMORY: usize = 8 * 1024 * 1024;

struct Pipeline<'p> {
    plan: &'p Plan<'p>,
    input: Mutex<Input>,
    ordered: Mutex<Ordered<'p>>,
    /// The number of the block that is to be written next. Changed by who holds `ordered`.
    turn: AtomicU64,
    /// Says that `turn` has changed, if anybody sleeps.
    turned: Condvar,
    /// Nothing more need be read.
    is_stopped: AtomicBool,
    /// Somebody may still ask for a place.
    counts_lines: AtomicBool,
}

struct Input {
    blocks: Blocks,
    /// Of the next block.
    number: u64,
    is_done: bool,
}

struct Ordered<'p> {
    /// How many threads wait for `turned`.
    sleepers: usize,
    sink: &'p mut Sink,
    report: &'p mut FileReport,
    /// After an error, nothing is written any more.
    result: Result<(), Error>,
}

impl<'p> Pipeline<'p> {
    /// Does blocks, at most so many, until there are no more; says whether there are none.
    fn work(&self, most: Option<u64>, block: usize) -> bool {
        let mut buffer = Buffer::new(block);
        let mut job = Job::new(self.plan.policy, self.plan.observer.is_some());
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
                    if let Err(problem) = self.plan.format.begin(number == 0, &buffer) {
                        self.in_turn(number, |ordered| {
                            Err(Error::Usage(format!("{}: {problem}", ordered.report.name)))
                        });
                        return true;
                    }
                    drop(input);
                    job.begin(self.plan.limit, number == 0);
                    self.plan.format.transform(&buffer, &mut job);
                    let counts_lines = self.counts_lines.load(Ordering::Relaxed);
                    let text: &[u8] = if counts_lines { &buffer } else { b"" };
                    let end = Place::START.after(text, self.plan.format.separator());
                    self.in_turn(number, |ordered| ordered.write(self.plan, &buffer, &mut job, number, end));
                }
                // Nobody else may read before this record is done.
                Ok(Cut::Beginning) => self.in_turn(number, |ordered| {
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

    /// Flushes compressed output once after each block that no other follows soon, until all is
    /// over.
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

    /// Waits until all blocks before this one are written, and then does what is to be done, unless
    /// there was an error.
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

/// How often something is looked at before a thread sleeps until it comes: for about as long as a
/// block takes. To wake another thread up may take longer than that, above all in a virtual
/// machine.
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

/// [`lock`], by a thread that will not have to wait for long.
fn lock_spinning<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    spin_for(|| mutex.try_lock().ok()).unwrap_or_else(|| lock(mutex))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panics takes the whole command with it, at the end of the scope.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ordered<'_> {
    /// Writes a block that is done, and notes what was found in it.
    fn write(&mut self, plan: &Plan<'_>, block: &[u8], job: &mut Job, number: u64, end: Place) -> Result<(), Error> {
        let left = self.left(plan);
        if job.tally.faults() > left && left < plan.limit {
            // It could not know what came before it: it stopped too late, or not at all.
            job.begin(left, number == 0);
            plan.format.transform(block, job);
        }
        let start = self.report.place;
        if let Some(observer) = plan.observer {
            observer::notify(observer, self.report, &job.tally, block)?;
        }
        self.report.absorb(&job.tally, block, start.then(end));
        self.sink.write(&job.output)?;
        match job.stop {
            None => Ok(()),
            Some(Fault { kind, position, .. }) => {
                let place = start.after(&block[..position], self.report.separator);
                Err(self.limit_exceeded(plan, Offender::new(kind, place)))
            }
        }
    }

    /// How many more records may be at fault.
    fn left(&self, plan: &Plan<'_>) -> u64 {
        plan.limit.saturating_sub(self.report.faults())
    }

    fn limit_exceeded(&self, plan: &Plan<'_>, offender: Offender) -> Error {
        let name = self.report.name.clone();
        match plan.max_errors {
            Some(max_errors) if plan.policy != Policy::Fail => Error::TooMany(name, offender.place, max_errors),
            _ => Error::Undecodable(name, offender.place, offender.kind),
        }
    }
}
