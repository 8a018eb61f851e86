//! The names of percent-encode sets on the command line.
#![forbid(unsafe_code)]

use clap::ValueEnum;
use simdpct::{ByteSet, sets};

/// A place where encoded text can stand.
// What users read beside the names are these comments.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum SetName {
    /// Any component of a URI: all but letters, digits and "-._~"
    Component,
    /// One segment of a path
    PathSegment,
    /// A path, its '/' in place
    Path,
    /// A query as a whole
    Query,
    /// A name or value in a query of the form name=value&name=value
    QueryValue,
    /// A fragment
    Fragment,
    /// A user name and password, their ':' in place
    Userinfo,
    /// A host name
    RegName,
    /// A whole URI, its delimiters and triplets in place; implies --keep-triplets
    Uri,
    /// A name or value of an HTML form (application/x-www-form-urlencoded); implies --plus
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
    /// The name of an S3 object in a request to AWS that is to be signed
    AwsObjectKey,
}

impl SetName {
    /// The bytes that are to be escaped there.
    pub(super) const fn bytes(self) -> ByteSet {
        match self {
            Self::Component => sets::COMPONENT,
            Self::PathSegment => sets::PATH_SEGMENT,
            Self::Path => sets::PATH,
            Self::Query => sets::QUERY,
            Self::QueryValue => sets::QUERY_VALUE,
            Self::Fragment => sets::FRAGMENT,
            Self::Userinfo => sets::USERINFO,
            Self::RegName => sets::REG_NAME,
            Self::Uri => sets::URI,
            Self::Form => sets::whatwg::FORM,
            Self::WhatwgC0Control => sets::whatwg::C0_CONTROL,
            Self::WhatwgFragment => sets::whatwg::FRAGMENT,
            Self::WhatwgQuery => sets::whatwg::QUERY,
            Self::WhatwgSpecialQuery => sets::whatwg::SPECIAL_QUERY,
            Self::WhatwgPath => sets::whatwg::PATH,
            Self::WhatwgUserinfo => sets::whatwg::USERINFO,
            Self::WhatwgComponent => sets::whatwg::COMPONENT,
            Self::JsEncodeUri => sets::js::ENCODE_URI,
            Self::JsEncodeUriComponent => sets::js::ENCODE_URI_COMPONENT,
            Self::Rfc1738Url => sets::rfc1738::URL,
            Self::Rfc1738Component => sets::rfc1738::COMPONENT,
            Self::Rfc5987 => sets::rfc5987::VALUE_CHARS,
            Self::AwsObjectKey => sets::aws::OBJECT_KEY,
        }
    }

    /// Whether a space is always written as '+' there.
    pub(super) fn implies_plus(self) -> bool {
        self == Self::Form
    }

    /// Whether triplets always stay there.
    pub(super) fn implies_keep_triplets(self) -> bool {
        self == Self::Uri
    }
}
