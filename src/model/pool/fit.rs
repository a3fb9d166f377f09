//! Whether the threads of a process fit its pool: for the values that are in force, and for every value that a variable
//! may have.

use std::collections::BTreeMap;

use super::amount::Amount;
use super::world::{Unseen, World};
use super::{Budget, read};

/// How threads and one pool stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    Unknown,
    Enough,
    /// Enough for the threads, not for what else takes connections.
    Thin,
    /// Fewer connections than threads.
    Short(Cause),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The numbers that are in force.
    Numbers,
    /// One variable with two fallbacks, or a fallback and a default, of which the pool's is the smaller.
    SplitFallback { variable: String },
    /// Whatever the variables are.
    Always,
}

/// Values that are tried for variables: small, usual, large.
const TRIED: [&str; 7] = ["1", "2", "4", "5", "10", "25", "64"];
/// A pair that is far apart.
const APART: [&str; 2] = ["1", "64"];
/// More variables than this are not tried out.
const VARIABLES: usize = 4;

/// Judges every pool of a budget; `at` is its index among those of its process.
pub(super) fn judge(world: &World<'_>, at: usize, budget: &mut Budget) {
    budget.fits = budget.pools.iter().map(|pool| fit(world, at, budget, &pool.size, &pool.name)).collect();
    if !budget.fits.contains(&Fit::Unknown) {
        return;
    }
    // Numbers that unseen variables decide: a fault only if they cannot help.
    let unset = World { unseen: Unseen::Unset, ..*world };
    let Some(free) = read(&unset, budget.process).into_iter().nth(at) else { return };
    for index in 0..budget.fits.len() {
        let (Some(Fit::Unknown), Some(own), Some(other)) =
            (budget.fits.get(index), budget.pools.get(index), free.pools.get(index))
        else {
            continue;
        };
        let variables = variables(&free.threads, &other.size);
        let short = matches!((free.threads.value(), other.size.value()), (Some(threads), Some(size)) if size < threads);
        if own.name == other.name && short && !variables.is_empty() && always(world, at, &other.name, &variables) {
            let size = other.size.clone();
            if let (Some(pool), Some(fit)) = (budget.pools.get_mut(index), budget.fits.get_mut(index)) {
                pool.size = size;
                *fit = Fit::Short(Cause::Always);
            }
            budget.threads = free.threads.clone();
        }
    }
}

fn fit(world: &World<'_>, at: usize, budget: &Budget, size: &Amount, name: &str) -> Fit {
    let (Some(threads), Some(connections)) = (budget.threads.value(), size.value()) else { return Fit::Unknown };
    if connections >= threads {
        return match budget.beside() {
            Some(extras) if connections < threads.saturating_add(extras) => Fit::Thin,
            Some(_) => Fit::Enough,
            None => Fit::Unknown,
        };
    }
    let shared = budget.threads.unset.iter().find(|variable| size.unset.contains(variable));
    let variables = variables(&budget.threads, size);
    if !variables.is_empty() && always(world, at, name, &variables) {
        return Fit::Short(Cause::Always);
    }
    match shared {
        Some(variable) => Fit::Short(Cause::SplitFallback { variable: variable.clone() }),
        None => Fit::Short(Cause::Numbers),
    }
}

/// Returns the variables that are not set and decide one of the numbers.
fn variables(threads: &Amount, size: &Amount) -> Vec<String> {
    let mut names = threads.unset.clone();
    for name in &size.unset {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Says whether the pool is too small whatever the variables are.
fn always(world: &World<'_>, at: usize, name: &str, variables: &[String]) -> bool {
    if variables.len() > VARIABLES {
        return false;
    }
    let all = |value: &str| variables.iter().map(|variable| (variable.clone(), value.to_owned())).collect();
    let mut trials: Vec<BTreeMap<String, String>> = TRIED.iter().map(|value| all(value)).collect();
    if variables.len() > 1 {
        let [low, high] = APART;
        for variable in variables {
            for (one, others) in [(low, high), (high, low)] {
                let mut trial = all(others);
                trial.insert(variable.clone(), one.to_owned());
                trials.push(trial);
            }
        }
    }
    trials.iter().all(|supposed| {
        let tried = World { supposed, unseen: Unseen::Unset, ..*world };
        let Some(budget) = read(&tried, 0).into_iter().nth(at) else { return false };
        let size = budget.pools.iter().find(|pool| pool.name == name).and_then(|pool| pool.size.value());
        matches!((budget.threads.value(), size), (Some(threads), Some(size)) if size < threads)
    })
}
