//! Lockfiles and manifests of package managers, told by their names.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockfileKind {
    /// `package-lock.json` and `npm-shrinkwrap.json`, lockfileVersion 1 to 3.
    PackageLock,
    /// `yarn.lock` of yarn 1 and of Berry.
    Yarn,
    /// `pnpm-lock.yaml` 5 to 9, and `shrinkwrap.yaml` before it.
    Pnpm,
    /// `bun.lock`; the binary `bun.lockb` is not read.
    Bun,
    /// `Gemfile.lock` and `gems.locked`.
    Gemfile,
    Cargo,
    Poetry,
    Uv,
    Pdm,
    Pipfile,
    /// `requirements.txt` and its variants: exact pins only.
    Requirements,
    /// `packages.lock.json`.
    NuGet,
}

impl LockfileKind {
    /// Returns the kind of lockfile that carries this file name.
    pub fn of_name(file_name: &str) -> Option<Self> {
        Some(match file_name {
            "package-lock.json" | "npm-shrinkwrap.json" | ".package-lock.json" => Self::PackageLock,
            "yarn.lock" => Self::Yarn,
            "pnpm-lock.yaml" | "shrinkwrap.yaml" => Self::Pnpm,
            "bun.lock" => Self::Bun,
            "gems.locked" => Self::Gemfile,
            "Cargo.lock" => Self::Cargo,
            "poetry.lock" => Self::Poetry,
            "uv.lock" => Self::Uv,
            "pdm.lock" => Self::Pdm,
            "Pipfile.lock" => Self::Pipfile,
            "packages.lock.json" => Self::NuGet,
            // Applications that boot with two versions of Rails keep `Gemfile.next.lock` beside the first.
            name if name.strip_suffix(".lock").is_some_and(|stem| stem.starts_with("Gemfile")) => Self::Gemfile,
            name if is_requirements(name) => Self::Requirements,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ManifestKind {
    PackageJson,
    /// `Gemfile` and `gems.rb`.
    Gemfile,
    CargoToml,
    /// `pyproject.toml`: PEP 621, dependency groups, poetry, pdm, uv.
    Pyproject,
    Pipfile,
    Requirements,
    /// `x.csproj`, `Directory.Packages.props`, `Directory.Build.props`.
    CsProj,
}

impl ManifestKind {
    /// Returns the kind of manifest that carries this file name.
    pub fn of_name(file_name: &str) -> Option<Self> {
        Some(match file_name {
            "package.json" => Self::PackageJson,
            "Gemfile" | "gems.rb" => Self::Gemfile,
            "Cargo.toml" => Self::CargoToml,
            "pyproject.toml" => Self::Pyproject,
            "Pipfile" => Self::Pipfile,
            "Directory.Packages.props" | "Directory.Build.props" => Self::CsProj,
            name if name.ends_with(".csproj") => Self::CsProj,
            name if is_requirements(name) => Self::Requirements,
            // The source that pip-compile makes a `requirements.txt` from.
            name if name.strip_suffix(".in").is_some_and(|stem| is_requirements(&format!("{stem}.txt"))) => {
                Self::Requirements
            }
            _ => return None,
        })
    }
}

/// `requirements.txt`, `requirements-dev.txt`, `dev_requirements.txt`, `constraints.txt`.
fn is_requirements(file_name: &str) -> bool {
    file_name.strip_suffix(".txt").is_some_and(|stem| {
        let stem = stem.to_ascii_lowercase();
        ["requirements", "constraints"].iter().any(|word| stem.starts_with(word) || stem.ends_with(word))
    })
}
