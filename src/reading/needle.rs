//! Needles: byte strings of which a group must all stand in a file before it is worth a parser's time.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use memchr::memmem::Finder;

/// The groups of all tables.
#[derive(Debug)]
pub struct Needles {
    /// What is searched for: of each group the needle that is met least.
    gates: Vec<Gate>,
    search: Option<AhoCorasick>,
}

/// One needle, and what must stand beside it.
#[derive(Debug)]
struct Gate {
    text: String,
    /// The other needles of each group that has this gate.
    beside: Vec<Vec<Finder<'static>>>,
    /// Gates that this one begins with: the search shows the longest.
    begins_with: Vec<usize>,
}

impl Needles {
    /// Compiles groups of needles.
    pub fn of(groups: &[Vec<String>]) -> Self {
        let mut by_gate: BTreeMap<&str, Vec<Vec<Finder<'static>>>> = BTreeMap::new();
        for group in groups {
            let Some(gate) = group.iter().max_by_key(|needle| rarity(needle)) else { continue };
            let beside = group.iter().filter(|needle| *needle != gate);
            let beside = beside.map(|needle| Finder::new(needle.as_bytes()).into_owned()).collect();
            by_gate.entry(gate).or_default().push(beside);
        }
        let mut gates: Vec<Gate> = by_gate
            .into_iter()
            .map(|(text, beside)| Gate { text: text.to_owned(), beside, begins_with: Vec::new() })
            .collect();
        // Of two that begin alike, the search takes the first: the longer one must come first to be seen at all.
        gates.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then_with(|| a.text.cmp(&b.text)));
        let texts: Vec<String> = gates.iter().map(|gate| gate.text.clone()).collect();
        for gate in &mut gates {
            let begun = texts.iter().enumerate().filter(|(_, text)| gate.text.starts_with(text.as_str()));
            gate.begins_with = begun.map(|(at, _)| at).collect();
        }
        // Leftmost-first lets the crate use its packed search, 12 to 17 times faster than the standard kind.
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&texts).ok();
        Self { gates, search }
    }

    /// Says whether all needles of some group stand in the text.
    pub fn met(&self, text: &[u8]) -> bool {
        let Some(search) = &self.search else { return true };
        let mut tried = vec![false; self.gates.len()];
        let mut at = 0;
        // From the byte after the last match: needles may overlap.
        while let Some(found) = search.find(Input::new(text).range(at..)) {
            at = found.start() + 1;
            let begun = self.gates.get(found.pattern().as_usize()).into_iter().flat_map(|gate| &gate.begins_with);
            for &index in begun {
                let (Some(gate), Some(tried)) = (self.gates.get(index), tried.get_mut(index)) else { continue };
                if !std::mem::replace(tried, true)
                    && gate.beside.iter().any(|beside| beside.iter().all(|needle| needle.find(text).is_some()))
                {
                    return true;
                }
            }
            if tried.iter().all(|tried| *tried) {
                break;
            }
        }
        false
    }
}

/// Orders needles by how seldom they are met: a quote or a bracket tells more than letters do.
fn rarity(needle: &str) -> (bool, usize) {
    (needle.bytes().any(|byte| !byte.is_ascii_alphanumeric() && byte != b'_'), needle.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_needs_all_its_needles() {
        let group = |needles: &[&str]| needles.iter().map(|needle| (*needle).to_owned()).collect::<Vec<_>>();
        let needles = Needles::of(&[group(&["retry", "match"]), group(&["new Sequelize(", "Sequelize"])]);
        assert!(needles.met(b"a retry and a match"));
        assert!(!needles.met(b"retry retry"));
        // The longer needle hides the shorter one inside it.
        assert!(needles.met(b"x = new Sequelize(a)"));
        assert!(!needles.met(b"Sequelize"));
        let prefix = Needles::of(&[group(&["Sequelize", "Sequelize("])]);
        assert!(prefix.met(b"Sequelize(a)"));
        // Each begins inside the other.
        let overlapping = Needles::of(&[group(&["'retry"]), group(&["retry: {", "max"])]);
        assert!(Needles::of(&[group(&["'retry", "no"]), group(&["retry: {", "max"])]).met(b"'retry: { max }'"));
        assert!(overlapping.met(b"'retry"));
        assert!(!Needles::of(&[]).met(b"anything"));
    }
}
