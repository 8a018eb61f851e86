//! Processes parts on several threads, and writes the results in order.
#![forbid(unsafe_code)]

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::thread;

use crate::lock::lock;

/// Reads parts with `next` until there are no more, applies `work` on at most `threads` threads,
/// and passes the results to `write` in order. Each thread has one part. The first error ends it
/// all.
pub(super) fn run<P: Send, R: Send, E: Send>(
    threads: usize,
    next: impl FnMut() -> Result<Option<P>, E> + Send,
    work: impl Fn(P) -> Result<R, E> + Sync,
    write: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E> {
    let input = Mutex::new((0, Some(next)));
    let output = Mutex::new(Output { turn: 0, write, result: Ok(()) });
    let turned = Condvar::new();
    let process = || {
        loop {
            let (number, part) = {
                let (number, next) = &mut *lock(&input);
                let Some(read) = next else { return };
                let part = read();
                if !matches!(part, Ok(Some(_))) {
                    *next = None;
                }
                *number += 1;
                (*number - 1, part)
            };
            let result = part.and_then(|part| part.map(&work).transpose());
            let mut output = lock(&output);
            while output.turn != number {
                output = turned.wait(output).unwrap_or_else(PoisonError::into_inner);
            }
            output.turn += 1;
            let is_written = output.result.is_ok();
            if is_written {
                output.result = result.and_then(|result| result.map_or(Ok(()), |result| (output.write)(result)));
            }
            let is_over = output.result.is_err();
            drop(output);
            turned.notify_all();
            if is_over {
                lock(&input).1 = None;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // If spawning fails, the existing threads do all the work.
            if thread::Builder::new().spawn_scoped(scope, process).is_err() {
                break;
            }
        }
        process();
    });
    output.into_inner().unwrap_or_else(PoisonError::into_inner).result
}

struct Output<W, E> {
    /// Number of the next part.
    turn: u64,
    write: W,
    /// After an error, nothing more is written.
    result: Result<(), E>,
}

thread_local! {
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Turns a panic into an error: the crates that read files panic on some invalid ones.
pub(super) fn caught<T, E>(action: impl FnOnce() -> Result<T, E>, error: impl FnOnce(String) -> E) -> Result<T, E> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                print(panic);
            }
        }));
    });
    let before = IS_CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(action));
    IS_CAUGHT.set(before);
    result.unwrap_or_else(|panic| Err(error(format!("invalid file: {}", message(&*panic)))))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown message")
}

#[cfg(test)]
mod tests {
    use super::{caught, run};

    #[test]
    fn results_are_written_in_order_up_to_the_first_error() {
        for threads in [1, 2, 7] {
            for bad in [0, 5, 40, 100] {
                let (mut parts, mut written) = (0..100, Vec::new());
                let work = |part| if part == bad { Err(part) } else { Ok(part) };
                let result = run(
                    threads,
                    || Ok(parts.next()),
                    work,
                    |part| {
                        written.push(part);
                        Ok(())
                    },
                );
                assert_eq!(result, if bad < 100 { Err(bad) } else { Ok(()) });
                assert!(written.iter().copied().eq(0..bad), "{threads} {bad} {written:?}");
            }
        }
    }

    #[test]
    fn panic_becomes_an_error() {
        assert_eq!(caught(|| panic!("no {}", 1), |message| message), Err::<(), _>("invalid file: no 1".into()));
        assert_eq!(caught(|| Ok::<_, String>(1), |message| message), Ok(1));
    }
}
