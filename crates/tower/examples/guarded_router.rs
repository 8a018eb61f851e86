//! An axum router behind `PathGuardLayer`: routes, rules and handlers all see the canonical path.
//!
//! ```sh
//! cargo run --package simdpct-tower --example guarded_router &
//! curl --path-as-is http://127.0.0.1:3000/a/..//%61dmin    # forbidden
//! curl --path-as-is http://127.0.0.1:3000/user/..%5cx      # 400: a backslash
//! curl --path-as-is http://127.0.0.1:3000/user/caf%C3%A9   # hello, café
//! ```

use axum::Router;
use axum::ServiceExt;
use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::routing::get;
use simdpct::Kinds;
use simdpct_tower::{BadRequest, PathGuard, PathGuardLayer};
use tower::Layer;

const GUARD: PathGuardLayer = PathGuardLayer::new().refuse_path(Kinds::PERCENT);

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, ServiceExt::<Request>::into_make_service(service())).await
}

/// The layer is outside the router: `Router::layer` would run after a route was chosen.
pub fn service() -> PathGuard<Router, BadRequest> {
    let router = Router::new()
        .route("/admin", get(async || (StatusCode::FORBIDDEN, "forbidden")))
        .route("/user/{name}", get(async |Path(name): Path<String>| format!("hello, {name}")));
    GUARD.layer(router)
}
