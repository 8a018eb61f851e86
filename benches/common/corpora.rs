//! The texts: the real corpora, or texts like them, and generated texts of known density.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A text, leaked so that contestants can borrow from it.
#[derive(Clone, Debug)]
pub struct Corpus {
    pub name: String,
    pub text: &'static [u8],
}

const NAMES: [&str; 5] = ["access.log", "typical_urls.txt", "resource_urls.txt", "nonlatin_urls.txt", "hostile.txt"];

/// Share of escapes among the symbols of generated texts, in per mille.
pub const DENSITIES: [u32; 7] = [0, 1, 5, 20, 100, 300, 1000];

/// Maximum length used of a text: more than a branch predictor can learn and the second-level cache
/// can hold.
const LONGEST: usize = 4 << 20;

/// Maximum length in an untimed run.
const LONGEST_IN_TESTS: usize = 64 << 10;

/// The corpora of `SIMDPCT_CORPORA` (by default `../shared/corpora`). Without them, the texts that
/// `scripts/make-corpus` generates.
pub fn corpora() -> Vec<Corpus> {
    static CORPORA: OnceLock<Vec<Corpus>> = OnceLock::new();
    let read = || {
        let folder = std::env::var_os("SIMDPCT_CORPORA")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora"), PathBuf::from);
        read(&folder).unwrap_or_else(|| {
            eprintln!("no corpora in {}: measuring on those of scripts/make-corpus", folder.display());
            make()
        })
    };
    CORPORA.get_or_init(read).clone()
}

fn read(folder: &Path) -> Option<Vec<Corpus>> {
    let read = |name: &str| {
        let mut text = std::fs::read(folder.join(name)).ok()?;
        if super::is_test() {
            text.truncate(LONGEST_IN_TESTS);
        }
        Some(Corpus { name: name.to_owned(), text: text.leak() })
    };
    NAMES.into_iter().map(read).collect()
}

fn make() -> Vec<Corpus> {
    let folder = std::env::temp_dir().join("simdpct-corpora");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/make-corpus");
    let status = Command::new(&script).arg(&folder).status();
    assert!(status.is_ok_and(|status| status.success()), "{} failed", script.display());
    read(&folder).expect("scripts/make-corpus makes all corpora")
}

impl Corpus {
    /// The text in blocks of about this length, cut at line ends, or otherwise between symbols, so
    /// no triplet is cut.
    pub fn blocks(&self, length: usize) -> Vec<&'static [u8]> {
        let mut rest = &self.text[..self.text.len().min(LONGEST)];
        let mut blocks = Vec::new();
        while rest.len() > length {
            let last_two = &rest[length - 2..length];
            let symbol_end = last_two.iter().position(|&byte| byte == b'%').map_or(length, |at| length - 2 + at);
            let line_end = rest[..length].iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
            let end = line_end.unwrap_or(symbol_end);
            let (block, after) = rest.split_at(end);
            blocks.push(block);
            rest = after;
        }
        // Drops a shorter last block, unless it is the only one.
        if blocks.is_empty() {
            blocks.push(rest);
        }
        blocks
    }

    /// The non-empty lines.
    pub fn lines(&self) -> Vec<&'static [u8]> {
        self.text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect()
    }

    /// The lines for which a predicate holds, as a text of the same name.
    pub fn filtered(&self, condition: impl Fn(&[u8]) -> bool) -> Self {
        let mut text = Vec::with_capacity(self.text.len());
        for line in self.lines().into_iter().filter(|line| condition(line)) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        Self { name: self.name.clone(), text: text.leak() }
    }

    /// The decoded text.
    pub fn decoded(&self) -> Self {
        let text = percent_encoding::percent_decode(self.text).collect::<Vec<u8>>();
        Self { name: format!("{}, decoded", self.name), text: text.leak() }
    }
}

/// A symbol to be decoded or encoded, in a generated text.
pub type Escape = fn(&mut Random) -> &'static [u8];

/// A triplet of an ASCII character, so that peers that decode to text can take part.
pub fn triplet(random: &mut Random) -> &'static [u8] {
    static TRIPLETS: OnceLock<Vec<u8>> = OnceLock::new();
    let triplets = TRIPLETS.get_or_init(|| (0..0x80).flat_map(|byte| format!("%{byte:02X}").into_bytes()).collect());
    let at = 3 * random.below(0x80);
    &triplets[at..at + 3]
}

/// A character that every component set escapes.
pub fn special(random: &mut Random) -> &'static [u8] {
    const SPECIAL: &[u8] = b" !\"#$%&'()*+,/:;<=>?@[\\]^`{|}";
    let at = random.below(SPECIAL.len());
    &SPECIAL[at..=at]
}

/// Letters, of which this share is replaced by escapes at independent, unpredictable positions.
pub fn generated(per_mille: u32, escape: Escape) -> Corpus {
    let mut random = Random::default();
    let mut text = Vec::new();
    let length = if super::is_test() { LONGEST_IN_TESTS } else { LONGEST };
    while text.len() < length {
        if random.below(1000) < per_mille as usize {
            text.extend_from_slice(escape(&mut random));
        } else {
            text.push(random.letter());
        }
    }
    Corpus { name: format!("generated {} %", f64::from(per_mille) / 10.0), text: text.leak() }
}

/// xorshift64: the same texts in every run.
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(88_172_645_463_325_252)
    }
}

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The high bits are of better quality.
        ((self.0 >> 32) as usize) % bound
    }

    pub fn letter(&mut self) -> u8 {
        b'a' + self.below(26) as u8
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
