//! Arguments of `pct normalize`.
#![forbid(unsafe_code)]

use std::convert::Infallible;

use clap::Args;
use clap::builder::PossibleValuesParser;
use simdpct::path::PathPolicy;
use simdpct::uri::UrlNormalizer;

use super::TextArguments;
use crate::codec::NormalizingOptions;
use crate::operation::Base;
use crate::text::pattern::Pattern;

const EXAMPLES: &str = "\
Examples:
  pct normalize --path default --log combined access.log
                                       One path for what servers may treat as one
  pct normalize urls.txt | sort -u     URIs that differ only in their triplets become one line
  pct normalize -i --csv -c url *.csv  In place
  pct normalize --url crawl.txt        http://EXAMPLE.com:80/a/../%7eb becomes http://example.com/~b
  pct normalize --url --drop-query 'utm_*' --drop-query fbclid --sort-query --unique crawl.txt
                                       The first line of each page, as it is in the list
  pct normalize --url --surt crawl.txt http://www.example.com/A?b&a becomes com,example)/a?a&b
  pct normalize --url --base http://e.org/a/b links.txt    ../c becomes http://e.org/c";

/// Normalize percent-encoding (RFC 3986 6.2.2)
///
/// Decodes escaped unreserved characters and writes hexadecimal digits in upper case: %7e becomes
/// ~, and %2f becomes %2F. Nothing else changes, so every URI keeps its meaning. --url also
/// normalizes the case of scheme and host, dot segments as in /a/../b, default ports and empty
/// paths (RFC 3986 6.2.2.1, 6.2.2.3, 6.2.3). --path removes dot segments, too.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("only_matching", |argument| argument.hide(true)))]
pub(crate) struct NormalizeArguments {
    /// Escape a malformed '%' as %25
    #[arg(long)]
    pub(crate) escape_malformed: bool,

    /// Make the path of each request target or URL canonical, or refuse it
    ///
    /// Removes dot segments, merges slashes, escapes illegal bytes, and refuses what the policy
    /// refuses: such records are invalid. 'default' is for routers, cache keys and access rules;
    /// 'strict' refuses whatever servers disagree about; the others do what the standard or server
    /// of that name does.
    #[arg(long, value_name = "POLICY", value_parser = PossibleValuesParser::new(PathPolicy::PRESETS.iter().map(|(name, _)| *name)))]
    path: Option<String>,

    #[command(flatten)]
    url: UrlArguments,

    #[command(flatten)]
    pub(crate) rules: NormalizingOptions,

    #[command(flatten)]
    pub(crate) text: TextArguments,
}

/// Options of `--url`.
#[derive(Args, Debug)]
#[command(next_help_heading = "URLs")]
struct UrlArguments {
    /// Make each field a URL in normal form (RFC 3986 6.2.2, 6.2.3)
    ///
    /// Scheme and host in lower case, host names by IDNA, no default port, no dot segments, '/' for
    /// an empty path, and illegal bytes escaped as by 'repair'. A reference without a scheme is
    /// normalized as far as its base does not matter: '/a/../b' becomes '/b', and '../b' is kept.
    /// With --log, a target that begins with '//' is a path. A URL with an invalid scheme, host or
    /// port is an invalid record.
    #[arg(long, conflicts_with = "path")]
    url: bool,

    /// Make each URL its key in web archives, a SURT: com,example)/path
    ///
    /// The key has the rules of pywb and Common Crawl, as in Python's package surt, instead of the
    /// RFC's: all in lower case, no 'www.', no session IDs, a sorted query, no scheme. With --log,
    /// a target needs a --base.
    #[arg(long, requires = "url", conflicts_with_all = [
        "sort_query", "drop_query", "drop_fragment", "drop_www", "keep", "escape_malformed",
    ])]
    surt: bool,

    /// Resolve references against this URL (RFC 3986 5.2)
    ///
    /// '../b' becomes 'http://example.com/b' with the base 'http://example.com/a/c'. What has a
    /// scheme stays, and an empty field becomes the base. With --log, '-' and '*' stay, too.
    #[arg(long, value_name = "URL", value_parser = Base::parse, requires = "url")]
    base: Option<Base>,

    /// Sort the query by name
    ///
    /// Pairs of one name keep their order. Empty pairs are dropped.
    #[arg(long, requires = "url")]
    sort_query: bool,

    /// Drop the pairs of the query whose name matches, such as 'utm_*'
    ///
    /// The name is decoded as in forms before it is compared. '*' is any text, and '?' is any
    /// character.
    #[arg(long, value_name = "PATTERN", value_parser = pattern, requires = "url")]
    drop_query: Vec<Pattern>,

    /// Drop the fragment
    #[arg(long, requires = "url")]
    drop_fragment: bool,

    /// Drop 'www.' at the start of the host
    #[arg(long, requires = "url")]
    drop_www: bool,
}

/// What `--url` makes of each field.
#[derive(Clone, Debug)]
pub(crate) enum UrlForm {
    /// The normal form, without the pairs of the query that match these patterns.
    Normal(Box<UrlNormalizer>, Vec<Pattern>),
    /// The key in a web archive.
    Surt,
}

impl NormalizeArguments {
    /// What fields become, if `--url` is given.
    pub(crate) fn url(&self) -> Option<UrlForm> {
        let UrlArguments { url, surt, base: _, sort_query, ref drop_query, drop_fragment, drop_www } = self.url;
        let has_targets = self.has_targets();
        let when = |is_given, normalizer, rule: fn(UrlNormalizer) -> UrlNormalizer| {
            if is_given { rule(normalizer) } else { normalizer }
        };
        let normalizer = when(sort_query, UrlNormalizer::new(), UrlNormalizer::sort_query);
        let normalizer = when(drop_fragment, normalizer, UrlNormalizer::drop_fragment);
        let normalizer = when(drop_www, normalizer, UrlNormalizer::drop_www);
        let normalizer = when(has_targets, normalizer, UrlNormalizer::targets);
        url.then(|| if surt { UrlForm::Surt } else { UrlForm::Normal(Box::new(normalizer), drop_query.clone()) })
    }

    /// The URL that references are relative to.
    pub(crate) fn base(&self) -> Option<Base> {
        self.url.base.clone()
    }

    /// Whether a field that begins with a slash is the target of a request.
    pub(crate) fn has_targets(&self) -> bool {
        self.text.format.is_log()
    }

    /// The policy for paths, if they are made canonical.
    pub(crate) fn path(&self) -> Option<PathPolicy> {
        let name = self.path.as_ref()?;
        PathPolicy::PRESETS.iter().find(|(preset, _)| preset == name).map(|&(_, policy)| policy)
    }
}

fn pattern(text: &str) -> Result<Pattern, Infallible> {
    Ok(Pattern::of_any(text))
}
