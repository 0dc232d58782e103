//! Goes through the lines of a recorded session, so that its tree is there again.

use super::{NodeId, PositionTree};
use crate::fit::whole;
use agon_core::{Flaw, State};
use agon_referee::{Branch, Mark, PlyRecord};

impl PositionTree {
    /// Plays a recorded turn. Its seats may have failed in it. Returns it with its round, which replays do not have.
    pub(crate) fn follow(&mut self, record: PlyRecord) -> Result<PlyRecord, Flaw> {
        let record = PlyRecord { round: self.position().round(), ..record };
        let base = self.node(self.at).base;
        let rerun = &mut self.bases[base].rerun;
        rerun.step(&record).map_err(|why| Flaw::new(why.to_string()))?;
        self.here = Branch::at(rerun.board().clone());
        self.enter(&record);
        Ok(record)
    }

    /// Goes back to the position after turn `ply` of the current line of play.
    pub(crate) fn go_back(&mut self, ply: u32) -> Result<(), Flaw> {
        let turns = self.ply();
        let mut to = self.at;
        for _ in ply..turns {
            to = self.node(to).parent.unwrap_or(to);
        }
        if self.node(to).ply != ply {
            return Err(Flaw::new(format!("there is no turn {ply}")).hint(match turns {
                0 => "no turn was played since the start or the last edit".to_owned(),
                _ => format!("the turns since the start or the last edit are 1 to {turns}"),
            }));
        }
        self.go_to(to).map(drop)
    }

    /// Goes to an edited position, or back to the start. If there is such a position already, it is that one: a replay does not
    /// say whether somebody went back over an edit or made the same edit again.
    pub(crate) fn follow_edit(&mut self, map: &str, state: &State, mark: Mark) -> Result<(), Flaw> {
        let is_base = |id: &usize| {
            let node = &self.nodes[*id];
            let base = &self.bases[node.base];
            node.record.is_none() && node.mark == mark && base.map == map && base.state == *state
        };
        match (0..self.nodes.len()).find(is_base) {
            Some(id) => self.go_to(NodeId(id)).map(drop),
            None => {
                let fitted = whole(self.game, &self.spec, map, state.clone())?;
                self.edit(map.to_owned(), fitted);
                Ok(())
            }
        }
    }
}
