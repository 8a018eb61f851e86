#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod extensions;
mod layer;
mod refusal;
mod respond;
mod service;

pub use extensions::{PathFindings, ReceivedUri};
pub use layer::PathGuardLayer;
pub use refusal::{Reason, Refusal, Verdict};
pub use respond::{BadRequest, OnRefused};
pub use service::{PathGuard, ResponseFuture};

/// Runs the examples of docs/embedding.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
struct Embedding;
