//! What a root sets once for all calls of a library: `Retriable.configure { |c| c.tries = 5 }`.

use crate::facts::Body;
use crate::facts::code::{CallSite, CodeFacts};
use crate::facts::value::ValueKind;
use crate::knowledge::retry::{Configure, Library};
use crate::model::resolve::{Fields, Resolver};
use crate::source::{FileId, Sources};

/// Returns the options that every call in the root of `file` inherits, or nothing if the library has no such thing.
pub(super) fn inherited<'a>(
    library: &Library,
    resolver: &Resolver<'a>,
    sources: &Sources,
    file: FileId,
) -> Option<Fields<'a>> {
    let row = library.configure.as_ref()?;
    let root = sources.file(file).map(|entry| entry.root);
    let mut fields = Fields::default();
    let mut blocks = 0;
    for (id, facts) in resolver.facts() {
        let Body::Code(code) = &facts.body else { continue };
        if sources.file(*id).map(|entry| entry.root) != root {
            continue;
        }
        for call in code.calls.iter().filter(|call| configures(row, call)) {
            blocks += 1;
            add_block(code, call, &mut fields);
        }
        for write in code.writes.iter().filter(|write| write.base == row.export) {
            if let [reader, key] = write.path.as_slice()
                && *reader == row.reader
            {
                fields.assign(key, write);
            }
        }
    }
    // Which of several runs last, files do not say.
    if blocks > 1 {
        fields.open();
    }
    Some(fields)
}

fn configures(row: &Configure, call: &CallSite) -> bool {
    call.name == row.method
        && matches!(&call.called.callee.kind, ValueKind::Member { object, .. }
            if object.kind == ValueKind::Name(row.export.clone()))
}

fn add_block<'a>(code: &'a CodeFacts, call: &'a CallSite, fields: &mut Fields<'a>) {
    let block = call.called.block.as_ref();
    let parameter = block.and_then(|block| block.parameters.first()).and_then(|parameter| parameter.name.as_deref());
    let (Some(block), Some(parameter)) = (block, parameter) else {
        fields.open();
        return;
    };
    for write in code.writes.iter().filter(|write| write.base == parameter) {
        if let [key] = write.path.as_slice()
            && block.body.contains(write.name_span.bytes)
        {
            fields.assign(key, write);
        }
    }
}
