//! A reported fault, and a problem: something that could not be read or done. The two never mix.

use std::path::PathBuf;

use crate::source::{Bytes, FileId, RootId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Advice,
    Warning,
    Error,
}

/// How sure a finding is, apart from how bad it is. `Possible` is shown with `--pedantic` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    Possible,
    Likely,
    Certain,
}

/// The event that wakes a latent fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trigger {
    Restart,
    Reboot,
    Load,
    Race,
    Expiry,
    Upgrade,
}

/// Where a finding or a piece of evidence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A token of a text.
    Span(Span),
    /// Something without text (a link, a directory, a binary property list): line 1, columns 1 to 1, no frame.
    Whole(FileId),
}

impl Place {
    pub fn file(self) -> FileId {
        match self {
            Self::Span(span) => span.file,
            Self::Whole(file) => file,
        }
    }

    pub fn bytes(self) -> Option<Bytes> {
        match self {
            Self::Span(span) => Some(span.bytes),
            Self::Whole(_) => None,
        }
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Self::Span(span)
    }
}

/// Another place that a finding rests on, with what is to be seen there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub place: Place,
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `family/rule`; filled in by the runner.
    pub rule: &'static str,
    /// Filled in by the runner: the user's override, else `grade`, else the page's.
    pub severity: Severity,
    /// The rule's own grading, where a condition departs from the page.
    pub grade: Option<Severity>,
    pub confidence: Confidence,
    pub trigger: Option<Trigger>,
    pub place: Place,
    /// The number or name at the place.
    pub label: String,
    /// The fault, one clause.
    pub title: String,
    /// Trigger and consequence with the arithmetic; lines.
    pub why: String,
    /// One action with the literal to write; further lines are commands or code.
    pub help: String,
    /// What else is worth knowing, or empty.
    pub note: String,
    pub evidence: Vec<Evidence>,
    /// Names of the processes it concerns.
    pub processes: Vec<String>,
    /// What it is about, the same for every rule that speaks of it: this policy, this unit's command.
    pub subject: String,
    /// Key path or enclosing symbol of the place.
    pub anchor: String,
    /// A command that shows what files cannot, or empty.
    pub shows: String,
    /// Paths, absolute in their root, that the finding rests on and that are not there: a change that deletes one of them
    /// is what caused it.
    pub absent: Vec<(RootId, PathBuf)>,
}

impl Finding {
    /// Starts a finding at `place`; `label` is the number or name that stands there.
    pub fn at(place: impl Into<Place>, label: impl Into<String>) -> Self {
        Self {
            rule: "",
            severity: Severity::Error,
            grade: None,
            confidence: Confidence::Certain,
            trigger: None,
            place: place.into(),
            label: label.into(),
            title: String::new(),
            why: String::new(),
            help: String::new(),
            note: String::new(),
            evidence: Vec::new(),
            processes: Vec::new(),
            subject: String::new(),
            anchor: String::new(),
            shows: String::new(),
            absent: Vec::new(),
        }
    }

    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.title = text.into();
        self
    }

    #[must_use]
    pub fn why(mut self, text: impl Into<String>) -> Self {
        self.why = text.into();
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = text.into();
        self
    }

    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.note = text.into();
        self
    }

    #[must_use]
    pub fn evidence(mut self, place: impl Into<Place>, label: impl Into<String>) -> Self {
        self.evidence.push(Evidence { place: place.into(), label: label.into() });
        self
    }

    #[must_use]
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// Departs from the page's severity, where a condition grades it.
    #[must_use]
    pub fn grade(mut self, severity: Severity) -> Self {
        self.grade = Some(severity);
        self
    }

    #[must_use]
    pub fn subject(mut self, text: impl Into<String>) -> Self {
        self.subject = text.into();
        self
    }

    #[must_use]
    pub fn anchor(mut self, text: impl Into<String>) -> Self {
        self.anchor = text.into();
        self
    }

    /// Lets a piece of evidence and the finding's own place change places.
    #[must_use]
    pub fn led_by(mut self, evidence: usize) -> Self {
        if let Some(other) = self.evidence.get_mut(evidence) {
            std::mem::swap(&mut self.place, &mut other.place);
            std::mem::swap(&mut self.label, &mut other.label);
        }
        self
    }

    #[must_use]
    pub fn absent(mut self, root: RootId, path: impl Into<PathBuf>) -> Self {
        self.absent.push((root, path.into()));
        self
    }

    #[must_use]
    pub fn shows(mut self, command: impl Into<String>) -> Self {
        self.shows = command.into();
        self
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// As reachable from the current directory.
    pub path: String,
    pub kind: ProblemKind,
    /// 1-based; `None` if the whole file is meant.
    pub line: Option<u32>,
    /// 1-based, in characters.
    pub column: Option<u32>,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// No permission, a device, an error of the disk.
    Unreadable,
    /// Over a limit of size, nesting or number.
    Limit,
    /// A part of the file could not be parsed.
    Syntax,
    /// Nothing of the file could be parsed.
    Unparsable,
    /// The bytes are not in the encoding that the format demands.
    Encoding,
    /// A path that could not be looked at, so nothing is said about it.
    CouldNotLook,
    /// git is missing, refused or timed out: the history is missing.
    History,
    /// The baseline records something that is no longer found.
    Baseline,
    /// Nothing relevant was found to check.
    NothingChecked,
    /// A panic of ours in one file or rule.
    Internal,
}

impl ProblemKind {
    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Limit => "limit",
            Self::Syntax => "syntax",
            Self::Unparsable => "unparsable",
            Self::Encoding => "encoding",
            Self::CouldNotLook => "could-not-look",
            Self::History => "history",
            Self::Baseline => "stale-baseline",
            Self::NothingChecked => "nothing-checked",
            Self::Internal => "internal",
        }
    }
}
