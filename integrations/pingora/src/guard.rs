//! `PathGuard`: an `HttpModule` that refuses hostile targets and makes the paths of other targets
//! canonical.

use std::any::Any;

use async_trait::async_trait;
use pingora_core::modules::http::{HttpModule, HttpModuleBuilder, Module};
use pingora_core::{Error, ErrorType, Result};
use pingora_http::RequestHeader;
use simdpct::path::{Action, RequestGuard, RequestMethod};

/// Add it to a proxy in `ProxyHttp::init_downstream_modules`. It runs before `request_filter`.
#[derive(Clone, Copy)]
pub struct PathGuard {
    pub guard: RequestGuard,
}

impl PathGuard {
    /// Returns the target to forward, or `None` if it does not change. The error is the line for
    /// the log.
    fn checked(&self, method: &str, target: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let mut output = Vec::new();
        let verdict = self.guard.check_with(RequestMethod::from_name(method.as_bytes()), target, |needed| {
            output.resize(needed, 0);
            Some(&mut output)
        });
        match (verdict.action, verdict.refusal) {
            (Action::Refuse, Some(refusal)) => Err(refusal.line(target).to_string()),
            (Action::Refuse, None) => Err("refused".to_owned()),
            (Action::Rewrite(target), _) => Ok(Some(target.to_vec())),
            (Action::Pass, refusal) => {
                if let Some(refusal) = refusal {
                    log::warn!("{}, report only", refusal.line(target));
                }
                Ok(None)
            }
        }
    }
}

impl HttpModuleBuilder for PathGuard {
    /// Runs before all other modules.
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
