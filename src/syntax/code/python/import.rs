//! `import` and `from … import`.

use super::grammar::{Field, Form};
use super::{Child, Lowering};
use crate::source::Bytes;
use crate::syntax::code::{Import, Imported, ImportedName, Kind, Name, Node};

impl<'t> Lowering<'t> {
    /// Lowers `import a, b.c as d`: one import a module.
    pub(super) fn imports(&mut self, child: Child<'t>, all: &mut Vec<Node>) {
        let whole = child.bytes();
        let before = all.len();
        let probe = self.apart(|this| {
            let children = this.children(child.node);
            let names: Vec<_> = children.fields(Field::Name).collect();
            for name in &names {
                let bytes = if names.len() == 1 { whole } else { name.bytes() };
                let Some((module, local)) = this.imported(*name) else { continue };
                let names = vec![ImportedName { what: Imported::Namespace, local }];
                all.push(Node::new(bytes, Kind::Import(Import { module: Some(module), names, level: 0 })));
            }
            for error in children.named().filter(Child::is_error) {
                all.push(this.broken(error.node));
            }
            Node::new(whole, Kind::Other(Vec::new()))
        });
        if probe.tainted && all.len() == before {
            all.push(probe);
        } else if probe.tainted {
            all.iter_mut().skip(before).for_each(|node| node.tainted = true);
        }
    }

    /// Returns what a name imports and what it is called here.
    fn imported(&mut self, child: Child<'t>) -> Option<(Name, Name)> {
        if child.form != Form::AliasedImport {
            let name = self.plain_name(child);
            return Some((name.clone(), name));
        }
        let children = self.children(child.node);
        let name = self.plain_name(children.field(Field::Name)?);
        let local = children.field(Field::Alias).map_or_else(|| name.clone(), |alias| self.name(alias.node));
        Some((name, local))
    }

    /// Returns a dotted name without the blanks that may stand around its dots.
    fn plain_name(&self, child: Child<'t>) -> Name {
        let mut name = self.name(child.node);
        name.text.retain(|one| !one.is_whitespace() && one != '\\');
        name
    }

    pub(super) fn import_from(&mut self, child: Child<'t>) -> Kind {
        let children = self.children(child.node);
        let (mut module, mut level) = (None, 0);
        match children.field(Field::ModuleName) {
            Some(relative) if relative.form == Form::RelativeImport => {
                let inside = self.children(relative.node);
                if let Some(prefix) = inside.form(Form::ImportPrefix) {
                    let dots = self.text(prefix.node).bytes().filter(|byte| *byte == b'.').count();
                    level = u32::try_from(dots).unwrap_or(u32::MAX);
                }
                module = inside.form(Form::DottedName).map(|name| self.plain_name(name));
            }
            Some(name) => module = Some(self.plain_name(name)),
            None if child.form == Form::FutureImport => module = self.future(child),
            None => self.taint(),
        }
        let mut names = Vec::new();
        for child in children.named() {
            if child.form == Form::WildcardImport {
                let local = Name { text: "*".to_owned(), bytes: child.bytes() };
                names.push(ImportedName { what: Imported::Everything, local });
            } else if child.field == Field::Name
                && let Some((name, local)) = self.imported(child)
            {
                names.push(ImportedName { what: Imported::Named(name.text), local });
            }
        }
        Kind::Import(Import { module, names, level })
    }

    /// Returns the module's name, which the grammar has as a keyword.
    fn future(&self, child: Child<'t>) -> Option<Name> {
        const MODULE: &str = "__future__";
        let start = child.node.start_byte() + self.text(child.node).find(MODULE)?;
        Some(Name { text: MODULE.to_owned(), bytes: Bytes::new(start, start + MODULE.len()) })
    }
}
