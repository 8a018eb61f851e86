//! The SQL documentation of the functions. tests/documentation.rs runs the examples.

use std::collections::HashMap;
use std::sync::LazyLock;

use datafusion::logical_expr::{DocSection, Documentation};

use simdpct_functions::Function;

const SECTION: DocSection = DocSection {
    include: true,
    label: "URL Functions",
    description: Some(
        "Percent-encoding, forms and URLs, from simdpct. NULL stays NULL, and the type of strings is kept.",
    ),
};

const SPARK_SECTION: DocSection = DocSection {
    include: true,
    label: "Spark URL Functions",
    description: Some("Functions that return exactly what those of Spark return, from simdpct."),
};

/// The documentation of a function.
pub(crate) fn of(function: Function) -> &'static Documentation {
    static ALL: LazyLock<HashMap<Function, Documentation>> = LazyLock::new(|| {
        Function::OWN.iter().chain(Function::SPARK).map(|&function| (function, build(function))).collect()
    });
    &ALL[&function]
}

/// The text about a function.
struct Text {
    arguments: &'static [(&'static str, &'static str)],
    description: &'static str,
    /// An expression, and its value in the form that a query prints.
    example: (&'static str, &'static str),
    related: &'static [&'static str],
}

const STRING: (&str, &str) = ("s", "A string, binary value or dictionary of them: constant, column or expression.");

fn build(function: Function) -> Documentation {
    let Text { arguments, description, example: (expression, value), related } = text(function);
    let required = *function.arity().start();
    let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    let optional: String = names[required..].iter().map(|name| format!("[, {name}]")).collect();
    let syntax = format!("{}({}{optional})", function.name(), names[..required].join(", "));
    let section = if Function::SPARK.contains(&function) { SPARK_SECTION } else { SECTION };
    let width = value.chars().count().max("result".len());
    let line = format!("+{}+", "-".repeat(width + 2));
    let row = |text: &str| format!("| {text}{} |", " ".repeat(width - text.chars().count()));
    let table = [line.clone(), row("result"), line.clone(), row(value), line].join("\n");
    let sql = format!("```sql\n> select {expression} as result;\n{table}\n```");
    let mut builder = Documentation::builder(section, description, syntax).with_sql_example(sql);
    for (name, description) in arguments {
        builder = builder.with_argument(*name, *description);
    }
    for name in related {
        builder = builder.with_related_udf(*name);
    }
    builder.build()
}

fn text(function: Function) -> Text {
    match function {
        Function::PctDecode => Text {
            arguments: &[STRING],
            description: "Percent-decodes. '+' stays. Fails for a malformed '%', and in strings, for invalid UTF-8; the message quotes the value.",
            example: ("pct_decode('caf%C3%A9+bar')", "café+bar"),
            related: &["try_pct_decode", "pct_decode_lossy", "form_decode", "pct_encode"],
        },
        Function::TryPctDecode => Text {
            arguments: &[STRING],
            description: "Like pct_decode, but returns NULL instead of failing.",
            example: ("try_pct_decode('50%') is null", "true"),
            related: &["pct_decode", "pct_decode_lossy"],
        },
        Function::PctDecodeLossy => Text {
            arguments: &[STRING],
            description: "Percent-decodes and never fails: a malformed '%' stays, and in strings, invalid UTF-8 becomes U+FFFD.",
            example: ("pct_decode_lossy('50%20%')", "50 %"),
            related: &["pct_decode", "try_pct_decode"],
        },
        Function::FormDecode => Text {
            arguments: &[STRING],
            description: "Decodes a name or value of an HTML form or query: like pct_decode, and '+' is a space.",
            example: ("form_decode('fish+%26+chips')", "fish & chips"),
            related: &["try_form_decode", "form_decode_lossy", "form_encode", "url_query_value"],
        },
        Function::TryFormDecode => Text {
            arguments: &[STRING],
            description: "Like form_decode, but returns NULL instead of failing.",
            example: ("try_form_decode('%FF') is null", "true"),
            related: &["form_decode", "form_decode_lossy"],
        },
        Function::FormDecodeLossy => Text {
            arguments: &[STRING],
            description: "Like form_decode, but never fails: a malformed '%' stays, and in strings, invalid UTF-8 becomes U+FFFD. \
                That is how browsers read forms (WHATWG URL 5.1).",
            example: ("form_decode_lossy('50%+off')", "50% off"),
            related: &["form_decode", "try_form_decode"],
        },
        Function::PctEncode => Text {
            arguments: &[
                STRING,
                (
                    "set",
                    "What to encode for: component (default: everything but letters, digits and -._~), path-segment, path, query, \
                     query-value, fragment, userinfo, reg-name, uri, form, the whatwg-, js- and rfc sets of 'pct encode --set', or the \
                     ASCII characters to keep as well, such as '/:'.",
                ),
            ],
            description: "Percent-encodes.",
            example: ("pct_encode('/fish & chips', 'path')", "/fish%20&%20chips"),
            related: &["pct_decode", "form_encode"],
        },
        Function::FormEncode => Text {
            arguments: &[STRING],
            description: "Encodes a name or value of an HTML form or query; a space becomes '+' (WHATWG URL 5.2).",
            example: ("form_encode('fish & chips')", "fish+%26+chips"),
            related: &["form_decode", "pct_encode"],
        },
        Function::PctNormalize => Text {
            arguments: &[STRING],
            description: "Normalizes triplets (RFC 3986 6.2.2): decodes unreserved characters and writes other digits in upper case. \
                Never fails: a malformed '%' stays.",
            example: ("pct_normalize('/%7euser/%2f')", "/~user/%2F"),
            related: &["url_normalize", "url_repair"],
        },
        Function::UrlRepair => Text {
            arguments: &[STRING],
            description: "Makes a valid URI of any text: escapes what a URI must not contain, and a malformed '%'.",
            example: ("url_repair('http://e/a b?100%')", "http://e/a%20b?100%25"),
            related: &["pct_normalize"],
        },
        Function::UrlFindings => Text {
            arguments: &[STRING],
            description: "What the text contains that matters before it is decoded: escaped NUL, slash or percent sign, malformed '%', \
                invalid UTF-8, ... A bit for each kind but dot-segment, empty-segment, double and unicode, for which url_has looks.",
            example: ("url_findings('/%00')", "25"),
            related: &["url_finding_names", "url_has"],
        },
        Function::UrlFindingNames => Text {
            arguments: &[("findings", "The number that url_findings returned.")],
            description: "The names of the kinds of findings.",
            example: ("url_finding_names(url_findings('/%00'))", "[escape, nul, control]"),
            related: &["url_findings", "url_has"],
        },
        Function::UrlHas => Text {
            arguments: &[
                STRING,
                (
                    "kind",
                    "Names of kinds, separated by commas: escape, plus, malformed, nul, control, slash, backslash, dot, percent, \
                     unreserved, path-end, semicolon, lower-hex, non-ascii, illegal, invalid-utf8, dot-segment, empty-segment, double, \
                     unicode.",
                ),
            ],
            description: "Whether the text has a finding of any of these kinds.",
            example: ("url_has('/..%2Fetc', 'slash,backslash')", "true"),
            related: &["url_findings", "url_finding_names"],
        },
        Function::UrlQueryValue => Text {
            arguments: &[STRING, ("key", "The decoded name of the pair.")],
            description: "The decoded value of the first pair 'key=value' in the query of a URL; NULL if there is none. \
                Read as browsers do (WHATWG URL 5.1), so it never fails.",
            example: ("url_query_value('http://e/s?q=fish+%26+chips&page=2', 'q')", "fish & chips"),
            related: &["url_part", "form_decode_lossy"],
        },
        Function::UrlPart => Text {
            arguments: &[
                STRING,
                (
                    "part",
                    "scheme, authority, userinfo, host, port, path, query or fragment; extension or segment:N of the path; key:NAME, as \
                     url_query_value; or protocol, ref and file, as in Spark. In any case.",
                ),
            ],
            description: "A part of a URL as it is written (RFC 3986 3), without decoding; NULL if it has none.",
            example: ("url_part('https://example.com:8080/a?b#c', 'host')", "example.com"),
            related: &["url_parts", "url_query_value", "url_domain"],
        },
        Function::UrlParts => Text {
            arguments: &[STRING],
            description: "All parts of a URL as they are written (RFC 3986 3): a structure of scheme, authority, userinfo, host, port, path, \
                query and fragment.",
            example: ("url_parts('https://example.com:8080/a?b#c')['port']", "8080"),
            related: &["url_part"],
        },
        Function::UrlQueryKeys => Text {
            arguments: &[STRING],
            description: "The decoded names in the query of a URL, each once, in their order. Read as browsers do (WHATWG URL 5.1), so it \
                never fails.",
            example: ("url_query_keys('/s?q=fish&page=2&q=chips')", "[q, page]"),
            related: &["url_query_map", "url_query_value"],
        },
        Function::UrlQueryMap => Text {
            arguments: &[STRING],
            description: "The decoded pairs in the query of a URL, as a map; of several with one name, the first. Read as browsers do \
                (WHATWG URL 5.1), so it never fails.",
            example: ("url_query_map('/s?q=fish+%26+chips&page=2&q=b')", "{q: fish & chips, page: 2}"),
            related: &["url_query_keys", "url_query_value"],
        },
        Function::UrlNormalize => Text {
            arguments: &[
                STRING,
                (
                    "rules",
                    "What only some sites allow, separated by commas: sort-query, drop-query:PATTERN, drop-fragment, drop-www; and targets, \
                     for paths of requests that begin with two slashes.",
                ),
            ],
            description: "The normal form of a URL (RFC 3986 6.2.2 and 6.2.3), so that URLs that mean the same become the same text: case of \
                scheme and host, IDNA, default ports, triplets, illegal characters, dot segments. Never fails: a part that has an error stays \
                as it is.",
            example: (
                "url_normalize('HTTP://Example.com:80/%7ea/../b c?utm_x=1&d', 'drop-query:utm_*')",
                "http://example.com/b%20c?d",
            ),
            related: &["pct_normalize", "url_cut", "url_path_canonical"],
        },
        Function::UrlDomain => Text {
            arguments: &[STRING],
            description: "The registrable domain of a URL's host, by the public suffix list, in lower case and ASCII; NULL for an IP address, a \
                public suffix, and a URL without a host.",
            example: ("url_domain('https://www.Example.co.uk/a')", "example.co.uk"),
            related: &["url_part"],
        },
        Function::UrlJoin => Text {
            arguments: &[("base", STRING.1), ("reference", "A reference to resolve.")],
            description: "Resolves a reference against a base (RFC 3986 5.2); NULL if neither has a scheme.",
            example: ("url_join('http://example.com/a/b?c', '../d')", "http://example.com/d"),
            related: &["url_normalize"],
        },
        Function::UrlCut => Text {
            arguments: &[
                STRING,
                (
                    "parts",
                    "query, fragment, and key:NAME for the pairs of a name, in which * is any text; separated by commas.",
                ),
            ],
            description: "A URL without some parts; the rest stays as it is written.",
            example: ("url_cut('/a?utm_source=x&b=1#c', 'key:utm_*,fragment')", "/a?b=1"),
            related: &["url_normalize", "url_part"],
        },
        Function::UrlPathCanonical => Text {
            arguments: &[
                STRING,
                (
                    "policy",
                    "The policy: default, strict, rfc3986, nginx, envoy or lighttpd, and options after it, as in docs/c.md.",
                ),
            ],
            description: "The canonical path of a URL or of the target of a request, as a server with this policy reads it; NULL if the \
                policy refuses it.",
            example: ("url_path_canonical('/a/%2e%2e/b%63?d')", "/bc"),
            related: &["url_normalize", "url_has"],
        },
        Function::SparkUrlDecode => Text {
            arguments: &[STRING],
            description: "Decodes as Spark and java.net.URLDecoder do: '+' is a space, invalid UTF-8 becomes U+FFFD, and '%+4' is a triplet. \
                Fails for a '%' that is malformed to Java.",
            example: ("url_decode('https%3A%2F%2Fspark.apache.org')", "https://spark.apache.org"),
            related: &["try_url_decode", "url_encode"],
        },
        Function::SparkTryUrlDecode => Text {
            arguments: &[STRING],
            description: "Like url_decode, but returns NULL instead of failing.",
            example: ("try_url_decode('50%') is null", "true"),
            related: &["url_decode", "url_encode"],
        },
        Function::SparkUrlEncode => Text {
            arguments: &[STRING],
            description: "Encodes as Spark and java.net.URLEncoder do: everything but letters, digits and '.-*_'; a space becomes '+'.",
            example: ("url_encode('https://spark.apache.org')", "https%3A%2F%2Fspark.apache.org"),
            related: &["url_decode", "try_url_decode"],
        },
    }
}
