//! The options that say what text means, to be flattened into those of a command.
#![forbid(unsafe_code)]

use clap::Args;
use simdpct::ByteSet;

use super::decoding::Decoding;
use super::dialect::{Dialect, NO_DIALECT, Rules};
use super::encoding::Encoding;
use super::set::{SetArgument, SetName, SetParser};

const BYTES: &str = "NAME|BYTES";

fn rules(dialect: Option<Dialect>) -> Rules {
    dialect.map_or(NO_DIALECT, Dialect::rules)
}

fn union(sets: &[SetArgument]) -> ByteSet {
    sets.iter().fold(ByteSet::EMPTY, |all, set| all.union(set.bytes()))
}

/// How to decode.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Meaning")]
pub(crate) struct DecodingOptions {
    /// Decode exactly as this system does: '+', malformed '%' and bytes that are not UTF-8
    #[arg(long, value_name = "SYSTEM", value_enum)]
    dialect: Option<Dialect>,

    /// Read '+' as a space, as forms do
    #[arg(long)]
    plus: bool,

    /// Leave the triplets of these bytes as they are: of a set by its name, or '/?%0A' for the bytes themselves
    #[arg(long, value_name = BYTES, value_parser = SetParser, hide_possible_values = true)]
    keep: Vec<SetArgument>,

    /// Take it for an error when decoded text has one of these bytes, escaped before or not
    #[arg(long, value_name = BYTES, value_parser = SetParser, hide_possible_values = true)]
    reject: Vec<SetArgument>,

    /// Decode the result again, N times in all, 16 at most: %2541 becomes A with 2 (CloudFront logs are encoded twice)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    times: u8,
}

impl DecodingOptions {
    pub(crate) fn decoding(&self) -> Decoding {
        let mut rules = rules(self.dialect);
        rules.plus |= self.plus;
        rules.reject = rules.reject.union(union(&self.reject));
        let decoding = Decoding::new(&rules).keeping(union(&self.keep)).times(self.times);
        // Whoever names no system wants to be told of what some of them would not take.
        if self.dialect.is_none() { decoding.strict() } else { decoding }
    }
}

/// How to normalise.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Meaning")]
pub(crate) struct NormalizingOptions {
    /// Do not decode the triplets of these bytes: of a set by its name, or '~.' for the bytes themselves
    #[arg(long, value_name = BYTES, value_parser = SetParser, hide_possible_values = true)]
    keep: Vec<SetArgument>,
}

impl NormalizingOptions {
    pub(crate) fn keep(&self) -> ByteSet {
        union(&self.keep)
    }
}

/// How to encode.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Meaning")]
pub(crate) struct EncodingOptions {
    /// Encode exactly as this system does: what becomes a triplet, and what a space becomes
    #[arg(long, value_name = "SYSTEM", value_enum)]
    dialect: Option<Dialect>,

    /// What to encode for, or the bytes that are replaced: '%0A/?' is LF, '/' and '?'
    ///
    /// Bytes from 0x80 are replaced in any case. Without it, it is what the dialect has, or component.
    #[arg(long, value_name = BYTES, value_parser = SetParser)]
    set: Option<SetArgument>,

    /// Leave these bytes as they are: the names are those of --set
    #[arg(long, value_name = BYTES, value_parser = SetParser, hide_possible_values = true)]
    keep: Vec<SetArgument>,

    /// Write a space as '+', as forms do, and '+' as %2B
    #[arg(long)]
    space_as_plus: bool,

    /// Write the hexadecimal digits a to f in lower case
    #[arg(long)]
    lower: bool,

    /// Leave the triplets that are there as they are
    #[arg(long)]
    keep_triplets: bool,

    /// Leave well-formed UTF-8 as it is, as in an IRI; any other byte from 0x80 is encoded
    #[arg(long)]
    keep_non_ascii: bool,
}

impl EncodingOptions {
    pub(crate) fn encoding(&self) -> Encoding {
        let rules = rules(self.dialect);
        let is = |name| self.set.is_some_and(|set| set.is(name));
        Encoding {
            set: self.set.map_or(rules.escape, SetArgument::bytes),
            space_as_plus: self.space_as_plus || rules.plus || is(SetName::Form),
            lower: self.lower,
            keep_triplets: self.keep_triplets || is(SetName::Uri),
            keep_non_ascii: self.keep_non_ascii,
        }
        .leaving(union(&self.keep))
    }
}
