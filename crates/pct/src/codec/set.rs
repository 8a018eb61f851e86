//! Byte sets on the command line: by name, or as literal bytes.
#![forbid(unsafe_code)]

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, ValueEnum};
use simdpct::{ByteSet, Decoder, sets};

/// Value of an option that takes a set: a [`SetName`], or literal bytes, which may be triplets.
///
/// A value of only letters, digits and hyphens is always a name, so that a misspelt name is an
/// error and not a set of letters. Such bytes can be given as triplets, or together with any other
/// byte.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SetArgument {
    Named(SetName),
    Bytes(ByteSet),
}

impl SetArgument {
    pub(crate) fn bytes(self) -> ByteSet {
        match self {
            Self::Named(name) => name.bytes(),
            Self::Bytes(set) => set,
        }
    }

    pub(crate) fn is(self, name: SetName) -> bool {
        self == Self::Named(name)
    }
}

/// Parses a [`SetArgument`], and provides the names for clap's help and completions.
#[derive(Clone, Copy)]
pub(super) struct SetParser;

impl TypedValueParser for SetParser {
    type Value = SetArgument;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<SetArgument, clap::Error> {
        let may_be_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if value.as_encoded_bytes().iter().copied().all(may_be_name) {
            let name = clap::builder::EnumValueParser::<SetName>::new();
            return name.parse_ref(command, argument, value).map(SetArgument::Named);
        }
        Decoder::new().decode(value.as_encoded_bytes()).map(|bytes| SetArgument::Bytes(ByteSet::new(&bytes))).map_err(
            |_| {
                let mut error = clap::Error::new(ErrorKind::ValueValidation).with_cmd(command);
                if let Some(argument) = argument {
                    error.insert(ContextKind::InvalidArg, ContextValue::String(argument.to_string()));
                }
                error.insert(ContextKind::InvalidValue, ContextValue::String(value.to_string_lossy().into_owned()));
                error
            },
        )
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(SetName::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// A component to encode for, or a class of bytes. The comments of the variants are help texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum SetName {
    /// Any component of a URI: all bytes but letters, digits and "-._~"
    Component,
    /// One segment of a path
    PathSegment,
    /// A path; '/' is not encoded
    Path,
    /// A whole query
    Query,
    /// A name or value in a query of the form name=value&name=value
    QueryValue,
    /// A fragment
    Fragment,
    /// A user name and password; ':' is not encoded
    Userinfo,
    /// A host name
    RegName,
    /// A whole URI; delimiters are not encoded; implies --keep-triplets
    Uri,
    /// A name or value of an HTML form (application/x-www-form-urlencoded); implies --space-as-plus
    Form,
    /// As browsers do in an opaque host or path (WHATWG URL)
    WhatwgC0Control,
    /// As browsers do in a fragment
    WhatwgFragment,
    /// As browsers do in a query
    WhatwgQuery,
    /// As browsers do in a query of an http, https, ws, wss, ftp or file URL
    WhatwgSpecialQuery,
    /// As browsers do in a path
    WhatwgPath,
    /// As browsers do in a user name or password
    WhatwgUserinfo,
    /// As browsers do for any component
    WhatwgComponent,
    /// As JavaScript's encodeURI
    JsEncodeUri,
    /// As JavaScript's encodeURIComponent
    JsEncodeUriComponent,
    /// A whole URL of RFC 1738
    Rfc1738Url,
    /// Any component of a URL of RFC 1738
    Rfc1738Component,
    /// The value of an HTTP header parameter, as in filename*=UTF-8''... (RFC 5987, RFC 8187)
    Rfc5987,
    /// An S3 object key in a signed AWS request
    AwsObjectKey,
    /// Delimiters of URIs: ":/?#[]@" and "!$&'()*+,;="
    Reserved,
    /// Letters, digits and "-._~"
    Unreserved,
    /// ASCII control characters, including NUL and DEL
    Control,
    /// Non-ASCII bytes
    NonAscii,
}

impl SetName {
    /// Bytes that must be escaped in this component, or the bytes of this class.
    pub(crate) fn bytes(self) -> ByteSet {
        self.to_possible_value().and_then(|value| sets::named(value.get_name())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_to_the_library() {
        for name in SetName::value_variants() {
            let value = name.to_possible_value().unwrap();
            assert_eq!(sets::named(value.get_name()), Some(name.bytes()), "{name:?}");
        }
    }
}
