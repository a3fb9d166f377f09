//! Project files of .NET: `<PackageReference Include="A" Version="1.2" />`, its central form `PackageVersion`, the
//! shared frameworks and the SDK that a project is built with. Conditions and imports are not followed.

use super::Asked;
use crate::version::Ecosystem;

/// Elements that ask for a package, and the attribute that names it.
const ELEMENTS: [&str; 4] = ["PackageReference", "PackageVersion", "GlobalPackageReference", "FrameworkReference"];

pub(super) fn read(asked: &mut Asked<'_>) {
    let text = asked.text;
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        rest = rest.get(open + 1..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").and_then(|end| comment.get(end..)).unwrap_or_default();
            continue;
        }
        let end = end_of_tag(rest);
        let (tag, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = after;
        let name_end = tag.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(tag.len());
        let (name, attributes) = tag.split_at_checked(name_end).unwrap_or((tag, ""));
        if ELEMENTS.contains(&name) {
            let package = attribute(attributes, "Include").or_else(|| attribute(attributes, "Update"));
            let range = attribute(attributes, "Version").unwrap_or_default();
            if let Some(package) = package {
                asked.keep(Ecosystem::NuGet, package, range, package, name);
            }
        } else if matches!(name, "Project" | "Sdk" | "Import") {
            let sdk = attribute(attributes, if name == "Sdk" { "Name" } else { "Sdk" });
            // `Sdk="Name/1.2"`
            if let Some(sdk) = sdk.and_then(|sdk| sdk.split('/').next()) {
                asked.keep(Ecosystem::NuGet, sdk, "", sdk, "Sdk");
            }
        }
    }
}

/// Returns the length of a tag: `>` may stand inside quotes (`Condition="'$(A)' > '1'"`).
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    text.len()
}

fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = attributes;
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|first| matches!(first, '"' | '\''))?;
        let (value, next) = after.get(1..)?.split_once(quote)?;
        if key.trim() == name {
            return Some(value.trim());
        }
        rest = next;
    }
    None
}
