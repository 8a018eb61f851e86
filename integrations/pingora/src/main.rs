//! A proxy with a path guard, followed by a rule: `simdpct-pingora LISTEN UPSTREAM [GUARD
//! [DENIED]]`.

use std::env;
use std::process::ExitCode;

use async_trait::async_trait;
use pingora_core::modules::http::HttpModules;
use pingora_core::server::Server;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_core::{Error, ErrorType, Result};
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};
use simdpct::Decoder;
use simdpct::path::RequestGuard;

mod guard;

use guard::PathGuard;

struct Proxy {
    upstream: String,
    guard: PathGuard,
    /// The prefix of paths that are answered with 403.
    denied: Option<String>,
}

#[async_trait]
impl ProxyHttp for Proxy {
    type CTX = ();

    fn new_ctx(&self) {}

    fn init_downstream_modules(&self, modules: &mut HttpModules) {
        modules.add_module(Box::new(self.guard));
    }

    /// Runs after the modules, so the rule sees the canonical path. For the upstream, `%2F` in it
    /// is a slash.
    async fn request_filter(&self, session: &mut Session, _: &mut ()) -> Result<bool> {
        let Some(denied) = &self.denied else { return Ok(false) };
        let is_denied = match Decoder::new().lenient().decode(session.req_header().uri.path()) {
            Ok(path) => path.strip_prefix(denied.as_bytes()).is_some_and(|rest| matches!(rest, [] | [b'/', ..])),
            Err(_) => true,
        };
        if is_denied { Error::e_explain(ErrorType::HTTPStatus(403), "denied") } else { Ok(false) }
    }

    async fn upstream_peer(&self, _: &mut Session, _: &mut ()) -> Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new(&self.upstream, false, String::new())))
    }
}

fn main() -> ExitCode {
    env_logger::init();
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (listen, upstream, text, denied) = match &arguments[..] {
        [listen, upstream] => (listen, upstream, "query=nul", None),
        [listen, upstream, text] => (listen, upstream, text.as_str(), None),
        [listen, upstream, text, denied] => (listen, upstream, text.as_str(), Some(denied.clone())),
        _ => {
            eprintln!("usage: simdpct-pingora LISTEN UPSTREAM [GUARD [DENIED]]");
            return ExitCode::from(2);
        }
    };
    let guard = match text.parse::<RequestGuard>() {
        Ok(guard) => PathGuard { guard },
        Err(error) => {
            eprintln!("simdpct-pingora: {error}");
            return ExitCode::from(2);
        }
    };
    let mut server = Server::new(None).expect("the default configuration");
    server.bootstrap();
    let mut service = http_proxy_service(&server.configuration, Proxy { upstream: upstream.clone(), guard, denied });
    service.add_tcp(listen);
    server.add_service(service);
    server.run_forever();
}
