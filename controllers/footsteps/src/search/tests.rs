//! Against Dijkstra's search on random graphs.

use super::*;
use robot_io::RandomStream;

/// Places in a square, with edges to some others that cost no less than their length.
struct Random {
    places: Vec<[f64; 2]>,
    edges: Vec<Vec<(u32, f64)>>,
    /// How wrong the guess is.
    error: f64,
}

impl Random {
    fn new(seed: u64, error: f64) -> Random {
        let random = RandomStream::new(seed, "graph");
        let count = 120;
        let places: Vec<[f64; 2]> = (0..count).map(|k| [random.uniform(k, 0), random.uniform(k, 1)]).collect();
        let edges = (0..count).map(|from| {
            let to = (0..4).map(move |k| (count as f64 * random.uniform(1000 + from, k)) as u32);
            let length = |to: u32| apart(&places[from as usize], &places[to as usize]);
            to.map(|to| (to, length(to) * (1.0 + random.uniform(2000 + from, to)))).collect()
        });
        Random { edges: edges.collect(), places, error }
    }

    fn shortest(&self) -> f64 {
        let mut cost = vec![f64::INFINITY; self.places.len()];
        cost[0] = 0.0;
        for _ in 0..self.places.len() {
            for from in 0..self.places.len() {
                for (to, edge) in &self.edges[from] {
                    cost[*to as usize] = cost[*to as usize].min(cost[from] + edge);
                }
            }
        }
        cost[1]
    }
}

fn apart(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

impl Graph for Random {
    fn expand(&mut self, node: u32, _: Option<u32>, useful: &dyn Fn(u32, f64) -> bool, out: &mut Vec<(u32, f64)>) {
        out.extend(self.edges[node as usize].iter().filter(|(to, edge)| useful(*to, *edge)));
    }

    fn guess(&self, node: u32) -> f64 {
        let error = RandomStream::new(u64::from(node), "guess").uniform(0, 0);
        self.bound(node) * (1.0 + self.error * error)
    }

    fn bound(&self, node: u32) -> f64 {
        apart(&self.places[node as usize], &self.places[1])
    }
}

#[test]
fn it_ends_with_the_best_way_and_never_gets_worse() {
    let mut without = 0;
    for seed in 0..300 {
        let mut graph = Random::new(seed, if seed % 2 == 0 { 0.0 } else { 4.0 });
        let shortest = graph.shortest();
        let mut search = Search::new(&graph, &[0], 1, &[3.0, 1.5]);
        let (mut before, mut slices) = (f64::INFINITY, 0);
        let end = loop {
            let event = search.advance(&mut graph, 7);
            let (cost, least) = (search.cost(), search.least());
            assert!(cost <= before && least <= shortest + 1e-9, "seed {seed}: {cost}, {least}, {shortest}");
            if cost.is_finite() {
                let (way, sum) = search.way(1);
                assert!(sum <= cost + 1e-9 && way[0] == 0, "seed {seed}");
            }
            before = cost;
            slices += 1;
            assert!(slices < 1000, "seed {seed} does not end");
            if matches!(event, Event::Best | Event::NoWay) {
                break event;
            }
        };
        assert_eq!(end == Event::Best, shortest.is_finite(), "seed {seed}");
        assert!(search.cost() == shortest || (search.cost() - shortest).abs() < 1e-9, "seed {seed}");
        without += usize::from(!shortest.is_finite());
    }
    assert!(without < 150, "most graphs have a way");
}

#[test]
fn slices_change_nothing() {
    for seed in 0..50 {
        let ways = [3, 1000].map(|slice| {
            let mut graph = Random::new(seed, 2.0);
            let mut search = Search::new(&graph, &[0], 1, &[3.0, 1.5]);
            while !matches!(search.advance(&mut graph, slice), Event::Best | Event::NoWay) {}
            (search.way(1), search.expanded())
        });
        assert_eq!(ways[0], ways[1], "seed {seed}");
    }
}
