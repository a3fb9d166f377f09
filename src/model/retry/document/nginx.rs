//! nginx passes a failed request on to the next server of a group: one policy for each directive that says when.

use std::collections::{BTreeMap, BTreeSet};

use crate::classify::Kind;
use crate::facts::Body;
use crate::facts::value::{Pair, Value, ValueKind};
use crate::knowledge::retry::{Library, NextServer};
use crate::model::resolve::{Located, Resolver};
use crate::model::retry::reading::Reading;
use crate::model::retry::site::{Options, Source};
use crate::model::retry::{End, RetryPolicy};
use crate::model::setting::{Origin, Setting};
use crate::source::{FileId, RootId, Sources, Span};
use crate::syntax::Fragment;
use crate::syntax::code::Name;
use crate::syntax::directive::{Directive, Format};

/// The servers of a group.
#[derive(Default)]
struct Group {
    servers: u32,
    /// Some stand in for the others, and may hold something else.
    spare: bool,
    place: Option<Span>,
}

/// Groups by root and name.
type Groups = BTreeMap<(RootId, String), Group>;

pub(super) fn policies<'l>(
    library: &'l Library,
    resolver: &Resolver<'_>,
    sources: &Sources,
    found: &mut Vec<RetryPolicy<'l>>,
) {
    if library.next_servers.is_empty() {
        return;
    }
    let files: Vec<(FileId, RootId, &[Directive])> = resolver
        .facts()
        .values()
        .filter(|facts| facts.kind == Kind::Directive(Format::Nginx))
        .filter_map(|facts| match &facts.body {
            Body::Table(lines) => Some((facts.file, sources.file(facts.file)?.root, lines.as_slice())),
            _ => None,
        })
        .collect();
    let mut groups = Groups::new();
    for (file, root, lines) in &files {
        let kinds: BTreeSet<_> = library.next_servers.iter().map(|row| (&row.group, &row.server)).collect();
        for (group, server) in kinds {
            add_groups((*file, *root), lines, (group, server), &mut groups);
        }
    }
    for (file, root, lines) in &files {
        for row in &library.next_servers {
            for directive in lines.iter().filter(|line| line.key.text == row.conditions) {
                let found_group = reached(row, directive, lines).into_iter().find_map(|pass| {
                    let group = groups.get(&(*root, group_name(pass)?))?;
                    (group.servers > 1).then_some((pass, group))
                });
                let Some((pass, group)) = found_group else { continue };
                let reading = OneDirective { library, row, file: *file, lines, directive, pass, group };
                found.extend(reading.policy(resolver, sources));
            }
        }
    }
}

/// `upstream NAME { server …; server … backup; }`.
fn add_groups(
    (file, root): (FileId, RootId),
    lines: &[Directive],
    (group_word, server_word): (&str, &str),
    groups: &mut Groups,
) {
    for line in lines.iter().filter(|line| line.key.text == group_word) {
        let Some(name) = line.fields.first() else { continue };
        let group = groups.entry((root, name.text.clone())).or_default();
        group.place = Some(file.span(name.file_bytes()));
        let inside = |server: &&Directive| server.section.last().is_some_and(|last| last.bytes == line.key.bytes);
        for server in lines.iter().filter(|other| other.key.text == server_word).filter(inside) {
            let has = |word: &str| server.fields.iter().any(|field| field.text == word);
            if !has("down") {
                group.servers += 1;
            }
            group.spare |= has("backup");
        }
    }
}

/// Returns the directives that hand requests on under these conditions: in the same block or below it, unless
/// conditions of their own stand nearer.
fn reached<'v>(row: &NextServer, directive: &Directive, lines: &'v [Directive]) -> Vec<&'v Directive> {
    let others: Vec<&Directive> = lines
        .iter()
        .filter(|line| line.key.text == row.conditions && line.section.len() > directive.section.len())
        .collect();
    let passes = lines.iter().filter(|line| line.key.text == row.pass);
    passes
        .filter(|pass| is_below(&pass.section, &directive.section))
        .filter(|pass| !others.iter().any(|other| is_below(&pass.section, &other.section)))
        .collect()
}

fn is_below(section: &[Name], above: &[Name]) -> bool {
    section.len() >= above.len() && section.iter().zip(above).all(|(one, other)| one.bytes == other.bytes)
}

/// `http://api/path` is handed to the group `api`.
fn group_name(pass: &Directive) -> Option<String> {
    let target = pass.fields.first()?.text.as_str();
    let target = target.split_once("://").map_or(target, |(_, rest)| rest);
    let name = target.split('/').next()?;
    (!name.contains('$')).then(|| name.to_owned())
}

struct OneDirective<'v, 'l> {
    library: &'l Library,
    row: &'l NextServer,
    file: FileId,
    lines: &'v [Directive],
    directive: &'v Directive,
    pass: &'v Directive,
    group: &'v Group,
}

impl<'l> OneDirective<'_, 'l> {
    fn policy(&self, resolver: &Resolver<'_>, sources: &Sources) -> Option<RetryPolicy<'l>> {
        let span = |word: &Fragment| self.file.span(word.file_bytes());
        let place = self.file.span(self.directive.key.bytes);
        let conditions: Vec<Value> = self.directive.fields.iter().filter_map(|word| self.condition(word)).collect();
        let kind = ValueKind::List(conditions);
        let value = Value { kind, span: place, tainted: false };
        let pair = Pair { key: Some(self.library.filter.option.clone()), key_span: place, value };
        let object = Value { kind: ValueKind::Object(vec![pair]), span: place, tainted: false };
        let anchor = self.directive.section.iter().map(|name| name.text.split('@').next().unwrap_or_default());
        let anchor = anchor.chain([self.row.conditions.as_str()]).collect::<Vec<_>>().join(".");
        let options =
            Options { source: Source::Value(Located::of(&object)), place, anchor, environment: None, call: None };
        // One of its own: a resolver remembers values by where they stand, and this one is gone afterwards.
        let resolver = Resolver::new(resolver.facts(), sources);
        let reading = Reading { library: self.library, resolver: &resolver, sources, options: &options };
        let mut policy = reading.policies(&mut BTreeSet::new()).pop()?;
        policy.runs = Setting { value: Some(self.runs()), origin: Origin::Literal(self.group.place.unwrap_or(place)) };
        policy.end = End::Bounded;
        let any = self.directive.fields.iter().find(|word| word.text == self.row.any_method);
        let pass = self.file.span(self.pass.key.bytes);
        policy.unsafe_method = any.filter(|_| !self.is_limited()).map(|word| (span(word), Some(pass)));
        Some(policy)
    }

    /// `http_404` is the status; where other servers stand in for the first ones, another answer is what is wanted.
    fn condition(&self, word: &Fragment) -> Option<Value> {
        let status = word.text.strip_prefix(self.row.status_prefix.as_str());
        let kind = match status {
            Some(_) if self.group.spare => return None,
            Some(status) => ValueKind::Number(status.to_owned()),
            None => ValueKind::Text(word.text.clone()),
        };
        Some(Value::new(self.file, word.file_bytes(), kind))
    }

    /// As many servers as there are, if the directive for it does not say fewer.
    fn runs(&self) -> u32 {
        let tries = self
            .lines
            .iter()
            .filter(|line| line.key.text == self.row.tries && is_below(&self.pass.section, &line.section))
            .max_by_key(|line| line.section.len());
        let limit = tries.and_then(|line| line.fields.first()?.text.parse().ok()).filter(|tries| *tries > 0);
        limit.map_or(self.group.servers, |limit: u32| limit.min(self.group.servers))
    }

    /// `limit_except GET { deny all; }` around or beside what hands requests on.
    fn is_limited(&self) -> bool {
        self.lines.iter().any(|line| {
            line.key.text == "limit_except"
                && is_below(&self.pass.section, &line.section)
                && !line.fields.iter().any(|method| method.text == "POST" || method.text == "PATCH")
        })
    }
}
