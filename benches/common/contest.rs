//! A contest: times contestants with the same task on the same inputs.
//!
//! Before timing, each output is compared with the reference implementation's. A peer whose output
//! differs is excluded, with a message. If one of our levels differs, it is an error.

use std::borrow::Cow;
use std::fmt::Display;
use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};

/// The name prefix of our contestants, followed by the level.
pub const OURS: &str = "simdpct";

const NOT_TEXT: &str = "the inputs are not all UTF-8";

/// A contest over some texts, which become the benchmarks' parameters.
pub struct Contest<'c> {
    group: BenchmarkGroup<'c, WallTime>,
    text: String,
    inputs: Vec<&'static [u8]>,
    /// The inputs as text, if all are UTF-8: for contestants that take only text.
    texts: Option<Vec<&'static str>>,
    expected: Vec<Vec<u8>>,
}

/// The output of a contestant: bytes, text or neither.
///
/// Passed to `black_box` by reference: by value, a `Cow` would be stored in small pieces and loaded
/// in large ones, a failed store-to-load forwarding that is not part of the work.
pub trait Output {
    fn bytes(&self) -> Option<&[u8]>;
}

/// When a buffer is cleared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reuse {
    /// Cleared before each input.
    ForEach,
    /// Cleared once; the outputs of all inputs are contiguous.
    ForAll,
}

/// A buffer to which contestants append.
pub trait Buffer: Output {
    fn with_capacity(capacity: usize) -> Self;
    fn clear(&mut self);
}

/// Memory of the caller, to which contestants write one output at a time.
pub struct Memory {
    bytes: Vec<u8>,
    length: usize,
}

impl Memory {
    /// The whole memory.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Notes the length of the output, if there is one.
    pub fn wrote(&mut self, length: Option<usize>) -> bool {
        self.length = length.unwrap_or_default();
        length.is_some()
    }
}

impl<'c> Contest<'c> {
    /// A contest of this name, without inputs.
    pub fn new(criterion: &'c mut Criterion, name: impl Into<String>) -> Self {
        let group = criterion.benchmark_group(name);
        Self { group, text: String::new(), inputs: Vec::new(), texts: None, expected: Vec::new() }
    }

    /// Sets the inputs of the following contestants; `expected` gives the right output.
    pub fn on(
        &mut self,
        text: impl Display,
        inputs: Vec<&'static [u8]>,
        expected: impl Fn(&'static [u8]) -> Vec<u8>,
    ) -> &mut Self {
        let bytes = inputs.iter().map(|input| input.len() as u64).sum();
        self.group.throughput(Throughput::ElementsAndBytes { elements: inputs.len() as u64, bytes });
        self.text = text.to_string();
        self.texts = inputs.iter().map(|input| std::str::from_utf8(input).ok()).collect();
        self.expected = inputs.iter().map(|input| expected(input)).collect();
        self.inputs = inputs;
        self
    }

    /// Repeats the inputs, each copy at its own address, until they have this many bytes: more than
    /// the caches hold, so that each input comes from memory. Outputs of the first copy are
    /// compared.
    pub fn repeated(&mut self, bytes: usize) -> &mut Self {
        let lengths: Vec<usize> = self.inputs.iter().map(|input| input.len()).collect();
        let once = self.inputs.concat();
        let copies = &*once.repeat(bytes.div_ceil(once.len())).leak();
        self.inputs.clear();
        for mut rest in copies.chunks_exact(once.len()) {
            for &length in &lengths {
                let (input, after) = rest.split_at(length);
                self.inputs.push(input);
                rest = after;
            }
        }
        self.texts = self.inputs.iter().map(|input| std::str::from_utf8(input).ok()).collect();
        let bytes = self.inputs.iter().map(|input| input.len() as u64).sum();
        self.group.throughput(Throughput::ElementsAndBytes { elements: self.inputs.len() as u64, bytes });
        self
    }

    /// Times a bound, whose output is not compared.
    pub fn bound<T>(&mut self, who: &str, work: impl Fn(&'static [u8]) -> T) {
        self.group.bench_function(BenchmarkId::new(who, &self.text), |bencher| {
            bencher.iter(|| {
                for &input in &self.inputs {
                    black_box(work(black_box(input)));
                }
            });
        });
    }

    /// Times copying each input to one buffer, a bound for every codec.
    pub fn memcpy(&mut self) {
        let mut buffer = Vec::<u8>::with_capacity(self.longest());
        self.group.bench_function(BenchmarkId::new("memcpy", &self.text), |bencher| {
            bencher.iter(|| {
                for &input in &self.inputs {
                    buffer.clear();
                    buffer.extend_from_slice(black_box(input));
                    black_box(&buffer[..]);
                }
            });
        });
    }

    /// Times a contestant that returns its output.
    pub fn returns<T: Output>(&mut self, who: impl Display, work: impl Fn(&'static [u8]) -> T) {
        self.returns_from(&who.to_string(), &self.inputs.clone(), work);
    }

    /// Like [`returns`](Self::returns), for a contestant that takes only text.
    pub fn returns_from_text<T: Output>(&mut self, who: impl Display, work: impl Fn(&'static str) -> T) {
        let who = who.to_string();
        match self.texts.clone() {
            Some(texts) => self.returns_from(&who, &texts, work),
            None => self.leave_out(&who, NOT_TEXT),
        }
    }

    fn returns_from<I: Copy, T: Output>(&mut self, who: &str, inputs: &[I], work: impl Fn(I) -> T) {
        if !self.agrees(who, inputs.iter().map(|&input| work(input))) {
            return;
        }
        self.group.bench_function(BenchmarkId::new(who, &self.text), |bencher| {
            bencher.iter(|| {
                for &input in inputs {
                    black_box(work(black_box(input)).bytes());
                }
            });
        });
    }

    /// Times a contestant that appends its output to a buffer with enough capacity. It returns
    /// whether it succeeded.
    pub fn fills<B: Buffer>(
        &mut self,
        reuse: Reuse,
        who: impl Display,
        work: impl FnMut(&'static [u8], &mut B) -> bool,
    ) {
        self.fills_from(reuse, &who.to_string(), &self.inputs.clone(), work);
    }

    /// Like [`fills`](Self::fills), for a contestant that takes only text.
    pub fn fills_from_text<B: Buffer>(
        &mut self,
        reuse: Reuse,
        who: impl Display,
        work: impl FnMut(&'static str, &mut B) -> bool,
    ) {
        let who = who.to_string();
        match self.texts.clone() {
            Some(texts) => self.fills_from(reuse, &who, &texts, work),
            None => self.leave_out(&who, NOT_TEXT),
        }
    }

    fn fills_from<I: Copy, B: Buffer>(
        &mut self,
        reuse: Reuse,
        who: &str,
        inputs: &[I],
        mut work: impl FnMut(I, &mut B) -> bool,
    ) {
        let total = self.inputs.iter().map(|input| input.len()).sum::<usize>();
        let mut buffer = B::with_capacity(3 * if reuse == Reuse::ForEach { self.longest() } else { total });
        let outputs = inputs.iter().map(|&input| {
            if reuse == Reuse::ForEach {
                buffer.clear();
            }
            let from = buffer.bytes().map_or(0, <[u8]>::len);
            work(input, &mut buffer).then(|| buffer.bytes().map(|bytes| bytes[from..].to_vec())).flatten()
        });
        if !self.agrees(who, outputs) {
            return;
        }
        self.group.bench_function(BenchmarkId::new(who, &self.text), |bencher| match reuse {
            Reuse::ForEach => bencher.iter(|| {
                for &input in inputs {
                    buffer.clear();
                    work(black_box(input), &mut buffer);
                    black_box(buffer.bytes());
                }
            }),
            Reuse::ForAll => bencher.iter(|| {
                buffer.clear();
                for &input in inputs {
                    work(black_box(input), &mut buffer);
                    black_box(buffer.bytes());
                }
            }),
        });
    }

    /// Times a contestant that works in place and returns the output. Each iteration has its own
    /// copy, made outside the timing.
    pub fn replaces(&mut self, who: impl Display, work: impl for<'b> Fn(&'b mut [u8]) -> Option<&'b mut [u8]>) {
        let who = who.to_string();
        let mut copies: Vec<Vec<u8>> = self.inputs.iter().map(|input| input.to_vec()).collect();
        if !self.agrees(&who, copies.iter_mut().map(|copy| work(copy).map(|output| &*output))) {
            return;
        }
        let joined = self.inputs.concat();
        self.group.bench_function(BenchmarkId::new(who, &self.text), |bencher| {
            bencher.iter_batched_ref(
                || joined.clone(),
                |copy| {
                    let mut rest = &mut copy[..];
                    for input in &self.inputs {
                        let (line, after) = rest.split_at_mut(input.len());
                        black_box(work(black_box(line)));
                        rest = after;
                    }
                },
                criterion::BatchSize::PerIteration,
            );
        });
    }

    /// Times other work on all inputs; the caller has verified its result.
    pub fn times<T>(&mut self, who: impl Display, work: impl FnMut() -> T) {
        let mut work = work;
        self.group.bench_function(BenchmarkId::new(who.to_string(), &self.text), |bencher| bencher.iter(&mut work));
    }

    fn longest(&self) -> usize {
        self.inputs.iter().map(|input| input.len()).max().unwrap_or(0)
    }

    /// Whether all outputs are as expected.
    fn agrees<T: Output>(&self, who: &str, outputs: impl Iterator<Item = T>) -> bool {
        let differs = outputs.zip(&self.expected).position(|(output, expected)| output.bytes() != Some(expected));
        if let Some(at) = differs {
            let input = &self.inputs[at][..self.inputs[at].len().min(60)];
            self.leave_out(who, &format!("its output differs for \"{}\"", input.escape_ascii()));
        }
        differs.is_none()
    }

    /// Prints why a peer is excluded.
    pub fn leave_out(&self, who: &str, why: &str) {
        assert!(!who.starts_with(OURS), "{who} on {}: {why}", self.text);
        eprintln!("left out: {who} on {}: {why}", self.text);
    }
}

impl Output for &[u8] {
    fn bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Output for Cow<'_, [u8]> {
    fn bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Output for Cow<'_, str> {
    fn bytes(&self) -> Option<&[u8]> {
        Some(str::as_bytes(self))
    }
}

impl Output for Vec<u8> {
    fn bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Output for String {
    fn bytes(&self) -> Option<&[u8]> {
        Some(self.as_bytes())
    }
}

impl<T: Output> Output for Option<T> {
    fn bytes(&self) -> Option<&[u8]> {
        self.as_ref()?.bytes()
    }
}

impl<T: Output, E> Output for Result<T, E> {
    fn bytes(&self) -> Option<&[u8]> {
        self.as_ref().ok()?.bytes()
    }
}

impl Output for Memory {
    fn bytes(&self) -> Option<&[u8]> {
        self.bytes.get(..self.length)
    }
}

impl Buffer for Memory {
    fn with_capacity(capacity: usize) -> Self {
        Self { bytes: vec![0; capacity], length: 0 }
    }

    fn clear(&mut self) {
        self.length = 0;
    }
}

impl Buffer for Vec<u8> {
    fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl Buffer for String {
    fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity(capacity)
    }

    fn clear(&mut self) {
        self.clear();
    }
}
