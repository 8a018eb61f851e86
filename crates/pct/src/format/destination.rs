//! Where the results for the fields of a record go.
#![forbid(unsafe_code)]

/// Where the results for the fields of a record go.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum Destination {
    /// Each replaces its field.
    #[default]
    Field,
    /// Each is a new column.
    Column(ColumnName),
    /// They are all that is written of a record.
    Alone,
    /// They are all that is written of a record, after a number of records. Equal results are
    /// written in the same way.
    Counted,
}

/// The name of a new column, or of a new member of an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum ColumnName {
    /// The name of the field's column, and this suffix.
    Suffix(String),
    /// This name.
    Name(String),
}

impl Destination {
    /// Whether records are written as they were, but for the fields that change.
    pub(crate) fn is_field(&self) -> bool {
        *self == Self::Field
    }

    pub(crate) fn is_column(&self) -> bool {
        self.column().is_some()
    }

    pub(crate) fn is_alone(&self) -> bool {
        matches!(self, Self::Alone | Self::Counted)
    }

    pub(crate) fn is_counted(&self) -> bool {
        *self == Self::Counted
    }

    /// The name of new columns, if there are any.
    pub(crate) fn column(&self) -> Option<&ColumnName> {
        match self {
            Self::Column(name) => Some(name),
            _ => None,
        }
    }
}

impl ColumnName {
    /// The name of the column for the results of the column `source`.
    pub(crate) fn of(&self, source: &str) -> String {
        match self {
            Self::Suffix(suffix) => [source, suffix].concat(),
            Self::Name(name) => name.clone(),
        }
    }

    /// As `of`, for names that need not be UTF-8.
    pub(crate) fn of_bytes(&self, source: &[u8]) -> Vec<u8> {
        match self {
            Self::Suffix(suffix) => [source, suffix.as_bytes()].concat(),
            Self::Name(name) => name.clone().into_bytes(),
        }
    }

    /// Whether `name` names the column for the results of some source; `is_source` says which
    /// columns are.
    pub(crate) fn is_for_some(&self, name: &str, is_source: impl FnOnce(&str) -> bool) -> bool {
        match self {
            Self::Suffix(suffix) => name.strip_suffix(&**suffix).is_some_and(is_source),
            Self::Name(new) => name == new,
        }
    }
}
