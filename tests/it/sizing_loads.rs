//! Large loads: the smallest replicas are kept, and each fleet keeps its levels.

use foretoken::scenario::{Scenario, link};
use foretoken::sizing::{Fleet, Search};

fn question(rest: &str) -> Scenario {
    let link = format!(
        "v=1&view=sizing&serve.in=3000&serve.out=500&serve.ttft=1000&serve.tpot=30&size.one=true{rest}"
    );
    let decoded = link::decode(&link);
    assert!(decoded.problems.is_empty(), "{:?}", decoded.problems);
    decoded.scenario
}

fn searched(rest: &str) -> Search {
    let mut search = question(rest).sizing().expect("a question");
    search.run();
    search
}

fn fewest(search: &Search) -> u32 {
    search.fleets().iter().map(Fleet::gpus).min().expect("a fleet")
}

/// The smallest replicas, of which a large load takes the most, are kept: GPUs grow with the load. With at most 65,536 replicas,
/// those of these devices were 30 to 48 % more for the large one.
#[test]
fn gpus_grow_with_a_large_load_as_with_a_small_one() {
    for device in ["rtx-4080-super", "rtx-4070-ti-super", "l20"] {
        let on = |users: u32| {
            let search =
                searched(&format!("&model=llama-3.1-8b&serve.engine=vllm&gpu={device}&size.users={users}"));
            f64::from(fewest(&search)) / f64::from(users)
        };
        let ratio = on(3_000_000) / on(20_000);
        assert!((0.97..1.01).contains(&ratio), "{device}: {ratio}");
    }
}

/// Times jump a little below the largest load of a replica of one H100 96 GB in FP8. Where that number of replicas misses a level,
/// the fleet has one more, and more load never takes fewer GPUs.
#[test]
fn a_jump_below_the_largest_load_takes_a_replica_more() {
    let mut before = 0;
    for rate in (400..=470).step_by(7) {
        let search = searched(&format!(
            "&model=llama-3.1-8b&serve.engine=vllm&gpu=h100-sxm-96gb&serve.precision=fp8&size.narrower=false\
             &size.load=rate&serve.rate={rate}"
        ));
        for fleet in search.fleets() {
            assert!(fleet.load.keeps(&fleet.service), "{fleet:?}");
            assert!(fleet.utilisation() <= 1.0 + 1e-4, "{fleet:?}");
        }
        let gpus = fewest(&search);
        assert!(gpus >= before, "{rate}: {before} {gpus}");
        // A replica of one GPU carries 4.77 requests/s within the levels.
        assert!(f64::from(gpus) <= f64::from(rate) / 4.77 + 1.5, "{rate}: {gpus}");
        before = gpus;
    }
}
