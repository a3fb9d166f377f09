//! ERB tags. As ERB itself does, takes the first `%>` as the end of a tag, whatever the Ruby before it says.

use crate::source::Bytes;
use crate::syntax::{Fragment, Trouble, TroubleKind};

use super::{Cut, Region, Step, Template, ruby};

pub(super) fn take_apart(text: &str) -> Template {
    let mut template = Template::default();
    let mut at = 0;
    while let Some(start) = find(text, at, "<%") {
        let rest = text.get(start + 2..).unwrap_or_default();
        if rest.starts_with('%') {
            let bytes = Bytes::new(start, start + 3);
            template.regions.push(Region { bytes, cut: Cut::Literal("<%") });
            at = start + 3;
            continue;
        }
        let close = close(text, start + 2);
        let (inside, end) = match close {
            Some(close) => (text.get(start + 2..close).unwrap_or_default(), close + 2),
            None => (rest, text.len()),
        };
        let bytes = Bytes::new(start, end);
        if close.is_none() {
            let message = "a tag is not closed".to_owned();
            template.troubles.push(Trouble { at: Bytes::new(start, start + 2), kind: TroubleKind::Syntax, message });
            template.cut_short = true;
        }
        tag(&mut template, text, bytes, inside);
        at = end;
    }
    template
}

fn tag(template: &mut Template, text: &str, bytes: Bytes, inside: &str) {
    let inside_start = bytes.start as usize + 2;
    if let Some(comment) = inside.strip_prefix('#') {
        template.push_comment(bytes, comment.strip_suffix('-').unwrap_or(comment), text);
        return;
    }
    let code = inside.trim_start_matches(['=', '-', '|']);
    let is_hole = inside.starts_with('=') || inside.starts_with("-=") || inside.starts_with("|=");
    let code_start = inside_start + inside.len() - code.len();
    // `-%>` and, in Erubi, nothing else: a minus cannot end Ruby code.
    let code = code.strip_suffix('-').unwrap_or(code);
    let blanks = code.len() - code.trim_ascii_start().len();
    let code = Fragment::verbatim(code.trim_ascii(), code_start + blanks);
    let steps = ruby::steps(&code.text);
    let opens = steps.iter().filter(|step| **step == Step::Open).count();
    let closes = steps.iter().filter(|step| **step == Step::Close).count();
    // `<%= form do |f| %>` opens a block that a later `<% end %>` closes.
    if is_hole && opens <= closes {
        template.push_hole(bytes, code);
    } else {
        template.push_statement(bytes, code, &steps);
    }
}

fn find(text: &str, at: usize, mark: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes().get(at..)?, mark.as_bytes()).map(|found| at + found)
}

/// Returns where the tag's `%>` stands; `%%>` in a tag is no end.
fn close(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let found = find(text, at, "%>")?;
        let escaped = found > start && text.as_bytes().get(found - 1) == Some(&b'%');
        if !escaped {
            return Some(found);
        }
        at = found + 2;
    }
}
