//! `retry/dead-match`: a filter that can never match what is thrown.

use crate::finding::{Confidence, Finding};
use crate::model::Model;
use crate::model::retry::{Token, Verdict};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "retry/dead-match", page: include_str!("../../../rules/retry/dead-match.md"), check: Some(check) };

/// Reports every filter of which no entry can match; one of which some can, as possible only.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for policy in &model.retries {
        let tokens = policy.tokens();
        if !policy.repeats() {
            continue;
        }
        let is_dead = |token: &&Token| {
            matches!(token.verdict, Verdict::NameAsString | Verdict::FunctionNotAsked | Verdict::Unnamed(_))
        };
        let mut dead = tokens.iter().filter(is_dead);
        let Some(first) = dead.next() else { continue };
        // What the statuses become has nothing to do with what the rest of the filter names.
        let all = matches!(first.verdict, Verdict::Unnamed(_)) || tokens.iter().all(|token| is_dead(&token));
        let library = policy.library;
        let mut finding = Finding::at(first.span, reason(first))
            .title(if all {
                format!("the filter of this {} retry can never match, so nothing is retried", library.label)
            } else {
                format!("a part of the filter of this {} retry can never match", library.label)
            })
            .why(why(first))
            .help(help(first))
            .subject(format!("policy {}", policy.anchor))
            .anchor(format!("{}.{}", policy.anchor, library.filter.option));
        for token in dead {
            finding = finding.evidence(token.span, reason(token));
        }
        if !all {
            finding = finding.confidence(Confidence::Possible);
        }
        findings.push(finding);
    }
}

fn reason(token: &Token) -> String {
    match &token.verdict {
        Verdict::NameAsString => format!("no error has the whole message `{}`", token.text),
        Verdict::Unnamed(raised) => format!("these become a {raised}, which the filter does not name"),
        Verdict::FunctionNotAsked => "a `function` is taken for a class and never called".to_owned(),
        _ => String::new(),
    }
}

fn why(token: &Token) -> String {
    match &token.verdict {
        Verdict::Unnamed(raised) => format!(
            "a listed status is raised as {raised}, and only named errors are repeated: under load the first 503 is not \
             repeated, and the caller gets {raised} in place of the answer"
        ),
        Verdict::FunctionNotAsked => {
            "a `function` has a prototype, so `instanceof` answers instead of it: under load the first passing error \
             fails the statement, as if there were no retry"
                .to_owned()
        }
        _ => "strings are compared with the whole message (and `name: message`); codes and class names are not looked \
              at: under load the first passing error fails the statement, as if there were no retry"
            .to_owned(),
    }
}

fn help(token: &Token) -> String {
    match &token.verdict {
        Verdict::Unnamed(raised) => format!("add {raised} to the list of errors"),
        Verdict::FunctionNotAsked => "write the predicate as an arrow function".to_owned(),
        _ if token.text.ends_with("Error") => format!("write a regular expression on the name: /{}/", token.text),
        _ => "write a regular expression on words of the message, such as /Deadlock/i, or the error's class".to_owned(),
    }
}
