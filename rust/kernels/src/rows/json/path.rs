//! Names that lead into objects and lists: `a.b`, `turns[0].text`, `messages[role=user].content`.

/// Choice among the elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selector<'a> {
    /// `[]`: every element.
    Every,
    /// `[2]`: the element at a place, counted from 0.
    At(usize),
    /// `[role=user]`: the objects whose field has this value, as it is spelled.
    Where(&'a str, &'a str),
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Into an object: the name of a field, and the whole path from this name on.
    Field { name: &'a str, path: &'a str },
    /// Into a list.
    List(Selector<'a>),
}

/// Return whether what stands after a part of a path may begin there: nothing, or a step.
pub(super) fn is_boundary(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b'.' | b'['))
}

/// The selector that a rest of a path begins with, and what follows it.
pub(super) fn read_selector(rest: &str) -> Option<(Selector<'_>, &str)> {
    let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
    if !is_boundary(after.as_bytes()) {
        return None;
    }
    let selector = match inside.split_once('=') {
        Some((name, value)) if !name.is_empty() => Selector::Where(name, value),
        None if inside.is_empty() => Selector::Every,
        None if inside.bytes().all(|byte| byte.is_ascii_digit()) => {
            Selector::At(inside.parse().ok()?)
        }
        _ => return None,
    };
    Some((selector, after))
}

/// The steps of a path whose names have no dots and brackets themselves; none if it is no such
/// path. A name that is no path is one step.
pub(super) fn read_steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    let mut rest = path;
    loop {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end == 0 && !path.is_empty() {
            return None;
        }
        steps.push(Step::Field { name: &rest[..end], path: rest });
        rest = &rest[end..];
        while rest.starts_with('[') {
            let (selector, after) = read_selector(rest)?;
            steps.push(Step::List(selector));
            rest = after;
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None => return Some(steps),
        }
    }
}
