//! What the lowerings of the tree-sitter languages share.
