use std::sync::mpsc::channel;

/// Opens all ledgers at once, for a request that runs on the pool.
pub fn open_all(names: &[String]) -> Vec<Ledger> {
    rayon::scope(|pool| {
        let (opened, ready) = channel();
        for name in names {
            let opened = opened.clone();
            pool.spawn(move |_| {
                let _ = opened.send(Ledger::open(name));
            });
        }
        drop(opened);
        let mut ledgers = Vec::new();
        while let Ok(ledger) = ready.recv() {
            ledgers.push(ledger);
        }
        ledgers
    })
}

pub struct Ledger {
    pub name: String,
}

impl Ledger {
    fn open(name: &str) -> Self {
        Self { name: name.to_owned() }
    }
}
