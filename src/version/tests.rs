//! The orders against what the registries' own tools say: RubyGems 3.3.15, packaging 26.4, npm semver 7.

use proptest::prelude::*;

use super::*;

/// One rank a line, lowest first; versions on one line are equal.
const GEM_RANKS: &str = "\
0.a
0 0.0.0
1.0.A
1.0.Z
1.0.a.b
1.0.a.0.b
1.a 1.0.a 1.0.0.a 1.0.a.0
1.0.a1 1.0.a.1
1.0.a.2
1.0.a10 1.0.a.10
1.0.b
1.0.beta2
1.0.0-alpha
1.0-rc1
1.0.pre
1.0.pre1 1.0-1
1.0.rc1 1.0.rc.1
1.0.rc2
1 1.0 1.0.0
1.0.0.1
1.0.1.a
1.0.1
1.1a2b
1.1
1.2b3 1.2.b3 1.2.b.3
01.2 1.2
1.2.3.4.5
1.9
1.10
2.0.0.pre
2.0.0.pre.1
2.0.0.pre.2
7.0.8
7.1.0.beta1
7.1.0.rc2
7.1.0
99999999999999999999999";

const PYPI_RANKS: &str = "\
0 0.0
1.0.dev0 1.0.dev
1.0.dev1
1.0a 1.0a0 1.0a. 1.0a-
1.0a1.dev1
1.0a1 1.0alpha1 1.0.a.1 1.0-a_1
1.0a1.post1.dev2
1.0a1.post1
1.0beta
1.0b1
1.0.rc1.dev1
1.0c1 1.0rc1 1.0pre1 1.0preview1 1.0rc.1
1.0rc1.post1
1 1.0 1.0.0 0!1.0 v1.0 V1.0
1.0+abc
1.0+abc.5 1.0+ABC-5
1.0+abc.10
1.0+local
1.0+0.1
1.0+5
1.0.post0 1.0.post
1.0.post1.dev1
1.0-1 1.0-r1 1.0rev1
1.0.0.0.1
1.0.1
1.1
1.9
1.10
2024.1.1
20240101
99999999999999999999999
1!0.5";

const NPM_RANKS: &str = "\
0.0.0
1.0.0-0
1.0.0-1
1.0.0-2
1.0.0-10
1.0.0--1
1.0.0-1a
1.0.0-A
1.0.0-Z
1.0.0-a
1.0.0-a-b
1.0.0-alpha
1.0.0-alpha.1
1.0.0-alpha.1.1
1.0.0-alpha.beta
1.0.0-beta
1.0.0-beta.2
1.0.0-beta.11
1.0.0-rc.1 1.0.0-rc.1+b
1.0.0-rc1
1.0.0-rc10
1.0.0-rc2
1.0.0 1.0.0+build
1.0.1
1.1.0
1.2.3beta 1.2.3-beta
v1.2.3 1.2.3 =1.2.3 01.02.03
1.9.0
1.10.0
2.0.0
6.37.8
7.0.0-alpha.9
7.0.0-alpha.48
7.0.0-alpha.49";

fn version(ecosystem: Ecosystem, text: &str) -> Version {
    Version::parse(ecosystem, text).unwrap_or_else(|| panic!("{text} is a version"))
}

fn check_ranks(ecosystem: Ecosystem, table: &str) {
    let ranked: Vec<(usize, Version)> = table
        .lines()
        .enumerate()
        .flat_map(|(rank, line)| line.split_whitespace().map(move |text| (rank, version(ecosystem, text))))
        .collect();
    for (left_rank, left) in &ranked {
        for (right_rank, right) in &ranked {
            assert_eq!(left.cmp(right), left_rank.cmp(right_rank), "{left} against {right}");
        }
    }
}

#[test]
fn gems_are_ordered_as_rubygems_orders_them() {
    check_ranks(Ecosystem::RubyGems, GEM_RANKS);
}

#[test]
fn pypi_versions_are_ordered_as_packaging_orders_them() {
    check_ranks(Ecosystem::PyPi, PYPI_RANKS);
}

#[test]
fn npm_versions_are_ordered_as_semver_orders_them() {
    check_ranks(Ecosystem::Npm, NPM_RANKS);
}

#[test]
fn crates_are_ordered_by_precedence() {
    // crates.io has no `v1.2.3`, no `1.2.3beta`.
    let strict = |text: &&str| !text.starts_with(['v', '=']) && *text != "1.2.3beta";
    let ranks = NPM_RANKS.lines().map(|line| line.split(' ').filter(strict).collect::<Vec<_>>().join(" "));
    check_ranks(Ecosystem::Crates, &ranks.collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_a_registry_refuses_is_no_version() {
    let refused = [
        (
            Ecosystem::RubyGems,
            &["", "abc", "1.", "1..0", ".1", "1.0+2", "v1.0", "1.0 1", "1_0", ">= 1", "1.0-", "1.0-.a", "1.0!"][..],
        ),
        (
            Ecosystem::PyPi,
            &[
                "",
                "abc",
                "1.0-",
                "1.0.",
                "1..0",
                "1.0+",
                "1.0+a..b",
                "1.0x",
                "latest",
                "1.0-alpha-beta",
                "1.0post1a1",
                "==1.0",
                "1.*",
                "1.0 0",
                "1!",
                "1!!0",
                "1.0+ü",
            ],
        ),
        (
            Ecosystem::Npm,
            &["", "latest", "1.2.3.4", "^1.0.0", "1.2.x", "1.2.3+", "1.2.3-a..b", "file:x", "1.2.3 4", "a.b.c", "1.-2"],
        ),
        (Ecosystem::Crates, &["", "v1.2.3", "=1.2.3", "1.2.3beta", "1.2.3-", "1..2", "1.2.", "*"]),
    ];
    for (ecosystem, texts) in refused {
        for text in texts {
            assert!(Version::parse(ecosystem, text).is_none(), "{text:?} on {}", ecosystem.name());
        }
    }
    assert!(Version::parse(Ecosystem::Npm, &format!("1.0.0-{}", "a".repeat(300))).is_none());
}

#[test]
fn missing_parts_are_zero_and_the_text_stays_as_written() {
    assert_eq!(version(Ecosystem::Npm, "7"), version(Ecosystem::Npm, "7.0.0"));
    assert_eq!(version(Ecosystem::Crates, "1.2"), version(Ecosystem::Crates, "1.2.0"));
    assert_eq!(version(Ecosystem::PyPi, " v1.0.RC-1 ").to_string(), "v1.0.RC-1");
    assert_ne!(version(Ecosystem::Npm, "1.0.0"), version(Ecosystem::Crates, "1.0.0"));
}

fn inside(ecosystem: Ecosystem, range: &str, text: &str) -> bool {
    let range = Requirement::parse(ecosystem, range).unwrap_or_else(|| panic!("{range} is a range"));
    range.matches(&version(ecosystem, text))
}

#[test]
fn requirements_compare_by_plain_order() {
    let fixed = ">= 6, < 7.0.0-alpha.49";
    assert!(inside(Ecosystem::Npm, fixed, "6.37.8"));
    assert!(inside(Ecosystem::Npm, fixed, "7.0.0-alpha.48"));
    assert!(!inside(Ecosystem::Npm, fixed, "7.0.0-alpha.49"));
    assert!(!inside(Ecosystem::Npm, fixed, "6.0.0-rc.1"));
    assert!(!inside(Ecosystem::Npm, fixed, "7.0.0"));
    assert!(inside(Ecosystem::RubyGems, "< 7", "7.0.0.alpha"));
    assert!(inside(Ecosystem::RubyGems, "= 7.1", "7.1.0"));
    assert!(inside(Ecosystem::PyPi, "<1||>2", "2.0.post1"));
    assert!(!inside(Ecosystem::PyPi, "<1||>2", "2.0"));
    assert!(inside(Ecosystem::Crates, "<=1.2", "1.2.0"));
    assert!(!inside(Ecosystem::Crates, "> 1.2", "1.2.0+build"));
    assert!(inside(Ecosystem::Crates, "*", "0.0.0-a"));
    let range = Requirement::parse(Ecosystem::Npm, " >=6 ,<7").unwrap();
    assert_eq!(range.to_string(), " >=6 ,<7");
    assert!(!range.matches(&version(Ecosystem::Crates, "6.0.0")));
}

#[test]
fn a_requirement_with_one_wrong_condition_is_none() {
    for text in ["", "6", ">= ", ">= 6,", "^6", "~> 6", "==6", ">== 6", "= =6", ">= 6 < 7", "* || ", ">= x", "* , >= 6"]
    {
        assert_eq!(Requirement::parse(Ecosystem::Npm, text), None, "{text:?}");
    }
}

#[test]
fn the_lower_end_of_npm_ranges_is_that_of_min_version() {
    let measured = [
        ("^6.37.0", "6.37.0"),
        ("~6.37", "6.37.0"),
        ("6.x", "6.0.0"),
        ("6", "6.0.0"),
        ("*", "0.0.0"),
        ("", "0.0.0"),
        (">=6 <7", "6.0.0"),
        (">6", "7.0.0"),
        (">6.1", "6.2.0"),
        (">6.1.2", "6.1.3"),
        (">1.9", "1.10.0"),
        (">1.99.9", "1.99.10"),
        (">6.1.2-alpha.1", "6.1.2-alpha.1.0"),
        ("1.2 - 2", "1.2.0"),
        ("^1.2.3-beta.1", "1.2.3-beta.1"),
        (">=6.0.0 <7 || ^5.3", "5.3.0"),
        ("<7", "0.0.0"),
        ("<=7.1", "0.0.0"),
        ("=1.2.3", "1.2.3"),
        ("v1.2.3", "1.2.3"),
        (">= 1.2.3", "1.2.3"),
        ("~>1.2", "1.2.0"),
        ("^0.0.3", "0.0.3"),
        ("X", "0.0.0"),
        ("1.2.*", "1.2.0"),
        (">=2 >=3", "3.0.0"),
        ("^1.x", "1.0.0"),
        (">1.x", "2.0.0"),
        ("1.x.x-beta", "1.0.0"),
        ("npm:retry-as-promised@^6.1", "6.1.0"),
        ("npm:@scope/name@~6.1", "6.1.0"),
        ("npm:^6.37.0", "6.37.0"),
        ("workspace:^1.2", "1.2.0"),
    ];
    for (range, lowest) in measured {
        assert_eq!(lowest_possible(Ecosystem::Npm, range).unwrap().as_str(), lowest, "{range:?}");
    }
    for text in
        ["latest", "file:../x", "user/repo", "workspace:^", "https://x.org/a.tgz", "catalog:", "^", ">= foo", "<y"]
    {
        assert_eq!(lowest_possible(Ecosystem::Npm, text), None, "{text:?}");
    }
}

#[test]
fn lower_ends_of_the_other_ecosystems() {
    let read = [
        (Ecosystem::RubyGems, "~> 7.1", "7.1"),
        (Ecosystem::RubyGems, ">= 5, < 6", "5"),
        (Ecosystem::RubyGems, "7.1.0", "7.1.0"),
        (Ecosystem::RubyGems, "< 2", "0"),
        (Ecosystem::RubyGems, "", "0"),
        (Ecosystem::RubyGems, "!= 3, > 2", "2"),
        (Ecosystem::PyPi, "==1.2.*", "1.2"),
        (Ecosystem::PyPi, "~=1.4", "1.4"),
        (Ecosystem::PyPi, ">=2,<3 ; python_version < '3.9'", "2"),
        (Ecosystem::PyPi, "^1.2 || ~1.1", "1.1"),
        (Ecosystem::PyPi, "===1.0", "1.0"),
        (Ecosystem::Crates, "1.2", "1.2.0"),
        (Ecosystem::Crates, "=0.3", "0.3.0"),
        (Ecosystem::Crates, ">1.2, <2", "1.3.0"),
        (Ecosystem::Crates, "1.*", "1.0.0"),
        (Ecosystem::NuGet, "8.0.4", "8.0.4"),
        (Ecosystem::NuGet, "[5.1,6.0)", "5.1"),
        (Ecosystem::NuGet, "(,6.0]", "0"),
        (Ecosystem::NuGet, "7.*", "7"),
    ];
    for (ecosystem, range, lowest) in read {
        assert_eq!(lowest_possible(ecosystem, range).unwrap().as_str(), lowest, "{range:?}");
    }
    assert_eq!(lowest_possible(Ecosystem::PyPi, "@ https://x.org/a.whl"), None);
    assert_eq!(lowest_possible(Ecosystem::Crates, "path"), None);
}

const ECOSYSTEMS: [Ecosystem; 5] =
    [Ecosystem::Npm, Ecosystem::RubyGems, Ecosystem::PyPi, Ecosystem::Crates, Ecosystem::NuGet];

/// Texts with few distinct parts, so that equal and nearly equal versions are common.
fn written(ecosystem: Ecosystem) -> BoxedStrategy<String> {
    let pattern = match ecosystem {
        Ecosystem::Npm | Ecosystem::Crates => r"[012]\.[01]\.[01](-(0|1|10|a|b|-)(\.(0|2|a|rc1)){0,2})?(\+x)?",
        Ecosystem::NuGet => r"[012]\.[01](\.[01]){0,2}(-(0|1|10|a|B|b|-)(\.(0|2|A|rc1)){0,2})?(\+x)?",
        Ecosystem::RubyGems => r"[01](\.(0|1|a|b|a1|1b)){0,4}(-(a|1|0))?",
        Ecosystem::PyPi | Ecosystem::None => {
            r"(1!)?[01](\.[01]){0,2}((a|b|rc)[01])?(\.post[01]?)?(\.dev[01])?(\+(a|1)(\.(0|b))?)?"
        }
    };
    proptest::string::string_regex(pattern).unwrap().boxed()
}

fn three() -> impl Strategy<Value = (Version, Version, Version)> {
    proptest::sample::select(ECOSYSTEMS.to_vec()).prop_flat_map(|ecosystem| {
        let one = || written(ecosystem).prop_map(move |text| version(ecosystem, &text));
        (one(), one(), one())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_order_is_total((a, b, c) in three()) {
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a == b, a.cmp(&b).is_eq());
        if a <= b && b <= c {
            prop_assert!(a <= c, "{} {} {}", a, b, c);
            prop_assert_eq!(a == c, a == b && b == c, "{} {} {}", a, b, c);
        }
    }

    #[test]
    fn no_text_makes_it_fail(text in r"\PC{0,40}|[0-9a-z.*+!<>=~^|, -]{0,40}", at in 0..4usize) {
        let ecosystem = ECOSYSTEMS[at];
        let _ = Version::parse(ecosystem, &text);
        let _ = Requirement::parse(ecosystem, &text);
        let _ = lowest_possible(ecosystem, &text);
    }
}
