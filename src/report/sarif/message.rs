//! Messages in SARIF's two spellings: plain text with links to related locations, and Markdown.

use std::fmt::Write as _;

use crate::finding::Finding;

use super::super::{Characters, text};
use super::model::Message;

/// Returns the message; its first sentence, the title, is what GitHub shows in lists. The related locations are those
/// of the first `related` pieces of evidence, numbered from 1.
pub(super) fn of(finding: &Finding, related: usize) -> Message {
    let title = sentence(&text::line(&finding.title, Characters::Unicode));
    let label = text::line(&finding.label, Characters::Unicode);
    let why = text::lines(&finding.why, Characters::Unicode);
    let help = text::lines(&finding.help, Characters::Unicode);
    let note = text::lines(&finding.note, Characters::Unicode);
    let shows = text::line(&finding.shows, Characters::Unicode);
    let links = || {
        finding.evidence.iter().take(related).zip(1..).map(|(other, id)| {
            let label = text::line(&other.label, Characters::Unicode);
            (if label.is_empty() { format!("place {id}") } else { label }, id)
        })
    };
    let not_visible = if shows.is_empty() { String::new() } else { format!("Not visible in files: {shows}") };
    let more = finding.evidence.len().saturating_sub(related);
    let more = if more == 0 { String::new() } else { format!("{more} places more are left out.") };

    let mut plain = vec![unlinked(&title), unlinked(&label), unlinked(&why)];
    plain.extend(links().map(|(label, id)| format!("See [{}]({id}).", escaped_link(&label))));
    plain.extend([unlinked(&more), prefixed("Help: ", &unlinked(&help)), prefixed("Note: ", &unlinked(&note))]);
    plain.push(unlinked(&not_visible));

    let mut rich = vec![format!("**{}**", markdown(&title)), markdown(&label), markdown(&why)];
    rich.extend(links().map(|(label, id)| format!("See [{}]({id}).", markdown(&label))));
    rich.extend([markdown(&more), help_in_markdown(&help), prefixed("**Note:** ", &markdown(&note))]);
    rich.push(markdown(&not_visible));
    Message { text: joined(plain, "\n"), markdown: joined(rich, "\n\n") }
}

fn joined(parts: Vec<String>, between: &str) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    parts.join(between)
}

fn prefixed(prefix: &str, text: &str) -> String {
    if text.trim().is_empty() { String::new() } else { format!("{prefix}{text}") }
}

fn sentence(title: &str) -> String {
    if title.ends_with(['.', '!', '?']) || title.is_empty() { title.to_owned() } else { format!("{title}.") }
}

/// Keeps text from a checked file from becoming a link: `](` makes one.
fn unlinked(text: &str) -> String {
    text.replace("](", "] (")
}

/// SARIF 2.1.0, 3.11.6: brackets and backslashes in the text of a link are escaped.
fn escaped_link(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// The first line of help is a sentence, the others are code.
fn help_in_markdown(help: &str) -> String {
    let (first, rest) = help.split_once('\n').unwrap_or((help, ""));
    let mut out = prefixed("**Help:** ", &markdown(first));
    if !rest.trim().is_empty() {
        let longest = rest.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let _ = write!(out, "\n\n{fence}text\n{}\n{fence}", rest.trim_end());
    }
    out
}

/// Escapes what Markdown and HTML would act on, outside of code in backticks.
pub(in crate::report) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let parts: Vec<&str> = text.split('`').collect();
    let closed = parts.len() % 2 == 1;
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(if closed { "`" } else { "\\`" });
        }
        let code = closed && index % 2 == 1 && !part.contains('\n') && !part.is_empty();
        if code {
            out.push_str(part);
        } else {
            out.extend(part.chars().flat_map(escaped));
        }
    }
    out
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let text = match c {
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '&' => Some("&amp;"),
        _ => None,
    };
    let special = matches!(c, '\\' | '*' | '_' | '[' | ']' | '!' | '#' | '|' | '~' | '$' | '@');
    let plain = text.is_none().then_some(c);
    special.then_some('\\').into_iter().chain(text.unwrap_or_default().chars()).chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_files_makes_neither_links_nor_markup() {
        let finding = Finding::at(crate::finding::Place::Whole(crate::source::FileId(0)), "")
            .title("a [b](http://x) <script> *c* `d <e>`")
            .evidence(crate::finding::Place::Whole(crate::source::FileId(0)), "see [0] \\ here")
            .help("do `x`\n```\nrm");
        let message = of(&finding, 1);
        assert_eq!(
            message.text,
            "a [b] (http://x) <script> *c* `d <e>`.\nSee [see \\[0\\] \\\\ here](1).\nHelp: do `x`\n```\nrm"
        );
        assert_eq!(
            message.markdown,
            "**a \\[b\\](http://x) &lt;script&gt; \\*c\\* `d <e>`.**\n\nSee [see \\[0\\] \\\\ here](1).\n\n\
             **Help:** do `x`\n\n````text\n```\nrm\n````"
        );
    }
}
