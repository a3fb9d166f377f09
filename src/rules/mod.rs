//! The rules, their pages, and the runner that joins the two.

mod page;

pub use page::{Page, PageError, Status};
