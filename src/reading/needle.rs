//! Needles: byte strings of which a group must all stand in a file before it is worth a parser's time.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use memchr::memmem::Finder;

/// Groups of needles, in one or several sets.
#[derive(Debug)]
pub struct Needles {
    /// What is searched for: of each group the needle that is met least.
    gates: Vec<Gate>,
    /// Built for the first text: a run of a host alone searches few.
    search: OnceLock<Option<AhoCorasick>>,
}

/// Sets of groups, eight at most: bit n is the set n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sets(u8);

impl Sets {
    /// Returns the set `at` alone.
    pub fn only(at: usize) -> Self {
        Self(1_u8.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or_default())
    }

    pub fn has(self, at: usize) -> bool {
        self.0 & Self::only(at).0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One needle, and what must stand beside it.
#[derive(Debug)]
struct Gate {
    text: String,
    /// The set and the other needles of each group that has this gate.
    beside: Vec<(Sets, Vec<Finder<'static>>)>,
    /// Gates that this one begins with: the search shows the longest.
    begins_with: Vec<usize>,
}

impl Needles {
    /// Compiles one set of groups.
    pub fn of(groups: &[Vec<String>]) -> Self {
        Self::of_sets(&[groups])
    }

    /// Compiles several sets, which one search of a text tells apart.
    pub fn of_sets(sets: &[&[Vec<String>]]) -> Self {
        let mut by_gate: BTreeMap<&str, Vec<(Sets, Vec<Finder<'static>>)>> = BTreeMap::new();
        for (at, group) in sets.iter().enumerate().flat_map(|(at, set)| set.iter().map(move |group| (at, group))) {
            let Some(gate) = group.iter().max_by_key(|needle| rarity(needle)) else { continue };
            let beside = group.iter().filter(|needle| *needle != gate);
            let beside = beside.map(|needle| Finder::new(needle.as_bytes()).into_owned()).collect();
            by_gate.entry(gate).or_default().push((Sets::only(at), beside));
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
        Self { gates, search: OnceLock::new() }
    }

    fn search(&self) -> Option<&AhoCorasick> {
        let build = || {
            let texts = self.gates.iter().map(|gate| &gate.text);
            // Leftmost-first lets the crate use its packed search, 12 to 17 times faster than the standard kind.
            // Of the kinds for more needles than that takes, only this one looks at each byte once.
            let dense = Some(AhoCorasickKind::DFA);
            AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).kind(dense).build(texts).ok()
        };
        self.search.get_or_init(build).as_ref()
    }

    /// Says whether all needles of some group of the first set stand in the text.
    pub fn met(&self, text: &[u8]) -> bool {
        self.met_sets(text).has(0)
    }

    /// Returns the sets of which some group stands in the text. The search ends with the first set: if it is met, the
    /// others may be missing.
    pub fn met_sets(&self, text: &[u8]) -> Sets {
        let Some(search) = self.search() else { return Sets::only(0) };
        let mut met = Sets::default();
        let mut tried = vec![false; self.gates.len()];
        let mut left = self.gates.len();
        let mut at = 0;
        // From the byte after the last match: needles may overlap.
        while let Some(found) = search.find(Input::new(text).range(at..)) {
            at = found.start() + 1;
            let begun = self.gates.get(found.pattern().as_usize()).into_iter().flat_map(|gate| &gate.begins_with);
            for &index in begun {
                let (Some(gate), Some(tried)) = (self.gates.get(index), tried.get_mut(index)) else { continue };
                if std::mem::replace(tried, true) {
                    continue;
                }
                left -= 1;
                for (set, beside) in &gate.beside {
                    if met.and(*set) != met && beside.iter().all(|needle| needle.find(text).is_some()) {
                        met = met.and(*set);
                    }
                }
            }
            if left == 0 || met.has(0) {
                break;
            }
        }
        met
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

    #[test]
    fn one_search_tells_sets_apart() {
        let group = |needles: &[&str]| vec![needles.iter().map(|needle| (*needle).to_owned()).collect::<Vec<_>>()];
        let needles = Needles::of_sets(&[&group(&["retry", "axios"]), &group(&[".post("]), &group(&["retry"])]);
        let met = |text: &str| [0, 1, 2].map(|set| needles.met_sets(text.as_bytes()).has(set));
        assert_eq!(met("axios.post(1)"), [false, true, false]);
        assert_eq!(met("retry().post(1)"), [false, true, true]);
        assert!(needles.met(b"axios.post(retry)"));
        assert!(needles.met_sets(b"nothing").is_empty());
    }
}
