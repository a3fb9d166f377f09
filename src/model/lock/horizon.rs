//! How long the retries of a Sidekiq job go on.

use crate::knowledge::lock::sidekiq;

/// Returns the seconds between the first run and the last repetition at least: without the random part of each delay,
/// the time in the queue and the runs themselves.
pub fn least(retries: u32) -> u64 {
    let row = &sidekiq().retry;
    // Later repetitions wait for months: nobody writes that many, and the sum stays within its type.
    let delay = |count: u32| u64::from(count).saturating_pow(row.power).saturating_add(row.seconds);
    (0..retries.min(MOST)).fold(0, |sum: u64, count| sum.saturating_add(delay(count)))
}

/// Repetitions that are added up.
const MOST: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// sidekiq/sidekiq lib/sidekiq/job_retry.rb: the sum of `count ** 4 + 15`.
    #[test]
    fn horizons_by_retries() {
        let table = [
            (0, 0),
            (1, 15),
            (2, 31),
            (3, 62),
            (4, 158),
            (5, 429),
            (6, 1_069),
            (7, 2_380),
            (8, 4_796),
            (9, 8_907),
            (10, 15_483),
            (11, 25_498),
            (12, 40_154),
            (13, 60_905),
            (14, 89_481),
            (15, 127_912),
            (16, 178_552),
            (17, 244_103),
            (18, 327_639),
            (19, 432_630),
            (20, 562_966),
            (21, 722_981),
            (22, 917_477),
            (23, 1_151_748),
            (24, 1_431_604),
            (25, 1_763_395),
        ];
        for (retries, expected) in table {
            assert_eq!(least(retries), expected, "{retries}");
        }
        assert!(least(u32::MAX) > least(500));
    }
}
