//! The functions and classes around a place.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Type,
    Function {
        /// A `yield` stands in it: it is a generator.
        yields: bool,
    },
}

/// Innermost last; empty at the top of a file.
#[derive(Debug, Default)]
pub(super) struct Frames(Vec<Frame>);

impl Frames {
    pub(super) fn enter(&mut self, frame: Frame) {
        self.0.push(frame);
    }

    /// Leaves the innermost frame and returns it.
    pub(super) fn leave(&mut self) -> Option<Frame> {
        self.0.pop()
    }

    pub(super) fn in_type(&self) -> bool {
        self.0.last() == Some(&Frame::Type)
    }

    pub(super) fn note_yield(&mut self) {
        if let Some(Frame::Function { yields }) = self.0.last_mut() {
            *yields = true;
        }
    }
}
