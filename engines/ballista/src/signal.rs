//! Signals that end a server.

use std::io;

/// Returns at the first SIGTERM (on Unix) or ctrl-c.
pub(crate) async fn stopped() -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            _ = terminated.recv() => Ok(()),
            result = tokio::signal::ctrl_c() => result,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
