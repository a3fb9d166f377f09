//! The `junit` format: a test suite for each file, a failed case for each finding, a skipped one for each that the
//! baseline knows.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::location::{Detail, Files, Places};
use super::{Characters, Rendered, Report, concise, gitlab, text, words};
use crate::finding::Finding;

pub(super) fn render(report: &Report<'_>) -> Rendered {
    render_with(report.sources, report)
}

pub(super) fn render_with(files: &impl Files, report: &Report<'_>) -> Rendered {
    let places = Places::of(files, report.findings.iter().chain(report.baselined), Detail::Positions);
    let mut cases: BTreeMap<String, Vec<TestCase>> = BTreeMap::new();
    for finding in report.findings {
        cases.entry(gitlab::path(finding, &places)).or_default().push(failed(finding, &places));
    }
    for finding in report.baselined {
        let mut status = TestCaseStatus::skipped();
        status.set_message(format!("in the baseline: {}", line(&finding.title)));
        cases.entry(gitlab::path(finding, &places)).or_default().push(case(finding, status, &places));
    }
    if cases.is_empty() {
        // Some readers take a document without a test for a broken run.
        cases.insert("foreshock".to_owned(), vec![TestCase::new("No errors found", TestCaseStatus::success())]);
    }
    let mut suites = Suites::new("foreshock");
    for (path, cases) in cases {
        let mut suite = TestSuite::new(path);
        suite.add_test_cases(cases);
        suites.add_test_suite(suite);
    }
    let mut document = suites.to_string().unwrap_or_default();
    if !document.ends_with('\n') {
        document.push('\n');
    }
    Rendered { document, aside: super::human::aside(report, concise::PLAIN) }
}

fn failed(finding: &Finding, places: &Places) -> TestCase {
    let spot = places.spot(finding.place);
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(line(&finding.title));
    status.set_type(words::severity(finding.severity));
    let place = format!("{}:{}:{}", gitlab::path(finding, places), spot.start.line, spot.start.column);
    let parts = [("", &finding.label), ("", &finding.why), ("help: ", &finding.help), ("note: ", &finding.note)];
    let parts = parts.iter().filter(|(_, part)| !part.is_empty());
    let text: String = parts
        .map(|(before, part)| format!("\n{before}{}", text::lines(part, Characters::Unicode).trim_end()))
        .fold(String::new(), |text, part| text + &part);
    status.set_description(format!("{place}: {}{text}", line(&finding.title)));
    case(finding, status, places)
}

fn case(finding: &Finding, status: TestCaseStatus, places: &Places) -> TestCase {
    let spot = places.spot(finding.place);
    let mut case = TestCase::new(finding.rule, status);
    case.set_classname(gitlab::path(finding, places));
    case.extra.insert("line".into(), spot.start.line.to_string().into());
    case.extra.insert("column".into(), spot.start.column.to_string().into());
    case
}

fn line(text: &str) -> String {
    text::line(text, Characters::Unicode)
}
