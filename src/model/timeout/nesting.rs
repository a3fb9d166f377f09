//! Pairs of limits of which the inner one must end first, and does not.

use std::collections::BTreeSet;

use super::inner::Inside;
use super::option::Written;
use super::probe::Probe;
use super::proxy::{Hop, Route};
use super::server::Served;
use super::{Around, Bounds, Limit, NEVER};
use crate::finding::Place;
use crate::knowledge::process::processes;
use crate::version::Ecosystem;

/// An inner limit that outlives the one around it.
#[derive(Clone, Debug)]
pub struct Nesting {
    /// Which of the model's processes it is in, if it is in one.
    pub process: Option<usize>,
    pub inner: Limit,
    pub outer: Limit,
    pub sure: Sureness,
}

/// How sure it is that both bound the same work, and that somebody chose the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sureness {
    Written,
    /// One of them is a default.
    Usual,
    Doubtful,
}

/// How many milliseconds each must be apart to be told: what begins together may end together.
const APART: u64 = 1_000;

/// Compares what was read.
pub(super) fn nestings(
    served: &[Served],
    hops: &[Hop],
    routes: &[Route],
    inside: &[(usize, Inside)],
    probes: &[Probe],
) -> Vec<Nesting> {
    let mut found = Vec::new();
    for server in served {
        found.extend(behind_a_proxy(server, served, hops));
        let route = routes.iter().find(|route| server.process == Some(route.process));
        if let (Some(route), Some(request)) = (route, &server.request) {
            found.extend(pair(server.process, request, &route.read, 0));
        }
    }
    for (process, inside) in inside {
        let own =
            served.iter().find(|server| server.process == Some(*process)).and_then(|server| server.request.clone());
        let request = [inside.request.clone(), own].into_iter().flatten().min_by_key(Limit::milliseconds);
        if let Some(request) = &request {
            for statement in &inside.statements {
                found.extend(pair(Some(*process), statement, request, 0));
            }
            for checkout in &inside.checkouts {
                found.extend(pair(Some(*process), checkout, request, 1));
            }
        }
        for probe in probes.iter().filter(|probe| probe.process == Some(*process)) {
            let patience = probe.patience();
            // A request that is ended in time gives its thread back.
            let ended = request.as_ref().and_then(Limit::milliseconds).zip(patience.milliseconds());
            if ended.is_some_and(|(request, patience)| request <= patience) {
                continue;
            }
            for statement in &inside.statements {
                found.extend(pair(Some(*process), statement, &patience, 0));
            }
        }
    }
    let mut seen: BTreeSet<(Option<Place>, Option<Place>)> = BTreeSet::new();
    found.retain(|nesting| seen.insert((nesting.inner.place, nesting.outer.place)));
    found
}

/// Clients that wait for an answer within a request, against the limit on requests. Where several servers may run the
/// code, the most patient one counts, and one without a limit is patient for ever.
pub(super) fn of_clients(
    around: Around<'_>,
    options: &[Written],
    served: &[Served],
    inside: &[(usize, Inside)],
) -> Vec<Nesting> {
    let mut found = Vec::new();
    for client in options.iter().filter(|client| client.inside) {
        let Some(entry) = client.limit.place.and_then(|place| around.sources.file(place.file())) else { continue };
        let mut limits: Vec<(usize, Option<Limit>)> = Vec::new();
        for server in served.iter().filter(|server| server.root == entry.root) {
            let Some(index) = server.process else { continue };
            let Some(process) = around.processes.get(index) else { continue };
            if processes().is_ruby(&process.kind) != (client.row.ecosystem == Ecosystem::RubyGems) {
                continue;
            }
            let own = inside.iter().find(|(other, _)| *other == index).and_then(|(_, inside)| inside.request.clone());
            let least = [server.request.clone(), own].into_iter().flatten().min_by_key(Limit::milliseconds);
            limits.push((index, least));
        }
        if limits.iter().any(|(_, limit)| limit.is_none()) {
            continue;
        }
        let most = limits.iter().filter_map(|(index, limit)| Some((*index, limit.as_ref()?)));
        let Some((index, request)) = most.max_by_key(|(_, limit)| limit.milliseconds()) else { continue };
        found.extend(pair(Some(index), &client.limit, request, 0));
    }
    found
}

/// A server's own limit on a request against what the proxies before it wait: the most patient one counts.
fn behind_a_proxy(server: &Served, served: &[Served], hops: &[Hop]) -> Option<Nesting> {
    let inner = server.request.as_ref()?;
    let alike = |other: &&Served| {
        other.root == server.root && other.sockets.iter().any(|socket| server.sockets.contains(socket))
    };
    let alone = served.iter().filter(alike).count() == 1;
    let leading: Vec<&Hop> = hops.iter().filter(|hop| hop.leads_to(server, alone)).collect();
    if leading.iter().any(|hop| hop.read.milliseconds().is_none()) {
        return None;
    }
    let outer = &leading.into_iter().max_by_key(|hop| hop.read.milliseconds())?.read;
    pair(server.process, inner, outer, 0)
}

/// `slack`: milliseconds that the inner one must stay below the outer one to act at all.
fn pair(process: Option<usize>, inner: &Limit, outer: &Limit, slack: u64) -> Option<Nesting> {
    let (short, long) = (outer.milliseconds()?, inner.milliseconds()?);
    // An inner limit that never acts is another matter.
    if long == NEVER || short == NEVER || long.saturating_add(slack) <= short {
        return None;
    }
    let sure = match (inner.is_written() && inner.unset.is_empty(), outer.is_written()) {
        _ if slack == 0 && long < short.saturating_add(APART) => Sureness::Doubtful,
        (true, true) => Sureness::Written,
        (true, false) if matches!(outer.bounds, Bounds::Request | Bounds::Routed) => Sureness::Usual,
        _ => Sureness::Doubtful,
    };
    Some(Nesting { process, inner: inner.clone(), outer: outer.clone(), sure })
}
