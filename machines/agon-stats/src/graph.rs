//! Who can be compared with whom.

/// The parts of a graph whose nodes are bots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    /// The number of the part of each node, from 0 in the order of the first node.
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

/// What connects two nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    pub(crate) one: u32,
    pub(crate) other: u32,
    /// Whether an edge leads from the one to the other.
    pub(crate) there: bool,
    /// Whether an edge leads from the other to the one.
    pub(crate) back: bool,
}

/// Returns the connected parts of an undirected graph.
pub(crate) fn components(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Parts {
    let mut parent: Vec<u32> = (0..nodes as u32).collect();
    fn root(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            let above = parent[parent[node as usize] as usize];
            parent[node as usize] = above;
            node = above;
        }
        node
    }
    let mut parts = nodes;
    for (one, other) in edges {
        // Where everybody has met, a small part of the edges says so.
        if parts == 1 {
            break;
        }
        let (one, other) = (root(&mut parent, one), root(&mut parent, other));
        parts -= usize::from(one != other);
        parent[one.max(other) as usize] = one.min(other);
    }
    // The root of a part is its first node, so numbers are given in order.
    let (mut of, mut count) = (vec![0; nodes], 0);
    for node in 0..nodes as u32 {
        let root = root(&mut parent, node);
        of[node as usize] = if root == node {
            count += 1;
            count - 1
        } else {
            of[root as usize]
        };
    }
    Parts { of, count: count as usize }
}

/// Returns the parts that links connect, in whichever direction, and for each part whether each of its nodes can be reached
/// from each other one. `links` is called up to three times.
pub(crate) fn compared<I: Iterator<Item = Link>>(nodes: usize, links: impl Fn() -> I) -> (Parts, Vec<bool>) {
    // Where many games were played, most links have both directions, and that is all there is to know.
    let mutual = components(nodes, links().filter(|link| link.there && link.back).map(|link| (link.one, link.other)));
    if mutual.count <= 1 {
        let reached = vec![true; mutual.count];
        return (mutual, reached);
    }
    let parts = components(nodes, links().map(|link| (link.one, link.other)));
    let mut next = vec![Vec::new(); mutual.count];
    for link in links() {
        let (one, other) = (mutual.of[link.one as usize] as usize, mutual.of[link.other as usize] as usize);
        if one != other && link.there {
            next[one].push(other);
        }
        if one != other && link.back {
            next[other].push(one);
        }
    }
    for targets in &mut next {
        targets.sort_unstable();
        targets.dedup();
    }
    // A part is reached if it is one strong part.
    let mut part_of = vec![0_usize; mutual.count];
    for (node, mutual) in mutual.of.iter().enumerate() {
        part_of[*mutual as usize] = parts.of[node] as usize;
    }
    let mut strong = vec![0_u32; parts.count];
    for part in strong_parts(&next) {
        strong[part_of[part[0]]] += 1;
    }
    (parts, strong.into_iter().map(|count| count == 1).collect())
}

/// Returns the sets of nodes of which each can be reached from each other one. `next` has the nodes to which edges lead. Each
/// set is in ascending order, and so are the sets by their first node. The method is that of S. R. Kosaraju.
pub(crate) fn strong_parts(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut back = vec![Vec::new(); next.len()];
    for (from, targets) in next.iter().enumerate() {
        targets.iter().for_each(|to| back[*to].push(from));
    }
    // The nodes in the order in which a search from them ends.
    let (mut seen, mut ended) = (vec![false; next.len()], Vec::with_capacity(next.len()));
    for start in 0..next.len() {
        let mut open = vec![(start, 0)];
        while let Some((node, edge)) = open.pop() {
            if edge == 0 && std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match next[node].get(edge) {
                Some(to) => open.extend([(node, edge + 1), (*to, 0)]),
                None => ended.push(node),
            }
        }
    }
    let (mut taken, mut parts) = (vec![false; next.len()], Vec::new());
    for start in ended.into_iter().rev() {
        let (mut part, mut open) = (Vec::new(), vec![start]);
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut taken[node], true) {
                part.push(node);
                open.extend(&back[node]);
            }
        }
        if !part.is_empty() {
            part.sort_unstable();
            parts.push(part);
        }
    }
    parts.sort_unstable();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_by_their_first_node() {
        let parts = components(6, [(4, 1), (2, 5), (5, 0)].into_iter());
        assert_eq!((parts.of, parts.count), (vec![0, 1, 0, 2, 1, 0], 3));
        assert_eq!(components(0, std::iter::empty()).count, 0);
        // Copies of an edge connect no more than one of it.
        assert_eq!(components(3, [(0, 1), (1, 0), (0, 1), (0, 2)].into_iter()).count, 1);
    }

    #[test]
    fn every_part_is_judged_by_itself() {
        let link = |one, other| Link { one, other, there: true, back: false };
        let cycle = [link(0, 1), link(1, 2), link(2, 0)];
        let reached = |nodes, links: &[Link]| compared(nodes, || links.iter().copied()).1;
        assert_eq!(reached(3, &cycle), [true]);
        assert_eq!(reached(3, &cycle[..2]), [false]);
        assert_eq!(reached(4, &cycle), [true, true], "a node without a link is all of its part");
        assert_eq!(reached(5, &[&cycle[..], &[link(3, 4)]].concat()), [true, false]);
        let back = Link { back: true, ..link(3, 4) };
        assert_eq!(reached(6, &[&cycle[..2], &[back, link(4, 5), link(5, 3)]].concat()), [false, true]);
    }

    #[test]
    fn strong_parts_are_circles_and_what_is_left() {
        // 0 → 1 → 2 → 0 → 3 → 4 ⇄ 5, and 6 alone.
        let next = [vec![1, 3], vec![2], vec![0], vec![4], vec![5], vec![4], vec![]];
        assert_eq!(strong_parts(&next), [vec![0, 1, 2], vec![3], vec![4, 5], vec![6]]);
        let circle: Vec<Vec<usize>> = (0..10_000).map(|node| vec![(node + 1) % 10_000]).collect();
        assert_eq!(strong_parts(&circle), [(0..10_000).collect::<Vec<_>>()]);
        assert!(strong_parts(&[]).is_empty());
    }

    #[test]
    fn links_of_both_directions_are_followed_first() {
        let link = |one, other, back| Link { one, other, there: true, back };
        // Two pairs that have won against each other, and a cycle or a chain between them.
        let pairs = [link(0, 1, true), link(2, 3, true), link(1, 2, false)];
        let closed = [pairs[0], pairs[1], pairs[2], link(3, 0, false)];
        assert_eq!(compared(4, || closed.into_iter()), (Parts { of: vec![0; 4], count: 1 }, vec![true]));
        assert_eq!(compared(4, || pairs.into_iter()), (Parts { of: vec![0; 4], count: 1 }, vec![false]));
        assert_eq!(
            compared(4, || pairs[..2].iter().copied()),
            (Parts { of: vec![0, 0, 1, 1], count: 2 }, vec![true; 2])
        );
        assert_eq!(compared(2, || [link(0, 1, true)].into_iter()), (Parts { of: vec![0; 2], count: 1 }, vec![true]));
        assert_eq!(compared(0, std::iter::empty), (Parts { of: Vec::new(), count: 0 }, Vec::new()));
    }
}
