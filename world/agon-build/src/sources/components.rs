//! Files that need each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Numbers files so that two have the same number exactly if each needs the other, directly or not.
///
/// This is Tarjan's algorithm. It takes time for each file and for each need once, and no recursion, because the author of a bot
/// chooses the depth.
pub(super) fn components(needs: &BTreeMap<String, BTreeSet<String>>) -> HashMap<&str, usize> {
    let numbers: HashMap<&str, usize> = needs.keys().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let number = |name: &String| numbers.get(name.as_str()).copied();
    let edges: Vec<Vec<usize>> = needs.values().map(|needs| needs.iter().filter_map(number).collect()).collect();
    let mut order: Vec<Option<usize>> = vec![None; edges.len()];
    let mut lowest = vec![0; edges.len()];
    let mut component: Vec<Option<usize>> = vec![None; edges.len()];
    // The way from the root, each file with the number of its needs that were followed; and the files without a component.
    let (mut path, mut open): (Vec<(usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..edges.len() {
        if order[root].is_none() {
            path.push((root, 0));
        }
        while let Some((file, followed)) = path.last_mut() {
            let file = *file;
            let own = *order[file].get_or_insert_with(|| {
                lowest[file] = next;
                open.push(file);
                next += 1;
                next - 1
            });
            if let Some(to) = edges[file].get(*followed).copied() {
                *followed += 1;
                match order[to] {
                    None => path.push((to, 0)),
                    Some(other) if component[to].is_none() => lowest[file] = lowest[file].min(other),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                lowest[*parent] = lowest[*parent].min(lowest[file]);
            }
            while lowest[file] == own && component[file].is_none() {
                let Some(member) = open.pop() else { break };
                component[member] = Some(file);
            }
        }
    }
    numbers.into_iter().map(|(name, at)| (name, component[at].unwrap_or(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the components of files that are given as `name: needed needed`.
    fn of(lines: &[String]) -> BTreeSet<BTreeSet<String>> {
        let needs: BTreeMap<String, BTreeSet<String>> = lines
            .iter()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, needs)| (name.to_owned(), needs.split_whitespace().map(str::to_owned).collect()))
            .collect();
        let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (name, number) in components(&needs) {
            found.entry(number).or_default().insert(name.to_owned());
        }
        found.into_values().collect()
    }

    fn sets(sets: &[&[&str]]) -> BTreeSet<BTreeSet<String>> {
        sets.iter().map(|set| set.iter().map(|name| (*name).to_owned()).collect()).collect()
    }

    #[test]
    fn files_that_need_each_other_are_together() {
        let lines = ["a: b", "b: c a", "c: d", "d: c missing", "e: a e", "f:", "g: h", "h: i", "i: g f"];
        let lines = lines.map(str::to_owned);
        assert_eq!(of(&lines), sets(&[&["a", "b"], &["c", "d"], &["e"], &["f"], &["g", "h", "i"]]));
        assert_eq!(of(&[]), sets(&[]));
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let lines: Vec<String> = (0..100_000).map(|at| format!("{at:06}: {:06}", at + 1)).collect();
        assert_eq!(of(&lines).len(), 100_000);
        let mut ring = lines;
        ring.push("100000: 000000".into());
        assert_eq!(of(&ring).len(), 1);
    }
}
