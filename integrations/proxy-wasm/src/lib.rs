//! A filter for proxies that run WebAssembly (proxy-wasm): refuses requests by findings in their
//! path, and makes the paths of other requests canonical before later filters and the router see
//! them. README.md has the configuration.
#![forbid(unsafe_code)]

use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{Action, ContextType, LogLevel, MapType, Status};
use simdpct::Kinds;
use simdpct::path::{Action as Decision, RequestGuard, RequestMethod};

proxy_wasm::main! {{
    proxy_wasm::set_root_context(|_| Box::new(Root { guard: None }));
}}

/// The function of the host that makes it choose the route again.
const CLEAR_ROUTE: &str = "clear_route_cache";

/// Names of filter state, for access logs. Envoy puts `wasm.` before them.
const FINDINGS: &str = "simdpct.findings";
const REFUSAL: &str = "simdpct.refusal";

/// The filter as it is configured.
struct Root {
    guard: Option<RequestGuard>,
}

impl Context for Root {}

impl RootContext for Root {
    /// False makes the host refuse the configuration.
    fn on_configure(&mut self, _: usize) -> bool {
        let text = self.get_plugin_configuration().unwrap_or_default();
        let guard = match str::from_utf8(&text) {
            Ok(text) => text.parse().map_err(|error| format!("simdpct: {error}")),
            Err(_) => Err("simdpct: the configuration is not UTF-8".to_owned()),
        };
        self.guard = guard.inspect_err(|line| log(line)).ok();
        self.guard.is_some()
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }

    fn create_http_context(&self, _: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Request { guard: self.guard }))
    }
}

/// A request. Without a guard, it is refused.
struct Request {
    guard: Option<RequestGuard>,
}

impl Context for Request {}

impl HttpContext for Request {
    fn on_http_request_headers(&mut self, _: usize, _: bool) -> Action {
        let is_accepted = match (&self.guard, header(":path")) {
            (Some(guard), Some(target)) => accept(guard, &target),
            // The target of CONNECT has no path.
            (Some(_), None) => header(":method").is_some_and(|method| method == b"CONNECT"),
            (None, _) => false,
        };
        if is_accepted {
            return Action::Continue;
        }
        self.send_http_response(400, Vec::new(), Some(b"refused\n"));
        Action::Pause
    }
}

/// Returns false if the target is refused. Otherwise makes its path canonical.
fn accept(guard: &RequestGuard, target: &[u8]) -> bool {
    let (path, _) = simdpct::path::split(target);
    let found = simdpct::inspect(path).kinds_among(Kinds::EVERY);
    if !found.is_empty() {
        set_state(FINDINGS, &found.names().collect::<Vec<_>>().join(","));
    }
    let mut room = Vec::new();
    let verdict = guard.check_with(RequestMethod::Other, target, |needed| {
        room.resize(needed, 0);
        Some(&mut room)
    });
    if let Some(refusal) = verdict.refusal {
        let line = refusal.line(target).to_string();
        set_state(REFUSAL, &line);
        let suffix = if guard.only_reports() { ", report only" } else { "" };
        log(&format!("simdpct: {line}{suffix}"));
    }
    match verdict.action {
        Decision::Pass => true,
        Decision::Rewrite(target) => replace(target).is_ok(),
        Decision::Refuse => false,
    }
}

/// Replaces the target, and makes the host choose the route again: it was chosen by the target as
/// received.
fn replace(target: &[u8]) -> Result<(), Status> {
    hostcalls::set_map_value_bytes(MapType::HttpRequestHeaders, ":path", Some(target))?;
    hostcalls::call_foreign_function(CLEAR_ROUTE, None)?;
    Ok(())
}

/// A field of the request's header.
fn header(name: &str) -> Option<Vec<u8>> {
    hostcalls::get_map_value_bytes(MapType::HttpRequestHeaders, name).ok().flatten()
}

/// Nothing depends on these two: a host that fails in them must not decide on requests.
fn set_state(name: &str, value: &str) {
    let _ = hostcalls::set_property(vec![name], Some(value.as_bytes()));
}

fn log(line: &str) {
    let _ = hostcalls::log(LogLevel::Warn, line);
}
