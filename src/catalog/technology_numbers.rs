//! The scaling numbers as a list: each has a key, a meaning and a unit, and may be replaced.

use super::Sourced;
use super::technology::{Constants, Core, Fabric, Node, Stack, Technology};
use super::{nearest, suggestion};

/// Meaning of a scaling number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// Name of the field.
    pub field: &'static str,
    /// Meaning, in one sentence.
    pub meaning: &'static str,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
}

/// A scaling number.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Label of the entry to which the number belongs.
    pub of: String,
    /// Id of the entry in the number's key.
    pub id: String,
    /// Meaning of the number.
    pub what: Meaning,
    /// Value, source and confidence.
    pub sourced: Sourced,
}

impl Listed {
    /// Unique key, e.g. `n5.logic_density`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.id, self.what.field)
    }

    /// Range of values that may replace the number: a tenth to ten times the value, and at most 1 for fractions.
    pub fn range(&self) -> (f64, f64) {
        let value = self.sourced.value;
        let high = if self.what.unit == SHARE { (value * REACH).min(1.0) } else { value * REACH };
        (value / REACH, high)
    }
}

const SHARE: &str = "share";
const REACH: f64 = 10.0;

/// The numbers of a type: its fields, with meaning and unit.
macro_rules! numbers {
    ($kind:ident { $($field:ident $meaning:literal $unit:expr;)* }) => {
        impl $kind {
            fn numbers(&mut self) -> Vec<(Meaning, &mut Sourced)> {
                vec![$((
                    Meaning { field: stringify!($field), meaning: $meaning, unit: $unit },
                    &mut self.$field,
                )),*]
            }
        }
    };
}

numbers!(Node {
    logic_density "Logic per area" "of N7";
    power "Power at N7's clock" "of N7";
    speed "Clock at N7's power" "of N7";
    sram_um2_per_bit "Area of a bit cell" "µm²";
    analog_area "Area of the same interface circuit" "of N7";
    voltage "Supply voltage at N7's power" "V";
});
numbers!(Core {
    flops_per_cycle "16-bit matrix operations of a multiprocessor" "per cycle";
    vector_flops_per_cycle "32-bit vector operations of a multiprocessor" "per cycle";
    sram_kib "Registers and shared memory of a multiprocessor" "KiB";
});
numbers!(Stack {
    gb_s "Bandwidth of a stack" "GB/s";
    gib "Capacity of a stack" "GiB";
    pj_per_bit "Energy from cell to die" "pJ/bit";
    edge_mm "Die edge that a stack takes" "mm";
    phy_mm2 "Die area of a stack's interface in N7" "mm²";
});
numbers!(Fabric {
    scale_out_gb_s "Bandwidth to other domains per direction" "GB/s";
    gb_s_per_mm "Highest bandwidth per direction and die edge" "GB/s per mm";
    pj_per_bit "Energy per bit sent" "pJ/bit";
});
numbers!(Constants {
    core_mm2 "Area of a multiprocessor's logic apart from its tensor cores" "mm²";
    tensor_mm2_per_flop "Area of tensor cores per operation and cycle" "mm²";
    core_pj_per_cycle "Energy of a multiprocessor apart from its tensor cores per cycle" "pJ";
    tensor_pj_per_flop "Energy of tensor cores per operation" "pJ";
    reference_ghz "Clock at which these energies hold" "GHz";
    highest_ghz "Highest clock in N7" "GHz";
    lowest_share "Clock below which the voltage is constant, over the highest clock" SHARE;
    clock_exponent "Exponent of the energy per operation in the clock" "";
    enabled "Multiprocessors that are enabled" SHARE;
    sram_overhead "Area of SRAM over that of its bit cells" "";
    l2_bytes_per_cycle "L2 traffic of a multiprocessor" "bytes per cycle";
    l2_pj_per_bit "Energy of L2 traffic" "pJ/bit";
    link_mm2_per_gb_s "Area of links per GB/s and direction" "mm²";
    uncore_area "Area of crossbar, front end and host link" SHARE;
    uncore_power "Power of crossbar, front end and host link" SHARE;
    l2_area "Typical area of L2" SHARE;
    dram_edge "Largest part of the edge for DRAM" SHARE;
    network_edge "Largest part of the edge for links" SHARE;
    network_power "Typical power of links" SHARE;
});

impl Technology {
    fn visit(&mut self, visit: &mut impl FnMut(&str, &str, Meaning, &mut Sourced)) {
        let mut each = |id: &str, of: &str, numbers: Vec<(Meaning, &mut Sourced)>| {
            for (what, number) in numbers {
                visit(id, of, what, number);
            }
        };
        for node in &mut self.nodes {
            let (id, name) = (node.id.clone(), node.name.clone());
            each(&id, &name, node.numbers());
        }
        for core in &mut self.cores {
            let (id, name) = (core.id.clone(), core.name.clone());
            each(&id, &name, core.numbers());
        }
        for stack in &mut self.stacks {
            let (id, name) = (stack.memory.clone(), stack.name());
            each(&id, &name, stack.numbers());
        }
        for fabric in &mut self.fabrics {
            let (id, name) = (fabric.id.clone(), fabric.name.clone());
            each(&id, &name, fabric.numbers());
        }
        each("die", "Any die", self.constants.numbers());
    }

    /// All numbers, in the order of the file.
    pub fn listed(&self) -> Vec<Listed> {
        let mut list = Vec::new();
        self.clone().visit(&mut |id, of, what, number| {
            list.push(Listed { of: of.to_owned(), id: id.to_owned(), what, sourced: number.clone() });
        });
        list
    }

    /// Replaces the number with this key. The error states that there is no such number, or that the value is invalid.
    pub fn replace(&mut self, key: &str, value: f64) -> Result<(), String> {
        let known = self.listed();
        let Some(listed) = known.iter().find(|listed| listed.key() == key) else {
            let keys: Vec<String> = known.iter().map(Listed::key).collect();
            let near = suggestion(nearest(key, keys.iter().map(String::as_str)));
            return Err(format!("there is no such scaling number{near}"));
        };
        let (low, high) = listed.range();
        if !(low..=high).contains(&value) {
            return Err(format!("must be between {low} and {high}"));
        }
        self.visit(&mut |id, _, what, number| {
            if id == listed.id && what.field == listed.what.field {
                number.value = value;
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::catalog::technology;

    #[test]
    fn every_number_has_a_key_of_its_own_and_can_be_replaced() {
        let known = technology();
        let listed = known.listed();
        let keys: BTreeSet<String> = listed.iter().map(super::Listed::key).collect();
        assert_eq!(keys.len(), listed.len());
        // All numbers of the file are listed, except the areas of existing devices.
        let file = include_str!("data/technology.json");
        assert_eq!(listed.len(), file.matches("\"confidence\"").count() - known.built.len());
        for number in &listed {
            let mut own = known.clone();
            assert_eq!(own.replace(&number.key(), number.range().0), Ok(()), "{}", number.key());
            let differing = own.listed().iter().zip(&listed).filter(|(own, known)| own != known).count();
            assert_eq!(differing, 1, "{}", number.key());
        }
    }

    #[test]
    fn what_cannot_be_replaced_is_said() {
        let mut own = technology().clone();
        assert!(own.replace("n5.logicdensity", 1.0).is_err_and(|why| why.contains("`n5.logic_density`")));
        assert!(own.replace("n5.speed", 0.0).is_err_and(|why| why.contains("between")));
        assert!(own.replace("n5.speed", f64::NAN).is_err());
        assert_eq!(&own, technology());
    }
}
