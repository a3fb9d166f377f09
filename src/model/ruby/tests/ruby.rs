//! The same programs, templates and scalars in a real Ruby: what we say must be what it says.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::dice::Dice;
use super::{FILE, program, within};
use crate::facts::ruby_config::Template;
use crate::model::ruby::{Content, Evaluated, Last, Run, Tree, Value, evaluate, number, read, rendered, scalar};

/// What the programs need of other libraries, and how results are written down. A record is `\x02 kind \x01 NAME=value
/// … \x01 code`.
const PRELUDE: &str = r#"
require "erb"
require "yaml"
class Object
  def blank? = nil? || self == false || (respond_to?(:empty?) && !!empty?)
  def present? = !blank?
  def presence = blank? ? nil : self
end
class String
  def blank? = strip.empty?
end
class Stage < String
  def production? = self == "production"
end
module Rails
  def self.env = Stage.new(ENV["RAILS_ENV"])
end
module Sidekiq
  def self.server? = false
end
def shown(value)
  case value
  when nil then "nil"
  when true, false then value.to_s
  when Integer then value.bit_length < 64 ? "i#{value}" : "big"
  when Float then "f#{value}"
  when String then "s" + value.to_s.unpack1("H*")
  when Symbol then "y" + value.to_s.unpack1("H*")
  when Array then "[" + value.map { |one| shown(one) }.join(",") + "]"
  when Hash then "{" + value.map { |key, one| key.to_s.unpack1("H*") + ">" + shown(one) }.join(",") + "}"
  else "other"
  end
end
class Runner
  def threads(*all) = @result = all
  def run(code)
    instance_eval(code)
    shown(@result&.first)
  end
  def render(code) = ERB.new(code).result(instance_eval { binding })
end
$VERBOSE = nil
STDOUT.binmode
STDIN.read.split("\x02").drop(1).each do |record|
  kind, environment, code = record.split("\x01", 3)
  ENV.replace(environment.split("\x03").to_h { |pair| pair.split("=", 2) })
  result = begin
    case kind
    when "run" then Runner.new.run(code)
    when "erb" then "s" + Runner.new.render(code).unpack1("H*")
    when "file" then shown(YAML.unsafe_load(Runner.new.render(code)))
    when "yaml" then shown(YAML.unsafe_load("a: " + code)["a"])
    end
  rescue StandardError, SyntaxError, NoMatchingPatternError
    "raises #{$!.class}"
  end
  print result, "\n"
end
"#;

struct Case {
    environment: Vec<(&'static str, &'static str)>,
    code: String,
}

/// Returns what a real Ruby says of each case, or nothing if there is none.
fn real(kind: &str, cases: &[Case]) -> Option<Vec<String>> {
    let mut child = Command::new("ruby")
        .args(["-W0", "-e", PRELUDE])
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = String::new();
    for case in cases {
        let pairs: Vec<String> = case.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let _ = write!(input, "\u{2}{kind}\u{1}{}\u{1}{}", pairs.join("\u{3}"), case.code);
    }
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let answers: Vec<String> = String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), cases.len(), "the script failed");
    Some(answers)
}

fn skipped() {
    eprintln!("skipped: ruby is not installed");
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        let _ = write!(all, "{byte:02x}");
        all
    })
}

/// Writes a value down as the script does; `None` if it is not known.
fn written(value: &Value) -> Option<String> {
    Some(match value {
        Value::Unknown(_) | Value::Program | Value::Pattern(_) | Value::Hash(_) => return None,
        Value::Nil => "nil".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(number) => format!("i{number}"),
        Value::Float(number) => format!("f{}", number::float_text(*number)),
        Value::Text(text) | Value::Stage(text) => format!("s{}", hex(text)),
        Value::Symbol(text) => format!("y{}", hex(text)),
        Value::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| written(&item.value)).collect();
            format!("[{}]", items?.join(","))
        }
    })
}

fn written_tree(tree: &Tree) -> Option<String> {
    match &tree.content {
        Content::Scalar(value) => written(&value.value),
        Content::Unknown => None,
        Content::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(written_tree).collect();
            Some(format!("[{}]", items?.join(",")))
        }
        Content::Map(map) if map.open.is_some() => None,
        Content::Map(map) => {
            let pairs: Option<Vec<String>> = map
                .entries
                .iter()
                .map(|entry| Some(format!("{}>{}", hex(&entry.key), written_tree(&entry.value)?)))
                .collect();
            Some(format!("{{{}}}", pairs?.join(",")))
        }
    }
}

/// What we say of a case.
struct Ours {
    value: Option<String>,
    raises: bool,
    /// It calls something that we do not know, and that may raise.
    doubt: bool,
}

impl Ours {
    fn of(run: &Run, value: Option<String>) -> Self {
        let doubt = run.calls.iter().any(|call| call.receiver.is_some());
        Self { value, raises: run.raises.is_some(), doubt }
    }
}

/// Compares all cases; at most one in `rarely` may be unknown to us though Ruby has a value.
fn compare(kind: &str, cases: &[Case], rarely: usize, ours: impl Fn(&Case) -> Ours) {
    let Some(answers) = real(kind, cases) else { return skipped() };
    let mut unknown = 0;
    let mut known = 0;
    let mut wrong = Vec::new();
    for (case, answer) in cases.iter().zip(&answers) {
        let ours = ours(case);
        let right = match &ours.value {
            _ if answer.starts_with("raises") => ours.raises || ours.doubt || ours.value.is_none(),
            _ if ours.raises => false,
            Some(value) => {
                known += 1;
                value == answer
            }
            None => {
                unknown += 1;
                true
            }
        };
        if !right {
            let raises = if ours.raises { " and raises" } else { "" };
            wrong.push(format!(
                "{:?}\n{}\nRuby: {answer}\nours: {:?}{raises}\n",
                case.environment, case.code, ours.value
            ));
        }
    }
    wrong.sort_by_key(String::len);
    let count = wrong.len();
    wrong.truncate(3);
    assert!(count == 0, "{count} are wrong, such as\n{}", wrong.join("\n"));
    assert!(unknown * rarely <= known, "{unknown} unknown, {known} known");
}

fn environment(case: &Case) -> impl Fn(&str) -> crate::model::ruby::Lookup + '_ {
    |name| match case.environment.iter().find(|(known, _)| *known == name) {
        Some((_, value)) => crate::model::ruby::Lookup::supposed(value),
        None => crate::model::ruby::Lookup::Unset,
    }
}

fn context<T>(case: &Case, with: impl FnOnce(&crate::model::ruby::Context<'_>) -> T) -> T {
    let variables = environment(case);
    within("", "puma", |context| with(&crate::model::ruby::Context { variables: &variables, ..*context }))
}

#[test]
fn programs() {
    let cases: Vec<Case> = (0..2_500)
        .map(|seed| {
            let mut dice = Dice::new(seed);
            Case { environment: dice.environment(), code: dice.program() }
        })
        .collect();
    compare("run", &cases, 20, |case| {
        let program = program(&case.code);
        context(case, |context| {
            let run = evaluate(&program, context);
            let value = match run.last("threads") {
                Last::Call(call, _) => call.arguments.first().and_then(|value: &Evaluated| written(&value.value)),
                _ => None,
            };
            Ours::of(&run, value)
        })
    });
}

#[test]
fn templates() {
    let cases: Vec<Case> = (0..600)
        .map(|seed| {
            let mut dice = Dice::new(seed + 1_000_000);
            Case { environment: dice.environment(), code: dice.template() }
        })
        .collect();
    compare("erb", &cases, 10, |case| {
        let template = Template::of(FILE, &case.code);
        context(case, |context| {
            let text = rendered(&template, context);
            let run = read(&template, context).run;
            let known = !text.replace("<%%", "").contains("<%") && run.cut.is_none();
            Ours::of(&run, known.then(|| format!("s{}", hex(&text))))
        })
    });
    compare("file", &cases, 10, |case| {
        let template = Template::of(FILE, &case.code);
        context(case, |context| {
            let yaml = read(&template, context);
            Ours::of(&yaml.run, written_tree(&yaml.root))
        })
    });
}

#[test]
fn scalars() {
    let cases: Vec<Case> =
        (0..2_000).map(|seed| Case { environment: Vec::new(), code: Dice::new(seed + 2_000_000).scalar() }).collect();
    compare("yaml", &cases, 10, |case| {
        let parsed =
            crate::syntax::data::parse(crate::syntax::data::Format::Yaml, format!("a: {}", case.code).as_bytes());
        let node = parsed.tree.roots.first().and_then(|root| root.get("a"));
        let value = match node.map(|node| &node.kind) {
            Some(crate::syntax::data::Kind::Nothing) => Some("nil".to_owned()),
            Some(_) => node.and_then(|node| node.as_text()).and_then(|text| written(&scalar::tokenize(text))),
            None => None,
        };
        Ours { value, raises: false, doubt: true }
    });
}
