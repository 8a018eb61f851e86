//! What a kernel is instantiated for: options as types, whose names show in signatures, symbols and profiles.
#![forbid(unsafe_code)]

use core::marker::PhantomData;

/// What a pass over an input produces.
pub(crate) trait Pass {
    /// The output is written.
    const WRITES: bool;
    /// The pass ends at the first byte or triplet that the operation changes.
    const STOPS_AT_CHANGE: bool;

    /// The one of these entry points that makes this pass.
    fn of<F: Copy>(passes: &ByPass<F>) -> F;
}

/// Writes the output.
pub(crate) enum Write {}

/// Writes nothing, counts what would be written.
pub(crate) enum Measure {}

/// Writes nothing, stops at the first change.
pub(crate) enum Scan {}

impl Pass for Write {
    const WRITES: bool = true;
    const STOPS_AT_CHANGE: bool = false;

    #[inline(always)]
    fn of<F: Copy>(passes: &ByPass<F>) -> F {
        passes.write
    }
}

impl Pass for Measure {
    const WRITES: bool = false;
    const STOPS_AT_CHANGE: bool = false;

    #[inline(always)]
    fn of<F: Copy>(passes: &ByPass<F>) -> F {
        passes.measure
    }
}

impl Pass for Scan {
    const WRITES: bool = false;
    const STOPS_AT_CHANGE: bool = true;

    #[inline(always)]
    fn of<F: Copy>(passes: &ByPass<F>) -> F {
        passes.scan
    }
}

/// An entry point for each [`Pass`].
#[derive(Clone, Copy)]
pub(crate) struct ByPass<F> {
    pub(super) write: F,
    pub(super) measure: F,
    pub(super) scan: F,
}

/// Which rules of decoding there are to be looked at. The rules themselves are data.
pub(crate) trait DecodePolicy {
    /// `+` is a space.
    const PLUS: bool;
    /// Some triplets stay as they are.
    const KEEP: bool;
    /// Some bytes must not be in the output.
    const REJECT: bool;
    /// The digits of triplets that stay become upper-case. With `KEEP` alone.
    const UPPERCASE: bool;
    /// A malformed `%` may be an error.
    const CHECKS: bool;
}

/// Any rules but those of normalisation.
pub(crate) enum Policy<const PLUS: bool, const KEEP: bool, const REJECT: bool> {}

/// Decoding by no rules, but maybe strict.
pub(crate) type Plain = Policy<false, false, false>;

impl<const PLUS: bool, const KEEP: bool, const REJECT: bool> DecodePolicy for Policy<PLUS, KEEP, REJECT> {
    const PLUS: bool = PLUS;
    const KEEP: bool = KEEP;
    const REJECT: bool = REJECT;
    const UPPERCASE: bool = false;
    const CHECKS: bool = true;
}

/// Normalisation (RFC 3986 6.2.2).
pub(crate) enum Normalize {}

impl DecodePolicy for Normalize {
    const PLUS: bool = false;
    const KEEP: bool = true;
    const REJECT: bool = false;
    const UPPERCASE: bool = true;
    const CHECKS: bool = true;
}

/// `P`, where a malformed `%` is known to be no error: most text is decoded so, and then no block asks (4 % of clean text's time).
pub(crate) struct Lenient<P>(PhantomData<P>);

impl<P: DecodePolicy> DecodePolicy for Lenient<P> {
    const PLUS: bool = P::PLUS;
    const KEEP: bool = P::KEEP;
    const REJECT: bool = P::REJECT;
    const UPPERCASE: bool = P::UPPERCASE;
    const CHECKS: bool = false;
}

/// Which rules of encoding there are to be looked at, but for the set of bytes to escape.
pub(crate) trait EncodePolicy {
    /// A space becomes `+`.
    const PLUS: bool;
    /// Triplets of the input stay as they are.
    const KEEP: bool;
}

/// Any rules.
pub(crate) enum Escape<const PLUS: bool, const KEEP: bool> {}

impl<const PLUS: bool, const KEEP: bool> EncodePolicy for Escape<PLUS, KEEP> {
    const PLUS: bool = PLUS;
    const KEEP: bool = KEEP;
}

/// How much of a block there is.
pub(crate) trait Extent {
    /// All lanes, and as much room in the output as they can take.
    const FULL: bool;
    /// It is encoded as if there was something to escape.
    const ASSUME_ESCAPES: bool;
}

/// The last lanes of an input, or the last room of an output.
pub(crate) enum Tail {}

/// A whole block.
pub(crate) enum Full {}

/// A whole block among others in which there was something to escape.
pub(crate) enum FullEscaped {}

impl Extent for Tail {
    const FULL: bool = false;
    const ASSUME_ESCAPES: bool = false;
}

impl Extent for Full {
    const FULL: bool = true;
    const ASSUME_ESCAPES: bool = false;
}

impl Extent for FullEscaped {
    const FULL: bool = true;
    const ASSUME_ESCAPES: bool = true;
}

/// How much an inspection says.
pub(crate) trait Detail {
    /// How often each kind occurs and where first, not only whether.
    const COUNTS: bool;

    /// The one of these entry points that says so much.
    fn of<F: Copy>(details: &ByDetail<F>) -> F;
}

/// Which kinds occur.
pub(crate) enum Presence {}

/// How often each kind occurs, and where first.
pub(crate) enum Occurrences {}

impl Detail for Presence {
    const COUNTS: bool = false;

    #[inline(always)]
    fn of<F: Copy>(details: &ByDetail<F>) -> F {
        details.presence
    }
}

impl Detail for Occurrences {
    const COUNTS: bool = true;

    #[inline(always)]
    fn of<F: Copy>(details: &ByDetail<F>) -> F {
        details.occurrences
    }
}

/// An entry point for each [`Detail`].
#[derive(Clone, Copy)]
pub(crate) struct ByDetail<F> {
    pub(super) presence: F,
    pub(super) occurrences: F,
}
