//! A shell script, gone through with a server that never answers, or always: which commands ask, wait and restart, in
//! which order and after how long. Runs nothing; a test that is not known does not leave the script, and what a command
//! that is not known comes to is taken to be well.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::arithmetic;
use super::words::{
    Local, ROUNDS, base, ends_in, is_one, is_option, is_passed_over, is_question, leaves, local, rounds, sequence, time,
};
use crate::knowledge::timeout::{Asker, probes};
use crate::source::Bytes;
use crate::syntax::Fragment;
use crate::syntax::shell::{self, Assignment, Command, Item, Joined, Node, Over, Part, Word};

/// Reactions after which nothing new is to be seen.
pub(super) const ACTS: usize = 6;
/// Commands that are gone through at most.
const STEPS: usize = 20_000;
/// Tries after which a script that has not reacted never will.
const ASKS: usize = 400;
/// Lists inside lists, functions inside functions.
const DEPTH: usize = 24;

/// What the server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Never,
    Always,
}

/// One try. Times are milliseconds since the script began.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub at: Bytes,
    pub program: String,
    pub port: Option<u16>,
    /// How long the try may take.
    pub limit: Option<u64>,
    pub soonest: u64,
    pub latest: Option<u64>,
}

/// A restart.
#[derive(Clone, Debug)]
pub(super) struct Act {
    pub at: Bytes,
    /// Tries before it.
    pub asks: usize,
    pub soonest: u64,
    pub latest: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Goes,
    Break,
    Continue,
    Return,
    Exit,
    /// A limit of ours.
    Stopped,
}

pub(super) struct Machine {
    answer: Answer,
    pub asks: Vec<Ask>,
    pub acts: Vec<Act>,
    /// The script came to its end.
    pub ended: bool,
    /// It asked inside a loop without an end of its own.
    pub loops: bool,
    soonest: u64,
    latest: Option<u64>,
    variables: BTreeMap<String, Option<String>>,
    functions: BTreeMap<String, Rc<Vec<Item>>>,
    status: Option<bool>,
    /// What the last substitution printed.
    printed: Option<String>,
    steps: usize,
    depth: usize,
}

impl Machine {
    /// Goes through a script.
    pub(super) fn run(list: &[Item], answer: Answer) -> Self {
        let mut machine = Self {
            answer,
            asks: Vec::new(),
            acts: Vec::new(),
            ended: false,
            loops: false,
            soonest: 0,
            latest: Some(0),
            variables: BTreeMap::new(),
            functions: BTreeMap::new(),
            status: Some(true),
            printed: None,
            steps: STEPS,
            depth: DEPTH,
        };
        machine.ended = machine.list(list) != Flow::Stopped;
        machine
    }

    fn list(&mut self, items: &[Item]) -> Flow {
        let Some(depth) = self.depth.checked_sub(1) else { return Flow::Goes };
        self.depth = depth;
        let flow = self.items(items);
        self.depth += 1;
        flow
    }

    fn items(&mut self, items: &[Item]) -> Flow {
        // The answer of a try whose output a pipe takes.
        let mut piped = None;
        for (index, item) in items.iter().enumerate() {
            let skipped = match (item.joined, self.status) {
                (Joined::And, Some(false)) | (Joined::Or, Some(true) | None) => true,
                (Joined::And, None) => leaves(std::slice::from_ref(item)),
                _ => false,
            };
            if skipped || item.tainted {
                continue;
            }
            let asked = self.asks.len();
            let flow = self.item(item);
            let pipes = items.get(index + 1).is_some_and(|next| next.joined == Joined::Pipe);
            if self.asks.len() > asked && pipes {
                piped = Some(self.answer == Answer::Always);
            }
            if item.joined == Joined::Pipe && !pipes {
                self.status = piped.take().or(self.status);
            }
            if flow != Flow::Goes {
                return flow;
            }
        }
        Flow::Goes
    }

    fn item(&mut self, item: &Item) -> Flow {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 || self.asks.len() >= ASKS || self.acts.len() >= ACTS {
            return Flow::Stopped;
        }
        match &item.node {
            Node::Command(command) => self.command(command),
            Node::Not(inner) => {
                let flow = self.item(inner);
                self.status = self.status.map(|status| !status);
                flow
            }
            Node::Group { list, subshell } => match self.list(list) {
                Flow::Exit | Flow::Return if *subshell => Flow::Goes,
                flow => flow,
            },
            Node::If { arms, otherwise } => {
                for arm in arms {
                    let flow = self.list(&arm.test);
                    if flow != Flow::Goes {
                        return flow;
                    }
                    let taken = self.status.unwrap_or_else(|| !leaves(&arm.body));
                    if taken {
                        return self.list(&arm.body);
                    }
                }
                self.status = Some(true);
                otherwise.as_deref().map_or(Flow::Goes, |list| self.list(list))
            }
            Node::Loop { kind: shell::LoopKind::For, over, body, .. } => self.each(over.as_deref(), body),
            Node::Loop { kind, list, body, .. } => self.repeated(*kind, list, body),
            Node::Case { arms, .. } => {
                for arm in arms.iter().filter(|arm| !leaves(arm)) {
                    if self.list(arm) == Flow::Stopped {
                        return Flow::Stopped;
                    }
                }
                self.status = None;
                Flow::Goes
            }
            Node::Function { name, body } => {
                self.functions.insert(name.clone(), Rc::new(body.clone()));
                Flow::Goes
            }
            Node::Arithmetic(text) => {
                self.status = self.compute(text).map(|value| value != 0);
                Flow::Goes
            }
            Node::Other => {
                self.status = None;
                Flow::Goes
            }
        }
    }

    fn each(&mut self, over: Option<&Over>, body: &[Item]) -> Flow {
        let mut values: Vec<Option<String>> = Vec::new();
        for word in over.map(|over| over.words.as_slice()).unwrap_or_default() {
            match self.word(word) {
                Some(text) => values.extend(rounds(&text).into_iter().map(Some)),
                None => values.push(None),
            }
        }
        if values.is_empty() {
            values.push(None);
        }
        for value in values.into_iter().take(ROUNDS) {
            if let Some(over) = over {
                self.variables.insert(over.name.clone(), value);
            }
            match self.list(body) {
                Flow::Goes | Flow::Continue => {}
                Flow::Break => break,
                flow => return flow,
            }
        }
        Flow::Goes
    }

    fn repeated(&mut self, kind: shell::LoopKind, list: &[Item], body: &[Item]) -> Flow {
        loop {
            let asked = self.asks.len();
            let flow = self.list(list);
            if flow != Flow::Goes {
                return flow;
            }
            let known = self.status.map(|status| status == (kind == shell::LoopKind::While));
            if known == Some(false) {
                self.status = Some(true);
                return Flow::Goes;
            }
            match self.list(body) {
                Flow::Goes | Flow::Continue => {}
                Flow::Break => return Flow::Goes,
                flow => return flow,
            }
            self.loops |= self.asks.len() > asked;
            // How often it goes on is not known: once shows what it does.
            if known.is_none() {
                return Flow::Goes;
            }
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                return Flow::Stopped;
            }
        }
    }

    fn command(&mut self, command: &Command) -> Flow {
        if command.words.is_empty() {
            self.status = Some(true);
            for assignment in &command.assignments {
                self.assign(assignment);
            }
            return Flow::Goes;
        }
        let mut words = Vec::new();
        for word in &command.words {
            self.fields(word, &mut words);
        }
        self.words(&words)
    }

    fn assign(&mut self, assignment: &Assignment) {
        let value = self.word(&assignment.value);
        let value = if assignment.append { None } else { value };
        self.variables.insert(assignment.name.clone(), value);
    }

    /// Runs words, wrappers taken off.
    fn words(&mut self, words: &[(Option<String>, Bytes)]) -> Flow {
        let script = &probes().script;
        let mut limit = None;
        let mut at = 0;
        while let Some(program) = words.get(at).and_then(|(text, _)| text.as_deref()) {
            match base(program) {
                name if is_one(&script.wrappers, name) && words.len() > at + 1 => {
                    at += 1;
                    while words.get(at).and_then(|(text, _)| text.as_deref()).is_some_and(is_passed_over) {
                        at += 1;
                    }
                }
                name if *name == script.limiter => {
                    at += 1;
                    while words.get(at).and_then(|(text, _)| text.as_deref()).is_some_and(|text| text.starts_with('-'))
                    {
                        at += 1;
                    }
                    limit = words.get(at).and_then(|(text, _)| time(text.as_deref()?));
                    at += 1;
                }
                _ => break,
            }
        }
        let rest = words.get(at..).unwrap_or_default();
        let Some(((program, place), arguments)) = rest.split_first() else { return Flow::Goes };
        let Some(program) = program.as_deref() else {
            self.status = None;
            return Flow::Goes;
        };
        self.program(base(program), *place, arguments, limit)
    }

    fn program(&mut self, program: &str, at: Bytes, arguments: &[(Option<String>, Bytes)], limit: Option<u64>) -> Flow {
        let texts: Vec<Option<&str>> = arguments.iter().map(|(text, _)| text.as_deref()).collect();
        if let Some(body) = self.functions.get(program).cloned() {
            return self.function(&body, arguments);
        }
        if let Some(asker) = probes().asker(program) {
            self.ask(asker, program, at, &texts, limit);
            return Flow::Goes;
        }
        let known: Vec<String> = texts.iter().flatten().map(|text| (*text).to_owned()).collect();
        if probes().acts(program, &known) && !is_question(&known) {
            let (soonest, latest) = (self.soonest, self.latest);
            self.acts.push(Act { at, asks: self.asks.len(), soonest, latest });
            self.status = Some(true);
            return Flow::Goes;
        }
        self.status = match program {
            "[" | "[[" | "test" => Self::test(&texts),
            "exit" => return Flow::Exit,
            "return" => {
                self.status = match texts.first() {
                    None => self.status,
                    Some(status) => status.map(|status| status == "0"),
                };
                return Flow::Return;
            }
            "break" => return Flow::Break,
            "continue" => return Flow::Continue,
            "false" => Some(false),
            name if is_one(&probes().script.harmless, name) => Some(true),
            "sleep" => {
                let pause = texts.first().copied().flatten().and_then(time);
                self.soonest = self.soonest.saturating_add(pause.unwrap_or(0));
                self.latest = self.latest.zip(pause).map(|(latest, pause)| latest.saturating_add(pause));
                Some(true)
            }
            "let" => texts.first().copied().flatten().and_then(|text| self.compute(text)).map(|value| value != 0),
            "export" | "local" | "declare" | "typeset" | "readonly" => {
                for text in texts.iter().flatten() {
                    if let Some((name, value)) = text.split_once('=') {
                        self.variables.insert(name.to_owned(), Some(value.to_owned()));
                    }
                }
                Some(true)
            }
            name if is_one(&probes().script.shells, name) => return self.inner_shell(arguments),
            "expr" => {
                let sum: Option<Vec<&str>> = texts.iter().copied().collect();
                self.printed = sum.and_then(|words| self.compute(&words.join(" "))).map(|value| value.to_string());
                None
            }
            "seq" => {
                self.printed = sequence(&texts);
                Some(true)
            }
            _ => None,
        };
        Flow::Goes
    }

    fn function(&mut self, body: &[Item], arguments: &[(Option<String>, Bytes)]) -> Flow {
        let mut before = Vec::new();
        for (index, (text, _)) in arguments.iter().enumerate().take(9) {
            let name = (index + 1).to_string();
            before.push((name.clone(), self.variables.insert(name, text.clone())));
        }
        let flow = self.list(body);
        for (name, value) in before {
            match value {
                Some(value) => self.variables.insert(name, value),
                None => self.variables.remove(&name),
            };
        }
        if flow == Flow::Return { Flow::Goes } else { flow }
    }

    /// `sh -c 'text'`.
    fn inner_shell(&mut self, arguments: &[(Option<String>, Bytes)]) -> Flow {
        let mut words = arguments.iter();
        let reads = words.by_ref().find(|(text, _)| {
            text.as_deref().is_some_and(|text| text.starts_with('-') && !text.starts_with("--") && text.contains('c'))
        });
        let script = words.next().filter(|_| reads.is_some());
        self.status = None;
        let Some((Some(text), bytes)) = script else { return Flow::Goes };
        let mut fragment = Fragment::default();
        fragment.push(text, *bytes);
        match self.list(&shell::parse(&fragment).tree) {
            Flow::Exit => Flow::Goes,
            flow => flow,
        }
    }

    fn ask(&mut self, asker: &Asker, program: &str, at: Bytes, texts: &[Option<&str>], around: Option<u64>) {
        let mut limit = around;
        let mut address = None;
        let mut code = false;
        let mut words = texts.iter();
        while let Some(word) = words.next() {
            let Some(text) = word else { continue };
            if let Some(name) = asker.limits.iter().find(|name| is_option(text, name)) {
                let own = if text.len() > name.len() && !ends_in(text, name) {
                    text.get(name.len()..).map(|rest| rest.trim_start_matches('='))
                } else {
                    words.next().copied().flatten()
                };
                limit = own.and_then(time).or(limit);
            } else if asker.with_value.iter().any(|name| name == text) {
                let value = words.next().copied().flatten().unwrap_or_default();
                code |= !asker.code.is_empty() && value.contains(&asker.code);
            } else if !text.starts_with('-') {
                address = address.or_else(|| local(text));
            }
        }
        self.printed = None;
        let Some(Local { port }) = address else {
            self.status = None;
            return;
        };
        let (soonest, latest) = (self.soonest, self.latest);
        self.asks.push(Ask { at, program: program.to_owned(), port, limit, soonest, latest });
        if self.answer == Answer::Never {
            self.latest = self.latest.zip(limit).map(|(latest, limit)| latest.saturating_add(limit));
        }
        self.printed = match (self.answer, code) {
            (Answer::Never, true) => Some("000".to_owned()),
            (Answer::Never, false) => Some(String::new()),
            (Answer::Always, true) => Some("200".to_owned()),
            (Answer::Always, false) => None,
        };
        self.status = Some(self.answer == Answer::Always);
    }

    fn test(words: &[Option<&str>]) -> Option<bool> {
        match words {
            [Some("!"), rest @ ..] => Self::test(rest).map(|status| !status),
            [Some("-z"), text] => text.map(str::is_empty),
            [Some("-n"), text] => text.map(|text| !text.is_empty()),
            [one, Some(operator), other] => {
                let (one, other) = ((*one)?, (*other)?);
                let numbers = || Some((one.trim().parse::<i64>().ok()?, other.trim().parse::<i64>().ok()?));
                match *operator {
                    "=" | "==" => Some(one == other),
                    "!=" => Some(one != other),
                    "-eq" => numbers().map(|(one, other)| one == other),
                    "-ne" => numbers().map(|(one, other)| one != other),
                    "-ge" => numbers().map(|(one, other)| one >= other),
                    "-gt" => numbers().map(|(one, other)| one > other),
                    "-le" => numbers().map(|(one, other)| one <= other),
                    "-lt" => numbers().map(|(one, other)| one < other),
                    "=~" if other.starts_with("^2") || other.starts_with("^[2") => Some(one.starts_with('2')),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn compute(&mut self, text: &str) -> Option<i64> {
        let read = |name: &str| self.variables.get(name)?.as_ref()?.trim().parse().ok();
        let (value, set) = arithmetic::evaluate(text, &read);
        if let Some((name, new)) = set {
            self.variables.insert(name, new.map(|new| new.to_string()));
        }
        value
    }

    /// Returns the text of a word, if all of it is known.
    fn word(&mut self, word: &Word) -> Option<String> {
        let mut whole = Some(String::new());
        for part in &word.parts {
            let next = match part {
                Part::Text { text, .. } => Some(text.clone()),
                Part::Variable { name, operator, argument, .. } => {
                    self.variable(name, operator.as_deref(), argument.as_deref())
                }
                Part::Arithmetic(text) => self.compute(text).map(|value| value.to_string()),
                Part::Substitution { list, .. } => self.substituted(list),
            };
            whole = whole.zip(next).map(|(before, after)| before + &after);
        }
        whole
    }

    fn substituted(&mut self, list: &[Item]) -> Option<String> {
        self.printed = None;
        // `exit` leaves the substitution alone.
        self.list(list);
        self.printed.take()
    }

    fn variable(&mut self, name: &str, operator: Option<&str>, argument: Option<&Word>) -> Option<String> {
        if name == "?" {
            return self.status.map(|status| if status { "0" } else { "1" }.to_owned());
        }
        let known = self.variables.get(name).cloned();
        match (known, operator) {
            (Some(value), None | Some(":-" | "-" | ":=" | "=" | ":?" | "?")) => value,
            (None, Some(":-" | "-" | ":=" | "=")) => argument.and_then(|word| self.word(word)),
            _ => None,
        }
    }

    /// Adds the words that a command sees for a written one.
    fn fields(&mut self, word: &Word, into: &mut Vec<(Option<String>, Bytes)>) {
        let bare = matches!(word.parts.as_slice(), [Part::Variable { quoted: false, .. }]);
        match self.word(word) {
            Some(text) if bare => into.extend(text.split_whitespace().map(|text| (Some(text.to_owned()), word.bytes))),
            text => into.push((text, word.bytes)),
        }
    }
}
