//! The common and the combined format of Apache httpd and nginx, with or without fields before the
//! host.
//!
//! The common format is `host ident user [time] "method target protocol" status bytes`; in the
//! combined format, `"referer" "agent"` follows. The target and the referer are fields.
#![forbid(unsafe_code)]

use memchr::memchr;
use memchr::memmem::Finder;

use super::{Field, Layout, closing_quote, target};

pub(super) struct Access {
    has_referer: bool,
    message: &'static str,
    /// Finds the boundary between the time and the request. Built only once.
    request: Finder<'static>,
}

impl Access {
    pub(super) fn common() -> Self {
        Self { has_referer: false, message: "not a line of a common log", request: Finder::new(b"] \"") }
    }

    /// With or without the referer as a field.
    pub(super) fn combined(only_target: bool) -> Self {
        Self { has_referer: !only_target, message: "not a line of a combined log", ..Self::common() }
    }
}

impl Layout for Access {
    #[inline]
    fn find(&self, line: &[u8], mut each: impl FnMut(Field)) -> bool {
        // The time is the first bracketed text followed by a quoted one: a user name may contain
        // brackets, but neither spaces nor quotes.
        let Some(request) = self.request.find(line).map(|at| at + 3) else { return false };
        let Some(request_end) = closing_quote(&line[request..]).map(|at| request + at) else { return false };
        let target = target(&line[request..request_end]);
        each(Field { range: request + target.start..request + target.end, is_quoted: false });
        if !self.has_referer {
            return true;
        }
        let after = request_end + 1;
        let Some(referer) = memchr(b'"', &line[after..]).map(|at| after + at + 1) else { return false };
        let Some(referer_end) = closing_quote(&line[referer..]).map(|at| referer + at) else { return false };
        each(Field { range: referer..referer_end, is_quoted: true });
        true
    }

    fn width(&self) -> usize {
        1 + usize::from(self.has_referer)
    }

    fn message(&self) -> &'static str {
        self.message
    }
}
