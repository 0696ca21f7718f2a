//! Parts of addresses, and rules where they end; the tests in Python show what every rule does.
#![allow(clippy::expect_used)]

use super::address::Address;
use super::parameters::{SESSION, TRACKING, without_session};
use super::rules::{RULES, Rules};
use super::{canonicalise, explain, split_canonical, to_surt};
use ilk_joins::error::KernelError;

fn rules(names: &[&str]) -> Rules {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    Rules::new(&names, Vec::new()).expect("all are rules")
}

#[test]
fn lists_are_in_order() {
    assert!(TRACKING.is_sorted() && SESSION.is_sorted());
}

#[test]
fn an_address_is_written_as_it_was_cut() {
    for url in [
        "http://u:p@a.org:81/b;c?d?e#f#g?",
        "https://[::1]:8080/",
        "http://a.org",
        "http://a.org/?#",
    ] {
        assert_eq!(Address::of_web_url(url).expect("of the web").to_string(), url);
    }
    assert_eq!(Address::of_web_url("ftp://a.org/"), None);
    assert_eq!(Address::of_web_url("data:,://"), None);
}

#[test]
fn a_host_has_a_port_or_none() {
    for (url, expected) in [
        ("http://a.org:81/", ("a.org", ":81")),
        ("http://[::1]/", ("[::1]", "")),
        ("http://[::1]:81/", ("[::1]", ":81")),
        ("http://a.org/", ("a.org", "")),
    ] {
        assert_eq!(Address::of_web_url(url).expect("of the web").split_host_and_port(), expected);
    }
}

#[test]
fn sessions_in_paths_are_told_from_what_looks_like_them() {
    let token = "4hqa0555fwsecu455xqckv45";
    for (path, expected) in [
        ("/a;jsessionid=1;b/c".to_owned(), Some("/a;b/c".to_owned())),
        ("/a;JSessionId=1".to_owned(), Some("/a".to_owned())),
        (format!("/x/({token})/a"), Some("/x/a".to_owned())),
        (format!("/(S({token})F({token}))/a"), Some("/a".to_owned())),
        (format!("/(S({token})/a"), None),
        (format!("/({token})"), None),
        (format!("/(S({token}x))/a"), None),
        ("/()/a".to_owned(), None),
        ("/a;b".to_owned(), None),
        (format!("/({token})/({token})/"), Some("/".to_owned())),
    ] {
        assert_eq!(without_session(&path), expected, "{path}");
    }
}

#[test]
fn a_rule_that_there_is_not_is_told() {
    let names = ["www".to_owned(), "nothing".to_owned()];
    let unknown = KernelError::UnknownRule("nothing".to_owned());
    assert_eq!(Rules::new(&names, Vec::new()).err(), Some(unknown));
}

#[test]
fn parameters_are_left_out_by_name() {
    let rules = Rules::new(&[], vec!["from".to_owned()]).expect("no names");
    let found = canonicalise("http://a.org/?from=x&fromage=1&from", &rules);
    assert_eq!(found.as_deref(), Some("http://a.org/?fromage=1"));
    assert_eq!(canonicalise("http://a.org/?from", &rules).as_deref(), Some("http://a.org/"));
}

#[test]
fn every_step_is_told_once() {
    let all: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let fired = explain("HTTPS://www.a.org/index.html/", &rules(&all)).expect("a URL");
    let names: Vec<&str> = fired.iter().map(|one| one.rule).collect();
    assert_eq!(names, ["standard", "scheme", "www", "slash", "index"]);
    assert_eq!(fired.last().map(|one| one.after.as_str()), Some("http://a.org/"));
}

#[test]
fn places_and_order_are_those_of_the_canonical_form() {
    let none = rules(&[]);
    let found = split_canonical("HTTPS://u@A.org:81/b?c#d", &none);
    assert_eq!(found, Some(("https".into(), "a.org:81".into(), "/b?c".into())));
    assert_eq!(split_canonical("data:,a", &none), None);
    assert_eq!(to_surt("http://www.a.org/B", &none).as_deref(), Some("org,a,www)/B"));
    assert_eq!(to_surt("http://a.org./", &none).as_deref(), Some(",org,a)/"));
    assert_eq!(to_surt("http://127.0.0.1:81/", &none).as_deref(), Some("127.0.0.1:81)/"));
    assert_eq!(to_surt("data:,a", &none).as_deref(), Some("data:,a"));
    assert_eq!(to_surt("nonsense", &none), None);
}
