//! `OnRefused`: the response to a refused request.

use http::Response;
use http::request::Parts;

use crate::Refusal;

/// Makes the response to a refused request. Closures and [`BadRequest`] implement it.
pub trait OnRefused<B> {
    /// Returns the response. `request` is the request as received, without its body.
    fn respond(&self, request: &Parts, refusal: &Refusal) -> Response<B>;
}

impl<B, F> OnRefused<B> for F
where
    F: Fn(&Parts, &Refusal) -> Response<B>,
{
    fn respond(&self, request: &Parts, refusal: &Refusal) -> Response<B> {
        self(request, refusal)
    }
}

/// The default response: the [status of the reason](crate::Reason::status), no header, and the
/// [summary](Refusal::summary) as text, which quotes nothing of the request.
#[derive(Clone, Copy, Debug, Default)]
pub struct BadRequest;

impl<B: From<String>> OnRefused<B> for BadRequest {
    fn respond(&self, _: &Parts, refusal: &Refusal) -> Response<B> {
        let mut response = Response::new(B::from(format!("{}\n", refusal.summary())));
        *response.status_mut() = refusal.reason.status();
        response
    }
}
