//! Servers that close idle connections before the proxy that keeps them.

use super::proxy::{Hop, Route};
use super::server::Served;
use super::{Limit, NEVER};

/// A pair of which the server gives up first.
#[derive(Clone, Debug)]
pub struct Idle {
    pub process: Option<usize>,
    pub server: Limit,
    pub proxy: Limit,
}

pub(super) fn idles(served: &[Served], hops: &[Hop], routes: &[Route]) -> Vec<Idle> {
    let mut found: Vec<Idle> = Vec::new();
    for one in served {
        let Some(server) = &one.idle else { continue };
        let alike = served
            .iter()
            .filter(|other| other.root == one.root && other.sockets.iter().any(|socket| one.sockets.contains(socket)));
        let alone = alike.count() == 1;
        let before = hops.iter().filter(|hop| hop.leads_to(one, alone)).filter_map(|hop| hop.idle.as_ref());
        let route = routes.iter().filter(|route| one.process == Some(route.process)).map(|route| &route.idle);
        for proxy in before.chain(route) {
            let (Some(kept), Some(keeps)) = (server.milliseconds(), proxy.milliseconds()) else { continue };
            let known = found.iter().any(|idle| idle.server.place == server.place && idle.proxy.place == proxy.place);
            if kept < keeps && keeps != NEVER && !known {
                found.push(Idle { process: one.process, server: server.clone(), proxy: proxy.clone() });
            }
        }
    }
    found
}
