//! Tests of the formats, on findings made by hand.

use serde_json::Value;

use super::sample::{self, Memory, look, with_report};
use super::*;
use crate::finding::{Place, ProblemKind, Severity, Trigger};
use crate::source::Bytes;

type Sample = (Memory, Vec<Finding>, Vec<Problem>, Summary);

const FORMATS: [Format; 9] = [
    Format::Human,
    Format::Concise,
    Format::Json,
    Format::Sarif,
    Format::Github,
    Format::Gitlab,
    Format::Junit,
    Format::Html,
    Format::Narrated,
];

fn rendered(format: Format, sample: &Sample, look: Look) -> Rendered {
    let (files, findings, problems, summary) = sample;
    with_report(findings, problems, summary.clone(), |report| match format {
        Format::Human => human::render_with(files, report, look),
        Format::Concise => concise::render_with(files, report),
        Format::Json => json::render_with(files, report),
        Format::Sarif => sarif::render_with(files, report),
        Format::Github => github::render_with(files, report),
        Format::Gitlab => gitlab::render_with(files, report),
        Format::Junit => junit::render_with(files, report),
        Format::Html => html::render_with(files, report),
        Format::Narrated => narrated::render_with(files, report, look),
    })
}

fn document(format: Format, sample: &Sample) -> String {
    rendered(format, sample, look(Characters::Unicode)).document
}

fn parsed(format: Format, sample: &Sample) -> Value {
    serde_json::from_str(&document(format, sample)).unwrap()
}

fn human(sample: &Sample, look: Look) -> String {
    let rendered = rendered(Format::Human, sample, look);
    format!("{}--\n{}", rendered.document, rendered.aside)
}

/// A sample of one finding on `token` in `text`, labelled and without more.
fn one(text: &str, token: &str, label: &str) -> Sample {
    let mut files = Memory::default();
    let file = files.add("a.yml", text.as_bytes());
    let finding = Finding { rule: "a/b", ..Finding::at(files.place(file, token, 0), label).title("a title") };
    (files, vec![finding], Vec::new(), Summary::default())
}

#[test]
fn the_launchd_incident() {
    let wide = Look { width: 112, ..look(Characters::Unicode) };
    insta::assert_snapshot!("launchd", human(&sample::launchd(), wide));
    insta::assert_snapshot!("launchd_ascii", human(&sample::launchd(), look(Characters::Ascii)));
}

#[test]
fn the_sequelize_incident() {
    insta::assert_snapshot!("sequelize", human(&sample::sequelize(), look(Characters::Unicode)));
    insta::assert_snapshot!("sequelize_ascii", human(&sample::sequelize(), look(Characters::Ascii)));
}

#[test]
fn the_other_formats_of_an_incident() {
    insta::assert_snapshot!("launchd_concise", document(Format::Concise, &sample::launchd()));
    insta::assert_snapshot!("launchd_github", document(Format::Github, &sample::launchd()));
    insta::assert_snapshot!("sequelize_json", document(Format::Json, &sample::sequelize()));
    insta::assert_snapshot!("launchd_gitlab", document(Format::Gitlab, &sample::launchd()));
    insta::assert_snapshot!("launchd_junit", document(Format::Junit, &sample::launchd()));
    insta::assert_snapshot!("launchd_sarif", document(Format::Sarif, &sample::launchd()));
    insta::assert_snapshot!("launchd_narrated", document(Format::Narrated, &sample::launchd()));
}

#[test]
fn hostile_texts_in_every_field_are_shown_and_no_more() {
    let sample = sample::hostile();
    insta::assert_snapshot!("hostile", human(&sample, look(Characters::Unicode)));
    for format in FORMATS {
        let rendered = rendered(format, &sample, look(Characters::Unicode));
        for text in [&rendered.document, &rendered.aside] {
            let bad = |c: char| {
                (c.is_control() && c != '\n')
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
            };
            assert!(!text.contains(bad), "{format:?}: {text}");
            assert!(!text.contains("hunter2"), "{format:?}: {text}");
        }
        if matches!(format, Format::Json | Format::Sarif | Format::Gitlab) {
            assert!(!rendered.document.contains("\\u001b") && !rendered.document.contains("\\u202e"));
            serde_json::from_str::<Value>(&rendered.document).unwrap();
        }
    }
    let ascii = human(&sample, look(Characters::Ascii));
    assert!(ascii.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{ascii}");
}

#[test]
fn a_page_holds_nothing_that_runs_or_is_fetched() {
    let markup = "<script src=//x>alert(1)</script><img onerror=x>";
    let mut sample = one(&format!("key: {markup}\n"), "key", markup);
    for finding in &mut sample.1 {
        *finding = finding.clone().title(markup).why(markup).help(format!("{markup}\n{markup}")).note(markup);
        finding.processes.push(markup.to_owned());
        finding.shows = markup.to_owned();
    }
    for sample in [sample, sample::hostile()] {
        let page = document(Format::Html, &sample);
        let (_, body) = page.split_once("</style>").unwrap();
        assert!(!body.contains("<script") && !body.contains("<img") && !body.contains("src=\""), "{body}");
        assert!(!body.contains("http:") && !body.contains("https:"), "{body}");
    }
}

#[test]
fn a_page_groups_by_root_and_by_what_wakes_the_fault() {
    let page = document(Format::Html, &sample::launchd());
    let expected = [">This host</h2>", ">At the next restart</h3>", "unit/missing-target", "<mark>", "What was read"];
    let mut rest = page.as_str();
    for text in expected {
        rest = rest.split_once(text).unwrap_or_else(|| panic!("{text} is missing: {rest}")).1;
    }
}

#[test]
fn hostile_texts_cannot_add_a_workflow_command() {
    let document = document(Format::Github, &sample::hostile());
    assert_eq!(document.lines().count(), 1);
    let (command, message) = document.trim_start_matches("::").split_once("::").unwrap();
    assert!(command.starts_with("error file=a%2Cb%3Ax"), "{command}");
    assert_eq!(command.split(',').count(), 6, "{command}");
    assert!(message.contains("%250A"), "{message}");
    assert!(!message.contains("\\u{202e}\n"));
}

#[test]
fn a_report_without_findings_is_whole() {
    let sample = (Memory::default(), Vec::new(), Vec::new(), Summary { read: 1, ..Summary::default() });
    let human = rendered(Format::Human, &sample, look(Characters::Unicode));
    assert_eq!(human.document, "");
    assert_eq!(human.aside, "no findings · read 1 file, 0 unreadable · exit 0\n");
    assert_eq!(document(Format::Concise, &sample), "");
    assert_eq!(document(Format::Github, &sample), "");
    assert_eq!(document(Format::Gitlab, &sample), "[]\n");
    assert!(document(Format::Junit, &sample).contains("No errors found"));
    assert_eq!(parsed(Format::Json, &sample)["findings"], Value::Array(Vec::new()));
    let run = &parsed(Format::Sarif, &sample)["runs"][0];
    assert_eq!(run["results"], Value::Array(Vec::new()));
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
}

#[test]
fn only_the_worst_blocks_are_shown_and_the_others_counted() {
    let mut files = Memory::default();
    let file = files.add("a.yml", "x\n".repeat(90).as_bytes());
    let rules = ["lock/b", "pool/a", "retry/c"];
    let severities = [Severity::Advice, Severity::Error, Severity::Warning];
    let findings = (0..90)
        .map(|n| Finding {
            rule: rules[n % 3],
            severity: severities[n % 3],
            trigger: Some(Trigger::Load),
            ..Finding::at(file.span(Bytes::new(2 * n, 2 * n + 1)), "x").title(format!("title {n}"))
        })
        .collect();
    let sample = (files, findings, Vec::new(), Summary::default());
    let worst = human(&sample, Look { blocks: Blocks::Worst, ..look(Characters::Unicode) });
    assert_eq!(worst.matches("error under load · pool/a").count(), 10);
    assert!(worst.find("title 1\n") < worst.find("title 28\n"));
    let rest = worst.split_once("80 findings more, by rule\n").unwrap().1;
    assert_eq!(
        rest,
        "  20 × pool/a   error under load\n  30 × retry/c  warning under load\n  30 × lock/b   advice under load\n\
         add `--all` to see each in full\nforeshock explain pool/a\n\
         foreshock baseline   # records them all, so that only new ones are reported\n\n--\n\
         30 errors, 30 warnings, 30 advice · read 0 files, 0 unreadable · exit 0\n"
    );
    assert_eq!(human(&sample, look(Characters::Unicode)).matches("╰────").count(), 90);
}

/// The signs under a line stand below the token that they mark, whatever precedes it.
#[test]
fn underlines_stand_below_their_token() {
    for before in ["", "\t", "ab\tc", "密码\t", "e\u{301}e\u{301} ", "\u{1b}[31m", "\u{200b}é", "{password: x, ", "👍 "]
    {
        for characters in [Characters::Unicode, Characters::Ascii] {
            let sample = one(&format!("{before}TOKEN密 after"), "TOKEN密", "label");
            let text = human(&sample, look(characters));
            let rows: Vec<&str> = text.lines().collect();
            let row = rows.iter().position(|row| row.contains("TOKEN")).unwrap();
            let column = |row: &str, at: usize| unicode_width::UnicodeWidthStr::width(row.split_at(at).0);
            let token = column(rows[row], rows[row].find("TOKEN").unwrap());
            let signs = rows[row + 1];
            let first = signs.find(['─', '^']).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(column(signs, first), token, "{before:?}\n{text}");
            let marked = unicode_width::UnicodeWidthStr::width(signs.trim_end()) - token;
            let width = if characters == Characters::Unicode { 7 } else { "TOKEN\\u{5bc6}".len() };
            assert_eq!(marked, width, "{before:?}\n{text}");
        }
    }
}

#[test]
fn frames_fit_the_width_and_show_their_token() {
    let long = "x".repeat(5000);
    let right = "x".repeat(70);
    let wide = "密".repeat(800);
    let label =
        "what is to be seen here, in more words than fit beside a token that stands far to the right of its line";
    for (before, after) in [(&*long, &*long), ("", &*long), (&*long, ""), (&*wide, &*wide), ("", ""), (&*right, "")] {
        for token in ["TOKEN", &format!("TOKEN{}", "y".repeat(4000))] {
            for width in [0, 40, 80, 100, 200] {
                for characters in [Characters::Unicode, Characters::Ascii] {
                    let sample = one(&format!("a\n{before}{token}{after}"), token, label);
                    let text = rendered(Format::Human, &sample, Look { width, ..look(characters) }).document;
                    assert!(text.contains("TOKEN"), "{text}");
                    for row in text.lines() {
                        let columns = unicode_width::UnicodeWidthStr::width(row);
                        assert!(columns <= width.max(40) || row.contains("a.yml"), "{width} {columns}\n{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn places_without_text_and_texts_that_are_gone_have_no_line() {
    let mut files = Memory::default();
    let link = files.without_text("/etc/systemd/system/multi-user.target.wants/x.service");
    let gone = files.without_text("gone.yml");
    let finding = Finding::at(Place::Whole(link), "leads to /srv/x.service, which does not exist")
        .title("a title")
        .evidence(gone.span(Bytes::new(5, 6)), "was here");
    let sample = (files, vec![Finding { rule: "a/b", ..finding }], Vec::new(), Summary::default());
    assert_eq!(
        rendered(Format::Human, &sample, look(Characters::Unicode)).document,
        "error · a/b\n  × a title\n   ╭─[/etc/systemd/system/multi-user.target.wants/x.service]\n   \
         · leads to /srv/x.service, which does not exist\n   ╭─[gone.yml]\n   · was here\n   ╰────\n\n"
    );
    let json = parsed(Format::Json, &sample);
    for (key, expected) in [("line", 1), ("column", 1), ("end_line", 1), ("end_column", 1)] {
        assert_eq!(json["findings"][0][key], expected);
    }
    assert!(json["findings"][0]["trigger"].is_null());
}

#[test]
fn spans_outside_their_file_keep_their_frame() {
    for text in ["", "a", "a\n", "ü"] {
        for (start, end) in [(0, 0), (1, 1), (1, 900), (900, 901), (0, 2)] {
            let mut files = Memory::default();
            let file = files.add("a.yml", text.as_bytes());
            let finding = Finding::at(file.span(Bytes::new(start, end)), "label").title("a title");
            let sample = (files, vec![finding], Vec::new(), Summary::default());
            let human = document(Format::Human, &sample);
            assert!(human.contains("╭─[a.yml:") && human.contains("╰── label"), "{text:?} {start} {end}\n{human}");
        }
    }
}

#[test]
fn two_findings_of_one_place_keep_both_labels_and_reasons() {
    let mut sample = one("pool: 5\n", "5", "five");
    let again = Finding {
        rule: "c/d",
        severity: Severity::Warning,
        ..Finding::at(sample.1[0].place, "cinq").title("another title").why("another reason")
    };
    sample.1.insert(0, again);
    sample.1[1].why = "a reason".to_owned();
    assert_eq!(
        document(Format::Human, &sample),
        "error · a/b, c/d\n  × a title\n  ⚠ another title\n   ╭─[a.yml:1:7]\n 1 │ pool: 5\n   ·       ┬\n   ·       ╰── five\n   \
         ·           cinq\n   ╰────\n  why:  a reason\n  why:  another reason\n\n"
    );
}

#[test]
fn colors_change_nothing_but_colors() {
    for sample in [sample::launchd(), sample::sequelize()] {
        for characters in [Characters::Unicode, Characters::Ascii] {
            let colored = human(&sample, Look { color: Color::Always, ..look(characters) });
            assert!(colored.contains("\u{1b}["));
            let plain: Vec<String> =
                colored.lines().map(|row| text::without_color(row).trim_end().to_owned()).collect();
            assert_eq!(plain.join("\n"), human(&sample, look(characters)).trim_end());
        }
    }
}

#[test]
fn problems_are_counted_by_kind_and_capped() {
    let problem = |kind, n: u32, line| Problem {
        path: format!("f{n}.yml"),
        kind,
        line,
        column: line,
        message: "what".to_owned(),
    };
    let mut problems: Vec<Problem> = (0..30).map(|n| problem(ProblemKind::Unparsable, n, Some(3))).collect();
    problems.push(problem(ProblemKind::Unreadable, 99, None));
    let sample = (Memory::default(), Vec::new(), problems, Summary { exit: 2, ..Summary::default() });
    let aside = rendered(Format::Human, &sample, look(Characters::Unicode)).aside;
    assert!(aside.starts_with("1 file unreadable\n  f99.yml: what\n30 files not understood\n  f0.yml:3:3: what\n"));
    assert!(aside.contains("  and 20 more: `--format json` has them all\n"), "{aside}");
    assert_eq!(parsed(Format::Json, &sample)["problems"].as_array().unwrap().len(), 31);
    let run = &parsed(Format::Sarif, &sample)["runs"][0]["invocations"][0];
    assert_eq!(run["toolExecutionNotifications"].as_array().unwrap().len(), 31);
    assert_eq!(run["executionSuccessful"], false);
}

#[test]
fn a_block_has_a_dozen_frames_at_most() {
    let mut files = Memory::default();
    let file = files.add("a.yml", "x\n".repeat(20).as_bytes());
    let mut finding = Finding::at(file.span(Bytes::new(0, 1)), "x").title("t");
    for n in 1..20 {
        finding = finding.evidence(file.span(Bytes::new(2 * n, 2 * n + 1)), format!("evidence {n}"));
    }
    let human = document(Format::Human, &(files, vec![finding], Vec::new(), Summary::default()));
    assert_eq!(human.matches("╭─[").count(), 12);
    assert!(human.contains("  8 places more: `--format json` has them all\n"), "{human}");
}

#[test]
fn github_annotates_the_worst_of_each_kind() {
    let mut files = Memory::default();
    let file = files.add("a.yml", "x\n".repeat(60).as_bytes());
    let severities = [Severity::Advice, Severity::Error, Severity::Warning];
    let findings = (0..60)
        .map(|n| Finding {
            severity: severities[n % 3],
            ..Finding::at(file.span(Bytes::new(2 * n, 2 * n + 1)), "").title("t")
        })
        .collect();
    let sample = (files, findings, Vec::new(), Summary::default());
    let document = document(Format::Github, &sample);
    let starting = |command: &str| document.lines().filter(|line| line.starts_with(command)).count();
    assert_eq!((starting("::error "), starting("::warning "), starting("::notice ")), (10, 10, 10));
    assert!(document.ends_with(
        "::notice title=foreshock::31 findings are not annotated: 10 errors, 10 warnings, 11 advice. GitHub keeps 10 \
         annotations of a kind per step\n"
    ));
    assert!(document.starts_with("::error file=a.yml,line=2,endLine=2,col=1,endColumn=2,title=::a.yml:2:1: t\n"));
}

#[test]
fn github_gives_no_columns_across_lines() {
    let sample = one("a:\n  b\n", "a:\n  b", "");
    assert!(document(Format::Github, &sample).starts_with("::error file=a.yml,line=1,endLine=2,title=a/b::"));
}

#[test]
fn sarif_counts_utf16_and_escapes_paths() {
    let mut files = Memory::default();
    let file = files.add("dir a/ü.yml", "😀 pool: 5\n".as_bytes());
    let finding = Finding { rule: "a/b", ..Finding::at(files.place(file, "5", 0), "five").title("a title") };
    let sample = (files, vec![finding], Vec::new(), Summary::default());
    let result = &parsed(Format::Sarif, &sample)["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "dir%20a/%C3%BC.yml");
    assert_eq!(place["region"]["startColumn"], 10);
    assert_eq!(parsed(Format::Json, &sample)["findings"][0]["column"], 9);
    assert_eq!(result["ruleIndex"], 2);
    let expected = line_hash::line_hashes("😀 pool: 5\n".as_bytes(), &[1].into());
    assert_eq!(result["partialFingerprints"]["primaryLocationLineHash"], expected[&1]);
    assert_eq!(result["partialFingerprints"]["foreshock/v1"], "0".repeat(32));
}

#[test]
fn sarif_stays_within_the_limits_of_code_scanning() {
    let mut files = Memory::default();
    let file = files.add("a.yml", b"x");
    let place = Place::Whole(file);
    let mut findings: Vec<Finding> =
        (0..25_010).map(|_| Finding { severity: Severity::Advice, ..Finding::at(place, "") }).collect();
    let mut last = Finding { rule: "z/z", ..Finding::at(place, "").title("t") };
    for n in 0..1500 {
        last = last.evidence(place, format!("evidence {n}"));
    }
    findings.push(last);
    let sample = (files, findings, Vec::new(), Summary::default());
    let run = &parsed(Format::Sarif, &sample)["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 25_000);
    assert_eq!(results[0]["ruleId"], "z/z");
    assert_eq!(results[0]["relatedLocations"].as_array().unwrap().len(), 100);
    assert!(results[0]["message"]["text"].as_str().unwrap().contains("1400 places more are left out."));
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notifications[0]["message"]["text"], "11 findings are left out: a run holds at most 25000");
}
