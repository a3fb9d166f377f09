//! Which blocks a piece of Ruby opens and closes. A count of keywords, not a parser.

use super::Step;

/// Returns what `code` does to the open blocks, in order. Blocks that it opens and closes itself are in it too.
pub(super) fn steps(code: &str) -> Vec<Step> {
    let mut counter = Counter { code, at: 0, steps: Vec::new(), braces: 0, at_start: true, loop_do: false };
    while counter.token() {}
    let Counter { mut steps, braces, .. } = counter;
    steps.extend(std::iter::repeat_n(Step::Open, braces));
    steps
}

struct Counter<'a> {
    code: &'a str,
    at: usize,
    steps: Vec<Step>,
    /// Braces that this code opened.
    braces: usize,
    /// A keyword here starts an expression: `if` is no modifier.
    at_start: bool,
    /// The next `do` belongs to `while`, `until` or `for`.
    loop_do: bool,
}

impl Counter<'_> {
    fn token(&mut self) -> bool {
        let rest = self.code.get(self.at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            return false;
        };
        let len = match first {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' | '`' => quoted_len(rest, first),
            ':' | '.' | '@' | '$' => 1 + self.name_len(self.at + 1),
            _ if first.is_alphanumeric() || first == '_' => self.name_len(self.at),
            _ => first.len_utf8(),
        };
        let token = rest.get(..len).unwrap_or_default();
        let next = rest.get(len..).and_then(|rest| rest.chars().next());
        let after = rest.get(len + 1..).and_then(|rest| rest.chars().next());
        // `if: x` is a key of a hash, `x ? a : b` and `A::B` are not.
        let is_key = next == Some(':') && after != Some(':');
        self.at += len;
        match first {
            ' ' | '\t' => {}
            '\n' | ';' | '=' | '(' | '[' | ',' | '&' | '|' | '!' | '?' => self.at_start = true,
            '{' => {
                self.braces += 1;
                self.at_start = true;
            }
            '}' => self.close_brace(),
            _ if is_key => self.at_start = false,
            _ => self.word(token),
        }
        true
    }

    fn close_brace(&mut self) {
        if self.braces == 0 {
            self.steps.push(Step::Close);
        }
        self.braces = self.braces.saturating_sub(1);
        self.at_start = false;
    }

    fn word(&mut self, word: &str) {
        let starts = self.at_start;
        self.at_start = matches!(word, "do" | "then" | "else" | "begin" | "and" | "or" | "not" | "return");
        match word {
            "if" | "unless" if starts => self.steps.push(Step::Open),
            "while" | "until" | "for" if starts => {
                self.steps.push(Step::Open);
                self.loop_do = true;
            }
            "do" if self.loop_do => self.loop_do = false,
            "do" | "case" | "begin" | "def" | "class" | "module" => self.steps.push(Step::Open),
            "end" => self.steps.push(Step::Close),
            "else" | "elsif" | "when" | "ensure" => self.steps.push(Step::Middle),
            "rescue" | "in" if starts && !self.loop_do => self.steps.push(Step::Middle),
            _ => {}
        }
    }

    /// Returns the length of the name at `at`, its `?` or `!` included.
    fn name_len(&self, at: usize) -> usize {
        let rest = self.code.get(at..).unwrap_or_default();
        let len = rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(rest.len());
        len + usize::from(len > 0 && rest.get(len..).is_some_and(|next| next.starts_with(['?', '!'])))
    }
}

/// Returns the length of the string literal at the start of `rest`.
fn quoted_len(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, next) in rest.char_indices().skip(1) {
        match next {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if next == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: &str) {
        let found: String = steps(code)
            .iter()
            .map(|step| match step {
                Step::Open => '(',
                Step::Middle => '|',
                Step::Close => ')',
            })
            .collect();
        assert_eq!(found, expected, "{code:?}");
    }

    #[test]
    fn blocks() {
        for code in [
            "if x",
            "unless x",
            "case x",
            "while x do",
            "until x",
            "for a in b do",
            "begin",
            "x.each do |y|",
            "x = if y",
            "x.map { |y|",
            "def a(b)",
            "foo(if x",
        ] {
            check(code, "(");
        }
        for code in [
            "x = 5 if y",
            "x = y ? 1 : 2",
            "{a: 1}",
            "x.end",
            "foo(if: 1, end: 2)",
            ":if",
            "'if'",
            "# if",
            "a.if x",
            "raise \"end\" unless x",
            "@end",
            "A::B",
            "return_if",
            "do_it",
            "x rescue y",
        ] {
            check(code, "");
        }
        check("end", ")");
        check("end.join", ")");
        check("}", ")");
        check("else", "|");
        check("elsif a && b", "|");
        check("when :a, :b", "|");
        check("in {a:}", "|");
        check("rescue => e", "|");
        check("if a then b else c end", "(|)");
        check("if a\n b\nend", "()");
        check("end; if x", ")(");
        check("x.each do |y| if y", "((");
        check("while x do y end", "()");
    }
}
