//! Which records are written.
#![forbid(unsafe_code)]

/// Which records are written.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Filter {
    #[default]
    All,
    /// Those with a field that the operation changes.
    Changed,
    /// Those with a field in which the operation finds what it looks for (`Operation::matches`).
    Matching,
    /// Invalid ones.
    Invalid,
    /// Valid ones.
    Valid,
}

impl Filter {
    /// Whether fields decide: the operation notes those that are selected.
    pub(crate) fn is_by_field(self) -> bool {
        matches!(self, Self::Changed | Self::Matching)
    }

    /// Whether records that are valid and that the operation does not change are written.
    pub(crate) fn has_unchanged(self) -> bool {
        matches!(self, Self::All | Self::Valid)
    }
}
