#!/usr/bin/env bash
# Shows the faults of the rules wait/* happening: minimal programs with tiny pools, each with an end of its own.
#
# For developers only; needs node, npm and cargo, and fetches the libraries. Each line says what was seen: `stands still`
# where the waiters never came back within the time they were given, `finishes` where they did.
#
#   tests/scripts/waits.sh [folder for the programs]

set -euo pipefail

folder=${1:-$(mktemp -d)}
mkdir -p "$folder/js" "$folder/rust/src"

cat >"$folder/js/package.json" <<'JSON'
{ "name": "waits", "version": "1.0.0", "private": true, "type": "module",
  "dependencies": { "p-limit": "6.1.0", "pg-pool": "3.14.0", "pg": "8.16.0" } }
JSON

cat >"$folder/js/waits.js" <<'JS'
import { EventEmitter } from 'node:events';
import Pool from 'pg-pool';
import pLimit from 'p-limit';

// A client that needs no server: what is shown is the pool's work.
class Client extends EventEmitter {
  connect(done) { setImmediate(done); }
  query(text, values, done) {
    const answer = { rows: [{ text }] };
    if (typeof values === 'function') done = values;
    if (done) return void setImmediate(() => done(undefined, answer));
    return new Promise((resolve) => setImmediate(() => resolve(answer)));
  }
  end(done) { if (done) setImmediate(done); }
  ref() {}
  unref() {}
}

const open = (more) => new Pool({ Client, max: 2, ...more });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function watch(rule, about, work) {
  const late = Symbol('late');
  const began = Date.now();
  const ended = await Promise.race([work().catch((error) => `ends with "${error.message}"`), pause(1500).then(() => late)]);
  const seen = ended === late ? 'stands still' : typeof ended === 'string' ? ended : `finishes after ${Date.now() - began} ms`;
  console.log(`${rule.padEnd(24)} ${about.padEnd(58)} ${seen}`);
}

const nested = (pool) => async () => {
  const client = await pool.connect();
  try {
    await pause(20);
    await pool.query('select 1');
  } finally {
    client.release();
  }
};

for (const callers of [1, 2]) {
  const pool = open();
  await watch('wait/nested-checkout', `pg-pool, 2 clients, ${callers} caller(s) that hold one and ask`, () =>
    Promise.all(Array.from({ length: callers }, nested(pool))));
}
await watch('wait/unbounded', 'pg-pool, the same with connectionTimeoutMillis: 200', () => {
  const pool = open({ connectionTimeoutMillis: 200 });
  return Promise.all([nested(pool)(), nested(pool)()]);
});
await watch('wait/leaked-slot', 'pg-pool, 2 clients, the third after two early returns', async () => {
  const pool = open();
  const claim = async () => {
    const client = await pool.connect();
    const { rows } = await client.query('select 1');
    if (rows.length) return;
    client.release();
  };
  await claim();
  await claim();
  await pool.query('select 1');
});
await watch('wait/held-while-waiting', 'pg-pool, 2 clients held for 400 ms, a third caller', async () => {
  const pool = open();
  const slow = async () => {
    const client = await pool.connect();
    try {
      await pause(400);
    } finally {
      client.release();
    }
  };
  slow();
  slow();
  await pool.query('select 1');
});
for (const tasks of [1, 2]) {
  const limit = pLimit(2);
  await watch('wait/own-pool', `p-limit, 2 places, ${tasks} task(s) that each await one more`, () =>
    Promise.all(Array.from({ length: tasks }, () => limit(async () => {
      await pause(20);
      return limit(async () => 1);
    }))));
}
process.exit(0);
JS

cat >"$folder/rust/Cargo.toml" <<'TOML'
[package]
name = "waits"
version = "0.1.0"
edition = "2021"

[dependencies]
deadpool = "0.12"
rayon = "1.10"
tokio = { version = "1", features = ["rt-multi-thread", "macros", "sync", "time", "fs"] }
TOML

cat >"$folder/rust/src/main.rs" <<'RUST'
use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use deadpool::managed::{Manager, Metrics, Pool, RecycleResult};
use tokio::sync::Semaphore;

const PATIENCE: Duration = Duration::from_millis(1500);

/// Runs something on a thread of its own and says whether it came back in time.
fn watch(rule: &str, about: &str, work: impl FnOnce() + Send + 'static) {
    let (done, ended) = channel();
    let began = Instant::now();
    std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    let seen = match ended.recv_timeout(PATIENCE) {
        Ok(()) => format!("finishes after {} ms", began.elapsed().as_millis()),
        Err(RecvTimeoutError::Timeout) => "stands still".to_owned(),
        Err(RecvTimeoutError::Disconnected) => "ends".to_owned(),
    };
    println!("{rule:24} {about:58} {seen}");
}

fn scope(threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        rayon::scope(|scope| {
            let (tx, rx) = channel();
            scope.spawn(move |_| {
                let _ = tx.send(1);
            });
            rx.recv().unwrap()
        });
    });
}

fn blocking(tasks: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let all: Vec<_> = (0..tasks)
            .map(|_| {
                let handle = tokio::runtime::Handle::current();
                tokio::task::spawn_blocking(move || {
                    std::thread::sleep(Duration::from_millis(50));
                    handle.block_on(async { tokio::fs::read("/dev/null").await.unwrap().len() })
                })
            })
            .collect();
        for task in all {
            task.await.unwrap();
        }
    });
}

struct Nothing;

impl Manager for Nothing {
    type Type = u8;
    type Error = std::io::Error;

    async fn create(&self) -> Result<u8, std::io::Error> {
        Ok(0)
    }

    async fn recycle(&self, _: &mut u8, _: &Metrics) -> RecycleResult<std::io::Error> {
        Ok(())
    }
}

fn on_a_runtime(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
}

fn nested(callers: usize) {
    on_a_runtime(async move {
        let pool: Pool<Nothing> = Pool::builder(Nothing).max_size(2).build().unwrap();
        let all: Vec<_> = (0..callers)
            .map(|_| {
                let pool = pool.clone();
                tokio::spawn(async move {
                    let _held = pool.get().await.unwrap();
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    let _second = pool.get().await.unwrap();
                })
            })
            .collect();
        for one in all {
            one.await.unwrap();
        }
    });
}

fn slow_holders() {
    on_a_runtime(async {
        let pool: Pool<Nothing> = Pool::builder(Nothing).max_size(2).build().unwrap();
        for _ in 0..2 {
            let pool = pool.clone();
            tokio::spawn(async move {
                let _held = pool.get().await.unwrap();
                tokio::time::sleep(Duration::from_millis(400)).await;
            });
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        let _third = pool.get().await.unwrap();
    });
}

fn permits(holders: usize) {
    on_a_runtime(async move {
        let permits = Arc::new(Semaphore::new(2));
        let all: Vec<_> = (0..holders)
            .map(|_| {
                let permits = permits.clone();
                tokio::spawn(async move {
                    let _first = permits.acquire().await.unwrap();
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    let _second = permits.acquire().await.unwrap();
                })
            })
            .collect();
        for one in all {
            one.await.unwrap();
        }
    });
}

fn main() {
    watch("wait/own-pool", "rayon, 4 threads, a scope's body receives from its task", || scope(4));
    watch("wait/own-pool", "rayon, 1 thread, a scope's body receives from its task", || scope(1));
    watch("wait/own-pool", "tokio, 2 blocking threads, 1 task blocks on tokio::fs", || blocking(1));
    watch("wait/own-pool", "tokio, 2 blocking threads, 2 tasks block on tokio::fs", || blocking(2));
    watch("wait/nested-checkout", "deadpool, 2 objects, 1 caller that holds one and asks", || nested(1));
    watch("wait/nested-checkout", "deadpool, 2 objects, 2 callers that hold one and ask", || nested(2));
    watch("wait/held-while-waiting", "deadpool, 2 objects held for 400 ms, a third caller", slow_holders);
    watch("wait/nested-checkout", "semaphore, 2 permits, 1 holder that asks", || permits(1));
    watch("wait/nested-checkout", "semaphore, 2 permits, 2 holders that ask", || permits(2));
    std::process::exit(0);
}
RUST

(cd "$folder/js" && npm install --no-audit --no-fund --silent && node waits.js)
(cd "$folder/rust" && cargo run --quiet)
