//! Facts: what one file says, typed, with its span; applies no defaults and never judges.

pub mod code;
pub mod document;
pub mod host;
pub mod kernel;
pub mod launchd;
pub mod lockfile;
pub mod ruby_config;
pub mod script;
pub mod start;
pub mod systemd;
pub mod value;

use crate::classify::{Kind, Standing};
use crate::source::FileId;
use crate::syntax::{Comment, Trouble, directive};

/// Everything that one file says.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFacts {
    pub file: FileId,
    pub kind: Kind,
    pub standing: Standing,
    pub body: Body,
    /// What a Ruby file that configures a process does, step by step.
    pub program: Option<ruby_config::Program>,
    /// What stands in a file of settings whose words some table asks about: one value for each document.
    pub documents: Vec<value::Value>,
    /// Values of the kernel that it sets or names.
    pub kernel: Option<kernel::KernelFacts>,
    pub comments: Vec<Comment>,
    pub troubles: Vec<Trouble>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Code(code::CodeFacts),
    Config(value::Value),
    Systemd(systemd::UnitFile),
    Launchd(launchd::JobFile),
    Lockfile(lockfile::Lockfile),
    Manifest(lockfile::manifest::Manifest),
    Script(script::Script),
    Starts(start::StartFile),
    /// YAML that goes through ERB before it is read.
    Template(ruby_config::Template),
    /// passwd, group and other tables of a host.
    Table(directive::File),
    /// Read, and nothing in it is a fact for any table.
    Nothing,
}
