//! Where a library's options stand.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Site {
    /// The exported name; `default` is the module itself.
    #[serde(default)]
    pub export: String,
    /// What is done with it.
    #[serde(rename = "use")]
    pub used: Use,
    /// For `method`, `instance`, `bare`: the methods.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Which argument holds the options; a negative one counts from the end.
    #[serde(default = "last")]
    pub argument: i32,
    #[serde(default)]
    pub shape: Shape,
    /// For named options: the positional argument that may be a hash with them.
    pub hash: Option<usize>,
    /// For named options: the names of those that may be given by their place, from the first argument on.
    #[serde(default)]
    pub places: Vec<String>,
    /// The first argument is this word (`request :retry`).
    pub word: Option<String>,
    /// The path of keys to the block inside the options; the row's `option` if it is missing.
    pub option: Option<String>,
    /// The options are what this function among them returns.
    pub returns_of: Option<String>,
    /// A number in place of the block is this option.
    pub number: Option<String>,
    /// Which argument is the function that is repeated.
    pub body: Option<usize>,
    /// A call without options is a policy too.
    #[serde(default)]
    pub bare: bool,
    /// The key of the receiver's construction whose block gives what is missing here.
    pub inherits_from: Option<String>,
    /// What is missing here is inherited from another block and not absent.
    #[serde(default)]
    pub inherits: bool,
    /// A filter that belongs to this site: the name implies that the code decides.
    #[serde(default)]
    pub filtered: bool,
    /// The positional argument that is the predicate, where the site is filtered.
    pub judged: Option<usize>,
    /// Calls below it in the same body that take errors out.
    #[serde(default)]
    pub excepted_by: Vec<String>,
    /// Methods of the result that filter (`.when(…)`).
    #[serde(default)]
    pub filtered_by: Vec<String>,
}

fn last() -> i32 {
    -1
}

/// What is done with an exported name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// `name(…)`.
    Call,
    /// `new name(…)`, and `super(…)` in a class that extends it.
    New,
    /// `name.method(…)`.
    Method,
    /// `name(…)(…)`: what it returns is called.
    Result,
    /// A method of something that the library's constructor or model class made.
    Instance,
    /// A method of any value, or of none, where the file imports the library or the root uses the package.
    Bare,
}

/// How options are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Keys of an object.
    #[default]
    Object,
    /// Keyword arguments of the call.
    Named,
    /// Methods in a chain.
    Chain,
    /// Methods in the chain that the call is made on.
    Receiver,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigFile {
    pub names: Vec<String>,
    /// A file name whose ending says how the file is written, where its own does not.
    pub like: Option<String>,
    /// What the file exports under this key is the path of the configuration itself.
    pub points_by: Option<String>,
    /// The file is the library's only if one of these packages is asked for or locked.
    pub evidence: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Victim {
    pub call: String,
    pub what: String,
}
