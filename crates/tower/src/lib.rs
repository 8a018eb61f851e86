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
