//! The replicas of a simulation, with their groups of requests: which takes a request, and which takes the next step.

use super::group::Group;
use super::pool::{Pipeline, Pool};
use super::random::Random;
use super::request::Ended;

/// Replicas that prefill and decode, or those that prefill and those that decode.
#[derive(Clone, Debug)]
pub(super) struct Replicas {
    /// The replicas that prefill, in disaggregated serving.
    prefill: Option<Pool>,
    /// The replicas that decode. Without disaggregation, those that prefill too.
    decode: Pool,
    /// Groups of requests of all replicas: of those that only prefill, then of those that decode.
    groups: Vec<Group>,
    /// The pipelines of all replicas, in the order of the groups.
    pipelines: Vec<Pipeline>,
    /// Time at which each replica has loaded all cached keys and values that it waits for, s.
    loaded: Vec<f64>,
    /// Place in each pool of the replica that gets the next request of a closed loop.
    turn: [usize; 2],
}

/// What a step of a group was.
pub(super) struct Stepped {
    /// Time at which it ended, s.
    pub(super) now: f64,
    /// Time that requests spent in the group until then, summed over them, s.
    pub(super) present: f64,
    /// True if the group's replica only prefills.
    pub(super) prefills: bool,
}

/// Length of the waiting queue per replica at which the replicas count as overloaded.
const MOST_WAITING: usize = 100_000;

impl Replicas {
    /// Idle replicas of one pool, or of two.
    pub(super) fn new(prefill: Option<Pool>, decode: Pool) -> Self {
        let prefilling = prefill.as_ref().map_or(0, |pool| pool.replicas as usize);
        let groups_of = |pool: &Pool, first: usize, prefills_only: bool| {
            let stages = pool.stages as usize;
            (0..pool.groups()).map(move |place| Group::new(first + place / stages, prefills_only))
        };
        let mut groups: Vec<Group> = Vec::new();
        if let Some(pool) = &prefill {
            groups.extend(groups_of(pool, 0, true));
        }
        groups.extend(groups_of(&decode, prefilling, false));
        let pipelines = vec![Pipeline::default(); prefilling + decode.replicas as usize];
        Self { prefill, decode, groups, pipelines, loaded: Vec::new(), turn: [0, 0] }
    }

    /// The pool at which requests arrive.
    pub(super) fn entry(&self) -> &Pool {
        self.prefill.as_ref().unwrap_or(&self.decode)
    }

    /// The pool that decodes.
    pub(super) const fn decode(&self) -> &Pool {
        &self.decode
    }

    /// Number of replicas that only prefill, and of those that decode.
    pub(super) fn numbers(&self) -> (usize, usize) {
        let prefilling = self.prefill.as_ref().map_or(0, |pool| pool.replicas as usize);
        (prefilling, self.decode.replicas as usize)
    }

    /// Returns true unless a waiting queue shows that its replica is overloaded.
    pub(super) fn keep_up(&self) -> bool {
        self.groups.iter().all(|group| group.waiting() <= MOST_WAITING)
    }

    /// Number of requests that wait or are in flight.
    pub(super) fn requests(&self) -> u64 {
        self.groups.iter().map(Group::requests).sum::<usize>() as u64
    }

    /// Number of requests that wait.
    pub(super) fn waiting(&self) -> u64 {
        self.groups.iter().map(Group::waiting).sum::<usize>() as u64
    }

    /// Number of preemptions so far.
    pub(super) fn preempted(&self) -> u64 {
        self.groups.iter().map(Group::preempted).sum()
    }

    /// The replica at which the next request arrives.
    pub(super) fn at_entry(&mut self, closed: bool, random: &mut Random) -> usize {
        let (prefilling, decoding) = self.numbers();
        self.route(0, if prefilling > 0 { prefilling } else { decoding }, closed, random)
    }

    /// The group of a replica at the entry that takes a request with `prompt` tokens to prefill.
    pub(super) fn taker(&mut self, replica: usize, prompt: u32) -> Option<&mut Group> {
        let place = self.place(self.entry(), 0, replica, prompt);
        self.groups.get_mut(place)
    }

    /// The group that takes a request which was prefilled.
    pub(super) fn decoder(&mut self, closed: bool, random: &mut Random) -> Option<&mut Group> {
        let (_, decoding) = self.numbers();
        let replica = self.route(1, decoding, closed, random);
        let place = self.place(&self.decode, self.prefilling(), replica, 1);
        self.groups.get_mut(place)
    }

    /// Time at which tokens of a prompt that take `time` to load from host memory and SSDs are on the replica's GPUs, s. Prompts are
    /// loaded one after another.
    pub(super) fn loaded(&mut self, replica: usize, arrived: f64, time: f64) -> f64 {
        if time <= 0.0 {
            return arrived;
        }
        if self.loaded.len() <= replica {
            self.loaded.resize(replica + 1, 0.0);
        }
        let end = self.loaded[replica].max(arrived) + time;
        self.loaded[replica] = end;
        end
    }

    /// The group whose step begins first, and when, s.
    pub(super) fn first(&self) -> (usize, f64) {
        let free = |group: &Group| self.pipelines.get(group.replica()).map_or(0.0, |pipeline| pipeline.free);
        let begins = self.groups.iter().map(|group| group.begins().max(free(group))).enumerate();
        begins.fold((0, f64::INFINITY), |first, other| if other.1 < first.1 { other } else { first })
    }

    /// One step of a group; requests that end with it are added to `ended`.
    pub(super) fn step(&mut self, place: usize, ended: &mut Vec<Ended>) -> Option<Stepped> {
        let prefills = place < self.prefilling();
        let pool = self.prefill.as_ref().filter(|_| prefills).unwrap_or(&self.decode);
        let group = self.groups.get_mut(place)?;
        let pipeline = self.pipelines.get_mut(group.replica())?;
        group.step(pool, pipeline, ended);
        Some(Stepped { now: group.now(), present: group.take_present(), prefills })
    }

    /// Preempts requests of a group whose cache is full.
    pub(super) fn preempt(&mut self, place: usize) {
        let prefills = place < self.prefilling();
        let pool = self.prefill.as_ref().filter(|_| prefills).unwrap_or(&self.decode);
        if let Some(group) = self.groups.get_mut(place) {
            group.preempt(pool);
        }
    }

    /// Number of groups that only prefill.
    fn prefilling(&self) -> usize {
        self.prefill.as_ref().map_or(0, Pool::groups)
    }

    /// Place of the group that takes a request with `prompt` tokens to prefill, out of the groups of a replica. `first` is the
    /// pool's first group.
    ///
    /// Engines have one queue for all groups, and the next step takes from it. The request therefore joins the group whose
    /// step begins next. Groups without a free slot, or with a full step of prompts waiting, are skipped. If all are skipped,
    /// the group with the fewest requests takes it.
    fn place(&self, pool: &Pool, first: usize, replica: usize, prompt: u32) -> usize {
        let (stages, rules) = (pool.stages as usize, &pool.rules);
        let first = first + replica * stages;
        let Some(groups) = self.groups.get(first..first + stages).filter(|_| stages > 1) else {
            return first;
        };
        let full = (rules.budget / prompt.max(1)).max(1) as usize;
        let open = |group: &Group| group.waiting() < full && group.requests() < rules.slots as usize;
        let next = groups.iter().enumerate().filter(|(_, group)| open(group));
        let next = next.min_by(|(_, a), (_, b)| a.now().total_cmp(&b.now()));
        let fewest = || groups.iter().enumerate().min_by_key(|(_, group)| group.requests());
        next.or_else(fewest).map_or(first, |(place, _)| first + place)
    }

    /// The replica of a pool that gets the next request. Poisson arrivals are split at random, so that those of each replica
    /// are a Poisson process too, as the mean-field model assumes. A constant number of concurrent requests is spread evenly.
    fn route(&mut self, pool: usize, replicas: usize, closed: bool, random: &mut Random) -> usize {
        if replicas <= 1 {
            return 0;
        }
        if !closed {
            return (random.bits() % replicas as u64) as usize;
        }
        let place = self.turn[pool];
        self.turn[pool] = (place + 1) % replicas;
        place
    }

    /// Elements of lists, and requests and other elements of groups, for which memory is kept.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        let groups: usize = self.groups.iter().map(Group::capacity).sum();
        groups + self.groups.capacity() + self.pipelines.capacity() + self.loaded.capacity()
    }
}
