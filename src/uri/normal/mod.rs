//! `UrlNormalizer`: the normal form of a URL (RFC 3986 6.2.2 and 6.2.3).
//!
//! In order: components (RFC 3986 appendix B), lower case of scheme and host, IDNA, default ports,
//! percent-encoding of each component, dot segments (5.2.4), the empty path.
#![forbid(unsafe_code)]

mod error;
mod host;
mod query;
mod scheme;

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

pub use error::{UrlError, UrlErrorKind};
use query::Pairs;
use scheme::Scheme;

use super::{Authority, Parts, dots, split, split_authority};
use crate::byteset::ByteSet;
use crate::encode::Encoder;
use crate::input::{Input, SealedSlice as _};
use crate::normalize::{Malformed, Normalizer};
use crate::{path, sets};

/// Normalizes URLs, so that URLs with the same meaning by their standards become the same text (RFC
/// 3986 6.2.2 and 6.2.3): scheme and host in lower case, host names by IDNA (UTS 46), IPv6
/// addresses as in RFC 5952, no default port, normal triplets as by [`Normalizer`], illegal bytes
/// escaped as by [`repair`](super::repair()), no dot segments, `/` for an empty path.
///
/// Changes that only some sites allow, such as another order of the query, are made on request
/// only. A normal form is its own normal form.
///
/// In a reference without a scheme, only changes that preserve its meaning with every base are
/// made: `//host/path` has a host, `/path` has dot segments that can be removed, and the dot
/// segments of `../path` are kept.
///
/// Linear in the length of the URL; sorting a query adds the time of a sort.
///
/// ```
/// use simdpct::uri::UrlNormalizer;
///
/// let normal = UrlNormalizer::new().normalize("HTTP://B\u{fc}cher.Example:80/a/../%7eb c")?;
/// assert_eq!(normal, "http://xn--bcher-kva.example/~b%20c");
///
/// let canonical = UrlNormalizer::new().sort_query().drop_fragment();
/// let is_dropped = |name: &str| name.starts_with("utm_");
/// assert_eq!(
///     canonical.normalize_without("https://example.com?b=2&utm_source=x&a=1#top", is_dropped)?,
///     "https://example.com/?a=1&b=2"
/// );
/// # Ok::<(), simdpct::uri::UrlError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UrlNormalizer {
    /// Finds malformed `%`.
    strict: Normalizer,
    /// Keeps malformed `%`, or escapes it.
    lenient: Normalizer,
    malformed: Malformed,
    replaces_invalid_utf8: bool,
    sorts_query: bool,
    drops_fragment: bool,
    drops_www: bool,
    takes_targets: bool,
    components: Components,
}

/// How to escape each component that is escaped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Components {
    userinfo: Component,
    path: Component,
    query: Component,
    fragment: Component,
}

impl Components {
    /// Bytes of `kept` are not escaped in any component.
    const fn keeping(kept: ByteSet) -> Self {
        Self {
            userinfo: Component::new(sets::USERINFO, kept),
            path: Component::new(sets::PATH, kept),
            query: Component::new(sets::QUERY, kept),
            fragment: Component::new(sets::FRAGMENT, kept),
        }
    }
}

/// How to escape a component.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Component {
    /// The trigger bytes: a component that contains none of them is already in normal form.
    watched: ByteSet,
    /// Escapes bytes that are illegal in the component. A `%` is not: normalization has treated it.
    encoder: Encoder,
}

impl Component {
    /// `illegal` is the set of the component; bytes of `kept` are not escaped.
    const fn new(illegal: ByteSet, kept: ByteSet) -> Self {
        let escaped = illegal.without(b'%').intersection(kept.complement());
        Self { watched: escaped.union(ByteSet::NON_ASCII).with(b'%'), encoder: Encoder::new(escaped) }
    }
}

/// Takes the errors of a URL, in order.
type OnError<'e> = &'e mut dyn FnMut(UrlError);

impl Default for UrlNormalizer {
    fn default() -> Self {
        Self::new()
    }
}

impl UrlNormalizer {
    /// Creates a normalizer with RFC 3986's rules alone, which refuses malformed `%`.
    #[must_use]
    pub const fn new() -> Self {
        let strict = Normalizer::new();
        let new = Self {
            strict,
            lenient: strict,
            malformed: Malformed::Refuse,
            replaces_invalid_utf8: false,
            sorts_query: false,
            drops_fragment: false,
            drops_www: false,
            takes_targets: false,
            components: Components::keeping(ByteSet::EMPTY),
        };
        new.triplets(strict)
    }

    /// Sets how triplets and malformed `%`s become normal. A malformed `%` in an authority is an
    /// error with every normalizer.
    ///
    /// ```
    /// # use simdpct::uri::UrlNormalizer;
    /// # use simdpct::{Malformed, Normalizer};
    /// let escaping = Normalizer::new().malformed(Malformed::Escape);
    /// let normal = UrlNormalizer::new().triplets(escaping).normalize("http://example.com/100%")?;
    /// assert_eq!(normal, "http://example.com/100%25");
    /// # Ok::<(), simdpct::uri::UrlError>(())
    /// ```
    #[must_use]
    pub const fn triplets(mut self, normalizer: Normalizer) -> Self {
        self.malformed = normalizer.malformed;
        self.strict = normalizer.malformed(Malformed::Refuse);
        self.lenient = match normalizer.malformed {
            Malformed::Escape => normalizer,
            Malformed::Refuse | Malformed::Keep => normalizer.malformed(Malformed::Keep),
        };
        self
    }

    /// Does not escape the bytes in `set`, even where they are illegal, such as delimiters of a
    /// file format.
    #[must_use]
    pub const fn keep(mut self, set: ByteSet) -> Self {
        self.components = Components::keeping(set);
        self
    }

    /// Replaces each sequence of a path, query or fragment that is not well-formed UTF-8 by U+FFFD,
    /// escaped, in what [`normalize_reporting`](Self::normalize_reporting) appends.
    #[must_use]
    pub const fn replace_invalid_utf8(mut self) -> Self {
        self.replaces_invalid_utf8 = true;
        self
    }

    /// Sorts the pairs of the query by name, and drops empty pairs. Pairs with the same name keep
    /// their order, which may be significant.
    #[must_use]
    pub const fn sort_query(mut self) -> Self {
        self.sorts_query = true;
        self
    }

    /// Drops the fragment, which no server sees.
    #[must_use]
    pub const fn drop_fragment(mut self) -> Self {
        self.drops_fragment = true;
        self
    }

    /// Drops `www.` at the start of a host, unless no dot would remain.
    #[must_use]
    pub const fn drop_www(mut self) -> Self {
        self.drops_www = true;
        self
    }

    /// Reads a text that begins with a slash as a request target in origin-form (RFC 9112 3.2.1):
    /// it has neither an authority nor a fragment, so `//a/b` is a path.
    #[must_use]
    pub const fn targets(mut self) -> Self {
        self.takes_targets = true;
        self
    }

    /// Returns the normal form: text for text, bytes for bytes. Borrows the URL if it is normal.
    ///
    /// # Errors
    ///
    /// Returns the first [`UrlError`] in the URL. A malformed `%` outside the authority is not an
    /// error if the [`Normalizer`] keeps or escapes it.
    pub fn normalize<'u, T: Input + ?Sized>(&self, url: &'u T) -> Result<Cow<'u, T::Slice>, UrlError> {
        self.normal(url, None)
    }

    /// Like [`normalize`](Self::normalize), without the pairs of the query for whose name
    /// `is_dropped` returns true. It gets the name decoded as in forms (WHATWG URL 5.1), with
    /// U+FFFD for invalid UTF-8. Empty pairs are dropped, too.
    ///
    /// # Errors
    ///
    /// Same as [`normalize`](Self::normalize).
    pub fn normalize_without<'u, T: Input + ?Sized>(
        &self,
        url: &'u T,
        is_dropped: impl Fn(&str) -> bool,
    ) -> Result<Cow<'u, T::Slice>, UrlError> {
        self.normal(url, Some(&is_dropped))
    }

    /// Appends the normal form in spite of errors: a part with an error is kept unchanged, and the
    /// other parts become normal. `on_error` gets each error, in order; malformed `%`s are among
    /// them even if they are kept or escaped. `is_dropped` is for pairs of the query, as in
    /// [`normalize_without`](Self::normalize_without).
    ///
    /// ```
    /// # use simdpct::uri::{UrlErrorKind, UrlNormalizer};
    /// let (mut normal, mut kinds) = (Vec::new(), Vec::new());
    /// let url = b"HTTP://Example.com:99999/a/../%7e/100%";
    /// UrlNormalizer::new().normalize_reporting(url, None, |error| kinds.push(error.kind), &mut normal);
    /// assert_eq!(normal, b"http://Example.com:99999/~/100%");
    /// assert_eq!(kinds, [UrlErrorKind::Port, UrlErrorKind::Malformed]);
    /// ```
    pub fn normalize_reporting(
        &self,
        url: &[u8],
        is_dropped: Option<&dyn Fn(&str) -> bool>,
        mut on_error: impl FnMut(UrlError),
        output: &mut Vec<u8>,
    ) {
        self.append(url, is_dropped, &mut on_error, output);
    }

    fn normal<'u, T: Input + ?Sized>(
        &self,
        url: &'u T,
        is_dropped: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Cow<'u, T::Slice>, UrlError> {
        let bytes = url.as_bytes();
        let (mut output, mut first) = (Vec::with_capacity(bytes.len() + 1), None);
        let mut on_error = |error: UrlError| {
            if !self.is_allowed(error, bytes) {
                first.get_or_insert(error);
            }
        };
        self.append(bytes, is_dropped, &mut on_error, &mut output);
        match first {
            Some(error) => Err(error),
            None if output == bytes => Ok(Cow::Borrowed(url.as_same())),
            None => Ok(Cow::Owned(T::Slice::owned(output))),
        }
    }

    /// Whether the error is a malformed `%` outside the authority that the [`Normalizer`] keeps or
    /// escapes.
    fn is_allowed(&self, error: UrlError, url: &[u8]) -> bool {
        if error.kind != UrlErrorKind::Malformed || self.malformed == Malformed::Refuse {
            return false;
        }
        let Parts { scheme, authority, .. } = self.split(url);
        let before = scheme.map_or(0, |scheme| scheme.len() + 1);
        error.position >= authority.map_or(0, |authority| before + 2 + authority.len())
    }

    fn split<'u>(&self, url: &'u [u8]) -> Parts<&'u [u8]> {
        if !self.takes_targets || url.first() != Some(&b'/') {
            return split(url);
        }
        let (path, query) = path::split(url);
        Parts { path, query: query.split_first().map(|(_, query)| query), ..Parts::default() }
    }

    fn append(
        &self,
        url: &[u8],
        is_dropped: Option<&dyn Fn(&str) -> bool>,
        on_error: OnError<'_>,
        output: &mut Vec<u8>,
    ) {
        let Parts { scheme, authority, path, query, fragment } = self.split(url);
        // Position of the next component in the URL.
        let mut at = 0;
        let rules = match scheme {
            None if authority.is_none() && has_invalid_scheme(path) => {
                output.extend_from_slice(url);
                return on_error(UrlError { kind: UrlErrorKind::Scheme, position: 0 });
            }
            None => Scheme::NONE,
            Some(scheme) => {
                let start = output.len();
                output.extend(scheme.iter().map(u8::to_ascii_lowercase));
                let rules = Scheme::of(&output[start..]);
                output.push(b':');
                at += scheme.len() + 1;
                rules
            }
        };
        if let Some(authority) = authority {
            output.extend_from_slice(b"//");
            at += 2;
            let start = output.len();
            if let Err(error) = self.append_authority(authority, rules, output) {
                output.truncate(start);
                output.extend_from_slice(authority);
                on_error(error.shifted_by(at));
            }
            at += authority.len();
        } else if rules.needs_host {
            on_error(UrlError { kind: UrlErrorKind::NoHost, position: at });
        }
        self.append_path(path, authority.is_some(), &mut |error| on_error(error.shifted_by(at)), output);
        at += path.len();
        if let Some(query) = query {
            at += 1;
            self.append_query(query, is_dropped, &mut |error| on_error(error.shifted_by(at)), output);
            at += query.len();
        }
        if let Some(fragment) = fragment
            && !self.drops_fragment
        {
            output.push(b'#');
            at += 1;
            self.append_component(
                &self.components.fragment,
                fragment,
                &mut |error| on_error(error.shifted_by(at)),
                output,
            );
        }
    }

    /// Appends the normal form of an authority; on an error, anything.
    fn append_authority(&self, authority: &[u8], rules: Scheme, output: &mut Vec<u8>) -> Result<(), UrlError> {
        let text = match simdutf8::compat::from_utf8(authority) {
            Ok(text) => text,
            Err(error) => return Err(UrlError { kind: UrlErrorKind::InvalidUtf8, position: error.valid_up_to() }),
        };
        let Authority { userinfo, host, port } = split_authority(text);
        let mut at = 0;
        if let Some(userinfo) = userinfo {
            let mut first = None;
            let mut on_error = |error: UrlError| {
                first.get_or_insert(error);
            };
            self.append_component(&self.components.userinfo, userinfo.as_bytes(), &mut on_error, output);
            if let Some(error) = first {
                return Err(error);
            }
            output.push(b'@');
            at += userinfo.len() + 1;
        }
        let start = output.len();
        host::append(host, rules, output).map_err(|error| error.shifted_by(at))?;
        if self.drops_www {
            host::drop_www(start, output);
        }
        at += host.len() + 1;
        if let Some(port) = port {
            let port = scheme::port(port, rules).map_err(|kind| UrlError { kind, position: at })?;
            if let Some(port) = port {
                output.extend_from_slice(format!(":{port}").as_bytes());
            }
        }
        // RFC 8089 2: for `file`, `localhost` is the same as no host. RFC 3986 6.2.3: that is the
        // normal form.
        if rules.is_file && userinfo.is_none() && &output[start..] == b"localhost" {
            output.truncate(start);
        }
        Ok(())
    }

    fn append_path(&self, path: &[u8], has_authority: bool, on_error: OnError<'_>, output: &mut Vec<u8>) {
        let start = output.len();
        self.append_component(&self.components.path, path, on_error, output);
        if path.first() == Some(&b'/') {
            dots::remove(output, start);
            if !has_authority && !self.takes_targets {
                dots::keep_from_authority(output, start);
            }
        } else if has_authority {
            // RFC 3986 6.2.3: with an authority, an empty path is normalized to "/".
            output.push(b'/');
        }
    }

    fn append_query(
        &self,
        query: &[u8],
        is_dropped: Option<&dyn Fn(&str) -> bool>,
        on_error: OnError<'_>,
        output: &mut Vec<u8>,
    ) {
        let start = output.len();
        output.push(b'?');
        self.append_component(&self.components.query, query, on_error, output);
        if !self.sorts_query && is_dropped.is_none() {
            return;
        }
        let normal = output.split_off(start);
        let mut pairs = Pairs::of(&normal[1..]);
        if let Some(is_dropped) = is_dropped {
            pairs.drop(is_dropped);
        }
        if self.sorts_query {
            pairs.sort();
        }
        pairs.append_to(output);
    }

    /// Appends a component with normal percent-encoding: bytes that are illegal in it are escaped.
    fn append_component(&self, component: &Component, text: &[u8], on_error: OnError<'_>, output: &mut Vec<u8>) {
        if component.watched.find(text).is_none() {
            output.extend_from_slice(text);
            return;
        }
        let start = output.len();
        self.append_triplets(text, on_error, output);
        if component.watched.without(b'%').find(&output[start..]).is_some() {
            let normal = output.split_off(start);
            for chunk in normal.utf8_chunks() {
                component.encoder.encode_to(chunk.valid(), output);
                // Invalid UTF-8 is an error, and kept like a malformed '%'.
                output.extend_from_slice(chunk.invalid());
            }
        }
    }

    /// Appends a text with normal triplets.
    fn append_triplets(&self, text: &[u8], on_error: OnError<'_>, output: &mut Vec<u8>) {
        let append = |normalizer: &Normalizer, text: &[u8], output: &mut Vec<u8>| normalizer.normalize_to(text, output);
        if simdutf8::basic::from_utf8(text).is_ok() && append(&self.strict, text, output).is_ok() {
            return;
        }
        let mut position = 0;
        // Triplets are ASCII, so text between ill-formed sequences is normalized as it would be
        // alone.
        for chunk in text.utf8_chunks() {
            let (valid, invalid) = (chunk.valid().as_bytes(), chunk.invalid());
            if let Err(error) = self.strict.normalize(valid) {
                on_error(UrlError::from(error).shifted_by(position));
            }
            position += valid.len();
            // With malformed '%' kept or escaped, there are no errors.
            let _ = append(&self.lenient, valid, output);
            if !invalid.is_empty() {
                on_error(UrlError { kind: UrlErrorKind::InvalidUtf8, position });
                output.extend_from_slice(if self.replaces_invalid_utf8 { "\u{FFFD}".as_bytes() } else { invalid });
            }
            position += invalid.len();
        }
    }
}

/// Whether there is text before a `:` in the first segment of a reference without scheme and
/// authority: RFC 3986 4.2 allows no `:` there.
fn has_invalid_scheme(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/').next().and_then(|segment| memchr::memchr(b':', segment)).is_some_and(|at| at > 0)
}
