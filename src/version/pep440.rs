//! The order of PEP 440, as the Python package `packaging` computes it: epoch, release, pre, post, dev, local.

use super::number::Number;

/// The fields are compared in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    epoch: Number,
    /// Without trailing zeros.
    release: Vec<Number>,
    pre: Pre,
    post: Option<Number>,
    dev: Dev,
    local: Option<Vec<Local>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pre {
    /// `1.0.dev1` stands below `1.0a1`.
    OnlyDev,
    Phase(Phase, Number),
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Alpha,
    Beta,
    Candidate,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Dev {
    Number(Number),
    None,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Local {
    Word(String),
    Number(Number),
}

/// Longer spellings stand before the words that begin them.
const PHASES: [(&str, Phase); 8] = [
    ("alpha", Phase::Alpha),
    ("a", Phase::Alpha),
    ("beta", Phase::Beta),
    ("b", Phase::Beta),
    ("preview", Phase::Candidate),
    ("pre", Phase::Candidate),
    ("rc", Phase::Candidate),
    ("c", Phase::Candidate),
];

pub(super) fn parse(text: &str) -> Option<Key> {
    let lower = text.to_ascii_lowercase();
    let text = lower.strip_prefix('v').unwrap_or(&lower);
    let (public, local) = text.split_once('+').map_or((text, None), |(public, local)| (public, Some(local)));
    let local = match local {
        Some(local) => Some(local.split(['.', '_', '-']).map(local_part).collect::<Option<Vec<_>>>()?),
        None => None,
    };
    let (epoch, public) = match public.split_once('!') {
        Some((epoch, public)) => (Number::parse(epoch)?, public),
        None => (Number::zero(), public),
    };
    let mut rest = Rest(public);
    let mut release = vec![rest.number()?];
    while let Some(part) = rest.strip('.').and_then(|mut after| Some((after.number()?, after))) {
        release.push(part.0);
        rest = part.1;
    }
    let kept = release.iter().rposition(|part| !part.is_zero()).map_or(0, |at| at + 1);
    release.truncate(kept);
    let phase = PHASES.iter().find_map(|(word, phase)| rest.labelled(word).map(|number| (*phase, number)));
    let post = rest.implicit_post().or_else(|| ["post", "rev", "r"].iter().find_map(|word| rest.labelled(word)));
    let dev = rest.labelled("dev").map_or(Dev::None, Dev::Number);
    if !rest.0.is_empty() {
        return None;
    }
    let pre = match (phase, &post, &dev) {
        (Some((phase, number)), _, _) => Pre::Phase(phase, number),
        (None, None, Dev::Number(_)) => Pre::OnlyDev,
        (None, _, _) => Pre::None,
    };
    Some(Key { epoch, release, pre, post, dev, local })
}

fn local_part(part: &str) -> Option<Local> {
    if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    Some(Number::parse(part).map_or_else(|| Local::Word(part.to_owned()), Local::Number))
}

/// What of a version is not read yet.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn strip(self, first: char) -> Option<Self> {
        self.0.strip_prefix(first).map(Self)
    }

    fn number(&mut self) -> Option<Number> {
        let end = self.0.find(|next: char| !next.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at_checked(end)?;
        let number = Number::parse(digits)?;
        self.0 = rest;
        Some(number)
    }

    fn skip_separator(&mut self) {
        self.0 = self.0.strip_prefix(['.', '_', '-']).unwrap_or(self.0);
    }

    /// `[._-]? word [._-]? digits?`, so `1.0rc.` is a version too; a missing number is 0.
    fn labelled(&mut self, word: &str) -> Option<Number> {
        let mut rest = *self;
        rest.skip_separator();
        rest.0 = rest.0.strip_prefix(word)?;
        rest.skip_separator();
        let number = rest.number().unwrap_or_else(Number::zero);
        *self = rest;
        Some(number)
    }

    /// `1.0-1` is `1.0.post1`.
    fn implicit_post(&mut self) -> Option<Number> {
        let mut rest = self.strip('-')?;
        let number = rest.number()?;
        *self = rest;
        Some(number)
    }
}
