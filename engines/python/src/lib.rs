//! The Python package `simdpct`: its extension module, `simdpct._native`.
//!
//! Each function of text takes the usual cases: `str` and `bytes`, not their subclasses. For all
//! others it calls the function of the same name of the running Python's `urllib.parse` with the
//! same arguments. So results and exceptions are the same as in the running version, and this code
//! needs no knowledge of differences between versions. docs/python.md lists the cases.
//!
//! | module | functions |
//! |---|---|
//! | `unquote` | `unquote`, `unquote_plus`, `unquote_to_bytes` |
//! | `quote` | `quote`, `quote_plus`, `quote_from_bytes` |
//! | `query` | `parse_qsl`, `parse_qs` |
//! | `urlencode` | `urlencode` |
//! | `text` | `str` objects; unsafe code |
//! | `arguments` | arguments that several functions take |
//! | `original` | the functions of `urllib.parse` |
//! | `columns` | `simdpct.columns`: functions of Arrow arrays |
//! | `objects` | the objects that functions of columns take |
//! | `option` | the text that functions of columns take in addition |
//! | `result` | the objects that functions of columns return |
//! | `sql` | these functions by their names in SQL |
//! | `polars` | these functions as plugins of Polars; unsafe code |
//! | `capsule` | Arrow's C interfaces in Python's capsules; unsafe code |
#![deny(unsafe_code)]

mod arguments;
#[allow(unsafe_code)]
mod capsule;
mod columns;
mod objects;
mod option;
mod original;
#[allow(unsafe_code)]
mod polars;
mod query;
mod quote;
mod result;
mod sql;
#[allow(unsafe_code)]
mod text;
mod unquote;
mod urlencode;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// `quote` and `quote_plus` of this module.
static OWN_FUNCTIONS: PyOnceLock<[Py<PyAny>; 2]> = PyOnceLock::new();

/// The function of this module that encodes a space in this way.
fn own_function(py: Python<'_>, space: quote::Space) -> PyResult<&Bound<'_, PyAny>> {
    let functions = OWN_FUNCTIONS.get_or_try_init(py, || {
        let module = py.import("simdpct._native")?;
        Ok::<_, PyErr>([module.getattr("quote")?.unbind(), module.getattr("quote_plus")?.unbind()])
    })?;
    Ok(functions[usize::from(space == quote::Space::Plus)].bind(py))
}

/// Drop-ins for functions of `urllib.parse`; the package `simdpct` exports them.
///
/// No other thread may run Python while the value is moved out of a capsule (see `capsule`).
/// Therefore a free-threaded Python turns its lock on when it imports this module.
#[pymodule(gil_used = true)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::query::{parse_qs, parse_qsl};
    #[pymodule_export]
    use crate::quote::{quote, quote_from_bytes, quote_plus};
    #[pymodule_export]
    use crate::unquote::{unquote, unquote_plus, unquote_to_bytes};
    #[pymodule_export]
    use crate::urlencode::urlencode;

    /// Functions of columns; the module `simdpct.columns` exports them.
    #[pymodule]
    mod columns {
        #[pymodule_export]
        use crate::columns::{
            canonical_path, cut, decode, decode_java, decode_lossy, domain, encode, finding_names, findings,
            form_decode, form_decode_lossy, form_encode, has, join, normalize, normalize_url, part, parts, query_keys,
            query_map, query_value, repair, try_decode, try_decode_java, try_form_decode,
        };
        #[pymodule_export]
        use crate::result::{Array, ChunkedArray};
    }

    /// Functions by their names in SQL.
    #[pymodule]
    mod sql {
        #[pymodule_export]
        use crate::sql::{apply_function, check_option};
    }

    /// Looks up the originals before anything can replace them.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::original::functions(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
