//! Calls: what is asked of `ENV`, of Ruby itself and of the process; methods of the file; all others are kept.

use super::machine::{Machine, Stop};
use super::number;
use super::run::{self, Standing};
use super::spelling;
use super::step::is_environment;
use super::value::{Evaluated, Source, Value, Why};
use crate::facts::ruby_config::{self, Argument, Block, Expression, ExpressionKind, JumpKind};
use crate::knowledge::ruby::{Answer, ruby};
use crate::source::Bytes;

/// What a call is given beside its positional arguments.
#[derive(Clone)]
pub(super) enum Callable<'a> {
    Block(&'a Block),
    /// `&:to_i`.
    Method(String),
}

/// The arguments of a call.
pub(super) struct Given<'a> {
    pub(super) positional: Vec<Evaluated>,
    pub(super) named: Vec<(String, Evaluated)>,
    pub(super) block: Option<Callable<'a>>,
    /// `*x` or `**x` that is not known stands among them.
    pub(super) open: bool,
}

impl<'a> Machine<'a> {
    pub(super) fn call(&mut self, call: &'a ruby_config::Call, whole: &'a Expression) -> Evaluated {
        let at = whole.bytes;
        if let Some(answer) = spelling::of(whole).and_then(|spelling| self.ask(&spelling, at)) {
            return answer;
        }
        let Some(receiver) = &call.receiver else { return self.bare(call, at) };
        if is_environment(receiver) {
            let given = self.given(&call.arguments, call.block.as_ref());
            return self.environment(call, &given, at);
        }
        let object = self.value(receiver);
        if self.stop.is_some() || call.safe && object.value == Value::Nil {
            return object;
        }
        let given = self.given(&call.arguments, call.block.as_ref());
        if self.stop.is_some() {
            return Evaluated::unknown(Why::Undecided, self.span(at));
        }
        if let Some(block) = &given.block {
            if let Some(result) = self.iterate(&object, &call.name, &given.positional, block, at) {
                return result;
            }
        } else if !given.open
            && let Some(result) = self.send(&object, &call.name, &given.positional, &given.named, at)
        {
            self.changed(receiver, call, &result);
            return result;
        }
        if object.why_of_known() {
            // A method of a text or a list that changes it, or may.
            self.lose(receiver, &call.name, at);
        }
        self.unknown(call, given, at)
    }

    /// Answers a question that a table knows.
    pub(super) fn ask(&mut self, spelling: &str, at: Bytes) -> Option<Evaluated> {
        let ask = ruby().ask(spelling)?;
        let span = self.span(at);
        let is_of = |kind: &str| ask.kinds.iter().any(|known| known == kind);
        let value = match ask.answer {
            Answer::Kind => match self.context.kind {
                Some(kind) => Value::Boolean(is_of(kind)),
                None => Value::Unknown(Why::Undecided),
            },
            Answer::Threads => match (self.context.kind, self.context.threads) {
                (Some(kind), Some(threads)) if is_of(kind) => {
                    let mut threads = threads.clone();
                    threads.origin.at = span;
                    return Some(threads.resting_on(&[Source::Threads { read_at: span }]));
                }
                _ => Value::Unknown(Why::NotUnderstood),
            },
            Answer::Stage => match self.context.stage {
                Some(stage) => Value::Stage(stage.to_owned()),
                None => Value::Unknown(Why::Variable),
            },
            Answer::Program => Value::Program,
            Answer::Processors => Value::Unknown(Why::Processors),
            Answer::Yes => Value::Boolean(true),
            Answer::No => Value::Boolean(false),
            Answer::Text => Value::Text(ask.value.clone()),
        };
        Some(Evaluated::literal(value, span))
    }

    fn given(&mut self, arguments: &'a [Argument], block: Option<&'a Block>) -> Given<'a> {
        let mut given =
            Given { positional: Vec::new(), named: Vec::new(), block: block.map(Callable::Block), open: false };
        for argument in arguments {
            match (&argument.name, &argument.value.kind) {
                (Some(name), _) => {
                    let value = self.value(&argument.value);
                    given.named.push((name.clone(), value));
                }
                (None, ExpressionKind::Spread(inner)) => match self.value(inner).value {
                    Value::List(items) => given.positional.extend(items),
                    _ => given.open = true,
                },
                (None, ExpressionKind::Operation { operator, operands }) if operator == "&" && operands.len() == 1 => {
                    match operands.first().map(|operand| &operand.kind) {
                        Some(ExpressionKind::Symbol(name)) => given.block = Some(Callable::Method(name.clone())),
                        _ => given.open = true,
                    }
                }
                (None, _) => {
                    let value = self.value(&argument.value);
                    given.positional.push(value);
                }
            }
            if self.stop.is_some() {
                break;
            }
        }
        given
    }

    /// A call without a receiver.
    fn bare(&mut self, call: &'a ruby_config::Call, at: Bytes) -> Evaluated {
        if let Some(answer) = self.own_method(call, at) {
            return answer;
        }
        let given = self.given(&call.arguments, call.block.as_ref());
        let span = self.span(at);
        if self.stop.is_some() {
            return Evaluated::unknown(Why::Undecided, span);
        }
        let may_be_nil =
            given.named.iter().any(|(name, value)| name == "exception" && value.value == Value::Boolean(false));
        let result = match (call.name.as_str(), given.positional.as_slice()) {
            ("Integer", [value]) => number::integer(&value.value, None).map(Value::Integer),
            ("Integer", [value, base]) => match &base.value {
                Value::Integer(base) => number::integer(&value.value, Some(*base)).map(Value::Integer),
                _ => Err(Why::NotUnderstood),
            },
            ("Float", [value]) => number::float(&value.value).map(Value::Float),
            ("String", [value]) => super::operation::to_text(&value.value).map(Value::Text),
            ("Array", [value]) => match &value.value {
                Value::Nil => Ok(Value::List(Vec::new())),
                Value::List(_) => return value.clone(),
                Value::Unknown(why) => Err(*why),
                Value::Hash(_) => Err(Why::NotUnderstood),
                _ => Ok(Value::List(vec![value.clone()])),
            },
            ("puts" | "p" | "pp" | "print" | "warn", _) => return Evaluated::literal(Value::Nil, span),
            ("loop", []) => {
                let body = call.block.as_ref().map(|block| block.body.as_slice()).unwrap_or_default();
                return self.any_number_of_times(None, &[], body, at);
            }
            ("lambda" | "proc", _) => return Evaluated::unknown(Why::NotUnderstood, span),
            _ => return self.unknown(call, given, at),
        };
        let result = match result {
            Err(Why::Raises) if may_be_nil => Ok(Value::Nil),
            result => result,
        };
        let from: Vec<&Evaluated> = given.positional.iter().collect();
        self.made(result, &from, at)
    }

    /// Calls a method that the file defines.
    fn own_method(&mut self, call: &'a ruby_config::Call, at: Bytes) -> Option<Evaluated> {
        let method = *self.methods.get(call.name.as_str())?;
        let span = self.span(at);
        let given = self.given(&call.arguments, call.block.as_ref());
        let required = method.parameters.iter().flatten().filter(|parameter| parameter.default.is_none()).count();
        let plain = given.named.is_empty() && given.block.is_none() && !given.open;
        let fits = (required..=method.parameters.len()).contains(&given.positional.len());
        if !plain || !fits || method.parameters.iter().any(Option::is_none) || self.stop.is_some() {
            return Some(Evaluated::unknown(Why::NotUnderstood, span));
        }
        let before = self.enter();
        let mut given = given.positional.into_iter();
        for parameter in method.parameters.iter().flatten() {
            let value = match (given.next(), &parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.value(default),
                (None, None) => Evaluated::literal(Value::Nil, span),
            };
            self.set(self.slot(&parameter.name), value);
        }
        let value = self.deeper(|this| this.sequence(&method.body, at));
        self.frame = before;
        let value = match (self.stop.take(), value) {
            (Some(Stop::Jump(JumpKind::Return, value)), _) | (None, Some(value)) => value,
            (stop, _) => {
                self.stop = stop.or(Some(Stop::Cut(span)));
                Evaluated::unknown(Why::Undecided, span)
            }
        };
        Some(value)
    }

    /// Keeps a call of something that is not evaluated.
    fn unknown(&mut self, call: &'a ruby_config::Call, given: Given<'a>, at: Bytes) -> Evaluated {
        let span = self.span(at);
        let given_nothing = given.positional.is_empty() && call.block.is_none();
        let runs = call.receiver.is_none() && ruby().words.unseen.contains(&call.name) && !given_nothing;
        // `Library.configure(self)`: what it calls on this file's behalf is not seen.
        let hands_on = |argument: &Argument| matches!(&argument.value.kind, ExpressionKind::Name(name) if name == ruby_config::SELF);
        if runs || call.arguments.iter().any(hands_on) {
            self.unseen.push(span);
        }
        let block = match given.block {
            Some(Callable::Block(block)) => Some(self.unknown_block(block, at)),
            _ => None,
        };
        if self.stop.is_none() {
            self.keep(run::Call {
                name: call.name.clone(),
                receiver: call.receiver.as_ref().map(|receiver| spelling::of(receiver).unwrap_or_default()),
                arguments: given.positional,
                named: given.named,
                span,
                name_span: self.span(call.name_bytes),
                standing: self.standing(),
                rests_on: self.control.clone(),
                block,
            });
        }
        Evaluated::unknown(Why::NotUnderstood, span)
    }

    /// Keeps a call that is written as an assignment.
    pub(super) fn note(
        &mut self,
        name: &str,
        object: Option<&Expression>,
        arguments: Vec<Evaluated>,
        at: Bytes,
        name_at: Bytes,
    ) {
        self.keep(run::Call {
            name: name.to_owned(),
            receiver: object.map(|object| spelling::of(object).unwrap_or_default()),
            arguments,
            named: Vec::new(),
            span: self.span(at),
            name_span: self.span(name_at),
            standing: self.standing(),
            rests_on: self.control.clone(),
            block: None,
        });
    }

    pub(super) fn require(&mut self, name: &str, at: Bytes) {
        let name = Evaluated::literal(Value::Text(name.to_owned()), self.span(at));
        self.note("require", None, vec![name], at, at);
    }

    fn standing(&self) -> Standing {
        if self.doubt > 0 { Standing::Perhaps } else { Standing::Made }
    }

    /// Carries out a block that something unknown calls, later or never.
    fn unknown_block(&mut self, block: &'a Block, at: Bytes) -> run::Block {
        let outer = std::mem::take(&mut self.calls);
        let raises = self.raises;
        let mut cut = None;
        self.perhaps(at, |this| {
            let doubt = std::mem::take(&mut this.doubt);
            let tries = std::mem::take(&mut this.tries);
            let control = std::mem::take(&mut this.control);
            for name in block.parameters.iter().flatten() {
                this.forget(this.slot(name), Why::NotUnderstood, at);
            }
            this.sequence(&block.body, at);
            cut = match this.stop.take() {
                Some(Stop::Cut(span) | Stop::Failure(span)) => Some(span),
                _ => None,
            };
            this.doubt = doubt;
            this.tries = tries;
            this.control = control;
        });
        self.raises = raises;
        run::Block { calls: std::mem::replace(&mut self.calls, outer), cut }
    }

    /// A method that changes its receiver and is known.
    fn changed(&mut self, receiver: &'a Expression, call: &'a ruby_config::Call, result: &Evaluated) {
        if let (ExpressionKind::Name(name), "push" | "append" | "concat") = (&receiver.kind, call.name.as_str()) {
            self.set(self.slot(name), result.clone());
        }
    }

    /// A method that may change its receiver and is not known.
    fn lose(&mut self, receiver: &'a Expression, name: &str, at: Bytes) {
        if let ExpressionKind::Name(variable) = &receiver.kind
            && (name.ends_with('!')
                || matches!(
                    name,
                    "replace"
                        | "clear"
                        | "insert"
                        | "prepend"
                        | "unshift"
                        | "delete"
                        | "delete_at"
                        | "shift"
                        | "pop"
                        | "merge"
                        | "update"
                        | "store"
                ))
        {
            self.forget(self.slot(variable), Why::NotUnderstood, at);
        }
    }
}

impl Evaluated {
    fn why_of_known(&self) -> bool {
        !self.is_unknown()
    }
}
