//! Paths and `use` trees.

use syn::spanned::Spanned;
use syn::{Ident, Path, QSelf, UseTree};

use super::Lowering;
use super::span::path_first;
use crate::source::Bytes;
use crate::syntax::code::{Import, Imported, ImportedName, Kind, Name, Node, Receiver};

impl Lowering<'_> {
    /// Lowers a path as a value: `a::b::c` is a member of a member, generic arguments are dropped.
    pub(super) fn path(&self, qself: Option<&QSelf>, path: &Path) -> Node {
        let (prefix, last) = self.path_split(qself, path);
        let Some(last) = last else { return self.nothing(prefix, qself, path) };
        match prefix {
            Some(object) => {
                let bytes = object.bytes.to(last.bytes);
                Node::new(bytes, Kind::Member { object: Box::new(object), name: last, optional: false })
            }
            None => single(last),
        }
    }

    fn nothing(&self, prefix: Option<Node>, qself: Option<&QSelf>, path: &Path) -> Node {
        prefix.unwrap_or_else(|| Node::new(self.at(path_first(qself, path)), Kind::Other(Vec::new())))
    }

    /// Returns what stands before the last name of a path, and that name.
    pub(super) fn path_split(&self, qself: Option<&QSelf>, path: &Path) -> (Option<Node>, Option<Name>) {
        let mut segments = path.segments.iter();
        let mut object = None;
        if let Some(qself) = qself {
            // `<T as Trait>::f`: the trait's own segments belong to the part in angle brackets.
            segments.by_ref().take(qself.position).for_each(drop);
            let bytes = self.between(qself.lt_token.span(), qself.gt_token.span());
            object = Some(Node::new(bytes, Kind::Name(bytes.of(self.text).to_owned())));
        }
        let mut last: Option<Name> = None;
        for segment in segments {
            if let Some(before) = last.replace(self.name(&segment.ident)) {
                object = Some(match object {
                    None => single_of_path(before),
                    Some(object) => {
                        let bytes = object.bytes.to(before.bytes);
                        Node::new(bytes, Kind::Member { object: Box::new(object), name: before, optional: false })
                    }
                });
            }
        }
        (object, last)
    }

    /// Returns the names of a path joined by `::`, with the bytes of the whole path.
    pub(super) fn path_name(&self, qself: Option<&QSelf>, path: &Path) -> Name {
        let names: Vec<String> = path.segments.iter().map(|segment| self.name(&segment.ident).text).collect();
        Name { text: names.join("::"), bytes: self.path_bytes(qself, path) }
    }

    /// Lowers a `use` into one import a module: `use a::{b, c::d}` is two.
    pub(super) fn imports(&self, leading: bool, tree: &UseTree, whole: Bytes, into: &mut Vec<Node>) {
        let mut open: Vec<(Vec<&Ident>, &UseTree)> = vec![(Vec::new(), tree)];
        let mut groups: Vec<(Vec<&Ident>, Vec<ImportedName>)> = Vec::new();
        while let Some((mut path, mut tree)) = open.pop() {
            while let UseTree::Path(step) = tree {
                path.push(&step.ident);
                tree = &step.tree;
            }
            let (path, name) = match tree {
                UseTree::Group(group) => {
                    open.extend(group.items.iter().rev().map(|item| (path.clone(), item)));
                    continue;
                }
                UseTree::Name(used) => self.used(path, &used.ident, &used.ident),
                UseTree::Rename(used) => self.used(path, &used.ident, &used.rename),
                UseTree::Glob(glob) => {
                    let local = Name { text: "*".to_owned(), bytes: self.at(glob.star_token.span()) };
                    (path, ImportedName { what: Imported::Everything, local })
                }
                UseTree::Path(_) => continue,
            };
            match groups.iter_mut().find(|(other, _)| other.iter().eq(path.iter())) {
                Some((_, names)) => names.push(name),
                None => groups.push((path, vec![name])),
            }
        }
        for (path, names) in groups {
            let module = self.module(leading, &path);
            into.push(Node::new(whole, Kind::Import(Import { module, names, level: 0 })));
        }
    }

    /// `use a::b`: the name `b` of `a`. `use a`, `use a::{self}`: the module `a` itself.
    fn used<'t>(&self, mut path: Vec<&'t Ident>, ident: &'t Ident, local: &Ident) -> (Vec<&'t Ident>, ImportedName) {
        let itself = ident == "self";
        let local = match path.last() {
            Some(module) if itself && local == "self" => self.name(module),
            _ => self.name(local),
        };
        if itself || path.is_empty() {
            if !itself {
                path.push(ident);
            }
            return (path, ImportedName { what: Imported::Namespace, local });
        }
        (path, ImportedName { what: Imported::Named(self.name(ident).text), local })
    }

    fn module(&self, leading: bool, path: &[&Ident]) -> Option<Name> {
        let (first, last) = path.first().zip(path.last())?;
        let names: Vec<String> = path.iter().map(|ident| self.name(ident).text).collect();
        let text = if leading { format!("::{}", names.join("::")) } else { names.join("::") };
        Some(Name { text, bytes: self.between(first.span(), last.span()) })
    }
}

fn single(name: Name) -> Node {
    let kind = match name.text.as_str() {
        "self" => Kind::Receiver(Receiver::This),
        "None" => Kind::Literal(crate::syntax::code::Literal::Null),
        _ => Kind::Name(name.text),
    };
    Node::new(name.bytes, kind)
}

/// The first name of a longer path: `self` and `super` are modules there.
fn single_of_path(name: Name) -> Node {
    Node::new(name.bytes, Kind::Name(name.text))
}
