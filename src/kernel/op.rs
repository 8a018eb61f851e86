//! Compile-time options of kernels, as types: their names appear in signatures, symbols and
//! profiles.
#![forbid(unsafe_code)]

/// The output of a pass over the input.
pub(crate) trait Pass {
    /// Whether the output is written.
    const WRITES: bool;
    /// Whether the pass ends at the first byte or triplet that the operation changes.
    const STOPS_AT_CHANGE: bool;

    /// Selects the entry point of this pass.
    fn of<F: Copy>(passes: &ByPass<F>) -> F;
}

/// Writes the output.
pub(crate) enum Write {}

/// Writes nothing; computes the length of the output.
pub(crate) enum Measure {}

/// Writes nothing; stops at the first change.
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

/// Which decoding rules a kernel applies. The rules themselves are data.
pub(crate) trait DecodePolicy {
    /// `+` is a space.
    const PLUS: bool;
    /// Some triplets stay as they are.
    const KEEP: bool;
    /// Some bytes must not be in the output.
    const REJECT: bool;
    /// The digits of kept triplets become upper-case. Requires `KEEP`.
    const UPPERCASE: bool;
    /// A malformed `%` may be an error.
    const CHECKS: bool = true;
}

/// Any rules except normalisation.
pub(crate) enum Policy<const PLUS: bool, const KEEP: bool, const REJECT: bool> {}

/// No rules except possibly strict.
pub(crate) type Plain = Policy<false, false, false>;

impl<const PLUS: bool, const KEEP: bool, const REJECT: bool> DecodePolicy for Policy<PLUS, KEEP, REJECT> {
    const PLUS: bool = PLUS;
    const KEEP: bool = KEEP;
    const REJECT: bool = REJECT;
    const UPPERCASE: bool = false;
}

/// Normalisation (RFC 3986 6.2.2).
pub(crate) enum Normalize {}

impl DecodePolicy for Normalize {
    const PLUS: bool = false;
    const KEEP: bool = true;
    const REJECT: bool = false;
    const UPPERCASE: bool = true;
}

/// Which encoding rules a kernel applies. The set of bytes to escape is data.
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

/// The level of detail of an inspection.
pub(crate) trait Detail {
    /// Whether the count and the first offset of each kind are reported, not only its presence.
    const COUNTS: bool;

    /// Selects the entry point of this detail.
    fn of<F: Copy>(details: &ByDetail<F>) -> F;
}

/// Which kinds occur.
pub(crate) enum Presence {}

/// The count and the first offset of each kind.
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
