//! One pass over the code view that fills [`Flow`]. A call that no table asks about leaves a wait at most.

use std::collections::{HashMap, HashSet};

use super::names::{NAMES, bound_name, extent, names_in, pattern_names};
use super::{
    Fate, Flow, FlowArgument, FlowBlock, FlowCall, FlowFunction, FlowInterests, FlowParameter, FlowTry, FunctionPlace,
    Leave, LeaveKind, Making, Shape, Timing, Typed,
};
use crate::facts::code::CodeFacts;
use crate::source::{Bytes, FileId};
use crate::syntax::code::{
    self, Argument, Call, CallKind, Exported, Flavour, Function, FunctionForm, JumpKind, Kind, Language, Node, Pattern,
    Program,
};

/// The kind of region that C#'s `lock` statement is.
const LOCK: &str = "lock";

/// Collects the flow of one file, whose other facts are known.
pub fn collect(file: FileId, program: &Program, text: &str, facts: &CodeFacts, interests: &FlowInterests) -> Flow {
    let modules = interests
        .modules
        .iter()
        .filter(|(_, spelling)| memchr::memmem::find(text.as_bytes(), spelling.as_bytes()).is_some());
    let mut names: Vec<String> = modules.map(|(module, _)| module.clone()).collect();
    names.dedup();
    let whole = Bytes::new(0, text.len());
    let flow = Flow {
        functions: vec![FlowFunction {
            name: None,
            owner: None,
            bytes: whole,
            body: whole,
            parent: 0,
            parameters: Vec::new(),
            place: FunctionPlace::Here,
            timing: Timing::Plain,
        }],
        blocks: vec![FlowBlock { parent: 0, function: 0, bytes: whole, leaves: false, repeats: false }],
        modules: names,
        ..Flow::default()
    };
    // The last of two scopes with the same bytes is the inner one.
    let scopes = facts.scopes.iter().enumerate().map(|(index, scope)| (scope.bytes, index)).collect();
    let mut collector = Collector {
        file,
        text,
        facts,
        interests,
        flow,
        function: 0,
        block: 0,
        scope: 0,
        scopes,
        owner: None,
        locals: HashSet::new(),
        language: facts.language,
    };
    collector.statements(program, Fate::Dropped);
    let mut flow = collector.flow;
    flow.release_spare_room();
    flow
}

pub(super) struct Collector<'a> {
    pub(super) file: FileId,
    text: &'a str,
    pub(super) facts: &'a CodeFacts,
    pub(super) interests: &'a FlowInterests,
    pub(super) flow: Flow,
    pub(super) function: usize,
    block: usize,
    /// The scope of the other facts.
    pub(super) scope: usize,
    scopes: HashMap<Bytes, usize>,
    owner: Option<String>,
    /// Variables of C#, by the function that declares them.
    pub(super) locals: HashSet<(usize, String)>,
    pub(super) language: Language,
}

/// What is known of the place where an expression stands.
#[derive(Clone, Default)]
struct Around {
    fate: Fate,
    bound: Option<String>,
    then: Vec<String>,
    then_given: Vec<String>,
}

impl Around {
    fn of(fate: Fate) -> Self {
        Self { fate, ..Self::default() }
    }
}

impl Collector<'_> {
    /// Visits statements; `last` is what becomes of the value of the last one.
    fn statements(&mut self, all: &[Node], last: Fate) {
        for (at, statement) in all.iter().enumerate() {
            let fate = if at + 1 == all.len() { last } else { Fate::Dropped };
            self.visit(statement, Around::of(fate));
        }
    }

    fn block(&mut self, all: &[Node], bytes: Bytes, last: Fate, repeats: bool) -> usize {
        self.in_block(all, bytes, repeats, |this| this.statements(all, last))
    }

    fn in_block(&mut self, all: &[Node], bytes: Bytes, repeats: bool, work: impl FnOnce(&mut Self)) -> usize {
        let leaves = all.last().is_some_and(|last| {
            matches!(
                &last.kind,
                Kind::Jump { kind: JumpKind::Return | JumpKind::Raise | JumpKind::Break | JumpKind::Next, .. }
            )
        });
        let outer = self.block;
        self.flow.blocks.push(FlowBlock { parent: outer, function: self.function, bytes, leaves, repeats });
        self.block = self.flow.blocks.len() - 1;
        let own = self.block;
        work(self);
        self.block = outer;
        own
    }

    fn visit(&mut self, node: &Node, around: Around) {
        match &node.kind {
            Kind::Import(_) | Kind::Name(_) | Kind::Receiver(_) => {}
            Kind::Export(export) => match &export.what {
                Exported::Default(value) | Exported::Declaration(value) | Exported::Value { value, .. } => {
                    self.visit(value, Around::of(Fate::Used));
                }
                Exported::Names(_) | Exported::Everything { .. } => {}
            },
            Kind::Call(call) => self.call_with(node, call, &around, Fate::Used),
            Kind::Await(inner) => self.awaited(node, inner, around),
            Kind::Jump { kind: JumpKind::Try, value: Some(value) } => self.visit(value, around),
            Kind::Jump { kind, value } => self.jump(node, *kind, value.as_deref()),
            Kind::Binding { pattern, type_text, value, .. } => {
                let bound = bound_name(pattern);
                if let (Some(name), Some(type_text)) = (&bound, type_text) {
                    self.typed(None, name, type_text, node.bytes);
                }
                if self.language == Language::CSharp {
                    self.locals.extend(bound.iter().map(|name| (self.function, name.clone())));
                }
                if let Some(value) = value {
                    self.channel(pattern, value);
                    if matches!(value.kind, Kind::Object { .. } | Kind::List(_)) {
                        self.escape(value);
                    }
                    self.visit(value, Around { bound, ..Around::default() });
                }
            }
            Kind::Assignment { target, value, .. } => {
                let bound = match &target.kind {
                    Kind::Name(name) => Some(name.clone()),
                    _ => None,
                };
                // A field or what the caller gets (`out`), for want of a declaration.
                if let Some(name) = bound.as_ref().filter(|name| self.is_outside(name)) {
                    self.flow.escapes.push((name.clone(), target.bytes));
                }
                if bound.is_none() {
                    self.escape(value);
                    self.visit(target, Around::of(Fate::Used));
                }
                self.visit(value, Around { bound, ..Around::default() });
            }
            Kind::Function(function) => {
                let place = match function.form {
                    FunctionForm::Declared | FunctionForm::Method => FunctionPlace::Named,
                    _ if around.fate == Fate::Awaited && self.language == Language::Rust => FunctionPlace::Here,
                    _ if around.bound.is_some() => FunctionPlace::Named,
                    _ => FunctionPlace::Kept,
                };
                self.function(node, function, place, around.bound);
            }
            Kind::Type(definition) => {
                let name = definition.name.as_ref().map(|name| name.text.clone());
                for field in &definition.fields {
                    if let Some(type_text) = &field.type_text {
                        self.typed(name.clone(), &field.name.text, type_text, field.name.bytes);
                    }
                }
                let outer = std::mem::replace(&mut self.owner, name);
                let scope = self.enter(node.bytes);
                node.children(&mut |child| self.visit(child, Around::of(Fate::Dropped)));
                self.scope = scope;
                self.owner = outer;
            }
            Kind::Block(all) => {
                self.block(all, node.bytes, around.fate, false);
            }
            Kind::Branch { subject, arms } => self.branch(node, subject.as_deref(), arms, around.fate),
            Kind::Conditional { test, then, otherwise } => {
                self.visit(test, Around::of(Fate::Used));
                let inner = Around { then: Vec::new(), then_given: Vec::new(), ..around };
                self.visit(then, inner.clone());
                self.visit(otherwise, inner);
            }
            Kind::Loop { test, body, .. } => {
                self.in_block(body, node.bytes, true, |this| {
                    test.iter().for_each(|test| this.visit(test, Around::of(Fate::Used)));
                    this.statements(body, Fate::Dropped);
                });
            }
            Kind::Try { body, handlers, otherwise, finally } => {
                let bytes = extent(body).unwrap_or(Bytes { start: node.bytes.start, end: node.bytes.start });
                self.flow.tries.push(FlowTry {
                    body: bytes,
                    handlers: handlers.iter().map(|handler| handler.bytes).collect(),
                    finally: extent(finally),
                    function: self.function,
                });
                self.block(body, bytes, around.fate, false);
                for handler in handlers {
                    self.block(&handler.body, handler.bytes, around.fate, false);
                }
                if let Some(bytes) = extent(otherwise) {
                    self.block(otherwise, bytes, around.fate, false);
                }
                if let Some(bytes) = extent(finally) {
                    self.block(finally, bytes, Fate::Dropped, false);
                }
            }
            Kind::Region { kind, resource, name, body } => {
                let bound = name.as_ref().and_then(bound_name);
                self.in_block(body, node.bytes, false, |this| {
                    if kind == LOCK {
                        this.lock(node, resource);
                    } else if let Some(route) = this.route(resource)
                        && let [name] = route.path.as_slice()
                    {
                        this.flow.held.push((name.clone(), node.bytes));
                    }
                    this.visit(resource, Around { fate: Fate::Held, bound, ..Around::default() });
                    this.statements(body, Fate::Dropped);
                });
            }
            Kind::Member { object, name, .. } if self.is_read(object, name) => {
                let call = Call {
                    receiver: Some(object.as_ref().clone()),
                    name: name.clone(),
                    arguments: Vec::new(),
                    block: None,
                    kind: CallKind::Plain,
                    optional: false,
                };
                self.call_with(node, &call, &around, Fate::Used);
            }
            Kind::Object { entries, .. } => {
                entries.iter().for_each(|entry| self.visit(&entry.value, Around::of(Fate::Used)));
            }
            _ => node.children(&mut |child| self.visit(child, Around::of(Fate::Used))),
        }
    }

    fn awaited(&mut self, node: &Node, inner: &Node, around: Around) {
        let calls = self.flow.calls.len();
        let fate = if around.fate == Fate::Held { Fate::Held } else { Fate::Awaited };
        let around = Around { fate, ..around };
        if self.language == Language::CSharp {
            self.flow.awaited.extend(names_in(inner).into_iter().map(|name| (name, node.bytes)));
        }
        // What stands in `await Promise.all([…])` is waited for as well.
        match &inner.kind {
            Kind::Call(call)
                if self.interests.gathers.contains(&call.name.text)
                    && call.arguments.iter().any(|argument| matches!(argument.value.kind, Kind::List(_))) =>
            {
                self.call_with(inner, call, &around, Fate::Awaited);
            }
            _ => self.visit(inner, around),
        }
        if !self.flow.calls.get(calls..).unwrap_or_default().iter().any(|call| call.bytes == inner.bytes) {
            self.flow.waits.push(node.bytes);
        }
    }

    fn jump(&mut self, node: &Node, kind: JumpKind, value: Option<&Node>) {
        let leave = match kind {
            JumpKind::Return => Some(LeaveKind::Return),
            JumpKind::Raise => Some(LeaveKind::Raise),
            _ => None,
        };
        if let Some(kind) = leave {
            self.flow.leaves.push(Leave { kind, bytes: node.bytes, function: self.function, block: self.block });
        }
        let Some(value) = value else { return };
        if kind == JumpKind::Return {
            self.escape(value);
        }
        self.visit(value, Around::of(if kind == JumpKind::Return { Fate::Awaited } else { Fate::Used }));
    }

    fn branch(&mut self, node: &Node, subject: Option<&Node>, arms: &[code::Arm], fate: Fate) {
        if let Some(subject) = subject {
            self.visit(subject, Around::of(Fate::Used));
        }
        for arm in arms {
            let bytes = match (&arm.test, extent(&arm.body)) {
                (Some(test), Some(body)) => test.bytes.to(body),
                (Some(test), None) => test.bytes,
                (None, Some(body)) => body,
                (None, None) => Bytes { start: node.bytes.end, end: node.bytes.end },
            };
            self.in_block(&arm.body, bytes, false, |this| {
                if let Some(test) = &arm.test {
                    this.visit(test, Around::of(Fate::Used));
                }
                this.statements(&arm.body, fate);
            });
        }
    }

    fn function(&mut self, node: &Node, function: &Function, place: FunctionPlace, bound: Option<String>) -> usize {
        let body = extent(&function.body).unwrap_or(Bytes { start: node.bytes.end, end: node.bytes.end });
        let parameters = function
            .parameters
            .iter()
            .map(|parameter| FlowParameter {
                names: pattern_names(&parameter.pattern),
                type_text: parameter.type_text.clone(),
                default: parameter.default.as_ref().and_then(|default| self.plain_value(default)),
            })
            .collect();
        for parameter in &function.parameters {
            if let (Pattern::Name(name), Some(type_text)) = (&parameter.pattern, &parameter.type_text) {
                self.typed(None, &name.text, type_text, node.bytes);
            }
        }
        self.flow.functions.push(FlowFunction {
            name: function.name.as_ref().map(|name| name.text.clone()).or(bound),
            owner: self.owner.clone(),
            bytes: node.bytes,
            body,
            parent: self.function,
            parameters,
            place,
            timing: if function.flavour == Flavour::Async { Timing::Async } else { Timing::Plain },
        });
        let index = self.flow.functions.len() - 1;
        let outer = std::mem::replace(&mut self.function, index);
        let scope = self.enter(node.bytes);
        for parameter in &function.parameters {
            if let Some(default) = &parameter.default {
                self.visit(default, Around::of(Fate::Used));
            }
        }
        function.decorators.iter().for_each(|decorator| self.visit(decorator, Around::of(Fate::Used)));
        // What the last statement gives is what the function gives, where the language has it so.
        let gives = match self.language {
            Language::Ruby | Language::Rust => true,
            _ => {
                function.form == FunctionForm::Arrow
                    && !matches!(function.body.first().map(|node| &node.kind), Some(Kind::Block(_)))
            }
        };
        let expression =
            gives && (function.body.len() == 1 || matches!(self.language, Language::Ruby | Language::Rust));
        let last = if expression && is_given(self.language, function, self.text, node) {
            Fate::Awaited
        } else {
            Fate::Dropped
        };
        self.block(&function.body, body.to(Bytes { start: node.bytes.end, end: node.bytes.end }), last, false);
        self.function = outer;
        self.scope = scope;
        index
    }

    fn call_with(&mut self, node: &Node, call: &Call, around: &Around, listed: Fate) {
        let carries = self.interests.carriers.contains(&call.name.text);
        let wanted = self.is_wanted(call);
        // Only what is kept and what calls stand before it ask for the names, which take a walk through the arguments.
        let asked = wanted || matches!(&call.receiver, Some(receiver) if !matches!(receiver.kind, Kind::Name(_)));
        let given: Vec<Vec<String>> = if asked {
            call.arguments.iter().map(|argument| names_in(&argument.value)).collect()
        } else {
            vec![Vec::new(); call.arguments.len()]
        };
        let mut below = Around {
            fate: if around.fate == Fate::Dropped { Fate::Dropped } else { Fate::Used },
            bound: if carries { around.bound.clone() } else { None },
            then: around.then.clone(),
            then_given: around.then_given.clone(),
        };
        if carries || self.language != Language::Rust {
            // `a().then(…)` waits for `a()` as the whole does.
            below.fate = around.fate;
        }
        if below.then.len() < NAMES {
            below.then.push(call.name.text.clone());
            below.then_given.extend(given.iter().flatten().take(NAMES.saturating_sub(below.then_given.len())).cloned());
        }
        let index = wanted.then(|| {
            let route = call.receiver.as_ref().and_then(|receiver| self.route(receiver));
            let callee = self.callee(call);
            self.flow.calls.push(FlowCall {
                name: call.name.text.clone(),
                name_bytes: call.name.bytes,
                bytes: node.bytes,
                on: route,
                callee,
                arguments: Vec::new(),
                given: None,
                function: self.function,
                block: self.block,
                made: if call.kind == CallKind::New { Making::New } else { Making::Call },
                fate: around.fate,
                bound: around.bound.clone(),
                then: around.then.clone(),
                then_given: around.then_given.clone(),
            });
            self.flow.calls.len() - 1
        });
        if let Some(receiver) = &call.receiver {
            match &receiver.kind {
                // `(async () => …)()`
                Kind::Function(function) if call.kind == CallKind::Value => {
                    self.function(receiver, function, FunctionPlace::Here, None);
                }
                _ => self.visit(receiver, below),
            }
        }
        let mut arguments = Vec::with_capacity(if wanted { call.arguments.len() } else { 0 });
        for ((at, argument), names) in call.arguments.iter().enumerate().zip(given) {
            let shape = self.argument(argument, at, index, listed);
            if index.is_some() {
                arguments.push(FlowArgument {
                    name: argument.name.as_ref().map(|name| name.text.clone()),
                    bytes: argument.value.bytes,
                    shape,
                    names,
                    lent: self.is_lent(argument.value.bytes),
                });
            }
        }
        match index.and_then(|index| self.flow.calls.get_mut(index)) {
            Some(call) => call.arguments = arguments,
            // What a call of no interest is given whole is gone.
            None if call.kind != CallKind::Macro => {
                for argument in &call.arguments {
                    if let Kind::Name(name) = &argument.value.kind
                        && !self.is_lent(argument.value.bytes)
                    {
                        self.flow.given.push((name.clone(), argument.value.bytes));
                    }
                }
            }
            None => {}
        }
        if let Some(block) = &call.block {
            let place = index.map_or(FunctionPlace::Kept, |call| FunctionPlace::Given { call, at: None });
            let inner = Node::new(
                extent(&block.body).unwrap_or(Bytes { start: node.bytes.end, end: node.bytes.end }),
                Kind::Other(Vec::new()),
            );
            let function = self.function(&inner, block, place, None);
            if let Some(call) = index.and_then(|index| self.flow.calls.get_mut(index)) {
                call.given = Some(function);
            }
        }
    }

    fn argument(&mut self, argument: &Argument, at: usize, call: Option<usize>, listed: Fate) -> Shape {
        let value = &argument.value;
        match &value.kind {
            Kind::Function(function) => {
                let place = call.map_or(FunctionPlace::Kept, |call| FunctionPlace::Given { call, at: Some(at) });
                return Shape::Function(self.function(value, function, place, None));
            }
            Kind::List(items) => {
                for item in items {
                    self.visit(item, Around::of(listed));
                }
                return Shape::List;
            }
            _ => {}
        }
        let shape = self.shape(value);
        self.visit(value, Around::of(listed));
        shape
    }

    /// Enters the scope that has these bytes, if there is one, and returns the one before.
    fn enter(&mut self, bytes: Bytes) -> usize {
        let inner = self.scopes.get(&bytes).copied().unwrap_or(self.scope);
        std::mem::replace(&mut self.scope, inner)
    }

    /// Notes `lock (x) { … }` as a call of `lock` in the block that it holds.
    fn lock(&mut self, node: &Node, resource: &Node) {
        let start = node.bytes.start as usize;
        let name_bytes = Bytes::new(start, start + LOCK.len());
        self.flow.calls.push(FlowCall {
            name: LOCK.to_owned(),
            name_bytes,
            bytes: name_bytes,
            on: self.route(resource),
            callee: None,
            arguments: Vec::new(),
            given: None,
            function: self.function,
            block: self.block,
            made: Making::Call,
            fate: Fate::Held,
            bound: None,
            then: Vec::new(),
            then_given: Vec::new(),
        });
    }

    /// Notes a name that is given away whole.
    fn escape(&mut self, value: &Node) {
        match &value.kind {
            Kind::Name(name) => self.flow.escapes.push((name.clone(), value.bytes)),
            Kind::List(items) => items.iter().for_each(|item| self.escape(item)),
            Kind::Object { entries, .. } => entries.iter().for_each(|entry| self.escape(&entry.value)),
            _ => {}
        }
    }

    /// Notes `let (tx, rx) = channel();`.
    fn channel(&mut self, pattern: &Pattern, value: &Node) {
        if let Pattern::List(ends) = pattern
            && let [Pattern::Name(sends), Pattern::Name(receives)] = ends.as_slice()
            && let Kind::Call(call) = &value.kind
            && self.interests.channels.contains(&call.name.text)
        {
            self.flow.channels.push((sends.text.clone(), receives.text.clone()));
        }
    }

    fn typed(&mut self, owner: Option<String>, name: &str, type_text: &str, bytes: Bytes) {
        let mut words = type_text.split(|c: char| !c.is_alphanumeric() && c != '_');
        if owner.is_some() || words.any(|word| self.interests.types.contains(word)) {
            let type_text = type_text.to_owned();
            self.flow.typed.push(Typed { owner, name: name.to_owned(), type_text, bytes });
        }
    }

    /// Says whether a borrow mark stands before an expression: the view has none.
    fn is_lent(&self, bytes: Bytes) -> bool {
        let before = self.text.get(..bytes.start as usize).unwrap_or_default().trim_end_matches([' ', '*', '(']);
        let before = before.strip_suffix("mut").unwrap_or(before).trim_end();
        before.ends_with('&')
    }
}

/// Says whether the value of the last statement of a body is the function's.
fn is_given(language: Language, function: &Function, text: &str, node: &Node) -> bool {
    match language {
        Language::Ruby | Language::Rust => true,
        // `x => { f(); }` gives nothing, `x => f()` does: only a bracket tells.
        _ => {
            let bracket = text.get(..node.bytes.end as usize).unwrap_or_default().ends_with('}');
            let whole = function.body.last().is_some_and(|last| last.bytes.end == node.bytes.end);
            function.form == FunctionForm::Arrow && (!bracket || whole)
        }
    }
}
