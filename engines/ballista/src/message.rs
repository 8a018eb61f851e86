//! Messages of Ballista, reduced to what concerns the user.

/// Extracts the original error message of a failed query from the messages that Ballista wraps
/// around it.
///
/// An error of an executor reaches the client as Rust's debugging output, nested in messages of the
/// task, the stage and the job. A message of another form is returned without the spaces around it.
///
/// ```
/// use simdpct_ballista::tidy;
///
/// let message = "Execution error: Job x7 failed: Job failed due to stage 1 failed: Task failed due to \
///     runtime execution error: DataFusionError(Execution(\"pct_decode: '50%': malformed\"))\n\n";
/// assert_eq!(tidy(message), "pct_decode: '50%': malformed");
/// assert_eq!(tidy("Schema error: No field named b.\n"), "Schema error: No field named b.");
/// ```
#[must_use]
pub fn tidy(message: &str) -> String {
    let mut message = message.trim().to_owned();
    // Each round removes one level of debugging output, which has at least two characters.
    while message.contains("failed") {
        let Some(inner) = last_literal(&message) else { break };
        message = inner.trim().to_owned();
    }
    let missing = |what: &str| {
        let start = format!("{what}ExtensionCodec is not provided for scalar function ");
        message.find(&start).map(|at| message[at + start.len()..].to_owned())
    };
    if let Some(function) = missing("Physical") {
        return format!("an executor has no function {function}: all must run simdpct-ballista of the same version");
    }
    if let Some(function) = missing("Logical") {
        return format!("the scheduler has no function {function}: it must run simdpct-ballista of the same version");
    }
    message
}

/// Finds the last string literal that directly follows a `Name(` in debugging output, and returns
/// its text.
fn last_literal(text: &str) -> Option<String> {
    let mut found = None;
    let mut rest = text;
    while let Some(at) = rest.find("(\"") {
        let is_name = rest[..at].ends_with(|character: char| character.is_ascii_alphanumeric());
        let (literal, length) = unescape(&rest[at + 2..])?;
        if is_name {
            found = Some(literal);
        }
        rest = &rest[at + 2 + length..];
    }
    found
}

/// Reads a string literal after its opening quote. Returns its text, and its length with the
/// closing quote.
fn unescape(text: &str) -> Option<(String, usize)> {
    let mut literal = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((literal, at + 1)),
            '\\' => literal.push(match characters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let digits: String =
                        characters.by_ref().map(|(_, digit)| digit).take_while(|&digit| digit != '}').collect();
                    let code = u32::from_str_radix(digits.strip_prefix('{')?, 16).ok()?;
                    char::from_u32(code)?
                }
                other => other,
            }),
            other => literal.push(other),
        }
    }
    None
}
