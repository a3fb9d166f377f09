//! `wait/leaked-slot`: a path out of the function does not give the slot back.

use crate::finding::Finding;
use crate::model::Model;
use crate::model::wait::Lost;
use crate::rules::words::with_article;
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "wait/leaked-slot", page: include_str!("../../../rules/wait/leaked-slot.md"), check: Some(check) };

/// Reports every slot that some path loses.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for leak in &model.waits.leaks {
        let (how, evidence) = match leak.lost {
            Lost::Return(span) => {
                ("the early `return` leaves without it", Some((span, "leaves without giving it back")))
            }
            Lost::Failure(span) => {
                ("a failure leaves without it", Some((span, "if this fails, nothing gives it back")))
            }
            Lost::Never => ("nothing in the function gives it back", None),
        };
        let end = leak.hold.ends.first().map_or("", String::as_str);
        let mut finding = Finding::at(leak.span, format!("`{}` is taken here", leak.handle))
            .title(format!("{} slot is lost on some path", with_article(&leak.pool.label)))
            .why(format!(
                "{how}: each time one slot of the pool is gone until the process restarts, and when the last one is gone \
                 every caller waits"
            ))
            .help(format!("call `{}.{end}()` in a `finally` around everything that follows", leak.handle))
            .subject(format!("leak {}", leak.anchor))
            .anchor(leak.anchor.clone());
        if let Some((span, label)) = evidence {
            finding = finding.evidence(span, label);
        }
        findings.push(finding);
    }
}
