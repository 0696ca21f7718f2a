//! A URL of the web, cut into its parts.

use std::borrow::Cow;
use std::fmt;

/// Schemes whose URLs have more than one spelling beyond those that the standard makes equal.
const WEB: [&str; 2] = ["http", "https"];

/// The parts of a URL of the web. As the standard writes them they are ASCII.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address<'a> {
    /// `http` or `https`.
    pub scheme: &'static str,
    /// User and password before the host, with the `@`; or nothing.
    pub user: &'a str,
    /// The host with its port, where that is not the scheme's own.
    pub host: Cow<'a, str>,
    /// From its first slash on.
    pub path: Cow<'a, str>,
    /// The parameters that follow `?`, with `&` between them; `None` if there is no query.
    pub query: Option<Vec<Cow<'a, str>>>,
    /// Fragment, after `#`; `None` without one.
    pub fragment: Option<Cow<'a, str>>,
    /// True if a change may have left what the standard writes in another way, so that the URL must
    /// be read again: a name that is a number, a path with `..`, the port of another scheme.
    pub unsettled: bool,
}

impl<'a> Address<'a> {
    /// The parts of a URL that is written as the standard does; `None` if it is not of the web.
    pub fn of_web_url(url: &'a str) -> Option<Self> {
        let begins = |scheme: &str| url.strip_prefix(scheme)?.strip_prefix("://");
        let (scheme, rest) = WEB.iter().find_map(|scheme| Some((*scheme, begins(scheme)?)))?;
        // The fragment first: it may have question marks, and the query may have slashes.
        let (rest, fragment) = cut(rest, '#');
        let (rest, query) = cut(rest, '?');
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        // The last one, as the standard reads it: no host has one.
        let (user, host) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
        Some(Self {
            scheme,
            user,
            host: host.into(),
            path: path.into(),
            query: query.map(|query| query.split('&').map(Cow::Borrowed).collect()),
            fragment: fragment.map(Cow::Borrowed),
            unsettled: false,
        })
    }

    /// The port has its colon, or is nothing.
    pub fn split_host_and_port(&self) -> (&str, &str) {
        // The colons of an address of version 6 are in brackets.
        let port = self.host.rfind(':').filter(|&at| is_number(&self.host[at + 1..]));
        self.host.split_at(port.unwrap_or(self.host.len()))
    }

    /// The path, and the query if there is one.
    pub fn path_and_query(&self) -> String {
        let mut out = self.path.to_string();
        self.write_query_as_it_is(&mut out);
        out
    }

    /// The parts in the order in which sites lie together: those of the host from the last one.
    pub fn to_surt(&self) -> String {
        let (name, port) = self.split_host_and_port();
        let last = name.rsplit('.').next().unwrap_or_default();
        let number = name.ends_with(']') || is_number(last);
        // Numbers of hosts lie together as they are.
        let mut out = if number {
            name.to_owned()
        } else {
            name.split('.').rev().collect::<Vec<_>>().join(",")
        };
        out.push_str(port);
        out.push(')');
        self.write_path_query_and_fragment(&mut out);
        out
    }

    /// Appends the URL.
    pub fn write(&self, out: &mut String) {
        for part in [self.scheme, "://", self.user, &self.host] {
            out.push_str(part);
        }
        self.write_path_query_and_fragment(out);
    }

    fn write_path_query_and_fragment(&self, out: &mut String) {
        out.push_str(&self.path);
        self.write_query_as_it_is(out);
        if let Some(fragment) = &self.fragment {
            out.push('#');
            out.push_str(fragment);
        }
    }

    fn write_query_as_it_is(&self, out: &mut String) {
        let mut mark = '?';
        for parameter in self.query.iter().flatten() {
            out.push(mark);
            out.push_str(parameter);
            mark = '&';
        }
    }
}

impl fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out);
        f.write_str(&out)
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The parts before a mark and, if the mark is there, after its first occurrence.
fn cut(text: &str, mark: char) -> (&str, Option<&str>) {
    text.split_once(mark).map_or((text, None), |(before, behind)| (before, Some(behind)))
}
