//! A proxy with a path guard: `simdpct-pingora LISTEN UPSTREAM [POLICY]`.

use std::env;
use std::process::ExitCode;

use async_trait::async_trait;
use pingora_core::Result;
use pingora_core::modules::http::HttpModules;
use pingora_core::server::Server;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};
use simdpct::Kinds;
use simdpct::path::PathPolicy;

mod guard;

use guard::PathGuard;

struct Proxy {
    upstream: String,
    guard: PathGuard,
}

#[async_trait]
impl ProxyHttp for Proxy {
    type CTX = ();

    fn new_ctx(&self) {}

    fn init_downstream_modules(&self, modules: &mut HttpModules) {
        modules.add_module(Box::new(self.guard));
    }

    async fn upstream_peer(&self, _: &mut Session, _: &mut ()) -> Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new(&self.upstream, false, String::new())))
    }
}

fn main() -> ExitCode {
    env_logger::init();
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (listen, upstream, policy) = match &arguments[..] {
        [listen, upstream] => (listen, upstream, "default"),
        [listen, upstream, policy] => (listen, upstream, policy.as_str()),
        _ => {
            eprintln!("usage: simdpct-pingora LISTEN UPSTREAM [POLICY]");
            return ExitCode::from(2);
        }
    };
    let Some(&(_, policy)) = PathPolicy::PRESETS.iter().find(|(name, _)| *name == policy) else {
        eprintln!("simdpct-pingora: invalid policy '{policy}': expected the name of a preset");
        return ExitCode::from(2);
    };
    let mut server = Server::new(None).expect("the default configuration");
    server.bootstrap();
    let guard = PathGuard { policy, refuse_query: Kinds::NUL };
    let mut service = http_proxy_service(&server.configuration, Proxy { upstream: upstream.clone(), guard });
    service.add_tcp(listen);
    server.add_service(service);
    server.run_forever();
}
