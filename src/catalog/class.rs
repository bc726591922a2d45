//! Machines that accelerators are sold in, and what the owner of one can buy instead.

use crate::words::words;

/// Machine that an accelerator is sold in. The vendor's product line decides: an accelerator of the same chip belongs to
/// several classes under several names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// Server or cloud: modules, cards without a fan of their own, accelerators that are only rented.
    #[default]
    DataCenter,
    /// Desktop computer: cards for consumers (GeForce, Titan, Radeon RX, Arc A and B).
    Consumer,
    /// Workstation: professional cards with a fan (RTX A, Ada and PRO, Quadro RTX, Radeon PRO W and AI PRO, Arc Pro).
    Workstation,
    /// Laptop: a GPU with memory of its own, which cannot be replaced.
    Laptop,
    /// A whole computer whose CPU and GPU share the memory (Apple, GB10, Jetson, Ryzen AI Max).
    Computer,
    /// A CPU without a GPU.
    Cpu,
}

words!(Class {
    DataCenter "data_center",
    Consumer "consumer",
    Workstation "workstation",
    Laptop "laptop",
    Computer "computer",
    Cpu "cpu",
});

impl Class {
    /// Returns true if it is a data centre's, as devices without a stated class are.
    pub const fn is_data_center(&self) -> bool {
        matches!(self, Self::DataCenter)
    }

    /// Returns true if one person owns and uses such a machine.
    pub const fn is_personal(self) -> bool {
        !matches!(self, Self::DataCenter | Self::Cpu)
    }

    /// Returns true if it is a card, of which a machine holds several.
    pub const fn is_card(self) -> bool {
        matches!(self, Self::Consumer | Self::Workstation)
    }

    /// Returns true if the owner of one looks among the other first: cards for consumers and for workstations fit the same
    /// computers.
    pub fn is_like(self, other: Self) -> bool {
        self == other || self.is_card() && other.is_card()
    }
}

#[cfg(test)]
mod tests {
    use super::Class;
    use crate::catalog::{Accelerator, accelerator, catalog};
    use crate::words::Word as _;

    fn of(class: Class) -> impl Iterator<Item = &'static Accelerator> {
        catalog().accelerators.iter().filter(move |device| device.class == class)
    }

    #[test]
    fn each_class_has_the_memory_of_its_machines() {
        let counts: Vec<usize> = Class::ALL.iter().map(|class| of(*class).count()).collect();
        assert_eq!(counts, [91, 65, 27, 4, 44, 7]);
        for device in &catalog().accelerators {
            let (id, shared) = (&device.id, device.dram.is_host());
            match device.class {
                Class::Computer => assert!(shared && device.host.is_none(), "{id}"),
                Class::Consumer | Class::Workstation | Class::Laptop => {
                    // The Titan V alone has HBM.
                    assert!(device.dram.technology.starts_with("GDDR") || id == "titan-v", "{id}");
                    assert!(device.paper.is_none(), "{id}");
                }
                Class::Cpu => assert!(!device.dram.technology.contains("HBM"), "{id}"),
                Class::DataCenter => assert!(!shared, "{id}"),
            }
        }
        assert!(of(Class::Laptop).all(|device| device.name.ends_with("Laptop")));
        let classes = ["rtx-pro-6000-blackwell-server", "rtx-pro-6000-blackwell", "rtx-4090", "l40s"]
            .map(|id| accelerator(id).map(|device| device.class));
        assert_eq!(
            classes.map(Option::unwrap_or_default),
            [Class::DataCenter, Class::Workstation, Class::Consumer, Class::DataCenter]
        );
    }

    #[test]
    fn cards_are_alike_and_others_are_not() {
        assert!(Class::Consumer.is_like(Class::Workstation) && Class::Laptop.is_like(Class::Laptop));
        assert!(!Class::Laptop.is_like(Class::Consumer) && !Class::Computer.is_like(Class::Consumer));
        let personal = Class::ALL.iter().filter(|class| class.is_personal()).count();
        assert_eq!(personal, 4);
    }
}
