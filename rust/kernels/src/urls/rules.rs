//! Rules that change URLs: each has a name and changes one thing.

use std::borrow::Cow;

use super::address::Address;
use super::parameters;
use ilk_joins::error::KernelError;

/// Change of an address by a rule. The result is as the standard writes it, or it says that the
/// address is unsettled.
type Change = fn(&mut Address<'_>);

/// A rule that has a name.
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// Effect of the rule, in words.
    pub what: &'static str,
    change: Change,
}

/// Every rule in the order in which they are used.
pub static RULES: [Named; 11] = [
    Named {
        name: "escapes",
        what: "%-escapes of letters, digits and -._~ undone, the others in capitals",
        change: normalise_escapes,
    },
    Named {
        name: "fragment",
        what: "no #fragment, unless it is a route (#!page, #/page)",
        change: drop_fragment_unless_route,
    },
    Named {
        name: "dot",
        what: "no dot at the end of the host",
        change: drop_trailing_dots_of_host,
    },
    Named { name: "session", what: "no session ids", change: drop_session },
    Named { name: "tracking", what: "no parameters that measure campaigns", change: drop_tracking },
    Named {
        name: "empty",
        what: "no empty query and no empty parameters",
        change: drop_empty_parameters,
    },
    Named {
        name: "order",
        what: "parameters in the order of their names",
        change: sort_parameters,
    },
    Named { name: "scheme", what: "http for https", change: replace_https_with_http },
    Named { name: "www", what: "no www before the host", change: drop_www_and_its_number },
    Named { name: "index", what: "no index page", change: drop_index_page },
    Named { name: "slash", what: "no slash at the end of the path", change: drop_trailing_slashes },
];

/// Pages that servers give for a folder: the parts before and after the dot.
const INDEX_NAMES: [&str; 3] = ["index", "home", "default"];
const INDEX_KINDS: [&str; 15] = [
    "asp", "aspx", "cfm", "cgi", "htm", "html", "jsp", "jspx", "php", "php3", "php4", "php5", "pl",
    "shtml", "xhtml",
];

/// One rule of a choice.
pub enum Rule {
    /// A rule that has a name.
    Named(&'static Named),
    /// Leaves out the parameters of these names.
    Without(Vec<String>),
}

impl Rule {
    /// Name of the rule.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Named(named) => named.name,
            Self::Without(_) => "parameter",
        }
    }

    /// Changes an address.
    pub fn apply(&self, url: &mut Address<'_>) {
        match self {
            Self::Named(named) => (named.change)(url),
            Self::Without(names) => parameters::drop_parameters(&mut url.query, |one| {
                names.iter().any(|name| name == parameters::parameter_name(one))
            }),
        }
    }
}

/// A choice of rules, in the order of their use.
pub struct Rules(Vec<Rule>);

impl Rules {
    /// The rules of these names, and one that leaves out parameters.
    ///
    /// # Errors
    /// [`KernelError::UnknownRule`] with the first name that no rule has.
    pub fn new(names: &[String], without: Vec<String>) -> Result<Self, KernelError> {
        if let Some(other) = names.iter().find(|name| RULES.iter().all(|rule| rule.name != **name))
        {
            return Err(KernelError::UnknownRule(other.clone()));
        }
        let named = RULES.iter().filter(|rule| names.iter().any(|name| name == rule.name));
        let left_out = (!without.is_empty()).then_some(Rule::Without(without));
        Ok(Self(named.map(Rule::Named).chain(left_out).collect()))
    }

    /// One rule after another.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }
}

fn normalise_escapes(url: &mut Address<'_>) {
    normalise_escapes_and_bare_percents(&mut url.path);
    url.query.iter_mut().flatten().for_each(normalise_escapes_and_bare_percents);
    url.fragment.iter_mut().for_each(normalise_escapes_and_bare_percents);
}

/// Undoes the escapes of unreserved characters, writes the others in capitals, and escapes a `%`
/// that begins none.
fn normalise_escapes_and_bare_percents(part: &mut Cow<'_, str>) {
    if !part.contains('%') {
        return;
    }
    let mut pieces = part.split('%');
    let mut out = String::with_capacity(part.len());
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let code = piece.get(..2).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match byte {
            // It stands for itself, as decoders read it; bare, it would take part later.
            None => out.push_str("%25"),
            Some(byte) if is_unreserved(byte) => out.push(byte.into()),
            Some(byte) => out.push_str(&format!("%{byte:02X}")),
        }
        out.push_str(&piece[if byte.is_some() { 2 } else { 0 }..]);
    }
    *part = out.into();
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn drop_fragment_unless_route(url: &mut Address<'_>) {
    // Some sites choose the page there.
    if url.fragment.as_ref().is_some_and(|fragment| !fragment.starts_with(['!', '/'])) {
        url.fragment = None;
    }
}

fn drop_trailing_dots_of_host(url: &mut Address<'_>) {
    let (name, port) = url.split_host_and_port();
    let bare = name.trim_end_matches('.');
    if bare.len() < name.len() && !bare.is_empty() {
        url.host = format!("{bare}{port}").into();
        url.unsettled = true;
    }
}

fn drop_session(url: &mut Address<'_>) {
    if let Some(path) = parameters::without_session(&url.path) {
        url.path = path.into();
        url.unsettled = true;
    }
    parameters::drop_parameters(&mut url.query, parameters::is_session);
}

fn drop_tracking(url: &mut Address<'_>) {
    parameters::drop_parameters(&mut url.query, parameters::is_tracking);
}

fn drop_empty_parameters(url: &mut Address<'_>) {
    parameters::drop_parameters(&mut url.query, str::is_empty);
}

fn sort_parameters(url: &mut Address<'_>) {
    if let Some(parameters) = &mut url.query {
        // Stable: the order of those that share a name may mean something.
        parameters.sort_by(|one, other| {
            parameters::parameter_name(one).cmp(parameters::parameter_name(other))
        });
    }
}

fn replace_https_with_http(url: &mut Address<'_>) {
    if url.scheme != "http" {
        url.scheme = "http";
        // `https://host:80` becomes `http://host:80`, whose port the standard leaves out.
        url.unsettled |= !url.split_host_and_port().1.is_empty();
    }
}

/// `www`, with a number of up to two digits, goes where a site's name of two parts or more is left.
fn drop_www_and_its_number(url: &mut Address<'_>) {
    let Some((first, rest)) = url.host.split_once('.') else { return };
    let number = first.strip_prefix("www").filter(|number| number.len() <= 2);
    let site = rest.split_once('.').is_some_and(|(name, _)| !name.is_empty());
    if site && number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
        url.host = rest.to_owned().into();
        url.unsettled = true;
    }
}

fn drop_index_page(url: &mut Address<'_>) {
    let at = url.path.rfind('/').map_or(0, |slash| slash + 1);
    let Some((name, kind)) = url.path[at..].split_once('.') else { return };
    let is_in = |list: &[&str], word: &str| list.iter().any(|one| one.eq_ignore_ascii_case(word));
    if is_in(&INDEX_NAMES, name) && is_in(&INDEX_KINDS, kind) {
        url.path = url.path[..at].to_owned().into();
    }
}

fn drop_trailing_slashes(url: &mut Address<'_>) {
    let bare = url.path.trim_end_matches('/');
    // The path of a host alone stays `/`.
    let length = bare.len().max(1).min(url.path.len());
    if length < url.path.len() {
        url.path = url.path[..length].to_owned().into();
    }
}
