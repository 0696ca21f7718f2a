//! The canonical form of a URL: what all spellings of a page's address have in common.
//!
//! A URL is read and written as the WHATWG standard says (by the crate `url`), cut into its parts
//! ([`address`]), and changed by rules ([`rules`], [`parameters`]) until nothing changes.

use std::mem;

pub mod address;
pub mod parameters;
pub mod rules;

#[cfg(test)]
mod tests;

use address::Address;
use rules::Rules;
use url::Url;

/// A rule that changed a URL, and the URL before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fired {
    /// The name of the rule; `standard` is the spelling of the standard.
    pub rule: &'static str,
    /// The URL that the rule was given.
    pub before: String,
    /// The URL after the rule.
    pub after: String,
}

/// The canonical form of a URL, which is its own; `None` if it is not an absolute URL.
pub fn canonicalise(url: &str, rules: &Rules) -> Option<String> {
    apply_until_settled(url, rules, None)
}

/// Rules that change a URL on its way to the canonical form; `None` if it is not an absolute URL.
pub fn explain(url: &str, rules: &Rules) -> Option<Vec<Fired>> {
    let mut fired = Vec::new();
    apply_until_settled(url, rules, Some(&mut fired))?;
    Some(fired)
}

/// A canonical URL with the parts of its host from the last one, without scheme and user; one that
/// is not of the web stays as it is.
///
/// Source: the sort-friendly URI reordering transform of the Internet Archive, as its indexes of
/// captures write it.
pub fn to_surt(url: &str, rules: &Rules) -> Option<String> {
    let found = canonicalise(url, rules)?;
    Some(Address::of_web_url(&found).map_or_else(|| found.clone(), |parts| parts.to_surt()))
}

/// Scheme, host (with its port), and path (with its query) of the canonical form; `None` if it is
/// no URL of the web.
pub fn split_canonical(url: &str, rules: &Rules) -> Option<(String, String, String)> {
    let found = canonicalise(url, rules)?;
    let parts = Address::of_web_url(&found)?;
    Some((parts.scheme.to_owned(), parts.host.to_string(), parts.path_and_query()))
}

/// Applies rules until nothing changes: one may make room for another.
fn apply_until_settled(
    url: &str,
    rules: &Rules,
    mut fired: Option<&mut Vec<Fired>>,
) -> Option<String> {
    let mut found = parse_standard(url, &mut fired)?;
    let mut after = String::with_capacity(found.len());
    while let Some(mut parts) = Address::of_web_url(&found) {
        for rule in rules.iter() {
            let before = fired.as_ref().map(|_| parts.to_string());
            rule.apply(&mut parts);
            note_fired(&mut fired, rule.name(), before.as_deref(), || parts.to_string());
        }
        after.clear();
        parts.write(&mut after);
        if after == found {
            break;
        }
        // Reading is dear, and few changes ask for it.
        let unsettled = parts.unsettled;
        mem::swap(&mut found, &mut after);
        if unsettled {
            found = parse_standard(&found, &mut fired)?;
        }
    }
    Some(found)
}

/// A URL as the standard writes it.
fn parse_standard(url: &str, fired: &mut Option<&mut Vec<Fired>>) -> Option<String> {
    let found = String::from(Url::parse(url).ok()?);
    note_fired(fired, "standard", Some(url), || found.clone());
    Some(found)
}

/// Notes a change, where somebody asked.
fn note_fired(
    fired: &mut Option<&mut Vec<Fired>>,
    rule: &'static str,
    before: Option<&str>,
    after: impl Fn() -> String,
) {
    if let (Some(fired), Some(before)) = (fired, before) {
        let after = after();
        if after != before {
            fired.push(Fired { rule, before: before.to_owned(), after });
        }
    }
}
