//! Times the operations on this CPU: native SECONDS FILE... Prints the lines of
//! benches/wasm/bench.mjs.

use std::time::{Duration, Instant};

use simdpct_bench_wasm::{OPERATIONS, Text};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).expect("seconds");
    for path in arguments {
        let mut bytes = std::fs::read(&path).expect("a file");
        bytes.truncate(4 << 20);
        let length = bytes.len();
        let mut text = Text::new(bytes);
        for (number, operation) in OPERATIONS.into_iter().enumerate() {
            let mut best = Duration::MAX;
            let (start, mut written) = (Instant::now(), 0);
            while start.elapsed() < Duration::from_secs_f64(seconds) {
                let start = Instant::now();
                written = text.run(number);
                best = best.min(start.elapsed());
            }
            println!("{operation}\t{path}\t{written}\t{}", length as f64 / best.as_nanos() as f64);
        }
    }
}
