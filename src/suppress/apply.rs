//! Directives against findings: what is hidden, and which directives do not do what they say.

use std::collections::{BTreeMap, BTreeSet};

use super::directive::Name;
use super::{Date, Directive, Suppressions};
use crate::config::RulePattern;
use crate::finding::Finding;
use crate::rules::{Page, Status};
use crate::source::{Bytes, FileId};

const UNUSED: &str = "suppress/unused";
const UNKNOWN: &str = "suppress/unknown-rule";
const EXPIRED: &str = "suppress/expired";

/// Each unknown name is compared with all rules, so a file gets no more findings about them than anybody reads.
const UNKNOWN_SHOWN: usize = 50;

/// What a run knows when it applies suppressions.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub today: Date,
    /// The rules that ran, `suppress/…` among them: a directive for a rule that did not run is not called unused.
    pub ran: &'a BTreeSet<&'static str>,
    pub pages: &'a [Page],
}

/// Findings sorted by what suppressions say of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    pub kept: Vec<Finding>,
    pub suppressed: Vec<Finding>,
    /// Findings of the `suppress/…` rules that ran, with the severity of their pages.
    pub extra: Vec<Finding>,
}

/// Sorts findings by the directives of their files and by `elsewhere` (the configuration's `[per-path]`). The findings
/// must be those before any selection by severity or confidence: what hides a finding that is not shown is not unused.
pub fn apply(
    findings: Vec<Finding>,
    files: &[Suppressions],
    elsewhere: &dyn Fn(&Finding) -> bool,
    scope: Scope<'_>,
) -> Applied {
    let by_file: BTreeMap<FileId, &Suppressions> = files.iter().map(|file| (file.file, file)).collect();
    let mut used: BTreeSet<(FileId, Bytes)> = BTreeSet::new();
    let mut applied = Applied::default();
    for finding in findings {
        let mut hidden = elsewhere(&finding);
        let file = finding.place.file();
        let place = finding.place.bytes().unwrap_or_default();
        for directive in by_file.get(&file).map_or(&[][..], |file| &file.directives) {
            if directive.is_over(scope.today) || !directive.covers(place) {
                continue;
            }
            for name in directive.names.iter().filter(|name| name.matches(finding.rule)) {
                used.insert((file, name.bytes));
                hidden = true;
            }
        }
        if hidden { applied.suppressed.push(finding) } else { applied.kept.push(finding) }
    }
    for file in files {
        let mut unknown_left = UNKNOWN_SHOWN;
        for directive in &file.directives {
            judge(file.file, directive, &used, scope, &mut unknown_left, &mut applied.extra);
        }
    }
    applied.extra.retain(|finding| !elsewhere(finding));
    applied
}

impl Directive {
    fn is_over(&self, today: Date) -> bool {
        self.until.is_some_and(|(until, _)| until < today)
    }
}

impl Name {
    fn matches(&self, id: &str) -> bool {
        id == self.text || id.split('/').next() == Some(self.text.as_str())
    }
}

fn judge(
    file: FileId,
    directive: &Directive,
    used: &BTreeSet<(FileId, Bytes)>,
    scope: Scope<'_>,
    unknown_left: &mut usize,
    extra: &mut Vec<Finding>,
) {
    let mut report = |id: &str, subject: &str, finding: Finding| {
        let Some(page) = scope.pages.iter().find(|page| page.id == id) else { return };
        if scope.ran.contains(id) {
            let mut finding = finding.subject(format!("directive for {subject}"));
            finding.rule = page.id;
            finding.severity = page.severity;
            finding.trigger = page.trigger;
            extra.push(finding);
        }
    };
    let is_over = directive.is_over(scope.today);
    if let Some((until, bytes)) = directive.until.filter(|_| is_over) {
        let names: Vec<_> = directive.names.iter().map(|name| name.text.as_str()).collect();
        let finding = Finding::at(file.span(bytes), "this day is over")
            .title(format!("a suppression ended on {until}"))
            .why("it hides nothing any more: what it covers is reported again")
            .help("mend what it covers and remove it, or write a later date and why");
        report(EXPIRED, &names.join(","), finding);
    }
    for name in &directive.names {
        match RulePattern::known(&name.text, scope.pages) {
            None if *unknown_left == 0 => {}
            None => {
                *unknown_left -= 1;
                let help = RulePattern::parse(&name.text, scope.pages).err().map(|unknown| unknown.help);
                let finding = Finding::at(file.span(name.bytes), "no rule has this name")
                    .title(format!("a suppression names `{}`, which is no rule", name.text))
                    .why("it hides nothing: what it was written for is reported, or will be")
                    .help(help.unwrap_or_default());
                report(UNKNOWN, &name.text, finding);
            }
            Some(pattern) if !is_over && !used.contains(&(file, name.bytes)) && could_fire(&pattern, scope) => {
                let help = match directive.names.len() {
                    1 => "remove the directive".to_owned(),
                    _ => format!("remove `{}` from the directive", name.text),
                };
                let finding = Finding::at(file.span(name.bytes), "hides nothing")
                    .title(format!("`{}` is suppressed where nothing of it is found", name.text))
                    .why("left here, it hides the next fault of this kind in this place")
                    .help(help);
                report(UNUSED, &name.text, finding);
            }
            Some(_) => {}
        }
    }
}

/// Says whether enough rules ran to call a directive unused: the named one, or all that a family runs by default. What a
/// rule on changes is told stays after the change.
fn could_fire(pattern: &RulePattern, scope: Scope<'_>) -> bool {
    let mut meant = scope.pages.iter().filter(|page| {
        let named = page.status == Status::Off && matches!(pattern, RulePattern::Rule(_));
        pattern.matches(page.id) && (page.status == Status::On || named)
    });
    let first = meant.next().is_some_and(|page| scope.ran.contains(page.id));
    first && meant.all(|page| scope.ran.contains(page.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::sample::pages;
    use crate::finding::{Place, Severity};
    use crate::source::LineIndex;
    use crate::suppress::sample::{FILE, suppressions};

    /// A finding of a rule at the first place of `token`.
    fn finding(text: &str, rule: &'static str, token: &str) -> Finding {
        let start = text.find(token).unwrap();
        let mut finding = Finding::at(FILE.span(Bytes::new(start, start + token.len())), "");
        finding.rule = rule;
        finding
    }

    struct Case<'a> {
        text: &'a str,
        /// Rule and token of each finding.
        findings: &'a [(&'static str, &'a str)],
        kept: &'a [&'a str],
        /// Rule, token and help of each further finding.
        extra: &'a [(&'a str, &'a str, &'a str)],
    }

    fn check_with(case: &Case<'_>, ran: &BTreeSet<&'static str>, elsewhere: &dyn Fn(&Finding) -> bool) {
        let Case { text, .. } = case;
        let pages = pages();
        let scope = Scope { today: Date::parse("2026-11-30").unwrap(), ran, pages: &pages };
        let findings: Vec<_> = case.findings.iter().map(|(rule, token)| finding(text, rule, token)).collect();
        let count = findings.len();
        let applied = apply(findings, &[suppressions(text, "//")], elsewhere, scope);
        let kept: Vec<_> = applied.kept.iter().map(|finding| finding.rule).collect();
        assert_eq!(kept, case.kept, "{text}");
        assert_eq!(applied.kept.len() + applied.suppressed.len(), count);
        let token = |finding: &Finding| finding.place.bytes().unwrap().of(text).to_owned();
        let extra: Vec<_> =
            applied.extra.iter().map(|finding| (finding.rule, token(finding), finding.help.as_str())).collect();
        let expected: Vec<_> =
            case.extra.iter().map(|(rule, token, help)| (*rule, (*token).to_owned(), *help)).collect();
        assert_eq!(extra, expected, "{text}");
        assert!(applied.extra.iter().all(|finding| finding.severity == Severity::Warning && !finding.title.is_empty()));
    }

    fn check(case: &Case<'_>) {
        let ran = pages().iter().filter(|page| page.status == Status::On).map(|page| page.id).collect();
        check_with(case, &ran, &|_| false);
    }

    #[test]
    fn a_directive_hides_what_it_names_where_it_stands() {
        let text = "retry: { // foreshock: ignore[retry/no-match] why\nother: {";
        check(&Case {
            text,
            findings: &[("retry/no-match", "retry: {"), ("retry/match-all", "retry: {"), ("retry/no-match", "other")],
            kept: &["retry/match-all", "retry/no-match"],
            extra: &[],
        });
    }

    #[test]
    fn a_family_hides_all_its_rules() {
        check(&Case {
            text: "// foreshock: ignore[retry]\nretry: {",
            findings: &[
                ("retry/no-match", "retry: {"),
                ("retry/match-all", "retry: {"),
                ("pool/no-headroom", "retry: {"),
            ],
            kept: &["pool/no-headroom"],
            extra: &[],
        });
    }

    #[test]
    fn what_hides_nothing_is_unused() {
        check(&Case {
            text: "// foreshock: ignore[retry/no-match]\nx",
            findings: &[],
            kept: &[],
            extra: &[("suppress/unused", "retry/no-match", "remove the directive")],
        });
        check(&Case {
            text: "// foreshock: ignore[retry/no-match, retry/match-all, pool]\nx",
            findings: &[("retry/match-all", "x")],
            kept: &[],
            extra: &[
                ("suppress/unused", "retry/no-match", "remove `retry/no-match` from the directive"),
                ("suppress/unused", "pool", "remove `pool` from the directive"),
            ],
        });
        check(&Case {
            text: "// foreshock: ignore-file[retry]\nx",
            findings: &[("pool/no-headroom", "x")],
            kept: &["pool/no-headroom"],
            extra: &[("suppress/unused", "retry", "remove the directive")],
        });
    }

    #[test]
    fn a_directive_for_a_rule_that_did_not_run_is_not_unused() {
        let text = "// foreshock: ignore[retry/inert, pool/change-needs-full-restart]\nx";
        check(&Case { text, findings: &[], kept: &[], extra: &[] });
        let ran = BTreeSet::from(["pool/change-needs-full-restart", "suppress/unused"]);
        let text = "// foreshock: ignore[pool/change-needs-full-restart]\nx";
        check_with(&Case { text, findings: &[], kept: &[], extra: &[] }, &ran, &|_| false);
        let ran = BTreeSet::from(["retry/no-match", "suppress/unused"]);
        let text = "// foreshock: ignore[retry, retry/match-all]\nx";
        check_with(&Case { text, findings: &[], kept: &[], extra: &[] }, &ran, &|_| false);
        let text = "// foreshock: ignore[retry/no-match]\nx";
        let extra = &[("suppress/unused", "retry/no-match", "remove the directive")];
        check_with(&Case { text, findings: &[], kept: &[], extra }, &ran, &|_| false);
        let ran = BTreeSet::from(["retry/no-match"]);
        check_with(&Case { text, findings: &[], kept: &[], extra: &[] }, &ran, &|_| false);
    }

    #[test]
    fn an_unknown_name_is_reported_beside_what_the_others_hide() {
        check(&Case {
            text: "// foreshock: ignore[retry/no-match, retry/no-mach]\nx",
            findings: &[("retry/no-match", "x")],
            kept: &[],
            extra: &[("suppress/unknown-rule", "retry/no-mach", "did you mean `retry/no-match`?")],
        });
    }

    #[test]
    fn a_directive_ends_after_its_last_day() {
        let findings = &[("retry/no-match", "x: 1")];
        let text = "x: 1 // foreshock: ignore[retry/no-match] until=2026-11-30 why";
        check(&Case { text, findings, kept: &[], extra: &[] });
        let help = "mend what it covers and remove it, or write a later date and why";
        let extra = &[("suppress/expired", "until=2026-11-29", help)];
        let text = "x: 1 // foreshock: ignore[retry/no-match] until=2026-11-29 why";
        check(&Case { text, findings, kept: &["retry/no-match"], extra });
        check(&Case { text, findings: &[], kept: &[], extra });
    }

    #[test]
    fn what_the_configuration_hides_is_hidden_and_uses_directives_too() {
        let ran = BTreeSet::from(["retry/no-match", "suppress/unused"]);
        let text = "x: 1 // foreshock: ignore[retry/no-match]\ny";
        let case = Case { text, findings: &[("retry/no-match", "x"), ("retry/no-match", "y")], kept: &[], extra: &[] };
        check_with(&case, &ran, &|finding| finding.rule == "retry/no-match");
        let case = Case { text, findings: &[], kept: &[], extra: &[] };
        check_with(&case, &ran, &|finding| finding.rule == "suppress/unused");
    }

    #[test]
    fn a_place_without_text_is_the_first_line() {
        let pages = pages();
        let ran = BTreeSet::new();
        let scope = Scope { today: Date::parse("2026-11-30").unwrap(), ran: &ran, pages: &pages };
        for (text, hidden) in [("// foreshock: ignore-file[retry]\n", 1), ("\n\n// foreshock: ignore[retry]\nx", 0)] {
            let mut finding = Finding::at(Place::Whole(FILE), "");
            finding.rule = "retry/no-match";
            let applied = apply(vec![finding], &[suppressions(text, "//")], &|_| false, scope);
            assert_eq!(applied.suppressed.len(), hidden, "{text}");
        }
    }

    #[test]
    fn a_finding_in_a_file_without_directives_is_kept() {
        let pages = pages();
        let scope = Scope { today: Date::parse("2026-11-30").unwrap(), ran: &BTreeSet::new(), pages: &pages };
        let finding = Finding::at(Place::Whole(FileId(1)), "");
        let applied =
            apply(vec![finding], &[suppressions("// foreshock: ignore-file[retry]", "//")], &|_| false, scope);
        assert_eq!(applied.kept.len(), 1);
    }

    /// Checks a page's first block: the line that it promises, and the finding that is hidden beside it.
    fn check_page(id: &'static str, text: &'static str, hidden: &[(&'static str, &str)]) {
        let page = Page::parse(id, text).unwrap();
        let block = page.body.split("```").nth(1).unwrap();
        let (info, code) = block.split_once('\n').unwrap();
        let promised: u32 = info.split("finding=").nth(1).unwrap().parse().unwrap();
        let mut pages = pages();
        pages.retain(|known| known.id != id);
        pages.push(page);
        let ran = pages.iter().map(|page| page.id).collect();
        let scope = Scope { today: Date::parse("2026-11-30").unwrap(), ran: &ran, pages: &pages };
        let findings = hidden.iter().map(|(rule, token)| finding(code, rule, token)).collect();
        let applied = apply(findings, &[suppressions(code, "//")], &|_| false, scope);
        let lines = LineIndex::of(code.as_bytes());
        let line = |finding: &Finding| lines.line_number(finding.place.bytes().unwrap().start);
        let found: Vec<_> = applied.extra.iter().map(|finding| (finding.rule, line(finding))).collect();
        assert_eq!((found, applied.kept), (vec![(id, promised)], Vec::new()));
    }

    #[test]
    fn the_pages_keep_their_promises() {
        check_page(UNUSED, include_str!("../../rules/suppress/unused.md"), &[]);
        check_page(EXPIRED, include_str!("../../rules/suppress/expired.md"), &[]);
        let hidden = &[("retry/no-match", "retry: {")];
        check_page(UNKNOWN, include_str!("../../rules/suppress/unknown-rule.md"), hidden);
    }

    #[test]
    fn a_file_full_of_unknown_names_is_judged_in_bearable_time() {
        let text = format!("// foreshock: ignore[{}]\n", "retry/no-mach,".repeat(32)).repeat(1000);
        let pages = pages();
        let ran = BTreeSet::from([UNKNOWN]);
        let scope = Scope { today: Date::parse("2026-11-30").unwrap(), ran: &ran, pages: &pages };
        let applied = apply(Vec::new(), &[suppressions(&text, "//")], &|_| false, scope);
        assert_eq!(applied.extra.len(), UNKNOWN_SHOWN);
    }
}
