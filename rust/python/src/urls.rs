//! URLs in, their canonical forms out.

use ilk_joins::stop;
use ilk_kernels::rows::Strings;
use ilk_kernels::urls::{self, rules};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{self, Column, Texts};
use crate::watch::run_infallible;

/// Bytes that a byte of a URL counts as for Ctrl-C: parsing takes longer than reading.
const WORK: usize = 16;

/// A rule that changed a URL, and the URL before and after.
type Fired = (&'static str, String, String);

/// The parts of a canonical URL.
type SchemeHostPathWithQuery = (String, String, String);

/// The names of all rules of URLs in the order of their use, and what each does.
#[pyfunction]
pub fn list_url_rules() -> Vec<(&'static str, &'static str)> {
    rules::RULES.iter().map(|rule| (rule.name, rule.what)).collect()
}

/// A choice of rules that URLs are changed by.
#[pyclass(frozen, module = "ilk._kernels")]
pub struct UrlRules(rules::Rules);

#[pymethods]
impl UrlRules {
    /// The rules of these names, and one that drops some parameters.
    #[new]
    fn new(names: Vec<String>, dropped_parameters: Vec<String>) -> PyResult<Self> {
        rules::Rules::new(&names, dropped_parameters)
            .map(Self)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The canonical form of every URL; null if it has none.
    fn canonicalise_all(&self, py: Python<'_>, urls: Column) -> PyResult<Column> {
        let urls = Texts::from_large_binary(urls)?;
        columns::large_binary_from_strings(run_infallible(py, || {
            let mut found = Strings::default();
            for row in 0..urls.len() {
                let canonical = urls.get(row).and_then(|url| {
                    stop::count_work_or_unwind(WORK * url.len());
                    urls::canonicalise(&url, &self.0)
                });
                found.push(canonical.as_deref());
            }
            found
        })?)
    }

    /// The canonical form of a URL; `None` if it is no absolute one.
    fn canonicalise_if_absolute(&self, url: &str) -> Option<String> {
        urls::canonicalise(url, &self.0)
    }

    /// Rules that change a URL, in their order, and the URL before and after each.
    fn explain(&self, url: &str) -> Option<Vec<Fired>> {
        let fired = urls::explain(url, &self.0)?;
        Some(fired.into_iter().map(|one| (one.rule, one.before, one.after)).collect())
    }

    /// The canonical form with the parts of the host from the last one.
    fn to_surt(&self, url: &str) -> Option<String> {
        urls::to_surt(url, &self.0)
    }

    /// The parts of the canonical form; `None` if it is not of the web.
    fn split_canonical_web_url(&self, url: &str) -> Option<SchemeHostPathWithQuery> {
        urls::split_canonical(url, &self.0)
    }
}
