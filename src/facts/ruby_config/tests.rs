//! Places in templates, and what a program keeps of a file.

use super::*;

const FILE: FileId = FileId(0);

/// Returns the calls of a program with the text where each stands, and the names that it assigns.
fn told(text: &str, body: &[Expression]) -> Vec<String> {
    let mut found = Vec::new();
    for step in body {
        step.visit(&mut |expression| match &expression.kind {
            ExpressionKind::Call(call) => found.push(format!("{}: {}", call.name, expression.bytes.of(text))),
            ExpressionKind::Print(inner) => found.push(format!("prints {}", inner.bytes.of(text))),
            ExpressionKind::Literal(bytes) => found.push(format!("text {:?}", bytes.of(text))),
            ExpressionKind::Assignment { target: Target::Name(name), .. } => found.push(format!("{name} =")),
            ExpressionKind::Branch { arms, .. } => found.push(format!("{} arms", arms.len())),
            _ => {}
        });
    }
    found
}

#[test]
fn tags_are_one_program_with_true_places() {
    let text = "<% n = 5 -%>\na:\n<% if ENV['X'] # why\n%>\n  b: <%= [n,\n    2].max %>\n<% else %>\n  c: <%# no %>1\n<% end %>";
    let template = Template::of(FILE, text);
    assert_eq!(template.troubles, []);
    let expected = [
        "n =",
        "text \"\\na:\\n\"",
        "2 arms",
        "[]: ENV['X']",
        "text \"\\n  b: \"",
        "prints [n,\n    2].max",
        "max: [n,\n    2].max",
        "text \"\\n\"",
        "text \"\\n  c: \"",
        "text \"1\\n\"",
    ];
    assert_eq!(told(text, &template.program.body), expected);
}

#[test]
fn broken_tags_say_nothing() {
    for text in ["a: <%= 1 +", "a: <%= (1 %>\nb: 2", "<% if x %>\na: 1\n", "a: <% end %>"] {
        let template = Template::of(FILE, text);
        assert!(!template.troubles.is_empty(), "{text}");
        assert!(told(text, &template.program.body).is_empty(), "{text}: {:?}", template.program.body);
    }
}

#[test]
fn calls_and_requires() {
    let text = "require 'dotenv/load'\nthreads 1, *more\non_worker_boot do |index|\n  x.y = 1\nend\nputs 2 if a && !b";
    let program = ruby(FILE, text).tree;
    assert_eq!(program.requires(), ["dotenv/load"]);
    let calls = told(text, &program.body);
    assert!(calls.contains(&"threads: threads 1, *more".to_owned()), "{calls:?}");
    assert!(calls.iter().any(|call| call.starts_with("on_worker_boot: ")), "{calls:?}");
}
