//! The hash by which GitHub recognises the line of an alert across commits, as its upload action computes it.
//!
//! Source: github/codeql-action, src/fingerprints.ts at 0225834. A value of our own would make that action warn of a
//! mismatch for every result.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many UTF-16 units, from the start of a line on, enter its hash.
const BLOCK: u32 = 100;
const FACTOR: u64 = 37;
/// Stands for the end of the file; zeros follow.
const END: u64 = 65535;

/// Returns the value of each line (1-based) in `wanted` that `text` has.
pub(super) fn line_hashes(text: &[u8], wanted: &BTreeSet<u32>) -> BTreeMap<u32, String> {
    let text = String::from_utf8_lossy(text);
    let mut raw = BTreeMap::new();
    each_line(&text, |line, hash| {
        if wanted.contains(&line) {
            raw.insert(line, hash);
        }
    });
    // Equal hashes are numbered in the order of their lines. Counting only those asked for, in a second pass, keeps
    // the memory independent of the file.
    let mut counts: BTreeMap<u64, u64> = raw.values().map(|hash| (*hash, 0)).collect();
    let mut values = BTreeMap::new();
    each_line(&text, |line, hash| {
        if let Some(count) = counts.get_mut(&hash) {
            *count += 1;
            if raw.contains_key(&line) {
                values.insert(line, format!("{hash:x}:{count}"));
            }
        }
    });
    values
}

/// One unit in the window, with the number of the line that it begins.
#[derive(Clone, Copy)]
struct Unit {
    value: u64,
    begins: Option<u32>,
}

struct Window {
    units: VecDeque<Unit>,
    hash: u64,
    /// What the unit that leaves the window has been multiplied by.
    leaving: u64,
}

impl Window {
    /// Moves the window by one unit, and returns the line whose units it held with their hash.
    fn push(&mut self, unit: Unit) -> Option<(u32, u64)> {
        let gone = self.units.pop_front()?;
        let done = gone.begins.map(|line| (line, self.hash));
        self.hash =
            self.hash.wrapping_mul(FACTOR).wrapping_add(unit.value).wrapping_sub(self.leaving.wrapping_mul(gone.value));
        self.units.push_back(unit);
        done
    }
}

fn each_line(text: &str, mut visit: impl FnMut(u32, u64)) {
    let empty = Unit { value: 0, begins: None };
    let mut window = Window {
        units: std::iter::repeat_n(empty, BLOCK as usize).collect(),
        hash: 0,
        leaving: FACTOR.wrapping_pow(BLOCK),
    };
    let mut line = 0;
    let mut at_start = true;
    let mut after_cr = false;
    let units = text.encode_utf16().map(u64::from).chain([END]);
    for unit in units {
        let follows_cr = std::mem::take(&mut after_cr);
        let value = match u8::try_from(unit) {
            Ok(b' ' | b'\t') => continue,
            Ok(b'\n') if follows_cr => continue,
            Ok(b'\r') => {
                after_cr = true;
                u64::from(b'\n')
            }
            _ => unit,
        };
        let begins = at_start.then(|| {
            line += 1;
            line
        });
        at_start = value == u64::from(b'\n');
        if let Some((line, hash)) = window.push(Unit { value, begins }) {
            visit(line, hash);
        }
    }
    for _ in 0..BLOCK {
        if let Some((line, hash)) = window.push(empty) {
            visit(line, hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let wanted = (1..10_000).collect();
        line_hashes(text.as_bytes(), &wanted).into_values().collect()
    }

    /// The definition without a rolling sum: for each line, Horner's scheme over its next hundred units.
    fn plain(text: &str) -> Vec<String> {
        let joined = text.replace("\r\n", "\n").replace('\r', "\n");
        let rows: Vec<&str> = joined.split('\n').collect();
        let mut seen: Vec<u64> = Vec::new();
        (0..rows.len())
            .map(|row| {
                let tail = rows[row..].join("\n");
                let mut units: Vec<u64> =
                    tail.encode_utf16().filter(|unit| *unit != 32 && *unit != 9).map(u64::from).collect();
                units.push(65535);
                units.resize(100.max(units.len()), 0);
                let hash = units[..100].iter().fold(0u64, |sum, unit| sum.wrapping_mul(37).wrapping_add(*unit));
                seen.push(hash);
                format!("{hash:x}:{}", seen.iter().filter(|other| **other == hash).count())
            })
            .collect()
    }

    #[test]
    fn values_are_those_of_the_upload_action() {
        // Expected values: github/codeql-action, src/fingerprints.test.ts at 06fb482.
        assert_eq!(all(""), ["c129715d7a2bc9a3:1"]);
        assert_eq!(
            all(" a\nb\n  \t\tc\n d"),
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]
        );
        let ended = [
            "e9496ae3ebfced30:1",
            "fb7c023a8b9ccb3f:1",
            "ce8ba1a563dcdaca:1",
            "e20e36e16fcb0cc8:1",
            "b3edc88f2938467e:1",
            "c8e28b0b4002a3a0:1",
            "c129715d7a2bc9a3:1",
        ];
        for text in [
            " hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n",
            " hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r",
            " hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n",
            " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
        ] {
            assert_eq!(all(text), ended, "{text:?}");
        }
        assert_eq!(
            all(&"Lorem ipsum dolor sit amet.\n".repeat(10)),
            [
                "a7f2ff13bc495cf2:1",
                "a7f2ff13bc495cf2:2",
                "a7f2ff13bc495cf2:3",
                "a7f2ff13bc495cf2:4",
                "a7f2ff13bc495cf2:5",
                "a7f2ff13bc495cf2:6",
                "a7f2ff1481e87703:1",
                "a9cf91f7bbf1862b:1",
                "55ec222b86bcae53:1",
                "cc97dc7b1d7d8f7b:1",
                "c129715d7a2bc9a3:1",
            ]
        );
    }

    #[test]
    fn only_lines_asked_for_are_given_with_their_true_count() {
        let text = "x\n".repeat(300);
        assert_eq!(
            line_hashes(text.as_bytes(), &BTreeSet::from([3, 900])).into_values().collect::<Vec<_>>(),
            [plain(&text)[2].clone()]
        );
    }

    #[test]
    fn invalid_bytes_count_as_one_replacement_each() {
        assert_eq!(
            line_hashes(b"a\xff\xfeb\nc", &BTreeSet::from([1, 2])).into_values().collect::<Vec<_>>(),
            plain("a\u{fffd}\u{fffd}b\nc")
        );
    }

    proptest::proptest! {
        #[test]
        fn rolling_and_plain_agree(text in "[ab\\t \\r\\né😀\u{ffff}]{0,400}") {
            proptest::prop_assert_eq!(all(&text), plain(&text));
        }

        #[test]
        fn rolling_and_plain_agree_on_long_lines(rows in proptest::collection::vec("[a-c ]{0,150}", 0..12), end in "(\\r\\n|\\n|\\r)") {
            let text = rows.join(&end);
            proptest::prop_assert_eq!(all(&text), plain(&text));
        }
    }
}
