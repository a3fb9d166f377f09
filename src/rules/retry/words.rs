//! How the runs and sleeps of a policy read in a message.

use crate::model::Places;
use crate::model::retry::{End, RetryPolicy};
use crate::model::setting::Origin;
use crate::rules::words::{counted, decimal, duration, origin};

/// Sleeps that a message spells out.
const SPELLED: usize = 6;

/// Returns `5 runs (default of p-retry)`; a count that is written where the finding stands says nothing of its origin.
pub(super) fn repeated(policy: &RetryPolicy<'_>, places: &Places<'_>) -> String {
    let runs = &policy.runs;
    match runs.value {
        // What has an end without a count ends after a time.
        Some(u32::MAX) if policy.end == End::Bounded => match (&runs.origin, policy.library.limit_default) {
            (Origin::Default { .. }, Some(limit)) => {
                format!("runs for up to {} ({})", duration(limit), origin(runs, places))
            }
            _ => "runs until its limit of time".to_owned(),
        },
        Some(u32::MAX) => "runs without end".to_owned(),
        // Something that was not computed ends it.
        Some(_) if policy.end == End::Unknown => "further runs".to_owned(),
        Some(count) => match &runs.origin {
            Origin::Default { .. } | Origin::Fallback { .. } => {
                format!("{} ({})", counted(count, "run"), origin(runs, places))
            }
            _ => counted(count, "run"),
        },
        None => "runs".to_owned(),
    }
}

/// Returns the sum of the sleeps with its terms: `1 + 1.5 + 2.25 + 3.375 = 8.125 s`.
pub(super) fn asleep(policy: &RetryPolicy<'_>) -> Option<String> {
    let sleeps = policy.sleeps.as_ref().filter(|sleeps| sleeps.iter().all(|sleep| sleep.is_finite()))?;
    let total = policy.asleep()?;
    Some(arithmetic(sleeps, total))
}

/// Says what a queue does meanwhile, or nothing.
pub(super) fn meanwhile(policy: &RetryPolicy<'_>) -> &'static str {
    if policy.goes_back_to_a_queue() { "; the queue holds no thread meanwhile" } else { "" }
}

fn arithmetic(sleeps: &[f64], total: f64) -> String {
    match sleeps {
        [] | [_] => duration(total),
        _ if sleeps.len() > SPELLED => {
            let count = sleeps.len();
            let first = sleeps.first().copied().unwrap_or_default();
            let last = sleeps.last().copied().unwrap_or_default();
            format!("{count} sleeps from {} to {}, together {},", duration(first), duration(last), duration(total))
        }
        _ => {
            let divisor = if total < 1_000.0 { 1.0 } else { 1_000.0 };
            let unit = if total < 1_000.0 { "ms" } else { "s" };
            let terms: Vec<String> = sleeps.iter().map(|sleep| decimal(sleep / divisor)).collect();
            format!("{} = {} {unit}", terms.join(" + "), decimal(total / divisor))
        }
    }
}
