//! Values of the kernel that a file sets for the running system, and those that it names otherwise: in scripts, in
//! cloud-init's user data, in tasks of Ansible, while an image is built. Knows no program but those that set a value.

use std::collections::BTreeSet;

use crate::classify::{Kind, StartFormat};
use crate::source::Bytes;
use crate::syntax::shell::{Command, Item, Joined, Node, Part, Word};
use crate::syntax::{Comment, Fragment, data, directive, readable, shell};

/// What must stand in a file for it to set a value.
pub const NEEDLES: [&str; 3] = ["sysctl", PROC, MEMORY];
const PROC: &str = "/proc/sys/";
const MEMORY: &str = "/sys/kernel/mm/";
/// Scripts inside words of scripts, blocks of tasks.
const DEPTH: usize = 16;
/// Commands of one file whose names are kept.
const HEADS: usize = 1_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelFacts {
    pub writes: Vec<Write>,
    /// Names of values that stand anywhere else in the file.
    pub mentions: BTreeSet<String>,
    /// The first two words of every command of a script: `apt-get install`.
    pub heads: BTreeSet<String>,
}

/// A command that sets a value of the running kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// `vm.max_map_count`; for a file below /sys/kernel/mm the name of its directory.
    pub key: String,
    pub value: Option<String>,
    pub bytes: Bytes,
    pub runs: Runs,
}

/// When the command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Whenever somebody runs the script.
    Script,
    /// At the first boot of a machine.
    FirstBoot,
    /// When a playbook is run.
    Task,
    /// While an image is built.
    Build,
}

/// Collects what a file of this kind sets and names.
pub fn collect(kind: Kind, bytes: &[u8]) -> KernelFacts {
    let text = readable(bytes);
    let mut reader = Reader { facts: KernelFacts::default(), silent: Vec::new(), runs: Runs::Script };
    let mut comments: Vec<Comment> = Vec::new();
    match kind {
        Kind::Shell => {
            let parsed = shell::parse(&Fragment::verbatim(&text, 0));
            comments = parsed.comments;
            reader.list(&parsed.tree, DEPTH, None);
        }
        Kind::Data(data::Format::Yaml) => {
            let parsed = data::parse(data::Format::Yaml, bytes);
            comments = parsed.comments;
            let is_user_data =
                text.starts_with("#cloud-config") || text.starts_with("## template: jinja\n#cloud-config");
            for root in &parsed.tree.roots {
                if is_user_data {
                    reader.user_data(root);
                } else {
                    reader.tasks(root, DEPTH);
                }
            }
        }
        Kind::Starts(StartFormat::Image) => {
            let parsed = directive::parse(directive::Format::Dockerfile, bytes);
            comments = parsed.comments;
            reader.runs = Runs::Build;
            for line in parsed.tree.iter().filter(|line| line.key.text == "RUN") {
                if let Some(command) = &line.value {
                    reader.list(&shell::parse(command).tree, DEPTH, None);
                }
            }
        }
        _ => {}
    }
    let Reader { mut facts, mut silent, .. } = reader;
    silent.extend(comments.iter().map(|comment| comment.bytes));
    facts.mentions.extend(mentions(&text, &silent));
    facts
}

/// Returns the value's name for a path below one of the two directories.
fn key_of_path(path: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix(PROC) {
        return Some(rest.replace('/', "."));
    }
    let mut parts = path.strip_prefix(MEMORY)?.split('/');
    let name = parts.next().filter(|name| !name.is_empty())?;
    parts.next().is_some().then(|| name.to_owned())
}

struct Reader {
    facts: KernelFacts,
    /// What names a value without keeping it: the commands themselves, questions, messages.
    silent: Vec<Bytes>,
    runs: Runs,
}

impl Reader {
    /// `within` is the place of the text that holds the list, where the list has no places of its own.
    fn list(&mut self, list: &[Item], depth: usize, within: Option<Bytes>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for (at, item) in list.iter().enumerate() {
            let is_piped = list.get(at + 1).is_some_and(|next| next.joined == Joined::Pipe);
            let before = if item.joined == Joined::Pipe { at.checked_sub(1).and_then(|at| list.get(at)) } else { None };
            match &item.node {
                Node::Command(command) => {
                    let bytes = within.unwrap_or(item.bytes);
                    let echoed = before.and_then(|before| match &before.node {
                        Node::Command(command) => Some(command),
                        _ => None,
                    });
                    self.command(command, bytes, is_piped, echoed, depth);
                }
                Node::Not(inner) => self.list(std::slice::from_ref(inner), depth, within),
                Node::Group { list, .. } | Node::Function { body: list, .. } => self.list(list, depth, within),
                Node::If { arms, otherwise } => {
                    for arm in arms {
                        self.list(&arm.test, depth, within);
                        self.list(&arm.body, depth, within);
                    }
                    otherwise.iter().for_each(|list| self.list(list, depth, within));
                }
                Node::Loop { list, body, .. } => {
                    self.list(list, depth, within);
                    self.list(body, depth, within);
                }
                Node::Case { arms, .. } => arms.iter().for_each(|arm| self.list(arm, depth, within)),
                Node::Arithmetic(_) | Node::Other => {}
            }
        }
    }

    fn command(&mut self, command: &Command, bytes: Bytes, is_piped: bool, before: Option<&Command>, depth: usize) {
        for part in command.words.iter().flat_map(|word| &word.parts) {
            if let Part::Substitution { list, .. } = part {
                self.list(list, depth, Some(bytes));
            }
        }
        let words = unwrapped(&command.words);
        let texts: Vec<Option<String>> = words.iter().map(Word::as_text).collect();
        let text = |at: usize| texts.get(at).and_then(Option::as_deref).unwrap_or_default();
        let name = text(0).rsplit('/').next().unwrap_or_default();
        let argument = texts.iter().skip(1).flatten().find(|word| !word.starts_with('-'));
        if self.facts.heads.len() < HEADS && !name.is_empty() {
            self.facts.heads.insert(format!("{name} {}", argument.map(String::as_str).unwrap_or_default()));
        }
        match name {
            "sysctl" => self.sysctl(words, bytes),
            "sh" | "bash" | "dash" | "ash" if texts.iter().flatten().any(|word| is_command_option(word)) => {
                let script = texts.iter().skip(1).flatten().find(|word| !word.starts_with('-'));
                if let Some(script) = script {
                    let parsed = shell::parse(&Fragment::verbatim(script, 0));
                    self.list(&parsed.tree, depth, Some(bytes));
                }
            }
            "echo" | "printf" => {
                let target = command.redirections.iter().find(|one| one.operator.starts_with('>'));
                if let Some(path) = target.and_then(|one| one.target.as_ref()).and_then(Word::as_text) {
                    self.write_to(&path, words.last().and_then(Word::as_text), bytes);
                } else if target.is_none() && !is_piped {
                    // It tells somebody something.
                    self.silent.push(bytes);
                }
            }
            "tee" => {
                let value = before.and_then(|before| before.words.last()).and_then(Word::as_text);
                for path in texts.iter().skip(1).flatten() {
                    self.write_to(path, value.clone(), bytes);
                }
            }
            "cat" | "test" | "[" | "[[" | "head" if command.redirections.is_empty() && !is_piped => {
                self.silent.push(bytes);
            }
            _ => {}
        }
    }

    /// `sysctl -w a=1 b=2`; without `=` it asks. `-p` loads a file: that one keeps the value.
    fn sysctl(&mut self, words: &[Word], bytes: Bytes) {
        let loads =
            |text: &str| text.starts_with("--load") || text.starts_with("--system") || text == "-p" || text == "-f";
        if words.iter().filter_map(Word::as_text).any(|text| loads(&text)) {
            return;
        }
        for word in words.iter().skip(1) {
            let Some(Part::Text { text, .. }) = word.parts.first() else { continue };
            let Some((key, value)) = text.split_once('=') else { continue };
            let is_key = key.contains(['.', '/']) && !key.starts_with('-');
            if is_key {
                let value = (word.parts.len() == 1).then(|| value.to_owned());
                self.write(key.trim().replace('/', "."), value, bytes);
            }
        }
        self.silent.push(bytes);
    }

    fn write_to(&mut self, path: &str, value: Option<String>, bytes: Bytes) {
        if let Some(key) = key_of_path(path) {
            self.write(key, value, bytes);
            self.silent.push(bytes);
        }
    }

    fn write(&mut self, key: String, value: Option<String>, bytes: Bytes) {
        self.facts.writes.push(Write { key, value, bytes, runs: self.runs });
    }

    /// cloud-init: `runcmd` runs once for an instance, `bootcmd` at every boot.
    fn user_data(&mut self, root: &data::Node) {
        self.runs = Runs::FirstBoot;
        if let Some(list) = root.get("runcmd") {
            list.items().iter().for_each(|item| self.run(item));
        }
        let mut kept = Self { facts: KernelFacts::default(), silent: Vec::new(), runs: self.runs };
        if let Some(list) = root.get("bootcmd") {
            list.items().iter().for_each(|item| kept.run(item));
        }
        self.facts.mentions.extend(kept.facts.writes.into_iter().map(|write| write.key));
    }

    /// A text for a shell, or a list of words.
    fn run(&mut self, item: &data::Node) {
        if let Some(scalar) = item.as_scalar() {
            self.list(&shell::parse(&scalar.text).tree, DEPTH, None);
            return;
        }
        let word = |item: &data::Node| {
            let text = item.as_text()?.to_owned();
            Some(Word { parts: vec![Part::Text { text, quoted: true }], bytes: item.bytes })
        };
        let words: Option<Vec<Word>> = item.items().iter().map(word).collect();
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            self.command(&Command { words, ..Command::default() }, item.bytes, false, None, DEPTH);
        }
    }

    /// Tasks of Ansible: a list of maps that name the module.
    fn tasks(&mut self, root: &data::Node, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        self.runs = Runs::Task;
        for task in root.items() {
            for entry in task.entries() {
                let module = entry.key.as_text().unwrap_or_default();
                let module = module.strip_prefix("ansible.builtin.").unwrap_or(module);
                match module {
                    "shell" | "command" | "raw" => {
                        let command = entry.value.get("cmd").unwrap_or(&entry.value);
                        if let Some(scalar) = command.as_scalar() {
                            self.list(&shell::parse(&scalar.text).tree, DEPTH, None);
                        }
                    }
                    "tasks" | "pre_tasks" | "post_tasks" | "handlers" | "block" | "rescue" | "always" => {
                        self.tasks(&entry.value, depth);
                    }
                    // `ad hoc` settings of other modules are text like any other.
                    "name" | "debug" | "fail" | "assert" => self.silent.push(entry.value.bytes),
                    _ => {}
                }
            }
        }
    }
}

/// `-c`, `-ec`, `-lc`.
fn is_command_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// Takes off what runs the rest of its words as a command.
fn unwrapped(words: &[Word]) -> &[Word] {
    const WRAPPERS: [&str; 7] = ["sudo", "doas", "env", "exec", "command", "nohup", "time"];
    let mut rest = words;
    while let Some((first, behind)) = rest.split_first() {
        let text = first.as_text().unwrap_or_default();
        if !WRAPPERS.contains(&text.as_str()) {
            break;
        }
        let is_option = |word: &Word| word.as_text().is_some_and(|text| text.starts_with('-') || text.contains('='));
        let options = behind.iter().take_while(|word| is_option(word)).count();
        rest = behind.get(options..).unwrap_or_default();
    }
    rest
}

/// Finds the names of values in a text, outside of some places. A command in a text that is written to a file is one
/// that keeps its value: in a script for every boot, in a unit.
fn mentions(text: &str, silent: &[Bytes]) -> BTreeSet<String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    let bytes = text.as_bytes();
    let mut found = BTreeSet::new();
    let mut silent: Vec<Bytes> = silent.to_vec();
    silent.sort_by_key(|bytes| bytes.start);
    let mut passed = silent.iter().peekable();
    let mut covered = 0;
    let mut at = 0;
    while at < bytes.len() {
        if !bytes.get(at).copied().is_some_and(is_part) {
            at += 1;
            continue;
        }
        let length = bytes.iter().skip(at).take_while(|byte| is_part(**byte)).count();
        let start = at;
        at += length;
        while let Some(range) = passed.next_if(|range| range.start as usize <= start) {
            covered = covered.max(range.end as usize);
        }
        let word = text.get(start..at).unwrap_or_default();
        if start < covered {
            continue;
        }
        let word = word.trim_matches(['.', '/', '-']);
        let path = format!("/{word}");
        if let Some(key) = key_of_path(&path) {
            found.insert(key);
        } else if word.contains("hugepage") {
            found.insert("transparent_hugepage".to_owned());
        } else if word.split(['.', '/']).count() > 1 {
            let name = word.trim_end_matches(".conf");
            found.insert(name.replace('/', "."));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, text: &str, writes: &[(&str, &str)], mentioned: &[&str]) {
        let facts = collect(kind, text.as_bytes());
        let found: Vec<(&str, &str)> =
            facts.writes.iter().map(|write| (write.key.as_str(), write.bytes.of(text))).collect();
        assert_eq!(found, writes, "{text}");
        for name in mentioned {
            assert!(facts.mentions.contains(*name), "{name} in {text}: {:?}", facts.mentions);
        }
        for (key, _) in writes.iter().filter(|(key, _)| !mentioned.contains(key)) {
            assert!(!facts.mentions.contains(*key), "{key} in {text}");
        }
    }

    #[test]
    fn scripts() {
        let shell =
            |text: &str, writes: &[(&str, &str)], mentioned: &[&str]| check(Kind::Shell, text, writes, mentioned);
        shell("sysctl -w vm.a_b=1\n", &[("vm.a_b", "sysctl -w vm.a_b=1")], &[]);
        shell("sudo sysctl -q -w vm/a=$X # vm.a\n", &[("vm.a", "sudo sysctl -q -w vm/a=$X")], &[]);
        shell("echo 1 > /proc/sys/vm/a\n", &[("vm.a", "echo 1 > /proc/sys/vm/a")], &[]);
        shell(
            "if x; then echo never | sudo tee /sys/kernel/mm/transparent_hugepage/enabled; fi",
            &[("transparent_hugepage", "sudo tee /sys/kernel/mm/transparent_hugepage/enabled")],
            &[],
        );
        shell("sudo sh -c 'echo 1 > /proc/sys/vm/a'", &[("vm.a", "sudo sh -c 'echo 1 > /proc/sys/vm/a'")], &[]);
        shell("sysctl -n vm.a\ncat /proc/sys/vm/a\necho \"vm.a is low\"\n", &[], &[]);
        shell("sysctl -w vm.a=1\necho vm.a=1 >> /etc/sysctl.conf\n", &[("vm.a", "sysctl -w vm.a=1")], &["vm.a"]);
        shell(
            "sysctl -w vm.a=1\ncat > /etc/sysctl.d/x.conf <<E\nvm.a = 1\nE\n",
            &[("vm.a", "sysctl -w vm.a=1")],
            &["vm.a"],
        );
        shell("sysctl -p /etc/sysctl.d/x.conf vm.a=1\n", &[], &[]);
    }

    #[test]
    fn user_data_tasks_and_images() {
        let yaml = Kind::Data(data::Format::Yaml);
        check(
            yaml,
            "#cloud-config\nruncmd:\n  - sysctl -w vm.a=1\n  - [sysctl, -w, vm.b=2]\n",
            &[("vm.a", "sysctl -w vm.a=1"), ("vm.b", "[sysctl, -w, vm.b=2]")],
            &[],
        );
        check(
            yaml,
            "#cloud-config\nbootcmd:\n  - sysctl -w vm.a=1\nruncmd: [sysctl -w vm.a=1]\n",
            &[("vm.a", "sysctl -w vm.a=1")],
            &["vm.a"],
        );
        check(
            yaml,
            "- name: vm.a\n  shell: sysctl -w vm.a={{ x }}\n- block:\n    - command:\n        cmd: sysctl -w vm.b=1\n",
            &[("vm.a", "sysctl -w vm.a={{ x }}"), ("vm.b", "sysctl -w vm.b=1")],
            &[],
        );
        check(yaml, "- sysctl:\n    name: vm.a\n", &[], &["vm.a"]);
        check(yaml, "spec:\n  command: [sysctl, -w, vm.a=1]\n", &[], &["vm.a"]);
        check(
            Kind::Starts(StartFormat::Image),
            "FROM x\nRUN a && \\\n    sysctl -w vm.a=1\n",
            &[("vm.a", "sysctl -w vm.a=1")],
            &[],
        );
        check(Kind::SystemdUnit, "[Service]\nExecStart=/bin/sh -c 'echo x > /proc/sys/vm/a'\n", &[], &["vm.a"]);
    }

    #[test]
    fn hostile_texts_end_soon() {
        let start = std::time::Instant::now();
        for unit in ["sysctl -w a.b=1; ", "$(", "sh -c '", "/proc/sys/", "a.b ", "- block:\n"] {
            collect(Kind::Shell, unit.repeat(20_000).as_bytes());
            collect(Kind::Data(data::Format::Yaml), unit.repeat(20_000).as_bytes());
        }
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
