//! `lock/no-middleware`: locks are asked for, and what enforces them is not registered.

use super::words::sure;
use crate::finding::{Confidence, Finding, Severity};
use crate::model::Model;
use crate::model::lock::{Part, Reader, Side, Unenforced, Unregistered};
use crate::rules::{Findings, Rule};

pub(super) const RULE: Rule =
    Rule { id: "lock/no-middleware", page: include_str!("../../../rules/lock/no-middleware.md"), check: Some(check) };

/// Reports blocks of Sidekiq's configuration that leave a side without its part.
fn check(model: &Model<'_>, findings: &mut Findings) {
    for one in &model.locks.registrations {
        findings.push(match (one.reader, one.side) {
            (Reader::Enterprise, _) => enterprise(one),
            (Reader::UniqueJobs, None) => nothing(one),
            (Reader::UniqueJobs, Some(side)) => of_side(one, side),
        });
    }
    model.locks.unenforced.iter().for_each(|limit| findings.push(of_adapter(limit)));
}

fn of_adapter(limit: &Unenforced) -> Finding {
    Finding::at(limit.place, format!("enforced by {} alone", limit.label))
        .title(format!("the queue adapter is `{}`, and nothing enforces the limit of `{}`", limit.adapter, limit.anchor))
        .why(format!(
            "`{}` puts its limit into the jobs of {}; with another adapter the class loads, and its jobs run side by side \
             without a word",
            limit.method, limit.label
        ))
        .help("run these jobs on the adapter that knows the limit (`self.queue_adapter` in the class), or take the limit out")
        .evidence(limit.adapter_at, "the adapter of the application")
        .subject(format!("limit {}", limit.anchor))
        .anchor(limit.anchor.clone())
}

fn enterprise(one: &Unregistered) -> Finding {
    finish(
        one,
        Finding::at(one.place, "nothing switches unique jobs on")
            .title(format!("Sidekiq Enterprise {} reads over `{}`", one.package.version, one.example.text))
            .why(format!(
                "locks are off until an initializer calls `Sidekiq::Enterprise.unique!`, and no Ruby file here does: `{}` is \
                 not unique, and nothing says so",
                one.example_name
            ))
            .help("switch it on (config/initializers/sidekiq.rb)\nSidekiq::Enterprise.unique! unless Rails.env.test?")
            .confidence(Confidence::Likely),
    )
}

fn nothing(one: &Unregistered) -> Finding {
    let version = &one.package.version;
    finish(
        one,
        Finding::at(one.place, "its middleware is registered nowhere")
            .title(format!("sidekiq-unique-jobs {version} is installed, and enforces nothing"))
            .why(format!(
                "up to version 6 the gem added itself to Sidekiq; since 7.0 the application must. No Ruby file here does, so \
                 `{}` in `{}` is dead text: nothing is unique, and nothing says so",
                one.example.text, one.example_name
            ))
            .help(
                "register it where Sidekiq is configured (config/initializers/sidekiq.rb)\n\
                 config.client_middleware { |chain| chain.add SidekiqUniqueJobs::Middleware::Client }\n\
                 config.server_middleware { |chain| chain.add SidekiqUniqueJobs::Middleware::Server }\n\
                 SidekiqUniqueJobs::Server.configure(config)",
            )
            .confidence(Confidence::Likely),
    )
}

fn of_side(one: &Unregistered, side: Side) -> Finding {
    let has = |part: Part| one.missing.contains(&part);
    let mut why = Vec::new();
    let mut lines = Vec::new();
    if has(Part::Client) {
        why.push(match side {
            Side::Server => "jobs that are pushed by jobs, by a schedule or by a retry take no lock",
            Side::Client => "jobs that are pushed by web requests, consoles and tasks take no lock",
        });
        lines.push("config.client_middleware { |chain| chain.add SidekiqUniqueJobs::Middleware::Client }");
    }
    if has(Part::Server) {
        why.push(
            "no run releases a lock: after the first job every push of the same arguments is refused without a word",
        );
        lines.push("config.server_middleware { |chain| chain.add SidekiqUniqueJobs::Middleware::Server }");
    }
    if has(Part::Lifecycle) {
        why.push(
            "no reaper runs and no death handler: a job that dies, or whose process is killed, keeps its lock for ever",
        );
        lines.push("SidekiqUniqueJobs::Server.configure(config)");
    }
    let what = match (has(Part::Client), has(Part::Server), side) {
        (true, true, _) => "the middleware",
        (true, false, Side::Server) => "the client middleware, which a server needs too",
        (true, false, Side::Client) => "the client middleware",
        (false, true, _) => "the server middleware",
        (false, false, _) => "the reaper and the death handler",
    };
    let block = if side == Side::Server { "configure_server" } else { "configure_client" };
    let label = if one.other_side { format!("no `{block}` beside it") } else { format!("without {what}") };
    let severity = if has(Part::Client) || has(Part::Server) { Severity::Error } else { Severity::Warning };
    let mut finding = Finding::at(one.place, label)
        .title(format!("`{block}` does not register {what}"))
        .why(why.join("; "))
        .help(format!("add to the block of `{block}`\n{}", lines.join("\n")))
        .grade(severity);
    if let Some(keeps) = one.keeps.filter(|_| has(Part::Lifecycle)) {
        finding = finding.evidence(keeps, "a lock without an end");
    } else {
        finding = finding.evidence(one.example.value, "a lock that it concerns");
    }
    finish(one, finding)
}

fn finish(one: &Unregistered, finding: Finding) -> Finding {
    let confidence = finding.confidence.min(sure(&one.package));
    let library = match one.reader {
        Reader::UniqueJobs => "sidekiq-unique-jobs",
        Reader::Enterprise => "Sidekiq Enterprise",
    };
    finding.confidence(confidence).subject(format!("middleware of {library}")).anchor("middleware")
}
