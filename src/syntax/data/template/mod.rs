//! Templates over YAML: masked to equal length, so that a YAML parser reads the rest. Runs no template.
//!
//! A hole (`<%= x %>`, `{{ .x }}`) becomes a filler word, or a comment where it has its lines for itself: there it may
//! give any structure, and the YAML around must stay readable without it. Statements and comments become blanks.

mod erb;
mod go;
mod ruby;

use crate::source::Bytes;
use crate::syntax::{Comment, Fragment, Trouble};

use super::encoding::Text;
use super::{Document, Parsed, TemplateStatement, place_of, refuse, yaml};

const FILLER: u8 = b'x';
/// Conditions deeper than this are not kept: each entry carries a copy of them.
const CONDITION_LIMIT: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Erb,
    /// Go templates, as Helm has them.
    Go,
}

/// A part of the file that belongs to the template.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) bytes: Bytes,
    pub(super) cut: Cut,
}

/// What a region leaves in the scalar that it stands in.
#[derive(Clone, Debug)]
pub(super) enum Cut {
    Hole(Fragment),
    Statement(Fragment),
    Comment,
    /// An escaped mark: `<%%` is `<%`.
    Literal(&'static str),
}

/// How a statement changes the blocks that are open behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Open,
    /// `else` and its like: the block goes on under another condition.
    Middle,
    Close,
}

/// A template, taken apart.
#[derive(Default)]
pub(super) struct Template {
    pub(super) regions: Vec<Region>,
    pub(super) statements: Vec<TemplateStatement>,
    /// Where blocks open and close, in order, with the index of the statement.
    steps: Vec<(u32, Step, u32)>,
    /// Holes that have their lines for themselves, in order: indexes into `regions`.
    alone: Vec<usize>,
    comments: Vec<Comment>,
    troubles: Vec<Trouble>,
    /// A tag is not closed: what comes behind it is not known.
    pub(super) cut_short: bool,
}

/// A part of a text with ERB tags. Comments are in none.
#[derive(Clone, Debug, PartialEq)]
pub enum ErbPiece {
    /// Text that comes out as it stands, but for `<%%`, which is still written so.
    Text(Bytes),
    /// `<%= code %>`; `bytes` is the whole tag.
    Hole { bytes: Bytes, code: Fragment },
    /// `<% code %>`.
    Statement { bytes: Bytes, code: Fragment },
}

/// Takes a text with ERB tags apart, in order.
pub fn erb_pieces(text: &str) -> Parsed<Vec<ErbPiece>> {
    let template = erb::take_apart(text);
    let mut pieces = Vec::new();
    let mut at = 0;
    for region in template.regions {
        let piece = match region.cut {
            Cut::Hole(code) => Some(ErbPiece::Hole { bytes: region.bytes, code }),
            Cut::Statement(code) => Some(ErbPiece::Statement { bytes: region.bytes, code }),
            Cut::Comment => None,
            Cut::Literal(_) => continue,
        };
        if at < region.bytes.start {
            pieces.push(ErbPiece::Text(Bytes { start: at, end: region.bytes.start }));
        }
        pieces.extend(piece);
        at = region.bytes.end;
    }
    let whole = Bytes::new(0, text.len());
    if at < whole.end {
        pieces.push(ErbPiece::Text(Bytes { start: at, end: whole.end }));
    }
    Parsed { tree: pieces, comments: template.comments, troubles: template.troubles }
}

pub(super) fn parse(language: Language, bytes: &[u8]) -> Parsed<Document> {
    let source = match Text::of(bytes) {
        Ok(source) => source,
        Err(trouble) => return refuse(trouble),
    };
    let mut template = match language {
        Language::Erb => erb::take_apart(&source.text),
        Language::Go => go::take_apart(&source.text),
    };
    template.find_holes_alone(&source.text);
    let masked = template.mask(&source.text);
    let mut parsed = yaml::read(&source.text, &masked, &template);
    parsed.comments.append(&mut template.comments);
    parsed.comments.sort_by_key(|comment| comment.bytes);
    parsed.troubles.append(&mut template.troubles);
    parsed.troubles.extend(source.taint(&mut parsed.tree.roots));
    parsed.tree.statements = template.statements;
    parsed
}

impl Template {
    fn push_hole(&mut self, bytes: Bytes, code: Fragment) {
        self.regions.push(Region { bytes, cut: Cut::Hole(code) });
    }

    fn push_statement(&mut self, bytes: Bytes, code: Fragment, steps: &[Step]) {
        let index = u32::try_from(self.statements.len()).unwrap_or(u32::MAX);
        self.steps.extend(steps.iter().map(|step| (bytes.start, *step, index)));
        self.regions.push(Region { bytes, cut: Cut::Statement(code.clone()) });
        self.statements.push(TemplateStatement { code });
    }

    fn push_comment(&mut self, bytes: Bytes, inside: &str, text: &str) {
        let place = place_of(text, bytes.start as usize);
        self.comments.push(Comment { bytes, text: inside.trim().to_owned(), place });
        self.regions.push(Region { bytes, cut: Cut::Comment });
    }

    /// Finds the holes that stand between line ends with nothing but blanks and other regions.
    fn find_holes_alone(&mut self, text: &str) {
        let mut starts = Vec::with_capacity(self.regions.len());
        let mut clean = true;
        let mut end = 0;
        for region in &self.regions {
            let gap = Bytes { start: end, end: region.bytes.start }.of(text);
            clean = match gap.rfind('\n') {
                Some(newline) => gap.get(newline..).unwrap_or_default().trim_ascii().is_empty(),
                None => clean && gap.trim_ascii().is_empty(),
            };
            // An escaped mark is text.
            clean &= !matches!(region.cut, Cut::Literal(_));
            starts.push(clean);
            end = region.bytes.end;
        }
        clean = true;
        let mut next = u32::try_from(text.len()).unwrap_or(u32::MAX);
        for (index, region) in self.regions.iter().enumerate().rev() {
            let gap = Bytes { start: region.bytes.end, end: next }.of(text);
            clean = match gap.find('\n') {
                Some(newline) => gap.get(..newline).unwrap_or_default().trim_ascii().is_empty(),
                None => clean && gap.trim_ascii().is_empty(),
            };
            clean &= !matches!(region.cut, Cut::Literal(_));
            if clean && starts.get(index) == Some(&true) && matches!(region.cut, Cut::Hole(_)) {
                self.alone.push(index);
            }
            next = region.bytes.start;
        }
        self.alone.reverse();
    }

    /// Returns the text with its regions masked. No filler holds a line end.
    fn mask(&self, text: &str) -> String {
        let mut masked = text.as_bytes().to_vec();
        for region in &self.regions {
            let filler = match region.cut {
                Cut::Hole(_) => FILLER,
                Cut::Statement(_) | Cut::Comment => b' ',
                Cut::Literal(_) => continue,
            };
            let range = region.bytes.start as usize..region.bytes.end as usize;
            masked.get_mut(range).into_iter().flatten().for_each(|byte| *byte = filler);
        }
        for index in &self.alone {
            let start = self.regions.get(*index).map_or(0, |region| region.bytes.start as usize);
            masked.get_mut(start).into_iter().for_each(|byte| *byte = b'#');
        }
        String::from_utf8(masked).unwrap_or_default()
    }

    /// Returns the holes that have their lines for themselves and start inside `bytes`.
    pub(super) fn alone_in(&self, bytes: Bytes) -> impl Iterator<Item = &Fragment> {
        let start_of = |index: &usize| self.regions.get(*index).map_or(0, |region| region.bytes.start);
        let first = self.alone.partition_point(|index| start_of(index) < bytes.start);
        let found = self.alone.iter().skip(first).take_while(move |index| start_of(index) < bytes.end);
        found.filter_map(|index| match self.regions.get(*index).map(|region| &region.cut) {
            Some(Cut::Hole(code)) => Some(code),
            _ => None,
        })
    }

    /// Says whether a hole stands in `bytes`.
    pub(super) fn holds_hole(&self, bytes: Bytes) -> Option<&Fragment> {
        let first = self.regions.partition_point(|region| region.bytes.end <= bytes.start);
        match self.regions.get(first).filter(|region| region.bytes.start < bytes.end).map(|region| &region.cut) {
            Some(Cut::Hole(code)) => Some(code),
            _ => None,
        }
    }
}

/// The blocks that are open at a place that moves through the file.
pub(super) struct OpenBlocks<'a> {
    steps: &'a [(u32, Step, u32)],
    open: Vec<u32>,
}

impl<'a> OpenBlocks<'a> {
    pub(super) fn of(template: &'a Template) -> Self {
        Self { steps: &template.steps, open: Vec::new() }
    }

    /// Returns the statements whose blocks are open at `offset`, outermost first. Offsets must not fall.
    pub(super) fn at(&mut self, offset: u32) -> Vec<u32> {
        while let Some(((at, step, statement), rest)) = self.steps.split_first() {
            if *at >= offset {
                break;
            }
            if *step != Step::Open {
                self.open.pop();
            }
            if *step != Step::Close {
                self.open.push(*statement);
            }
            self.steps = rest;
        }
        self.open.iter().take(CONDITION_LIMIT).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::data::tests::{check, long_input};
    use crate::syntax::data::{Format, parse};

    fn erb(text: &str, expected: &str) {
        check(Format::ErbYaml, text, expected);
    }

    #[test]
    fn a_hole_may_stand_anywhere_in_a_scalar() {
        erb(
            "a: <%= ENV['A'] || 'b: c # d' %>\nb: \"x-<%= y %>-z\"\nc: '<%= \"q\" %>'\nd: pre<%= a %>mid<%= b %>\n\
             <%= k %>: v\npre_<%= k %>: [<%= l %>, 2]\n",
            "map\n  \"a\": plain <ENV['A'] || 'b: c # d'>\n  \"b\": quoted \"x-\"<y>\"-z\"\n  \"c\": quoted <\"q\">\n  \
             \"d\": plain \"pre\"<a>\"mid\"<b>\n  <k>: plain \"v\"\n  \"pre_\"<k>: list\n    - plain <l>\n    \
             - plain \"2\"\n",
        );
        erb(
            "- <%= a %>\n- <%== b -%>\n-  <%=c%> # d\n",
            "list\n  - plain <a>\n  - plain <b>\n  - plain <c>\n# after \"d\"\n",
        );
    }

    #[test]
    fn tags_may_span_lines_and_hold_other_letters() {
        erb(
            "pool: <%= (ENV.fetch('A', 5).to_i + 2) *\n  # é\n  3 %>\nnext: 1\n",
            "map\n  \"pool\": plain <(ENV.fetch('A', 5).to_i + 2) *\n  # é\n  3>\n  \"next\": plain \"1\"\n",
        );
        erb(
            "a: |\n  x <%= y %>\n  <%= z %>\nb: >\n  p\n  <%= q %>\n",
            "map\n  \"a\": quoted \"x \"<y>\"\\n\"<z>\"\\n\"\n  \"b\": quoted \"p \"<q>\"\\n\"\n",
        );
    }

    #[test]
    fn comments_and_escapes_of_erb() {
        erb(
            "<%# top %>\na: 5 <%# why\n not %>\nb: <%% x %>\nc: \"p<%# q %>r\"\n",
            "map\n  \"a\": plain \"5\"\n  \"b\": plain \"<% x %>\"\n  \"c\": quoted \"pr\"\n\
             # own \"top\"\n# after \"why\\n not\"\n# after \"q\"\n",
        );
    }

    #[test]
    fn entries_carry_the_blocks_that_are_open() {
        erb(
            "a: 1\n<% if x %>\nb: 2\n  <%- unless y -%>\nc: 3\n<% end %>\n<% elsif z %>\nb: 4\n<% else %>\nb: 5\n<% end %>\nd: 6\n",
            "map\n  \"a\": plain \"1\"\n  \"b\" ?[0]: plain \"2\"\n  \"c\" ?[0, 1]: plain \"3\"\n  \
             \"b\" ?[3]: plain \"4\"\n  \"b\" ?[4]: plain \"5\"\n  \"d\": plain \"6\"\n\
             % 0 if x\n% 1 unless y\n% 2 end\n% 3 elsif z\n% 4 else\n% 5 end\n",
        );
        erb(
            "<% %w(a b).each do |name| %>\n<%= name %>:\n  pool: 5\n<% end %>\n<% x = 5 if y %>\nq: <%= x %>\n",
            "map\n  <name> ?[0]: map\n    \"pool\" ?[0]: plain \"5\"\n  \"q\": plain <x>\n\
             % 0 %w(a b).each do |name|\n% 1 end\n% 2 x = 5 if y\n",
        );
    }

    #[test]
    fn a_statement_inside_a_value_makes_it_unknown() {
        erb(
            "a: <% if x %>5<% else %>10<% end %>\nb: <% if x %>5<% end %>\n",
            "map\n  \"a\" ?[0]: !plain \"5\"<else>\"10\"\n  \"b\" ?[3]: plain \"5\"\n\
             % 0 if x\n% 1 else\n% 2 end\n% 3 if x\n% 4 end\n",
        );
        erb("a: \"<% x %>5\"\n", "map\n  \"a\": !quoted <x>\"5\"\n% 0 x\n");
    }

    #[test]
    fn a_hole_on_its_own_line_may_be_any_structure() {
        // More entries of the map that it stands in.
        erb("a:\n  b: 1\n  <%= more %>\nc: 2\n", "map\n  \"a\": !map\n    \"b\": plain \"1\"\n  \"c\": plain \"2\"\n");
        erb("a:\n  b: 1\n<%= more %>\nc: 2\n", "!map\n  \"a\": map\n    \"b\": plain \"1\"\n  \"c\": plain \"2\"\n");
        // The value of the key above.
        erb("a:\n  <%= value %>\nc: 2\n", "map\n  \"a\": plain <value>\n  \"c\": plain \"2\"\n");
        erb("a:\n  <%= value %>\n  b: 1\nc: 2\n", "map\n  \"a\": !map\n    \"b\": plain \"1\"\n  \"c\": plain \"2\"\n");
        erb("<%= all %>\n", "!nothing\n");
        erb("a: [\n  <%= x %>\n]\n", "map\n  \"a\": !list\n");
        erb("-\n  <%= x %>\n- b\n", "list\n  - plain <x>\n  - plain \"b\"\n");
    }

    #[test]
    fn an_open_tag_taints_everything() {
        erb("a: 1\nb: <%= x\n", "!map\n  \"a\": plain \"1\"\n  \"b\": plain <x>\n! Syntax a tag is not closed\n");
    }

    #[test]
    fn helm_templates() {
        check(
            Format::HelmYaml,
            "{{- /* top */ -}}\n{{- if .Values.on }}\nkind: {{ .Values.kind | quote }}\nmetadata:\n  name: \"{{ include \"x.name\" . }}-y\"\n  labels:\n    {{- include \"x.labels\" . | nindent 4 }}\n  note: {{ \"a}}\" }}\nspec:\n  a: 1\n  {{- with .Values.b }}\n  b:\n    {{- toYaml . | nindent 4 }}\n  {{- else if .c }}\n  c: d\n  {{- end }}\n{{- toYaml .Values.extra | nindent 2 }}\n{{- end }}\n",
            "map\n  \"kind\" ?[0]: plain <.Values.kind | quote>\n  \"metadata\" ?[0]: map\n    \
             \"name\" ?[0]: quoted <include \"x.name\" .>\"-y\"\n    \"labels\" ?[0]: plain <include \"x.labels\" . | nindent 4>\n    \
             \"note\" ?[0]: plain <\"a}}\">\n  \"spec\" ?[0]: !map\n    \"a\" ?[0]: plain \"1\"\n    \
             \"b\" ?[0, 1]: plain <toYaml . | nindent 4>\n    \"c\" ?[0, 2]: plain \"d\"\n\
             % 0 if .Values.on\n% 1 with .Values.b\n% 2 else if .c\n% 3 end\n% 4 end\n# own \"top\"\n",
        );
        check(
            Format::HelmYaml,
            "a: |\n{{ .Files.Get \"x\" | indent 2 }}\nb: 1\n{{ $x := 1 }}\n",
            "map\n  \"a\": quoted <.Files.Get \"x\" | indent 2>\n  \"b\": plain \"1\"\n% 0 $x := 1\n",
        );
    }

    #[test]
    fn a_comment_of_yaml_is_told_as_written() {
        erb("a: 1 # <%= x %> y\n", "map\n  \"a\": plain \"1\"\n# after \"<%= x %> y\"\n");
    }

    #[test]
    fn time_grows_with_the_text() {
        for format in [Format::ErbYaml, Format::HelmYaml] {
            for unit in [
                "<% if x %>\n",
                "<%= x %>\n",
                "<%= x %>",
                "<%",
                "%>",
                "<%%",
                "<%#%> ",
                "{{ if }}\n",
                "{{ x }}\n",
                "{{",
                "{{ \"",
                "<% { %>a: 1\n",
                "a: <%= b %>\n",
                "a: \"<%= b %>\"\n",
                "<% end %>\n",
                "{{ x | indent 3 }}\n",
            ] {
                long_input(format, &unit.repeat((1 << 17) / unit.len()));
            }
        }
        assert_eq!(parse(Format::ErbYaml, "<% if x %>\n".repeat(9).as_bytes()).tree.statements.len(), 9);
    }
}
