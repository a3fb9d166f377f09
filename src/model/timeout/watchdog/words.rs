//! Words of commands, as the programs that they are for read them: options, addresses, times, lists of numbers.

use crate::knowledge::timeout::probes;
use crate::model::timeout::{Unit, span};
use crate::syntax::shell::{Item, Node, Word};

/// Rounds of a list of words.
pub(super) const ROUNDS: usize = 1_000;

/// Returns the name of a program without its directory.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

pub(super) fn is_one(list: &[String], word: &str) -> bool {
    list.iter().any(|own| own == word)
}

/// Options and assignments before the program of a wrapper.
pub(super) fn is_passed_over(text: &str) -> bool {
    text.starts_with('-') || text.split_once('=').is_some_and(|(name, _)| !name.contains('/'))
}

/// `kill -0` asks whether a process is there.
pub(super) fn is_question(arguments: &[String]) -> bool {
    let zero = arguments.iter().any(|word| word == "-0");
    zero || arguments.windows(2).any(|pair| matches!(pair, [option, signal] if option == "-s" && signal == "0"))
}

/// `-m`, `-m5`, `-sfm`, `--max-time`, `--max-time=5`.
pub(super) fn is_option(text: &str, name: &str) -> bool {
    if name.starts_with("--") {
        return text == name || text.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
    }
    let glued =
        text.strip_prefix(name).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    glued || ends_in(text, name)
}

/// Several letters behind one dash, the last of which is this option.
pub(super) fn ends_in(text: &str, name: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|letters| letters.bytes().all(|byte| byte.is_ascii_alphabetic()));
    letters
        .is_some_and(|letters| letters.len() > 1 && name.strip_prefix('-').is_some_and(|name| letters.ends_with(name)))
}

/// An address of this machine.
#[derive(Clone, Copy)]
pub(super) struct Local {
    pub port: Option<u16>,
}

/// Reads an address; nothing for one of another machine.
pub(super) fn local(text: &str) -> Option<Local> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if !probes().local.hosts.iter().any(|known| known == host) {
        return None;
    }
    // A port that is not known may be any.
    let port = match port {
        Some(port) => Some(port.parse().ok()?),
        None => None,
    };
    Some(Local { port })
}

pub(super) fn time(text: &str) -> Option<u64> {
    span::read(text, Unit::SecondsOrSpan).map(|read| read.milliseconds)
}

/// `1 5`, `5`, `1 2 9`.
pub(super) fn sequence(texts: &[Option<&str>]) -> Option<String> {
    let numbers: Option<Vec<i64>> = texts.iter().map(|text| text.and_then(|text| text.parse().ok())).collect();
    let (from, step, to) = match numbers?.as_slice() {
        [to] => (1, 1, *to),
        [from, to] => (*from, 1, *to),
        [from, step, to] if *step > 0 => (*from, *step, *to),
        _ => return None,
    };
    let step = usize::try_from(step).ok()?;
    let all: Vec<String> = (from..=to).step_by(step).take(ROUNDS).map(|number| number.to_string()).collect();
    Some(all.join(" "))
}

/// `{1..5}` and words.
pub(super) fn rounds(text: &str) -> Vec<String> {
    let range = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).and_then(|text| text.split_once(".."));
    if let Some((from, to)) = range
        && let Some(all) = sequence(&[Some(from), Some(to)])
    {
        return all.split(' ').map(str::to_owned).collect();
    }
    text.split_whitespace().map(str::to_owned).collect()
}

/// Says whether a list leaves the script, the function or the round it is in.
pub(super) fn leaves(items: &[Item]) -> bool {
    items.iter().any(|item| match &item.node {
        Node::Command(command) => {
            let name = command.words.first().and_then(Word::as_text);
            matches!(name.as_deref(), Some("exit" | "return" | "continue" | "break"))
        }
        Node::Group { list, subshell: false } => leaves(list),
        _ => false,
    })
}
