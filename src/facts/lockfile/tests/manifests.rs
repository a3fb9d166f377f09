//! What manifests ask for.

use super::super::manifest::{Manifest, ManifestKind, parse};
use super::*;

fn asked_in(kind: ManifestKind, text: &str) -> Vec<String> {
    let Manifest { dependencies, troubles, .. } = parse(kind, text.as_bytes(), &|_, _| true);
    assert_eq!(troubles, []);
    let line = |package: &manifest::AskedPackage| {
        let written = package.bytes.of(text);
        if !package.range.contains(", ") && !package.range.is_empty() {
            assert_eq!(written, package.range);
        }
        assert!(!written.is_empty(), "{} stands somewhere", package.name);
        format!("{} {} {}", package.name, package.range, package.section).trim_end().replace("  ", " ")
    };
    dependencies.iter().map(line).collect()
}

fn check(kind: ManifestKind, text: &str, expected: &[&str]) {
    assert_eq!(asked_in(kind, text), expected);
    assert_eq!(asked_in(kind, &text.replace('\n', "\r\n")), expected, "with CRLF");
    assert_eq!(asked_in(kind, &format!("\u{feff}{text}")), expected, "with a byte order mark");
}

#[test]
fn package_json() {
    let text = r#"{
  "name": "demo", "version": "1.0.0",
  "scripts": { "dependencies": "echo" },
  "dependencies": { "sequelize": "^6.37.0", "old-retry": "npm:retry-as-promised@6.1.0" },
  "devDependencies": { "@types/node": "20.x" },
  "optionalDependencies": { "fsevents": "*" },
  "peerDependencies": { "react": ">=16 <19" },
  "peerDependenciesMeta": { "react": { "optional": true } }
}"#;
    check(
        ManifestKind::PackageJson,
        text,
        &[
            "sequelize ^6.37.0 dependencies",
            "retry-as-promised 6.1.0 dependencies",
            "@types/node 20.x devDependencies",
            "fsevents * optionalDependencies",
            "react >=16 <19 peerDependencies",
        ],
    );
}

#[test]
fn gemfile() {
    let text = r#"source "https://rubygems.org"
gem "sidekiq", "~> 7.1"
gem 'puma'
# gem "commented", "1"
group :test do
  gem "minitest", ">= 5", '< 6', require: false
  gem("rspec", "= 3.0") if ENV["X"]
end
gem "rack", git: "https://github.com/rack/rack.git"
gem "old", "git" => "https://example.org"
gem "listed", [">= 1", "< 2"]
gemspec
"#;
    check(
        ManifestKind::Gemfile,
        text,
        &["sidekiq ~> 7.1", "puma", "minitest >= 5, < 6", "rspec = 3.0", "rack", "old", "listed >= 1, < 2"],
    );
}

#[test]
fn cargo_toml() {
    let text = r#"[package]
name = "demo"
version = "0.1.0"

[dependencies]
backoff = "0.4"
tokio = { version = "1.38", features = ["full", "version"] } # why
retry2 = { package = "retry", version = "2.0" }
dotted.version = "1.2"
dotted.features = ["a"]
ours = { path = "../ours" }
shared.workspace = true

[dependencies.long]
version = '=3.1.4'
default-features = false

[dev-dependencies]
backoff = "0.3"

[target.'cfg(unix)'.dependencies]
nix = "0.27"

[target.x86_64-pc-windows-gnu.build-dependencies.winapi]
version = "0.3"

[workspace.dependencies]
serde = "1"

[features]
dependencies = ["backoff"]
"#;
    check(
        ManifestKind::CargoToml,
        text,
        &[
            "backoff 0.4 dependencies",
            "tokio 1.38 dependencies",
            "retry 2.0 dependencies",
            "dotted 1.2 dependencies",
            "ours dependencies",
            "shared dependencies",
            "long =3.1.4 dependencies",
            "backoff 0.3 dev-dependencies",
            "nix 0.27 target.cfg(unix).dependencies",
            "winapi 0.3 target.x86_64-pc-windows-gnu.build-dependencies",
            "serde 1 workspace.dependencies",
        ],
    );
}

#[test]
fn pyproject_and_pipfile() {
    let text = r#"[project]
name = "demo"
dependencies = [
    "tenacity==8.2.3",
    "Flask[async]~=3.0 ; python_version >= '3.9'", # why
    'numpy',
]

[project.optional-dependencies]
x = ["sniffio>=1"]

[dependency-groups]
dev = ["iniconfig<2", { include-group = "x" }]

[tool.uv]
dev-dependencies = ["ruff"]

[tool.poetry.dependencies]
python = ">=3.9"
urllib3 = {version = "^2.0", extras = ["brotli"]}
several = [{ version = "^1", python = "<3.9" }, { version = "^2" }]

[tool.poetry.group.dev.dependencies]
pytest = "*"

[build-system]
requires = ["poetry-core"]
"#;
    check(
        ManifestKind::Pyproject,
        text,
        &[
            "tenacity ==8.2.3 project.dependencies",
            "flask ~=3.0 project.dependencies",
            "numpy project.dependencies",
            "sniffio >=1 project.optional-dependencies.x",
            "iniconfig <2 dependency-groups.dev",
            "ruff tool.uv.dev-dependencies",
            "python >=3.9 tool.poetry.dependencies",
            "urllib3 ^2.0 tool.poetry.dependencies",
            "several ^1 tool.poetry.dependencies",
            "several ^2 tool.poetry.dependencies",
            "pytest * tool.poetry.group.dev.dependencies",
        ],
    );
    let pipfile = "[packages]\nTenacity = \"==8.2.3\"\nurllib3 = {version = \">=2\", extras=[\"brotli\"]}\n[dev-packages]\nx = \"*\"\n";
    check(ManifestKind::Pipfile, pipfile, &["tenacity ==8.2.3 packages", "urllib3 >=2 packages", "x * dev-packages"]);
}

#[test]
fn requirements_keep_their_ranges() {
    let text = "Django>=4.2,<5 # why\nredis\n-r base.txt\nforked @ https://example.org/a.whl\n";
    check(ManifestKind::Requirements, text, &["django >=4.2,<5", "redis", "forked"]);
}

#[test]
fn kinds_by_name() {
    assert_eq!(ManifestKind::of_name("package.json"), Some(ManifestKind::PackageJson));
    assert_eq!(ManifestKind::of_name("requirements-dev.in"), Some(ManifestKind::Requirements));
    assert_eq!(ManifestKind::of_name("gems.rb"), Some(ManifestKind::Gemfile));
    assert_eq!(ManifestKind::of_name("package-lock.json"), None);
    assert_eq!(ManifestKind::of_name("config.in"), None);
}

#[test]
fn project_files_of_dotnet() {
    let text = r#"<Project Sdk="Microsoft.NET.Sdk.Web">
  <!-- <PackageReference Include="Left.Out" Version="1" /> -->
  <ItemGroup Condition="'$(A)' > '1'">
    <PackageReference Include="Npgsql" Version="8.0.3" PrivateAssets="all" />
    <PackageReference Version='[5.1,6)' Include='Dapper'></PackageReference>
    <PackageReference Include="Central"/><PackageVersion Include="Central" Version="2.*" />
    <FrameworkReference Include="Microsoft.AspNetCore.App" />
  </ItemGroup>
</Project>
<Sdk Name="Other.Sdk/3.0" /><PackageReference Include="#;
    check(
        ManifestKind::CsProj,
        text,
        &[
            "Microsoft.NET.Sdk.Web Sdk",
            "Npgsql 8.0.3 PackageReference",
            "Dapper [5.1,6) PackageReference",
            "Central PackageReference",
            "Central 2.* PackageVersion",
            "Microsoft.AspNetCore.App FrameworkReference",
            "Other.Sdk Sdk",
        ],
    );
}
