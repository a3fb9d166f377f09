//! Snippets of all three languages and the views that they give.

use super::super::{Language, parse, print};

#[test]
fn scratch() {
    let language = match std::env::var("L").unwrap().as_str() {
        "js" => Language::JavaScript,
        "ts" => Language::TypeScript,
        _ => Language::Tsx,
    };
    let text = std::fs::read_to_string(std::env::var("F").unwrap()).unwrap();
    let parsed = parse(language, &text);
    println!("{}{:#?}{:#?}", print(&parsed.tree), parsed.comments, parsed.troubles);
}
