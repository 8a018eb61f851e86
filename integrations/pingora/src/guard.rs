//! `PathGuard`: an `HttpModule` that refuses hostile paths and makes the others canonical.

use std::any::Any;
use std::fmt::Display;

use async_trait::async_trait;
use pingora_core::modules::http::{HttpModule, HttpModuleBuilder, Module};
use pingora_core::{Error, ErrorType, Result};
use pingora_http::RequestHeader;
use simdpct::path::{PathErrorKind, PathPolicy, split};
use simdpct::{Kinds, inspect};

/// Added to a proxy in `ProxyHttp::init_downstream_modules`; runs before `request_filter`.
#[derive(Clone, Copy)]
pub struct PathGuard {
    pub policy: PathPolicy,
    /// Kinds of findings to refuse in the raw query.
    pub refuse_query: Kinds,
}

/// The most bytes of the path or query that the log line quotes.
const EXCERPT: usize = 128;

impl PathGuard {
    /// The target to forward, or `None` if it stays. The error is the line for the log.
    fn checked(&self, method: &str, target: &[u8]) -> Result<Option<Vec<u8>>, String> {
        // The asterisk form and the authority form (RFC 9112 3.2.3 and 3.2.4) have no path.
        if (method, target) == ("OPTIONS", b"*") || method == "CONNECT" && target.first() != Some(&b'/') {
            return Ok(None);
        }
        let (origin, path_and_query) = without_origin(target);
        let (path, query) = split(path_and_query);
        // The absolute form may have an empty path.
        let has_path = origin.is_empty() || !path.is_empty();
        if has_path && !self.policy.is_canonical(path) {
            return self.rewritten(origin, path, query).map(Some);
        }
        self.check_query(query)?;
        Ok(None)
    }

    fn rewritten(&self, origin: &[u8], path: &[u8], query: &[u8]) -> Result<Vec<u8>, String> {
        let mut target = origin.to_vec();
        target.resize(origin.len() + self.policy.output_len_bound(path), 0);
        let length =
            self.policy.canonicalize_into(path, &mut target[origin.len()..]).map_err(|error| match error.kind {
                PathErrorKind::Refused(kinds) => line(&names(kinds), error.position, "path", path),
                kind => line(&kind, error.position, "path", path),
            })?;
        self.check_query(query)?;
        target.truncate(origin.len() + length);
        target.extend_from_slice(query);
        Ok(target)
    }

    fn check_query(&self, query: &[u8]) -> Result<(), String> {
        let query = query.strip_prefix(b"?").unwrap_or_default();
        let findings = inspect(query);
        let kinds = findings.kinds_among(self.refuse_query);
        match findings.first_of(kinds) {
            Some(position) => Err(line(&names(kinds), position, "query", query)),
            None => Ok(()),
        }
    }
}

/// Splits the absolute form (RFC 9112 3.2.2) after its authority. Any other target has no origin.
fn without_origin(target: &[u8]) -> (&[u8], &[u8]) {
    let is_prefix = |prefix: &&[u8]| target.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let Some(scheme) = [&b"http://"[..], b"https://"].into_iter().find(is_prefix) else { return (b"", target) };
    let length = target[scheme.len()..].iter().position(|byte| matches!(byte, b'/' | b'?'));
    target.split_at(length.map_or(target.len(), |length| scheme.len() + length))
}

fn names(kinds: Kinds) -> String {
    kinds.names().collect::<Vec<_>>().join(" ")
}

/// The reason, the position, and an excerpt around it, in printable ASCII.
fn line(reason: &dyn Display, position: usize, part: &str, text: &[u8]) -> String {
    let start = position.saturating_sub(EXCERPT / 2).min(text.len().saturating_sub(EXCERPT));
    let excerpt = &text[start..text.len().min(start + EXCERPT)];
    format!("refused: {reason} at byte {position} of {part}: \"{}\"", excerpt.escape_ascii())
}

impl HttpModuleBuilder for PathGuard {
    /// Before all other modules.
    fn order(&self) -> i16 {
        i16::MAX
    }

    fn init(&self) -> Module {
        Box::new(*self)
    }
}

#[async_trait]
impl HttpModule for PathGuard {
    async fn request_header_filter(&mut self, request: &mut RequestHeader) -> Result<()> {
        match self.checked(request.method.as_str(), request.raw_path()) {
            Ok(None) => Ok(()),
            Ok(Some(target)) => request.set_raw_path(&target),
            // Pingora logs the explanation, and answers with the status.
            Err(line) => Error::e_explain(ErrorType::HTTPStatus(400), line),
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
