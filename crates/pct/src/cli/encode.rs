//! The arguments of `pct encode`.
#![forbid(unsafe_code)]

use clap::Args;
use simdpct::{ByteSet, Encoder};

use super::TextArguments;
use super::set_name::SetName;

const EXAMPLES: &str = "\
Examples:
  pct encode names.txt                              For any component of a URI
  pct encode --set path --keep-triplets paths.txt   What is encoded already stays
  pct encode --set form < values.txt                'a b+c' becomes 'a+b%2Bc'
  pct encode --csv -c name --append people.csv      A new column name_encoded";

/// Replace bytes that may not stand where the text will stand by triplets, '%' and two hexadecimal digits
///
/// Works line by line: line ends, LF or CRLF, stay as they are. Any other CR is encoded.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EncodeArguments {
    /// What to encode for: the bytes that are replaced
    #[arg(long, value_name = "NAME", value_enum, default_value_t = SetName::Component)]
    pub(crate) set: SetName,

    /// Write a space as '+', as forms do, and '+' as %2B
    #[arg(long)]
    pub(crate) plus: bool,

    /// Write the hexadecimal digits a to f in lower case
    #[arg(long)]
    pub(crate) lower: bool,

    /// Leave the triplets that are there as they are
    #[arg(long)]
    pub(crate) keep_triplets: bool,

    /// Leave well-formed UTF-8 as it is, as in an IRI; any other byte from 0x80 is encoded
    #[arg(long)]
    pub(crate) keep_non_ascii: bool,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

impl EncodeArguments {
    /// What is asked for; and the same, but leaving LF and CR as they are.
    pub(crate) fn encoders(&self) -> [Encoder; 2] {
        let set = self.set.bytes();
        [set, set.without(b'\n').without(b'\r')].map(|set| self.encoder(set))
    }

    fn encoder(&self, set: ByteSet) -> Encoder {
        let mut encoder = Encoder::new(set);
        if self.plus || self.set.implies_plus() {
            encoder = encoder.plus_for_space();
        }
        if self.keep_triplets || self.set.implies_keep_triplets() {
            encoder = encoder.keep_triplets();
        }
        if self.keep_non_ascii {
            encoder = encoder.keep_non_ascii();
        }
        if self.lower {
            encoder = encoder.lowercase();
        }
        encoder
    }
}
