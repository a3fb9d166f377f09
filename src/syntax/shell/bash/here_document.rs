//! Where here-documents stand that the grammar misreads: it takes what follows the mark without a blank into the mark
//! (`<<EOF;`), knows no `;`, `&` or `)` after it on the line, and no second one beside it.

use std::collections::BTreeMap;

use crate::source::Bytes;

/// Here-documents of one line; no real line holds so many.
const MOST_OF_A_LINE: usize = 16;

pub(super) struct HereDocument {
    /// `<<` with its mark.
    pub(super) start: Bytes,
    pub(super) body: Bytes,
    /// The body and the line that ends it.
    pub(super) lines: Bytes,
    /// Whether the shell leaves the body as it is.
    pub(super) is_quoted: bool,
}

/// Returns the here-documents of `text` whose line the grammar misreads, in the order of the text.
///
/// One counts only if a line with its mark follows: `1<<b` in an arithmetic expression is none.
pub(super) fn misread(text: &str) -> Vec<HereDocument> {
    let mut found = Vec::new();
    if !text.contains("<<") {
        return found;
    }
    let ends = Ends::of(text);
    let mut at = 0;
    while let Some(arrow) = text.get(at..).and_then(|rest| rest.find("<<")) {
        let arrow = at + arrow;
        let line = Line::around(text, arrow);
        let starts = line.starts(text, arrow);
        let mut next = line.end;
        let mut here = Vec::new();
        for start in &starts {
            let Some((end, after)) = ends.after(&start.mark, next) else { break };
            here.push(HereDocument {
                start: start.bytes,
                body: Bytes::new(next, end),
                lines: Bytes::new(next, after),
                is_quoted: start.is_quoted,
            });
            next = after;
        }
        let known = here.len() == starts.len()
            && starts.len() == 1
            && starts.iter().all(|start| start.is_known(text, line.end));
        if !known && here.len() == starts.len() {
            found.append(&mut here);
        }
        at = next.max(line.end).max(arrow + 2);
    }
    found
}

/// The lines that could end a here-document, by their text.
struct Ends<'t> {
    /// Where each begins and where the next line begins.
    lines: BTreeMap<&'t str, Vec<(usize, usize)>>,
}

impl<'t> Ends<'t> {
    fn of(text: &'t str) -> Self {
        let mut lines: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let mark = line.trim_end_matches(['\n', '\r']).trim_start_matches('\t');
            lines.entry(mark).or_default().push((at, at + line.len()));
            at += line.len();
        }
        Self { lines }
    }

    /// Returns where the first line with `mark` begins that begins at or after `from`, and where the line after it begins.
    fn after(&self, mark: &str, from: usize) -> Option<(usize, usize)> {
        let all = self.lines.get(mark)?;
        all.get(all.partition_point(|(start, _)| *start < from)).copied()
    }
}

struct Line {
    start: usize,
    /// Where the next line begins.
    end: usize,
}

impl Line {
    fn around(text: &str, at: usize) -> Self {
        let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1);
        Self { start, end }
    }

    /// Returns the here-documents that begin on the line, from `arrow` on.
    fn starts(&self, text: &str, arrow: usize) -> Vec<Start> {
        let mut starts = Vec::new();
        let mut at = arrow;
        while starts.len() < MOST_OF_A_LINE {
            let before = text.get(self.start..at).unwrap_or("");
            if let Some(start) = Start::at(text, at, self.end).filter(|_| is_code(before)) {
                at = start.bytes.end as usize;
                starts.push(start);
            } else {
                let rest = text.get(at..self.end).unwrap_or("");
                at += rest.bytes().take_while(|byte| *byte == b'<').count().max(1);
            }
            match text.get(at..self.end).and_then(|rest| rest.find("<<")) {
                Some(next) => at += next,
                None => break,
            }
        }
        starts
    }
}

/// Says whether what stands before on the line leaves no quote and no arithmetic open and begins no comment.
fn is_code(before: &str) -> bool {
    let count = |piece: &str| before.matches(piece).count();
    let is_open = count("\"") % 2 != 0 || count("'") % 2 != 0 || count("((") > count("))");
    !is_open && !before.trim_start().starts_with('#') && !before.contains(" #")
}

/// `<<` and its mark.
struct Start {
    bytes: Bytes,
    mark: String,
    is_quoted: bool,
    /// Whether the grammar reads the mark as the shell does: all of it in one pair of quotes, or none.
    is_plain: bool,
}

impl Start {
    fn at(text: &str, at: usize, end: usize) -> Option<Self> {
        let rest = text.get(at..end)?.strip_prefix("<<")?;
        let written = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\t']);
        let mut mark = String::new();
        let mut quote = None;
        let mut is_escaped = false;
        let mut length = 0;
        for next in written.chars() {
            match (next, quote) {
                ('\n', _) => break,
                _ if is_escaped => {
                    mark.push(next);
                    is_escaped = false;
                }
                (quoted, Some(open)) if quoted == open => quote = None,
                (quoted, Some(_)) => mark.push(quoted),
                ('\\', None) => is_escaped = true,
                ('\'' | '"', None) => quote = Some(next),
                (';' | '&' | '|' | '<' | '>' | '(' | ')' | ' ' | '\t' | '\r', None) => break,
                (plain, None) => mark.push(plain),
            }
            length += next.len_utf8();
        }
        let mark_written = written.get(..length)?;
        let is_quoted = mark_written.contains(['\'', '"', '\\']);
        let inside = mark_written.trim_matches(['\'', '"']);
        let first = mark.chars().next()?;
        let is_mark = quote.is_none() && !is_escaped && (first == '_' || first.is_alphanumeric() || is_quoted);
        is_mark.then(|| Self {
            bytes: Bytes::new(at, end - written.len() + length),
            is_plain: inside == mark || mark_written.trim_start_matches('\\') == mark,
            mark,
            is_quoted,
        })
    }

    /// Says whether the grammar knows what follows the mark on its line.
    fn is_known(&self, text: &str, line_end: usize) -> bool {
        let tail = text.get(self.bytes.end as usize..line_end).unwrap_or("");
        let apart = tail.is_empty() || tail.starts_with([' ', '\t', '\r', '\n']) || self.is_quoted;
        let lone = tail.replace("&&", "").contains('&');
        self.is_plain && apart && !lone && !tail.contains([';', ')', '`'])
    }
}
