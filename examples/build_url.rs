//! Builds a URL from parts that users have written, and takes it apart again.
//!
//! ```sh
//! cargo run --example build_url
//! ```

use std::error::Error;

use simdpct::form;
use simdpct::uri::{self, PathBuilder, QueryBuilder};

fn main() -> Result<(), Box<dyn Error>> {
    let url = search_url("Café & Bar", &[("q", "crème brûlée"), ("page", "2")])?;
    println!("{url}");
    for (name, value) in parameters(&url) {
        println!("{name} = {value}");
    }
    Ok(())
}

/// The URL of a search. A slash in the name is an error, because many servers decode `%2F` before
/// they split a path.
pub fn search_url(place: &str, parameters: &[(&str, &str)]) -> Result<String, uri::SlashInSegment> {
    let (mut path, mut query) = (PathBuilder::new(), QueryBuilder::new());
    path.push("places")?.push(place)?.push("search")?;
    for (name, value) in parameters {
        query.push(name, value);
    }
    Ok(format!("https://example.com{path}?{query}"))
}

/// The decoded pairs of a query.
pub fn parameters(url: &str) -> Vec<(String, String)> {
    let query = uri::split(url).query.unwrap_or_default();
    form::parse_lossy(query).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}
