//! The measured table of what a failing statement costs, read back out of the model.

use std::num::NonZeroUsize;

use super::{EffectiveFilter, End};
use crate::knowledge::retry::Rows;
use crate::model::resolve::Resolver;
use crate::reading;
use crate::source::{Globs, Limits, RootKind, Sources};

/// Returns how often a statement runs that fails with an error other than `SQLITE_BUSY`, by each policy of the files.
fn runs(files: &[(&str, &str)]) -> Vec<u32> {
    let scratch = tempfile::tempdir().unwrap();
    for (path, text) in files {
        std::fs::write(scratch.path().join(path), text).unwrap();
    }
    let mut sources = Sources::new(Limits::default());
    let root = sources.add_root(RootKind::WorkTree, scratch.path(), ".").unwrap();
    let rows = Rows::default();
    let read = reading::read(&mut sources, &[root], &[], &Globs::default(), &rows, NonZeroUsize::MIN);
    let resolver = Resolver::new(&read.facts, &sources);
    super::policies(&resolver, &sources, rows.libraries())
        .iter()
        .map(|policy| match (&policy.filter, &policy.end) {
            (EffectiveFilter::Dropped { .. } | EffectiveFilter::All, End::Bounded) => policy.runs.value.unwrap(),
            _ => 1,
        })
        .collect()
}

#[test]
fn runs_of_a_failing_statement_as_measured_with_sequelize_6_37_8() {
    let check = |options: &str, expected: &[u32]| {
        let text =
            format!("const {{ Sequelize }} = require('sequelize');\nnew Sequelize('sqlite::memory:', {options});\n");
        assert_eq!(runs(&[("db.js", &text)]), expected, "{options}");
    };
    check("{}", &[]);
    check("{ retry: { max: 3 } }", &[3]);
    check("{ retry: { max: 3, match: [] } }", &[3]);
    check("{ retry: { max: 3, match: undefined } }", &[3]);
    check("{ retry: { max: 3, match: null } }", &[3]);
    check("{ retry: { max: 3, match: '' } }", &[3]);
    check("{ retry: { match: [/x/] } }", &[1]);
    check("{ retry: {} }", &[1]);
    check("{ retry: undefined }", &[1]);
    check("{ retry: null }", &[1]);
    check("{ retry: { max: 0 } }", &[1]);
    check("{ retry: { max: 1 } }", &[1]);
    check("{ query: { retry: { max: 4, match: undefined } } }", &[4]);
    check("{ query: { retry: { max: 4 } } }", &[1]);
    check("{ retry: { max: '5' } }", &[5]);
    check("{ retry: { max: 3, match: [/Deadlock/i] } }", &[1]);
}

#[test]
fn a_block_in_one_call_keeps_the_filter() {
    let check = |block: &str, expected: &[u32]| {
        let text = format!(
            "const {{ Sequelize }} = require('sequelize');\nconst db = new Sequelize('sqlite::memory:');\n\
             db.query('select 1', {{ retry: {block} }});\n"
        );
        assert_eq!(runs(&[("db.js", &text)]), expected, "{block}");
    };
    check("{ max: 4 }", &[1]);
    check("{ max: 0 }", &[1]);
    check("{ max: 4, match: [] }", &[4]);
}

#[test]
fn the_version_decides_how_blocks_merge() {
    let check = |version: &str, expected: &[u32]| {
        let lock = format!(
            "{{\"lockfileVersion\": 3, \"packages\": {{\"node_modules/@sequelize/core\": {{\"version\": \"{version}\"}}}}}}"
        );
        let text = "import { Sequelize } from '@sequelize/core';\nnew Sequelize({ retry: { max: 3 } });\n";
        assert_eq!(runs(&[("db.mjs", text), ("package-lock.json", &lock)]), expected, "{version}");
    };
    check("7.0.0-alpha.48", &[3]);
    check("7.0.0-alpha.49", &[1]);
}
