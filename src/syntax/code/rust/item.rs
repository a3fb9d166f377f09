//! Items: functions, types, implementations, modules, imports, constants.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Fields, FnArg, Ident, ImplItem, Item, PathArguments, ReceiverKind, Signature, TraitItem};
use syn::{Path, Type, TypeParamBound};

use super::Lowering;
use super::attribute::path_of;
use crate::source::Bytes;
use crate::syntax::code::{
    Field, Flavour, Function, FunctionForm, Import, Imported, ImportedName, Kind, Name, Node, Parameter, Pattern,
    TypeDefinition, TypeKind,
};

impl Lowering<'_> {
    pub(super) fn items(&mut self, items: &[Item]) -> Vec<Node> {
        let mut nodes = Vec::new();
        for item in items {
            self.item(item, &mut nodes);
        }
        nodes
    }

    pub(super) fn item(&mut self, item: &Item, nodes: &mut Vec<Node>) {
        if let Item::Use(used) = item {
            let whole = self.between(used.use_token.span, used.semi_token.span());
            self.imports(used.leading_colon.is_some(), &used.tree, whole, nodes);
            return;
        }
        let bytes = self.item_bytes(item);
        let node = self.deeper(bytes, |this| match item {
            Item::Macro(inner) if inner.ident.is_none() => this.invocation(&inner.mac),
            other => Node::new(bytes, this.item_kind(other)),
        });
        nodes.push(node);
    }

    fn item_bytes(&self, item: &Item) -> Bytes {
        let whole = |first: Span, last: Span| self.between(first, last);
        match item {
            Item::Const(inner) => whole(inner.const_token.span, inner.semi_token.span()),
            Item::Enum(inner) => whole(inner.enum_token.span, inner.brace_token.span.close()),
            Item::ExternCrate(inner) => whole(inner.extern_token.span, inner.semi_token.span()),
            Item::Fn(inner) => whole(signature_first(&inner.sig), inner.block.brace_token.span.close()),
            Item::ForeignMod(inner) => whole(inner.abi.extern_token.span, inner.brace_token.span.close()),
            Item::Impl(inner) => whole(inner.impl_token.span, inner.brace_token.span.close()),
            Item::Macro(inner) => {
                self.path_bytes(None, &inner.mac.path).to(self.at(super::span::macro_last(&inner.mac)))
            }
            Item::Mod(inner) => match (&inner.content, &inner.semi) {
                (Some((brace, _)), _) => whole(inner.mod_token.span, brace.span.close()),
                (None, Some(semi)) => whole(inner.mod_token.span, semi.span()),
                (None, None) => whole(inner.mod_token.span, inner.ident.span()),
            },
            Item::Static(inner) => whole(inner.static_token.span, inner.semi_token.span()),
            Item::Struct(inner) => {
                let end = match (&inner.fields, &inner.semi_token) {
                    (Fields::Named(fields), _) => fields.brace_token.span.close(),
                    (_, Some(semi)) => semi.span(),
                    (_, None) => inner.ident.span(),
                };
                whole(inner.struct_token.span, end)
            }
            Item::Trait(inner) => whole(inner.trait_token.span, inner.brace_token.span.close()),
            Item::TraitAlias(inner) => whole(inner.trait_token.span, inner.semi_token.span()),
            Item::Type(inner) => whole(inner.type_token.span, inner.semi_token.span()),
            Item::Union(inner) => whole(inner.union_token.span, inner.fields.brace_token.span.close()),
            Item::Use(inner) => whole(inner.use_token.span, inner.semi_token.span()),
            Item::Verbatim(tokens) => self.at(tokens.span()),
            _ => Bytes::default(),
        }
    }

    fn item_kind(&mut self, item: &Item) -> Kind {
        match item {
            Item::Const(inner) => {
                let value = Some(self.expression(&inner.expr));
                self.constant(&inner.ident, &inner.ty, value, Constancy::Constant)
            }
            Item::Static(inner) => {
                let value = Some(self.expression(&inner.expr));
                let mutable = matches!(inner.mutability, syn::StaticMutability::Mut(_));
                let constancy = if mutable { Constancy::Mutable } else { Constancy::Constant };
                self.constant(&inner.ident, &inner.ty, value, constancy)
            }
            Item::Fn(inner) => {
                let body = self.statements(&inner.block.stmts);
                self.function(&inner.attrs, &inner.sig, body, FunctionForm::Declared)
            }
            Item::Struct(inner) => {
                let mut definition = self.definition(TypeKind::Struct, &inner.ident, &inner.attrs);
                definition.fields = self.fields(&inner.fields);
                Kind::Type(Box::new(definition))
            }
            Item::Union(inner) => {
                let mut definition = self.definition(TypeKind::Struct, &inner.ident, &inner.attrs);
                definition.fields = self.fields(&Fields::Named(inner.fields.clone()));
                Kind::Type(Box::new(definition))
            }
            Item::Enum(inner) => {
                let mut definition = self.definition(TypeKind::Enum, &inner.ident, &inner.attrs);
                definition.fields = inner.variants.iter().map(|variant| self.variant(variant)).collect();
                Kind::Type(Box::new(definition))
            }
            Item::Trait(inner) => {
                let mut definition = self.definition(TypeKind::Trait, &inner.ident, &inner.attrs);
                self.bases(inner.supertraits.iter().filter_map(trait_path), &mut definition);
                definition.body = inner.items.iter().map(|item| self.trait_item(item)).collect();
                Kind::Type(Box::new(definition))
            }
            Item::Impl(inner) => self.implementation(inner),
            Item::Mod(inner) => self.module_item(inner),
            Item::ExternCrate(inner) => {
                let local = self.name(inner.rename.as_ref().map_or(&inner.ident, |(_, local)| local));
                let names = vec![ImportedName { what: Imported::Namespace, local }];
                Kind::Import(Import { module: Some(self.name(&inner.ident)), names, level: 0 })
            }
            // Foreign items, aliases and definitions of macros run nothing here.
            // `type Pool = sqlx::Pool<Postgres>;`: a name that stands for a written type.
            Item::Type(inner) => Kind::Binding {
                pattern: Pattern::Name(self.name(&inner.ident)),
                type_text: Some(self.written(&inner.ty)),
                value: None,
                constant: true,
            },
            _ => Kind::Other(Vec::new()),
        }
    }

    fn module_item(&mut self, inner: &syn::ItemMod) -> Kind {
        if let Some((_, items)) = &inner.content {
            let mut definition = self.definition(TypeKind::Module, &inner.ident, &inner.attrs);
            definition.body = self.items(items);
            return Kind::Type(Box::new(definition));
        }
        let module = match path_of(&inner.attrs) {
            Some(path) => Name { text: path.value(), bytes: self.at(path.span()) },
            None => self.name(&inner.ident),
        };
        Kind::Import(Import { module: Some(module), names: Vec::new(), level: 0 })
    }

    fn definition(&mut self, kind: TypeKind, name: &Ident, attributes: &[Attribute]) -> TypeDefinition {
        let decorators = self.decorators(attributes);
        let name = Some(self.name(name));
        TypeDefinition {
            kind,
            name,
            bases: Vec::new(),
            type_arguments: None,
            fields: Vec::new(),
            decorators,
            body: Vec::new(),
        }
    }

    fn constant(&mut self, name: &Ident, kind: &Type, value: Option<Node>, constancy: Constancy) -> Kind {
        Kind::Binding {
            pattern: Pattern::Name(self.name(name)),
            type_text: Some(self.written(kind)),
            value: value.map(Box::new),
            constant: constancy == Constancy::Constant,
        }
    }

    fn function(
        &mut self,
        attributes: &[Attribute],
        signature: &Signature,
        body: Vec<Node>,
        form: FunctionForm,
    ) -> Kind {
        let parameters = signature.inputs.iter().map(|input| self.input(input)).collect();
        Kind::Function(Box::new(Function {
            name: Some(self.name(&signature.ident)),
            parameters,
            decorators: self.decorators(attributes),
            flavour: if signature.asyncness.is_some() { Flavour::Async } else { Flavour::Plain },
            body,
            form,
            return_type: self.return_type(&signature.output),
        }))
    }

    fn input(&mut self, input: &FnArg) -> Parameter {
        match input {
            FnArg::Typed(typed) => Parameter {
                pattern: self.pattern(&typed.pat),
                type_text: Some(self.written(&typed.ty)),
                default: None,
                rest: false,
                keyword: false,
            },
            FnArg::Receiver(receiver) => {
                let name = Name { text: "self".to_owned(), bytes: self.at(receiver.self_token.span) };
                let type_text = match &receiver.kind {
                    ReceiverKind::Typed(_, kind) => Some(self.written(kind)),
                    ReceiverKind::Reference(_, _, Some(_)) => Some("&mut Self".to_owned()),
                    ReceiverKind::Reference(..) => Some("&Self".to_owned()),
                    _ => Some("Self".to_owned()),
                };
                Parameter { pattern: Pattern::Name(name), type_text, default: None, rest: false, keyword: false }
            }
        }
    }

    /// Fields with their types; those of a tuple are named by their numbers.
    fn fields(&mut self, fields: &Fields) -> Vec<Field> {
        let mut all = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let name = match &field.ident {
                Some(ident) => self.name(ident),
                None => Name { text: index.to_string(), bytes: self.spanned(&field.ty) },
            };
            let type_text = Some(self.written(&field.ty));
            let decorators = self.decorators(&field.attrs);
            all.push(Field { name, type_text, value: None, decorators });
        }
        all
    }

    /// A variant is a field: its payload is the type text, its number the value.
    fn variant(&mut self, variant: &syn::Variant) -> Field {
        let type_text = match &variant.fields {
            Fields::Unit => None,
            payload => Some(self.written(payload)),
        };
        let value = variant.discriminant.as_ref().map(|(_, value)| self.expression(value));
        Field { name: self.name(&variant.ident), type_text, value, decorators: self.decorators(&variant.attrs) }
    }

    fn implementation(&mut self, inner: &syn::ItemImpl) -> Kind {
        let name = match inner.self_ty.as_ref() {
            Type::Path(path) => self.path_name(path.qself.as_ref(), &path.path),
            other => Name { text: self.written(other), bytes: self.spanned(other) },
        };
        let mut definition = TypeDefinition {
            kind: TypeKind::Implementation,
            name: Some(name),
            bases: Vec::new(),
            type_arguments: None,
            fields: Vec::new(),
            decorators: self.decorators(&inner.attrs),
            body: Vec::new(),
        };
        self.bases(inner.trait_.iter().map(|(path, _)| path), &mut definition);
        definition.body = inner.items.iter().map(|item| self.implementation_item(item)).collect();
        Kind::Type(Box::new(definition))
    }

    fn bases<'t>(&mut self, paths: impl Iterator<Item = &'t Path>, definition: &mut TypeDefinition) {
        let mut texts = Vec::new();
        for path in paths {
            definition.bases.push(self.path(None, path));
            if let Some(PathArguments::AngleBracketed(arguments)) = path.segments.last().map(|last| &last.arguments) {
                texts.push(self.written(&arguments.args));
            }
        }
        definition.type_arguments = (!texts.is_empty()).then(|| texts.join(", "));
    }

    fn implementation_item(&mut self, item: &ImplItem) -> Node {
        match item {
            ImplItem::Const(inner) => {
                let bytes = self.between(inner.const_token.span, inner.semi_token.span());
                self.deeper(bytes, |this| {
                    let value = Some(this.expression(&inner.expr));
                    Node::new(bytes, this.constant(&inner.ident, &inner.ty, value, Constancy::Constant))
                })
            }
            ImplItem::Fn(inner) => {
                let bytes = self.between(signature_first(&inner.sig), inner.block.brace_token.span.close());
                self.deeper(bytes, |this| {
                    let body = this.statements(&inner.block.stmts);
                    Node::new(bytes, this.function(&inner.attrs, &inner.sig, body, FunctionForm::Method))
                })
            }
            ImplItem::Macro(inner) => self.invocation(&inner.mac),
            other => Node::new(self.spanned(other), Kind::Other(Vec::new())),
        }
    }

    fn trait_item(&mut self, item: &TraitItem) -> Node {
        match item {
            TraitItem::Const(inner) => {
                let bytes = self.between(inner.const_token.span, inner.semi_token.span());
                self.deeper(bytes, |this| {
                    let value = inner.default.as_ref().map(|(_, value)| this.expression(value));
                    Node::new(bytes, this.constant(&inner.ident, &inner.ty, value, Constancy::Constant))
                })
            }
            TraitItem::Fn(inner) => {
                let end = match (&inner.default, &inner.semi_token) {
                    (Some(block), _) => block.brace_token.span.close(),
                    (None, Some(semi)) => semi.span(),
                    (None, None) => inner.sig.paren_token.span.close(),
                };
                let bytes = self.between(signature_first(&inner.sig), end);
                self.deeper(bytes, |this| {
                    let body = inner.default.as_ref().map(|block| this.statements(&block.stmts)).unwrap_or_default();
                    Node::new(bytes, this.function(&inner.attrs, &inner.sig, body, FunctionForm::Method))
                })
            }
            TraitItem::Macro(inner) => self.invocation(&inner.mac),
            other => Node::new(self.spanned(other), Kind::Other(Vec::new())),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Constancy {
    Constant,
    Mutable,
}

fn trait_path(bound: &TypeParamBound) -> Option<&Path> {
    match bound {
        TypeParamBound::Trait(bound) => Some(&bound.path),
        _ => None,
    }
}

/// Returns the first token of a function that is no visibility: `const`, `async`, `unsafe`, `extern`, `fn`.
fn signature_first(signature: &Signature) -> Span {
    let constness = signature.constness.map(|token| token.span);
    let asyncness = signature.asyncness.map(|token| token.span);
    constness.or(asyncness).unwrap_or(signature.fn_token.span)
}
