//! `Template`: parts of a URL and the text between them, as given to `--format`.
#![forbid(unsafe_code)]

use std::str::FromStr;

use super::Part;

/// A text with parts: `{host}\t{path}`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Template {
    parts: Vec<Part>,
    /// The text before each part, and after the last one.
    texts: Vec<String>,
}

impl Template {
    /// The template of one part alone.
    pub(crate) fn of(part: Part) -> Self {
        Self { parts: vec![part], texts: vec![String::new(); 2] }
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The text before each part, and after the last one.
    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether it is a list of distinct parts: they can be the fields of a row or the members of an
    /// object.
    pub(crate) fn is_list(&self) -> bool {
        let is_between = |text: &String| text.chars().all(|character| " ,;|\t".contains(character));
        let is_new = |(at, part): (usize, &Part)| !self.parts[..at].contains(part);
        self.texts.iter().all(is_between) && self.parts.iter().enumerate().all(is_new)
    }
}

/// What is expected after a backslash, and of braces.
const ESCAPES: &str = r"expected \t, \n or \\ where there is a backslash";
const BRACES: &str = "expected a part between '{' and '}', and '{{' and '}}' for the braces themselves";

impl FromStr for Template {
    type Err = String;

    fn from_str(template: &str) -> Result<Self, String> {
        let (mut parts, mut texts) = (Vec::new(), Vec::new());
        let mut text = String::new();
        let mut rest = template.chars();
        while let Some(character) = rest.next() {
            match character {
                '\\' => text.push(match rest.next() {
                    Some('t') => '\t',
                    Some('n') => '\n',
                    Some('\\') => '\\',
                    _ => return Err(ESCAPES.into()),
                }),
                '{' | '}' if rest.as_str().starts_with(character) => {
                    rest.next();
                    text.push(character);
                }
                '{' => {
                    let (part, after) = rest.as_str().split_once('}').ok_or(BRACES)?;
                    parts.push(part.parse()?);
                    texts.push(std::mem::take(&mut text));
                    rest = after.chars();
                }
                '}' => return Err(BRACES.into()),
                other => text.push(other),
            }
        }
        texts.push(text);
        if parts.is_empty() {
            return Err("expected a part in braces, such as '{host}'".into());
        }
        Ok(Self { parts, texts })
    }
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn templates_are_parts_and_text() {
        for (template, parts, texts, is_list) in [
            ("{host}", &["host"][..], &["", ""][..], true),
            (r"{host}\t{key:q r}", &["host", "key:q r"], &["", "\t", ""], true),
            (r"{{\\{path}\n}}", &["path"], &["{\\", "\n}"], false),
            ("{{{segment:-1}}}", &["segment:-1"], &["{", "}"], false),
            ("{pair:a*}, {domain}", &["pair:a*", "domain"], &["", ", ", ""], true),
            ("{path}{path}", &["path", "path"], &["", "", ""], false),
            ("a{port}", &["port"], &["a", ""], false),
        ] {
            let found: Template = template.parse().unwrap();
            assert_eq!(found.parts().iter().map(ToString::to_string).collect::<Vec<_>>(), parts, "{template}");
            assert_eq!(found.texts(), texts, "{template}");
            assert_eq!(found.is_list(), is_list, "{template}");
        }
    }

    #[test]
    fn invalid_templates_are_refused() {
        for template in
            ["", "host", "{", "}", "{host", "host}", "{}", "{hosts}", r"\x{host}", "{host}\\", "{{host}}", "{ host}"]
        {
            assert!(template.parse::<Template>().is_err(), "{template}");
        }
    }
}
