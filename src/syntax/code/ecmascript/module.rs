//! Imports and exports, of ECMAScript modules, CommonJS and TypeScript.

use super::super::{Export, Exported, ExportedName, Import, Imported, ImportedName, Kind, Name, Node};
use super::form::{Field, Form};
use super::{Children, Ecmascript, Js};
use crate::source::Bytes;
use crate::syntax::code::lowering::Lowering;

impl<'t> Lowering<'t, Ecmascript> {
    pub(super) fn import(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut module = children.field(Field::Source);
        let mut names = Vec::new();
        if let Some(clause) = children.form(Form::ImportRequire) {
            let parts = self.children(clause.node);
            module = parts.field(Field::Source);
            let local = parts.form(Form::Identifier).map(|name| self.name(name.node));
            names.extend(local.map(|local| ImportedName { what: Imported::Default, local }));
        } else if let Some(clause) = children.form(Form::ImportClause) {
            self.import_clause(clause, &mut names);
        }
        let module = module.map(|source| self.string(source));
        if module.is_none() {
            self.taint();
        }
        Kind::Import(Import { module, names, level: 0 })
    }

    fn import_clause(&mut self, clause: Js<'t>, names: &mut Vec<ImportedName>) {
        let parts = self.children(clause.node);
        for part in parts.named() {
            match part.form {
                Form::Identifier => {
                    names.push(ImportedName { what: Imported::Default, local: self.name(part.node) });
                }
                Form::NamespaceImport => {
                    let local = self.children(part.node).form(Form::Identifier).map(|name| self.name(name.node));
                    names.extend(local.map(|local| ImportedName { what: Imported::Namespace, local }));
                }
                Form::NamedImports => {
                    let specifiers = self.children(part.node);
                    for specifier in specifiers.named().filter(|part| part.form == Form::ImportSpecifier) {
                        let parts = self.children(specifier.node);
                        let Some(original) = parts.field(Field::Name) else { continue };
                        let original = self.written_name(original);
                        let local = parts.field(Field::Alias).map(|alias| self.name(alias.node));
                        names.push(named(&original, local));
                    }
                }
                _ => {}
            }
        }
    }

    /// `import a = b.c` names something that is here already.
    pub(super) fn import_alias(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let mut parts = children.named();
        let pattern = self.required_pattern(parts.next(), child.bytes());
        let value = Some(Box::new(self.required(parts.next(), child.bytes())));
        Kind::Binding { pattern, type_text: None, value, constant: true }
    }

    /// Lowers `const … = require('x')`, with one member after it or none, and `const … = await import('x')`.
    pub(super) fn required_module(&mut self, declarator: &Children<'t>) -> Option<Kind> {
        let written = declarator.field(Field::Value)?;
        let pattern = declarator.field(Field::Name)?;
        if !["require", "await", "("].iter().any(|start| self.text(written.node).starts_with(start)) {
            return None;
        }
        let mut value = self.peeled(written);
        let mut member = None;
        if value.form == Form::Member {
            let children = self.peek(value.node);
            member = Some(self.name(children.field(Field::Property)?.node));
            value = self.peeled(children.field(Field::Object)?);
        }
        let (whole, function) = if value.form == Form::Await {
            value = self.peek(value.node).named().next()?;
            (Imported::Namespace, "import")
        } else {
            (Imported::Default, "require")
        };
        let module = self.module_of(value, function)?;
        let mut names = Vec::new();
        match (self.bound_names(pattern)?, member) {
            (Bound::Whole(local), Some(member)) => names.push(named(&member, Some(local))),
            (Bound::Whole(local), None) => names.push(ImportedName { what: whole, local }),
            (Bound::Names(bound), None) => names = bound,
            // `const { a } = require('x').y` takes a part of a part.
            (Bound::Names(_), Some(_)) => return None,
        }
        if written.node.has_error() || pattern.node.has_error() {
            self.taint();
        }
        Some(Kind::Import(Import { module, names, level: 0 }))
    }

    /// Lowers `require('x');`, which loads a module for its effects.
    pub(super) fn bare_require(&mut self, expression: Js<'t>) -> Option<Kind> {
        let module = self.module_of(expression, "require")?;
        Some(Kind::Import(Import { module, names: Vec::new(), level: 0 }))
    }

    /// Returns the module that `require(…)` or `import(…)` names: nothing if the call is another one.
    #[expect(clippy::option_option, reason = "a call of require whose argument is no literal is a third case")]
    fn module_of(&mut self, call: Js<'t>, function: &str) -> Option<Option<Name>> {
        if call.form != Form::Call || !self.text(call.node).starts_with(function) {
            return None;
        }
        let children = self.peek(call.node);
        let callee = children.field(Field::Function)?;
        if !matches!(callee.form, Form::Identifier | Form::ImportWord) || self.text(callee.node) != function {
            return None;
        }
        let arguments = self.peek(children.field(Field::Arguments)?.node);
        let argument = arguments.named().next()?;
        if arguments.iter().any(|argument| argument.is_error()) {
            return None;
        }
        let argument = self.peeled(argument);
        Some(self.plain_text(argument))
    }

    /// Returns what a pattern binds, if each name is a whole export.
    fn bound_names(&mut self, pattern: Js<'t>) -> Option<Bound> {
        if pattern.form == Form::Identifier {
            return Some(Bound::Whole(self.name(pattern.node)));
        }
        if pattern.form != Form::ObjectPattern {
            return None;
        }
        let mut names = Vec::new();
        for entry in self.peek(pattern.node).named() {
            match entry.form {
                Form::Identifier => names.push(named(&self.name(entry.node), None)),
                Form::PairPattern => {
                    let parts = self.peek(entry.node);
                    let original = parts.field(Field::Key).filter(|key| key.form != Form::ComputedName)?;
                    let local = parts.field(Field::Value).filter(|local| local.form == Form::Identifier)?;
                    names.push(named(&self.written_name(original), Some(self.name(local.node))));
                }
                Form::RestPattern => {
                    let local = self.peek(entry.node).form(Form::Identifier)?;
                    names.push(ImportedName { what: Imported::Namespace, local: self.name(local.node) });
                }
                _ => return None,
            }
        }
        Some(Bound::Names(names))
    }

    /// Lowers `module.exports = …`, `module.exports.x = …` and `exports.x = …`.
    pub(super) fn commonjs_export(&mut self, assignment: &Children<'t>, at: Bytes) -> Option<Kind> {
        let left = self.peeled(assignment.field(Field::Left)?);
        let text = self.text(left.node);
        if !text.starts_with("module") && !text.starts_with("exports") {
            return None;
        }
        if left.node.has_error() {
            self.taint();
        }
        let right = assignment.field(Field::Right);
        if left.form == Form::Identifier && text == "exports" {
            // `exports = module.exports = …` exports once.
            let right = self.peeled(right?);
            let inner = self.inner_assignment(right)?;
            let target = self.peeled(inner.field(Field::Left)?);
            return if self.is_module_exports(target) { self.commonjs_export(&inner, right.bytes()) } else { None };
        }
        let what = if self.is_module_exports(left) {
            let value = right.map(|right| self.behind_exports(right));
            Exported::Default(Box::new(self.required(value, at)))
        } else {
            let name = self.exported_name(left)?;
            Exported::Value { name, value: Box::new(self.required(right, at)) }
        };
        Some(Kind::Export(Export { what, from: None }))
    }

    /// `module.exports = exports = …` exports once too.
    fn behind_exports(&mut self, value: Js<'t>) -> Js<'t> {
        let mut value = self.peeled(value);
        while let Some(inner) = self.inner_assignment(value) {
            let target = inner.field(Field::Left).map(|target| self.text(target.node));
            match inner.field(Field::Right) {
                Some(right) if target == Some("exports") => value = self.peeled(right),
                _ => break,
            }
        }
        value
    }

    /// Returns the name that is exported by an assignment to `exports.name` or `module.exports.name`.
    fn exported_name(&mut self, target: Js<'t>) -> Option<Name> {
        let (object, name) = self.static_member(target)?;
        let object = self.peeled(object);
        let exports = object.form == Form::Identifier && self.text(object.node) == "exports";
        (exports || self.is_module_exports(object)).then_some(name)
    }

    fn inner_assignment(&mut self, child: Js<'t>) -> Option<Children<'t>> {
        if child.form != Form::Assignment {
            return None;
        }
        let children = self.peek(child.node);
        // `+=` and its like have an operator; `=` has none.
        if children.field(Field::Operator).is_some() { None } else { Some(children) }
    }

    fn is_module_exports(&mut self, child: Js<'t>) -> bool {
        let Some((object, name)) = self.static_member(child) else { return false };
        name.text == "exports" && object.form == Form::Identifier && self.text(object.node) == "module"
    }

    /// Reads `a.b` and `a['b']`.
    fn static_member(&mut self, child: Js<'t>) -> Option<(Js<'t>, Name)> {
        if child.form == Form::Member {
            let children = self.peek(child.node);
            return Some((children.field(Field::Object)?, self.name(children.field(Field::Property)?.node)));
        }
        self.static_subscript(child).map(|(object, name, _)| (object, name))
    }

    pub(super) fn export(&mut self, child: Js<'t>, out: &mut Vec<Node>) {
        let declaration = self.peek(child.node).field(Field::Declaration);
        if let Some(declaration) = declaration
            && matches!(declaration.form, Form::Variables | Form::Ambient | Form::ImportAlias)
        {
            self.exported_variables(child, declaration, out);
            return;
        }
        out.push(self.apart(|this| this.node(child.bytes(), |this| this.export_kind(child))));
    }

    /// `export const a = 1, b = 2` is an export of each; a declaration that only loads a module stays a binding.
    fn exported_variables(&mut self, child: Js<'t>, declaration: Js<'t>, out: &mut Vec<Node>) {
        let mut declared = Vec::new();
        if declaration.form == Form::Variables {
            let children = self.peek(declaration.node);
            let constant = children.has(Form::ConstToken);
            let mut start = declaration.bytes().start;
            for declarator in children.named().filter(|part| part.form == Form::Declarator) {
                let bytes = Bytes { start, end: declarator.bytes().end };
                declared.push(self.apart(|this| {
                    this.node(bytes, |this| {
                        let children = this.children(declarator.node);
                        this.binding(&children, declarator.bytes(), constant)
                    })
                }));
                start = declarator.bytes().end;
            }
        } else {
            self.statement(declaration, &mut declared);
        }
        let broken = self.has_direct_error(child) || self.has_direct_error(declaration);
        let mut start = child.bytes().start;
        for declaration in declared {
            let bytes = Bytes { start, end: declaration.bytes.end };
            start = declaration.bytes.end;
            let what = Exported::Declaration(Box::new(declaration));
            let kind = Kind::Export(Export { what, from: None });
            out.push(Node { bytes, tainted: broken, kind });
        }
    }

    fn has_direct_error(&mut self, child: Js<'t>) -> bool {
        child.node.has_error() && self.peek(child.node).iter().any(|child| child.is_error())
    }

    fn export_kind(&mut self, child: Js<'t>) -> Kind {
        let children = self.children(child.node);
        let from = children.field(Field::Source).map(|source| self.string(source));
        let what = if let Some(value) = children.field(Field::Value) {
            Exported::Default(Box::new(self.exported_value(value, &children)))
        } else if let Some(declaration) = children.field(Field::Declaration) {
            let value = Box::new(self.exported_value(declaration, &children));
            if children.has(Form::DefaultToken) { Exported::Default(value) } else { Exported::Declaration(value) }
        } else if let Some(clause) = children.form(Form::ExportClause) {
            Exported::Names(self.exported_names(clause))
        } else if let Some(namespace) = children.form(Form::NamespaceExport) {
            let parts = self.children(namespace.node);
            Exported::Everything { name: parts.named().next().map(|name| self.written_name(name)) }
        } else if children.has(Form::StarToken) {
            Exported::Everything { name: None }
        } else if children.has(Form::EqualsToken) {
            let value = children.named().find(|value| !value.is_error());
            Exported::Default(Box::new(self.required(value, child.bytes())))
        } else {
            // `export as namespace X`, or nothing that could be read.
            return Kind::Other(self.inside(child));
        };
        Kind::Export(Export { what, from })
    }

    /// Lowers what is exported; the decorators of a class may stand before the `export`.
    fn exported_value(&mut self, value: Js<'t>, export: &Children<'t>) -> Node {
        if value.form != Form::Class {
            return self.expression(value);
        }
        let decorators = self.decorators(export);
        self.node(value.bytes(), |this| this.class(value, decorators))
    }

    fn exported_names(&mut self, clause: Js<'t>) -> Vec<ExportedName> {
        let specifiers = self.children(clause.node);
        let mut names = Vec::new();
        for specifier in specifiers.named().filter(|part| part.form == Form::ExportSpecifier) {
            let parts = self.children(specifier.node);
            let Some(local) = parts.field(Field::Name) else { continue };
            let local = self.written_name(local);
            let name = parts.field(Field::Alias).map(|alias| self.written_name(alias));
            names.push(ExportedName { local: local.text.clone(), name: name.unwrap_or(local) });
        }
        names
    }
}

enum Bound {
    Whole(Name),
    Names(Vec<ImportedName>),
}

/// Returns an import of one export; `default` by its name is the default.
fn named(original: &Name, local: Option<Name>) -> ImportedName {
    let what = if original.text == "default" { Imported::Default } else { Imported::Named(original.text.clone()) };
    ImportedName { what, local: local.unwrap_or_else(|| original.clone()) }
}
