//! `PathGuard`: the service that the layer makes.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response};
use pin_project_lite::pin_project;
use tower_service::Service;

use crate::{OnRefused, PathFindings, PathGuardLayer, ReceivedUri, Verdict};

/// A service behind a [`PathGuardLayer`]. Refused requests do not reach it.
#[derive(Clone, Debug)]
pub struct PathGuard<S, R> {
    inner: S,
    layer: PathGuardLayer<R>,
}

impl<S, R> PathGuard<S, R> {
    pub(crate) const fn new(inner: S, layer: PathGuardLayer<R>) -> Self {
        Self { inner, layer }
    }
}

impl<S, R, Body, ResponseBody> Service<Request<Body>> for PathGuard<S, R>
where
    S: Service<Request<Body>, Response = Response<ResponseBody>>,
    R: OnRefused<ResponseBody>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, ResponseBody>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let verdict = self.layer.verdict(request.method(), request.uri());
        if self.layer.records_findings || self.layer.only_reports {
            let findings = PathFindings::of(request.uri());
            request.extensions_mut().insert(findings);
        }
        if self.layer.only_reports {
            request.extensions_mut().insert(verdict);
            return ResponseFuture { state: State::Passed { future: self.inner.call(request) } };
        }
        match verdict {
            Verdict::Unchanged => {}
            Verdict::Rewritten(uri) => {
                let received = mem::replace(request.uri_mut(), uri);
                // Keeps the target of an outer guard, which was received first.
                request.extensions_mut().get_or_insert_with(|| ReceivedUri(received));
            }
            Verdict::Refused(refusal) => {
                let response = self.layer.on_refused.respond(&request.into_parts().0, &refusal);
                return ResponseFuture { state: State::Refused { response: Some(response) } };
            }
        }
        ResponseFuture { state: State::Passed { future: self.inner.call(request) } }
    }
}

pin_project! {
    /// The future of a [`PathGuard`]'s response. A refused request is answered immediately, any
    /// other by the service.
    #[derive(Debug)]
    pub struct ResponseFuture<F, B> {
        #[pin]
        state: State<F, B>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = Projected]
    enum State<F, B> {
        Passed { #[pin] future: F },
        Refused { response: Option<Response<B>> },
    }
}

impl<F, B, E> Future for ResponseFuture<F, B>
where
    F: Future<Output = Result<Response<B>, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            Projected::Passed { future } => future.poll(context),
            Projected::Refused { response } => {
                Poll::Ready(Ok(response.take().expect("a future is not polled after it is ready")))
            }
        }
    }
}
