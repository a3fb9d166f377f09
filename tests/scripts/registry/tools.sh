# Gets the programs that the scripts beside this folder need, pinned, from the registries of Python and Node; each kind
# once. Sourced. Says why the rest is skipped where one cannot be had.

here=$(realpath "$(dirname "$0")/../..")
tools=${CARGO_TARGET_DIR:-$here/target}/tools

# skip REASON: ends the script; nothing failed.
skip() {
    echo "skipped: $1"
    exit 0
}

# python_tools PACKAGE==VERSION…: their programs are in $tools/python/bin.
python_tools() {
    [ -x "$tools/python/bin/pip" ] || python3 -m venv "$tools/python" >/dev/null 2>&1 || return 1
    "$tools/python/bin/pip" install -q --disable-pip-version-check "$@" >/dev/null 2>&1
}

# node_tools PACKAGE@VERSION…: they are in $tools/node/node_modules.
node_tools() {
    command -v npm >/dev/null 2>&1 || return 1
    mkdir -p "$tools/node"
    [ -f "$tools/node/package.json" ] || echo '{"private": true, "type": "module"}' >"$tools/node/package.json"
    (cd "$tools/node" && npm install --no-audit --no-fund --ignore-scripts --silent --save-exact "$@" >/dev/null 2>&1)
}

# The scripts run git in scratch repositories, with no settings but these.
scratch_git() {
    export GIT_CONFIG_GLOBAL="$1/gitconfig" GIT_CONFIG_NOSYSTEM=1
    git config --global user.name n
    git config --global user.email n@example.org
    git config --global init.defaultBranch main
}
