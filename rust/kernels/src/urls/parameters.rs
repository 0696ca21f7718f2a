//! Parameters of a query that tell who came and from where, not which page is meant.
//!
//! The lists are part of the rules' version: they change with it and not otherwise. They were
//! written down in November 2026, from what advertisers and software for sites say of their own
//! links. Names count in any case.

use std::borrow::Cow;
use std::cmp::Ordering;

/// Beginnings of the names of parameters that measure campaigns.
const TRACKING_BEGINS: [&str; 7] = ["utm_", "mtm_", "piwik_", "hsa_", "gad_", "vero_", "oly_"];

/// Names of parameters that measure campaigns, in order.
pub(super) const TRACKING: [&str; 46] = [
    "_branch_match_id",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_kx",
    "_openstat",
    "dclid",
    "ef_id",
    "epik",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "igsh",
    "igshid",
    "irclickid",
    "itm_campaign",
    "itm_content",
    "itm_medium",
    "itm_source",
    "itm_term",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "pk_campaign",
    "pk_cid",
    "pk_content",
    "pk_keyword",
    "pk_kwd",
    "pk_medium",
    "pk_source",
    "rdt_cid",
    "s_cid",
    "s_kwcid",
    "srsltid",
    "ttclid",
    "twclid",
    "wbraid",
    "wickedid",
    "wt.mc_id",
    "wt_mc",
    "yclid",
    "ysclid",
];

/// Names of parameters that carry a session, in order; and how others begin.
pub(super) const SESSION: [&str; 9] = [
    "asp.net_sessionid",
    "cfid",
    "cftoken",
    "jsessionid",
    "oscsid",
    "phpsessid",
    "session_id",
    "sessionid",
    "zenid",
];
const SESSION_BEGINS: &str = "aspsessionid";

/// Characters from which on the value of `sid` is that of a session.
const SID_LENGTH: usize = 32;

/// Characters of a session of ASP.NET in a path.
const ASP_LENGTH: usize = 24;

/// The name of one `name=value`.
pub fn parameter_name(parameter: &str) -> &str {
    parameter.bytes().position(|byte| byte == b'=').map_or(parameter, |end| &parameter[..end])
}

/// Return whether a parameter measures a campaign.
pub fn is_tracking(parameter: &str) -> bool {
    let name = parameter_name(parameter);
    is_listed(&TRACKING, name)
        || TRACKING_BEGINS.iter().any(|start| begins_with_any_case(name, start))
}

/// Return whether a parameter carries a session.
pub fn is_session(parameter: &str) -> bool {
    let name = parameter_name(parameter);
    // `sid` also names stories and stations: only what looks like a session is one.
    if name.eq_ignore_ascii_case("sid") {
        let value = parameter.get(name.len() + 1..).unwrap_or_default();
        return value.len() >= SID_LENGTH && value.bytes().all(|b| b.is_ascii_alphanumeric());
    }
    is_listed(&SESSION, name) || begins_with_any_case(name, SESSION_BEGINS)
}

/// Leaves parameters out of a query; and the query, if that leaves nothing of it.
pub fn drop_parameters(query: &mut Option<Vec<Cow<'_, str>>>, unwanted: impl Fn(&str) -> bool) {
    if let Some(parameters) = query {
        parameters.retain(|one| !unwanted(one));
        if parameters.is_empty() {
            *query = None;
        }
    }
}

/// A path without the sessions that servers of Java and of ASP.NET write into it; none if it holds
/// none: `;jsessionid=...` up to the next `/` or `;`, and `/(...)` before a slash, of 24 letters
/// and digits or of groups of them, each named by a letter, as in `/(S(...)F(...))`.
pub fn without_session(path: &str) -> Option<String> {
    if !path.contains([';', '(']) {
        return None;
    }
    let mut kept = String::new();
    let mut rest = path;
    let mut found = false;
    while let Some(at) = rest.find([';', '/']) {
        let (before, behind) = rest.split_at(at);
        kept.push_str(before);
        if let Some(after) = rest_after_leading_java_session(behind)
            .or_else(|| rest_after_leading_asp_session(behind))
        {
            found = true;
            rest = after;
        } else {
            kept.push_str(&behind[..1]);
            rest = &behind[1..];
        }
    }
    kept.push_str(rest);
    found.then_some(kept)
}

/// Rest of a path after the session of Java with which it begins: up to the next `/` or `;`.
fn rest_after_leading_java_session(path: &str) -> Option<&str> {
    const MARK: &str = ";jsessionid=";
    begins_with_any_case(path, MARK).then(|| {
        let value = &path[MARK.len()..];
        &value[value.find([';', '/']).unwrap_or(value.len())..]
    })
}

/// Rest of a path, from a slash on, after the session of ASP.NET with which it begins.
fn rest_after_leading_asp_session(path: &str) -> Option<&str> {
    let inner = path.strip_prefix("/(")?;
    let mut rest = strip_asp_token(inner).unwrap_or(inner);
    if rest.len() == inner.len() {
        while let Some(behind) = strip_asp_group(rest) {
            rest = behind;
        }
    }
    // At the end of a path it might be its name; a session is followed by the page.
    let page = rest.strip_prefix(')').filter(|page| page.starts_with('/'))?;
    (rest.len() < inner.len()).then_some(page)
}

/// Rest of a text after `S(...)`.
fn strip_asp_group(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(|c: char| c.is_ascii_alphabetic())?.strip_prefix('(')?;
    strip_asp_token(inner)?.strip_prefix(')')
}

/// Rest of a text after 24 letters and digits.
fn strip_asp_token(text: &str) -> Option<&str> {
    let token = text.as_bytes().get(..ASP_LENGTH)?;
    token.iter().all(u8::is_ascii_alphanumeric).then(|| &text[ASP_LENGTH..])
}

/// Return whether a sorted list holds a name, in any case.
fn is_listed(list: &[&str], name: &str) -> bool {
    list.binary_search_by(|known| compare_any_case(known, name)).is_ok()
}

fn compare_any_case(known: &str, name: &str) -> Ordering {
    known.bytes().cmp(name.bytes().map(|byte| byte.to_ascii_lowercase()))
}

/// Return whether a text begins with something, in any case.
pub(super) fn begins_with_any_case(text: &str, start: &str) -> bool {
    let head = text.as_bytes().get(..start.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}
