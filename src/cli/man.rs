//! `foreshock man`: the manual page of foreshock or of one of its subcommands, for man(1).

use clap::{Args, CommandFactory as _};
use clap_mangen::Man;

use super::{Cli, Refusal};

#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// The subcommand whose page is wanted [default: the page of foreshock itself]
    #[arg(value_name = "SUBCOMMAND")]
    subcommand: Option<String>,
}

impl ManArgs {
    /// Returns the page in roff.
    pub(super) fn run(&self) -> Result<String, Refusal> {
        let mut whole = Cli::command();
        whole.build();
        let command = match &self.subcommand {
            None => whole,
            Some(name) => {
                let unknown = || Refusal::new(format!("there is no subcommand `{name}`"), "foreshock help lists them");
                whole.find_subcommand(name).cloned().ok_or_else(unknown)?
            }
        };
        let page = |command| -> std::io::Result<Vec<u8>> {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            Ok(page)
        };
        let page = page(command).map_err(|error| Refusal::new(error.to_string(), ""))?;
        Ok(String::from_utf8_lossy(&page).into_owned())
    }
}
