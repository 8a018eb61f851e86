//! The value of `--log`: the name of a format, or a template.
#![forbid(unsafe_code)]

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use super::access::Access;
use super::chosen::{Chosen, QUERIES, TARGETS};
use super::template::{Template, parse};
use super::w3c::{DIRECTIVE, Names, W3c};
use super::{Lines, LogFields};

/// Log format.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Common,
    Combined,
    Template,
    /// A template in which several spaces are one.
    Padded,
    /// The log says which fields it has.
    W3c,
}

/// A log format with a name.
#[derive(Debug)]
struct Named {
    name: &'static str,
    help: &'static str,
    kind: Kind,
    /// The template, or the fields until the log says which it has.
    text: &'static str,
}

const NAMED: [Named; 13] = [
    // httpd: LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\""; nginx: the
    // predefined log_format.
    Named {
        name: "combined",
        help: "Apache httpd and nginx: with the referer and the user agent",
        kind: Kind::Combined,
        text: "$remote_addr $ident $remote_user [$time_local] \"$request\" $status $body_bytes_sent \"$http_referer\" \
               \"$http_user_agent\"",
    },
    Named {
        name: "common",
        help: "Apache httpd: without them",
        kind: Kind::Common,
        text: "$remote_addr $ident $remote_user [$time_local] \"$request\" $status $body_bytes_sent",
    },
    // "%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\""
    Named {
        name: "vhost-combined",
        help: "Apache httpd: combined, after the virtual host",
        kind: Kind::Combined,
        text: "$server_name:$server_port $remote_addr $ident $remote_user [$time_local] \"$request\" $status \
               $bytes_sent \"$http_referer\" \"$http_user_agent\"",
    },
    Named {
        name: "nginx",
        help: "nginx without a log_format: combined",
        kind: Kind::Combined,
        text: "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent \"$http_referer\" \
               \"$http_user_agent\"",
    },
    // The names are those of the user guide; those with a colon have an underscore here.
    Named {
        name: "alb",
        help: "AWS Application Load Balancer",
        kind: Kind::Template,
        text: "$type $time $elb $client_port $target_port $request_processing_time $target_processing_time \
               $response_processing_time $elb_status_code $target_status_code $received_bytes $sent_bytes \
               \"$request\" \"$user_agent\" $ssl_cipher $ssl_protocol $target_group_arn \"$trace_id\" \
               \"$domain_name\" \"$chosen_cert_arn\" $matched_rule_priority $request_creation_time \
               \"$actions_executed\" \"$redirect_url\" \"$error_reason\" \"$target_port_list\" \
               \"$target_status_code_list\" \"$classification\" \"$classification_reason\"",
    },
    Named {
        name: "elb",
        help: "AWS Classic Load Balancer",
        kind: Kind::Template,
        text: "$time $elb $client_port $backend_port $request_processing_time $backend_processing_time \
               $response_processing_time $elb_status_code $backend_status_code $received_bytes $sent_bytes \
               \"$request\" \"$user_agent\" $ssl_cipher $ssl_protocol",
    },
    Named {
        name: "s3",
        help: "Amazon S3: server access logs",
        kind: Kind::Template,
        text: "$bucket_owner $bucket [$time] $remote_ip $requester $request_id $operation $key \"$request\" $http_status \
               $error_code $bytes_sent $object_size $total_time $turn_around_time \"$http_referer\" \"$http_user_agent\" \
               $version_id",
    },
    Named {
        name: "envoy",
        help: "Envoy without a format of its own",
        kind: Kind::Template,
        text: "[$start_time] \"$request\" $response_code $response_flags $bytes_received $bytes_sent $duration \
               $upstream_service_time \"$x_forwarded_for\" \"$http_user_agent\" \"$x_request_id\" \"$authority\" \
               \"$upstream_host\"",
    },
    Named {
        name: "traefik",
        help: "Traefik: its common log format",
        kind: Kind::Template,
        text: "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent \"$http_referer\" \
               \"$http_user_agent\" $request_count \"$router\" \"$server_url\" $duration",
    },
    // Captured headers, in braces, may be there or not.
    Named {
        name: "haproxy",
        help: "HAProxy: option httplog",
        kind: Kind::Template,
        text: "$prefix [$accept_date] $others \"$request\"",
    },
    // logformat squid: %ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt
    Named {
        name: "squid",
        help: "Squid: its native format",
        kind: Kind::Padded,
        text: "$time $duration $remote_addr $result $bytes_sent $request_method $request_uri $remote_user $hierarchy \
               $content_type",
    },
    Named {
        name: "cloudfront",
        help: "Amazon CloudFront: standard logs, tab-separated",
        kind: Kind::W3c,
        text: "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) \
               cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol \
               cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type \
               cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte \
               x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end",
    },
    Named {
        name: "w3c",
        help: "W3C extended log format, as of IIS: the log says in '#Fields:' which fields it has",
        kind: Kind::W3c,
        text: "",
    },
];

/// A log format: one with a name, or a template.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct LogFormat {
    kind: Kind,
    text: String,
}

impl LogFormat {
    /// The layout of lines, with these fields selected.
    pub(super) fn lines(&self, fields: LogFields<'_>) -> Result<Lines, String> {
        let chosen = Chosen::of(fields);
        let is_default = !matches!(chosen, Chosen::Names(_));
        Ok(match self.kind {
            Kind::Common if is_default => Lines::Access(Access::common()),
            Kind::Combined if is_default => Lines::Access(Access::combined(fields == LogFields::Targets)),
            Kind::Common | Kind::Combined | Kind::Template => Lines::Template(Template::new(&self.text, &chosen)?),
            Kind::Padded => Lines::Template(Template::new(&self.text, &chosen)?.merging_spaces()),
            Kind::W3c => Lines::W3c(W3c::new(chosen, Names::of(&self.text))),
        })
    }

    /// The fields that have the targets of requests, or if the format has none, those that have
    /// their queries.
    pub(crate) fn targets_or_queries(&self) -> LogFields<'static> {
        let names: Vec<&str> = match self.kind {
            Kind::W3c => self.text.split_ascii_whitespace().collect(),
            _ => parse(&self.text)
                .map(|(_, variables)| variables.into_iter().map(|(name, _)| name).collect())
                .unwrap_or_default(),
        };
        let has = |fields: &[&str]| names.iter().any(|name| fields.contains(name));
        if has(&QUERIES) && !has(&TARGETS) { LogFields::Queries } else { LogFields::Targets }
    }

    /// Whether all of these names of fields are names of queries.
    pub(crate) fn are_queries(names: &[String]) -> bool {
        let is_query = |name: &String| QUERIES.contains(&name.strip_prefix('$').unwrap_or(name));
        !names.is_empty() && names.iter().all(is_query)
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Self {
        NAMED.iter().find(|named| named.name == name).map(Self::of).expect("a name of the table")
    }

    fn of(named: &Named) -> Self {
        Self { kind: named.kind, text: named.text.to_owned() }
    }

    fn parse(text: &str) -> Result<Self, String> {
        if let Some(named) = NAMED.iter().find(|named| named.name == text) {
            return Ok(Self::of(named));
        }
        if let Some(names) = text.strip_prefix(DIRECTIVE) {
            return Ok(Self { kind: Kind::W3c, text: names.trim().to_owned() });
        }
        if !text.contains('$') {
            return Err("expected a name, or a template with variables such as $request".into());
        }
        parse(text)?;
        Ok(Self { kind: Kind::Template, text: text.to_owned() })
    }
}

/// Parses a [`LogFormat`], and provides the names for clap's help and completions.
#[derive(Clone, Copy)]
pub(crate) struct LogParser;

impl TypedValueParser for LogParser {
    type Value = LogFormat;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<LogFormat, clap::Error> {
        LogFormat::parse(&value.to_string_lossy()).map_err(|message| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let mut insert = |kind, text: String| error.insert(kind, ContextValue::String(text));
            insert(ContextKind::InvalidArg, argument.map(ToString::to_string).unwrap_or_default());
            insert(ContextKind::InvalidValue, value.to_string_lossy().into_owned());
            let names = NAMED.iter().map(|named| named.name.to_owned()).collect();
            error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![message.into()]));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMED.iter().map(|named| PossibleValue::new(named.name).help(named.help))))
    }
}
