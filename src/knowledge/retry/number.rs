//! Counts and delays.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Attempts {
    #[serde(default)]
    pub option: String,
    /// Other spellings of the option.
    #[serde(default)]
    pub also: Vec<String>,
    pub counts: Counts,
    #[serde(default)]
    pub default: u32,
    /// What a block without the option does.
    pub absent: AbsentCount,
    /// What `null` in the option does, where it is more than an absent option.
    #[serde(default)]
    pub null_is_endless: bool,
    /// Functions whose argument is the count (`stop_after_attempt(5)`).
    #[serde(default)]
    pub counted_by: Vec<String>,
    /// Functions that bound the time in place of the count.
    #[serde(default)]
    pub timed_by: Vec<String>,
    /// Methods of a chain that bound the time in place of the count.
    #[serde(default)]
    pub timed_options: Vec<String>,
    /// A block with neither the count nor one of these says nothing about repeating.
    #[serde(default)]
    pub beside: Vec<String>,
    /// The option is itself a limit of time: there is no count.
    #[serde(default)]
    pub is_time: bool,
    /// Words and numbers that mean no end.
    #[serde(default)]
    pub endless: Vec<String>,
    /// Options that switch the end off when they are set.
    #[serde(default)]
    pub endless_options: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// All runs, the first included.
    Runs,
    /// Repetitions after the first run.
    Retries,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AbsentCount {
    Never,
    Default,
    /// Without the option there is no end.
    Endless,
    /// There is no count that could be missing.
    Nothing,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Delay {
    pub formula: Formula,
    pub base: NumberOption,
    pub factor: Option<NumberOption>,
    pub cap: Option<NumberOption>,
    /// A function that gives the delay in place of the formula.
    pub function: Option<DelayFunction>,
    /// Options after which the formula is not known any more.
    #[serde(default)]
    pub unless: Vec<String>,
    /// The positional argument of the call that names one of the strategies.
    pub named_by: Option<usize>,
    /// Named strategies with formulas of their own.
    #[serde(default, rename = "strategy")]
    pub strategies: Vec<Strategy>,
}

/// An option that holds a function of the number of the repetition.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DelayFunction {
    pub option: String,
    /// The key of its only parameter that holds the number, where it gets an object.
    #[serde(default)]
    pub key: String,
    /// What the function gets before the first repetition.
    pub first: f64,
    #[serde(default)]
    pub unit: Unit,
}

/// A delay that is chosen by name.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Strategy {
    pub name: String,
    /// Only where this method stands in the chain.
    pub when: Option<String>,
    /// Only in these versions; an unknown version fits none.
    pub versions: Option<String>,
    /// Nothing in it comes to an end.
    #[serde(default)]
    pub endless: bool,
    pub formula: Formula,
    pub base: NumberOption,
    pub factor: Option<NumberOption>,
    pub cap: Option<NumberOption>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Formula {
    /// base * factor^(n-1) before retry n.
    Geometric,
    /// base before every retry.
    Constant,
    /// base^n * factor before retry n: the base is that of a power, not the first delay.
    Power,
    /// base * n before retry n.
    Linear,
    /// base times 1, 1, 2, 3, 5, ...: each factor is the sum of the two before it.
    Fibonacci,
}

/// An option that holds a number; times become milliseconds.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NumberOption {
    #[serde(default)]
    pub option: String,
    /// For a strategy that is called: the positional argument that holds the number.
    pub argument: Option<usize>,
    pub default: f64,
    #[serde(default)]
    pub unit: Unit,
}

/// In what an option is counted; defaults of rows are always milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Milliseconds, or no time at all.
    #[default]
    Plain,
    Seconds,
}
