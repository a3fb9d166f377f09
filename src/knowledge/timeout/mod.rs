//! `rules/timeout/*.toml`: who sets time limits on what, how each reader takes a number, and what holds where nothing is
//! written.

mod inner;
mod option;
mod probe;
mod program;
mod runtime;
mod server;
mod supervisor;

use serde::Deserialize;

pub use inner::{Database, Inner, Request, inner};
pub use option::{TimeOption, answers_requests, options};
pub use probe::{Asker, Check, Probes, Setting as CheckSetting, probes};
pub use program::{Program, Work, programs};
pub use runtime::{Runtime, runtimes};
pub use server::{Proxy, Server, ServerLimit, proxies, servers};
pub use supervisor::{Fixed, Form, Router, Supervisor, supervisor, supervisors};

/// How a reader takes a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A number of seconds and nothing else.
    Seconds,
    /// A number of milliseconds and nothing else.
    Milliseconds,
    /// A number with a unit: `10s`, `1m30s`.
    Span,
    /// A number alone counts seconds.
    SecondsOrSpan,
    /// A number alone counts milliseconds.
    MillisecondsOrSpan,
}

impl Unit {
    /// Returns what a number without a unit counts, in milliseconds; nothing if the reader refuses it.
    pub fn bare(self) -> Option<f64> {
        match self {
            Self::Seconds | Self::SecondsOrSpan => Some(1_000.0),
            Self::Milliseconds | Self::MillisecondsOrSpan => Some(1.0),
            Self::Span => None,
        }
    }

    /// Says whether the reader takes a number with a unit.
    pub fn takes_spans(self) -> bool {
        !matches!(self, Self::Seconds | Self::Milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::{Ecosystem, Version};

    #[test]
    fn the_tables_fit_their_types() {
        toml::from_str::<supervisor::Supervisors>(include_str!("../../../rules/timeout/supervisors.toml")).unwrap();
        toml::from_str::<program::Programs>(include_str!("../../../rules/timeout/programs.toml")).unwrap();
        toml::from_str::<server::Servers>(include_str!("../../../rules/timeout/servers.toml")).unwrap();
        toml::from_str::<server::Proxies>(include_str!("../../../rules/timeout/proxies.toml")).unwrap();
        toml::from_str::<runtime::Runtimes>(include_str!("../../../rules/timeout/runtimes.toml")).unwrap();
        toml::from_str::<option::Options>(include_str!("../../../rules/timeout/options.toml")).unwrap();
        toml::from_str::<Inner>(include_str!("../../../rules/timeout/inner.toml")).unwrap();
        toml::from_str::<Probes>(include_str!("../../../rules/timeout/probes.toml")).unwrap();
    }

    #[test]
    fn defaults_of_supervisors() {
        let check = |form: Form, expected: Option<u64>| {
            assert_eq!(supervisor(form).and_then(|row| row.default), expected, "{form:?}");
        };
        check(Form::Compose, Some(10_000));
        check(Form::Kubernetes, Some(30_000));
        check(Form::Systemd, Some(90_000));
        check(Form::Supervisord, Some(10_000));
        check(Form::Pm2, Some(1_600));
        check(Form::Fly, Some(5_000));
        check(Form::Launchd, None);
    }

    #[test]
    fn defaults_of_programs_by_version() {
        let check = |kind: &str, version: &str, expected: Option<i64>| {
            let version = Version::parse(Ecosystem::RubyGems, version);
            let row = programs().iter().find(|row| row.kinds.iter().any(|known| known == kind)).unwrap();
            assert_eq!(row.default.at(version.as_ref()).copied(), expected, "{kind} {version:?}");
        };
        check("sidekiq", "5.2.9", Some(8));
        check("sidekiq", "6.0.0", Some(25));
        check("sidekiq", "8.1.7", Some(25));
        check("sidekiq", "", None);
        check("puma", "", Some(30));
        check("good_job", "4.19.0", None);
    }
}
