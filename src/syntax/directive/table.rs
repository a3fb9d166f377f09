//! Files whose lines are fields: passwd and group, fstab, crontabs. What a field means is its reader's rule.

use crate::source::Bytes;
use crate::syntax::code::Name;
use crate::syntax::{Comment, CommentPlace, Fragment, Parsed};

use super::lines::{Ends, Line, lines, refused, trimmed};
use super::{Directive, File, Format, words};

pub(super) fn parse(format: Format, text: &[u8]) -> Parsed<File> {
    let mut parsed: Parsed<File> = Parsed::default();
    for line in lines(text, Ends::Newline) {
        let (content, start) = line.trimmed_start();
        if content.is_empty() {
            continue;
        }
        if content.starts_with(b"#") {
            parsed.comments.push(comment(content, start));
            continue;
        }
        let (text, trouble) = line.fragment();
        parsed.troubles.extend(trouble);
        let directive = match format {
            Format::Colons => row(&line, colon_fields(&text)),
            Format::Crontab => cron_line(&line, &text, &mut parsed),
            _ => row(&line, words::plain(&text).iter().map(|word| decode_octal(&word.text)).collect()),
        };
        parsed.tree.push(directive);
    }
    parsed
}

pub(super) fn comment(content: &[u8], start: usize) -> Comment {
    let content = content.trim_ascii_end();
    let text = String::from_utf8_lossy(content);
    Comment {
        bytes: Bytes::new(start, start + content.len()),
        text: text.trim_start_matches(['#', ';']).trim().to_owned(),
        place: CommentPlace::OwnLine,
    }
}

/// Returns the comment behind the code of a line, from the byte `start` of the file on. Its bytes are those of the file,
/// which the text of a [`Line::fragment`] need not have as many of.
pub(super) fn comment_behind(line: &Line<'_>, start: usize) -> Comment {
    let content = line.content.get(start.saturating_sub(line.start)..).unwrap_or_default();
    Comment { place: CommentPlace::AfterCode, ..comment(content, start) }
}

fn row(line: &Line<'_>, fields: Vec<Fragment>) -> Directive {
    let bytes = Bytes::new(line.start, line.start + line.content.len());
    Directive { section: Vec::new(), key: Name { text: String::new(), bytes }, value: None, fields }
}

fn colon_fields(text: &Fragment) -> Vec<Fragment> {
    let mut fields = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b':', text.text.as_bytes()).chain([text.text.len()]) {
        fields.push(text.slice(Bytes::new(start, end)));
        start = end + 1;
    }
    fields
}

/// Decodes `\040` and its like, which getmntent(3) and the kernel use for blanks and backslashes.
fn decode_octal(word: &Fragment) -> Fragment {
    let mut decoded = Fragment::default();
    let mut start = 0;
    for at in memchr::memchr_iter(b'\\', word.text.as_bytes()) {
        let digits = word.text.get(at + 1..at + 4).unwrap_or_default();
        let octal = digits.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
        let Some(value) = u32::from_str_radix(digits, 8).ok().filter(|value| octal && (1..0x80).contains(value)) else {
            continue;
        };
        let character = char::from_u32(value).unwrap_or('\u{fffd}');
        if at < start {
            continue;
        }
        decoded.append(&word.slice(Bytes::new(start, at)));
        decoded.push(character.encode_utf8(&mut [0; 4]), word.map.to_file(Bytes::new(at, at + 4)));
        start = at + 4;
    }
    if start == 0 {
        return word.clone();
    }
    if start < word.text.len() {
        decoded.append(&word.slice(Bytes::new(start, word.text.len())));
    }
    decoded
}

fn cron_line(line: &Line<'_>, text: &Fragment, parsed: &mut Parsed<File>) -> Directive {
    if let Some((key, value)) = cron_assignment(text) {
        let key = Name { bytes: key.file_bytes(), text: key.text };
        return Directive { section: Vec::new(), key, value: Some(value), fields: Vec::new() };
    }
    let special = text.text.trim_ascii_start().starts_with('@');
    let fields = cron_fields(text, if special { 1 } else { 5 });
    let wanted = if special { 2 } else { 6 };
    if fields.len() < wanted {
        parsed.troubles.push(refused(text.file_bytes(), "neither an assignment nor an entry: cron refuses the file"));
    }
    row(line, fields)
}

/// `name = value`, either in quotes, as load_env() of Vixie cron and cronie reads it: quotes count only around the
/// whole, blanks at the end go, nothing is expanded.
fn cron_assignment(text: &Fragment) -> Option<(Fragment, Fragment)> {
    let all = text.text.as_str();
    let start = all.len() - all.trim_ascii_start().len();
    let rest = all.get(start..)?;
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (name_start, name_len, behind) = if let Some(quote) = quote {
        let len = rest.get(1..)?.find(quote)?;
        (start + 1, len, start + len + 2)
    } else {
        let len = rest.find(|next: char| next == '=' || next.is_ascii_whitespace()).unwrap_or(rest.len());
        (start, len, start + len)
    };
    let name = all.get(name_start..name_start + name_len)?;
    let after = all.get(behind..)?;
    let equals = behind + after.len() - after.trim_ascii_start().len();
    let is_name = quote.is_some() || name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if !is_name || !all.get(equals..)?.starts_with('=') {
        return None;
    }
    let mut value = trimmed(text, equals + 1, all.len());
    let bytes = value.text.as_bytes();
    let quoted = bytes.len() >= 2 && bytes.first() == bytes.last() && matches!(bytes.first(), Some(b'"' | b'\''));
    if quoted {
        value = value.slice(Bytes::new(1, value.text.len() - 1));
    }
    Some((text.slice(Bytes::new(name_start, name_start + name_len)), value))
}

/// Returns the first fields, of which there are `count`, and then the rest of the line, untouched: `%` in it is the
/// reader's rule.
pub(super) fn cron_fields(text: &Fragment, count: usize) -> Vec<Fragment> {
    let all = text.text.as_str();
    let mut fields = Vec::new();
    let mut at = all.len() - all.trim_ascii_start().len();
    while fields.len() < count {
        let rest = all.get(at..).unwrap_or_default();
        let len = rest.find(|next: char| next.is_ascii_whitespace()).unwrap_or(rest.len());
        if len == 0 {
            return fields;
        }
        fields.push(text.slice(Bytes::new(at, at + len)));
        let rest = rest.get(len..).unwrap_or_default();
        at += len + rest.len() - rest.trim_ascii_start().len();
    }
    if at < all.len() {
        fields.push(text.slice(Bytes::new(at, all.len())));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::directive::print;
    use crate::syntax::directive::tests::{compare, long_input};

    fn check(format: Format, text: &str, expected: &str) {
        let parsed = parse(format, text.as_bytes());
        compare(text, &parsed, expected);
    }

    #[test]
    fn colons_keep_empty_fields() {
        check(
            Format::Colons,
            "root:x:0:0::/root:/bin/bash\n# User Database\n\n  nobody:*:-2:\r\n+::::\nlone",
            "\"root\" \"x\" \"0\" \"0\" \"\" \"/root\" \"/bin/bash\"\n\"  nobody\" \"*\" \"-2\" \"\"\n\
             \"+\" \"\" \"\" \"\" \"\"\n\"lone\"\n",
        );
        let parsed = parse(Format::Colons, b"a::c");
        assert_eq!(parsed.tree[0].fields[1].file_bytes(), Bytes::new(2, 2));
        assert_eq!(parsed.tree[0].key.bytes, Bytes::new(0, 4));
    }

    #[test]
    fn bytes_of_another_encoding_do_not_cost_the_line() {
        let parsed = parse(Format::Colons, b"j\xfcrgen:x:1000\nb:y");
        assert_eq!(print(&parsed.tree), "\"j\u{fffd}rgen\" \"x\" \"1000\"\n\"b\" \"y\"\n");
        assert_eq!(parsed.troubles[0].at, Bytes::new(1, 2));
        assert_eq!(parsed.tree[0].fields[2].file_bytes(), Bytes::new(9, 13));
    }

    #[test]
    fn blanks_separate_and_octal_is_decoded() {
        check(
            Format::Blanks,
            "/dev/sda1 /mnt/my\\040disk\text4 defaults 0 2\n# /dev/sdb\n  tmpfs /tmp\\134x\\0 tmpfs\n",
            "\"/dev/sda1\" \"/mnt/my disk\" \"ext4\" \"defaults\" \"0\" \"2\"\n\"tmpfs\" \"/tmp\\\\x\\\\0\" \"tmpfs\"\n",
        );
        check(Format::Blanks, "\\040\\040a\\1348\n", "\"  a\\\\8\"\n");
        let text = "x a\\040b";
        let parsed = parse(Format::Blanks, text.as_bytes());
        assert_eq!(parsed.tree[0].fields[1].map.to_file(Bytes::new(1, 3)).of(text), "\\040b");
    }

    #[test]
    fn crontab_entries_and_assignments() {
        check(
            Format::Crontab,
            "SHELL=/bin/bash\n PATH = \"/a:/b\" \n'A B'='c'\nMAILTO=\n# c\n*/5 * * * * root  cd /x && y # z %d \n\
             @reboot  /start me\n-*/5 0 * jan mon x\nE=a\"b\n",
            "SHELL = \"/bin/bash\"\nPATH = \"/a:/b\"\nA B = \"c\"\nMAILTO = \"\"\n\
             \"*/5\" \"*\" \"*\" \"*\" \"*\" \"root  cd /x && y # z %d \"\n\"@reboot\" \"/start me\"\n\
             \"-*/5\" \"0\" \"*\" \"jan\" \"mon\" \"x\"\nE = \"a\\\"b\"\n",
        );
        check(Format::Crontab, "_OLD=1\n", "_OLD = \"1\"\n");
        check(
            Format::Crontab,
            "* * * * *\n@daily\nfoo\n* * * * * X=1 run\n",
            "\"*\" \"*\" \"*\" \"*\" \"*\"\n\"@daily\"\n\"foo\"\n\"*\" \"*\" \"*\" \"*\" \"*\" \"X=1 run\"\n\
             ! neither an assignment nor an entry: cron refuses the file\n\
             ! neither an assignment nor an entry: cron refuses the file\n\
             ! neither an assignment nor an entry: cron refuses the file\n",
        );
    }

    #[test]
    fn time_grows_with_the_text() {
        for format in [Format::Colons, Format::Blanks, Format::Crontab] {
            long_input(&"a:b c\\040d = e\n".repeat(100_000), |text| parse(format, text));
            for unit in [":", " ", "\\040", "a ", "@", "\"", "'=", "=", "\\"] {
                long_input(&unit.repeat((1 << 18) / unit.len()), |text| parse(format, text));
            }
        }
    }
}
