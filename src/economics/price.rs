//! Price of a GPU-hour: rented on demand, reserved or owned.

use super::{Economics, ServedUse};
use crate::catalog::{self, Accelerator, Quote};

/// How GPUs are paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Terms {
    /// Rented by the hour.
    #[default]
    OnDemand,
    /// Rented for a year or longer, at a discount.
    Reserved,
    /// Bought, and paid off over some years.
    Owned,
}

impl Terms {
    /// Every variant, in the order of the form.
    pub const ALL: [Self; 3] = [Self::OnDemand, Self::Reserved, Self::Owned];

    /// Label on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnDemand => "On demand",
            Self::Reserved => "Reserved",
            Self::Owned => "Owned",
        }
    }
}

/// US dollars per kWh: mean of industrial customers in the United States in 2023 (EIA).
const INDUSTRIAL: f64 = 0.0806;

/// Hours of a year of 365.25 days.
const HOURS_PER_YEAR: f64 = 8766.0;

impl Economics {
    /// US dollars per hour of one GPU on the chosen terms, including electricity; `None` if no price is known, or if
    /// electricity is charged and the power is unknown. The GPU draws the power of training or prefill.
    pub fn hourly_usd(&self, accelerator: &Accelerator) -> Option<f64> {
        self.hourly_usd_at(accelerator, self.watts(accelerator))
    }

    /// US dollars per hour as in [`Self::hourly_usd`], for a GPU that draws `watts`.
    pub fn hourly_usd_at(&self, accelerator: &Accelerator, watts: Option<f64>) -> Option<f64> {
        let price = match self.terms {
            Terms::OnDemand => self.rent(accelerator)?,
            Terms::Reserved => self.rent(accelerator)? * (1.0 - self.reserved_discount),
            Terms::Owned => {
                self.purchase(accelerator)? * (1.0 + self.operation) / (self.years * HOURS_PER_YEAR)
            }
        };
        let electricity = self.electricity();
        if electricity > 0.0 { Some(price + watts? * 1e-3 * electricity) } else { Some(price) }
    }

    /// Price of electricity in addition to rent, or to purchase and operation, US dollars per kWh.
    pub fn electricity(&self) -> f64 {
        self.usd_per_kwh.unwrap_or(match self.terms {
            Terms::OnDemand | Terms::Reserved => 0.0,
            Terms::Owned => INDUSTRIAL,
        })
    }

    /// These terms with the catalogue's prices, for devices other than the question's own.
    #[must_use]
    pub const fn listed(self) -> Self {
        Self { usd_per_gpu_hour: None, usd_per_gpu: None, ..self }
    }

    /// These prices on other terms.
    #[must_use]
    pub const fn on(self, terms: Terms) -> Self {
        Self { terms, ..self }
    }

    /// The published price behind [`Economics::hourly_usd`]; `None` if there is none or the question has its own.
    pub fn quote(&self, accelerator: &Accelerator) -> Option<&'static Quote> {
        let price = catalog::price(&accelerator.id)?;
        match self.terms {
            Terms::Owned if self.usd_per_gpu.is_none() => price.purchase.as_ref().filter(|quote| !quote.card),
            Terms::OnDemand | Terms::Reserved if self.usd_per_gpu_hour.is_none() => price.rent.as_ref(),
            _ => None,
        }
    }

    /// Name of the catalogue device whose price applies to an altered or renamed copy of it; `None` for the catalogue's own
    /// devices and without a published price.
    pub fn priced_as(&self, accelerator: &Accelerator) -> Option<&'static str> {
        let listed = catalog::accelerator(&accelerator.id).filter(|listed| *listed != accelerator)?;
        self.quote(accelerator).map(|_| listed.name.as_str())
    }

    /// Years of continuous use at a served load after which a purchase with its operation and electricity has cost less than
    /// renting on demand; `None` if a price is not known, or if operation alone costs more than the rent.
    pub fn pays_off(&self, accelerator: &Accelerator, used: &ServedUse) -> Option<f64> {
        let purchase = self.purchase(accelerator)?;
        let hourly = |terms| self.on(terms).served_hourly_usd(accelerator, None, used);
        let operating = hourly(Terms::Owned)? - purchase / (self.years * HOURS_PER_YEAR);
        let saved = (hourly(Terms::OnDemand)? - operating) * HOURS_PER_YEAR;
        (saved > 0.0).then_some(purchase / saved)
    }

    fn rent(&self, accelerator: &Accelerator) -> Option<f64> {
        self.usd_per_gpu_hour.or_else(|| Some(self.on(Terms::OnDemand).quote(accelerator)?.usd))
    }

    fn purchase(&self, accelerator: &Accelerator) -> Option<f64> {
        self.usd_per_gpu.or_else(|| Some(self.on(Terms::Owned).quote(accelerator)?.usd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h100() -> &'static Accelerator {
        catalog::accelerator("h100-sxm").expect("an H100")
    }

    /// Two worked examples of greaterwrong.com: GPUs at $50,000 and $70,000, paid off over 3 years with 20 % for operation,
    /// cost $2.30 and $3.20 per hour.
    #[test]
    fn a_purchase_is_paid_off_over_its_years() {
        for (usd, hourly) in [(50_000.0, 2.3), (70_000.0, 3.2)] {
            let kwh = Some(0.0);
            let owned = Economics { usd_per_gpu: Some(usd), usd_per_kwh: kwh, ..Economics::default() }
                .on(Terms::Owned);
            assert!((owned.hourly_usd(h100()).expect("a price") - hourly).abs() < 0.05, "{usd}");
        }
    }

    /// After the years that it takes to pay off, both have cost as much. A load that only prefills draws the power of training;
    /// one that decodes draws less, and pays off sooner.
    #[test]
    fn owning_pays_off_when_it_has_cost_as_much_as_renting() {
        let economics = Economics { usd_per_gpu: Some(50_000.0), ..Economics::default() };
        let full = ServedUse { prompt_share: 1.0, ..ServedUse::default() };
        let years = economics.pays_off(h100(), &full).expect("both prices");
        let electricity = 10.2 / 8.0 * 0.76 * 1.58 * 0.0806 * HOURS_PER_YEAR;
        let owned = 50_000.0 * (1.0 + 0.2 * years / 3.0) + electricity * years;
        let rented = economics.hourly_usd(h100()).expect("a rent") * years * HOURS_PER_YEAR;
        assert!((owned / rented - 1.0).abs() < 1e-9, "{years}");
        assert!(economics.pays_off(h100(), &ServedUse::default()).expect("both prices") < years);
        let free = Economics { usd_per_gpu_hour: Some(0.0), ..economics };
        assert_eq!(free.pays_off(h100(), &full), None);
        // A price of electricity that the user gives is paid on top of a rent too.
        let metered = |usd_per_kwh| Economics { usd_per_kwh: Some(usd_per_kwh), ..economics };
        let [cheap, dear] = [0.0, 0.2].map(|usd| metered(usd).pays_off(h100(), &full).expect("both prices"));
        assert!((cheap / dear - 1.0).abs() < 1e-9, "{cheap} {dear}");
    }

    /// A card alone has no host to run in, and electricity alone costs more than its price suggests.
    #[test]
    fn a_card_without_a_host_has_no_cost_of_owning() {
        let card = catalog::accelerator("rtx-5070-ti").expect("a card");
        let owned = Economics::default().on(Terms::Owned);
        assert_eq!(owned.hourly_usd(card), None);
        let asked = Economics { usd_per_gpu: Some(1500.0), ..owned };
        assert!(asked.hourly_usd(card).is_some_and(|usd| usd > 1500.0 * 1.2 / (3.0 * HOURS_PER_YEAR)));
    }

    #[test]
    fn a_reservation_is_cheaper_by_its_discount() {
        let rented = Economics { usd_per_gpu_hour: Some(4.0), ..Economics::default() };
        let reserved = Economics { reserved_discount: 0.25, ..rented }.on(Terms::Reserved);
        assert_eq!((rented.hourly_usd(h100()), reserved.hourly_usd(h100())), (Some(4.0), Some(3.0)));
    }

    #[test]
    fn electricity_is_paid_on_top_where_it_has_a_price() {
        let (rented, metered) =
            (Economics::default(), Economics { usd_per_kwh: Some(0.1), ..Economics::default() });
        let more = |economics: &Economics| economics.hourly_usd(h100()).expect("a price");
        assert!((more(&metered) - more(&rented) - 10.2 / 8.0 * 0.76 * 1.58 * 0.1).abs() < 1e-9);
        let unknown = Accelerator { tdp_w: None, server_w: None, ..h100().clone() };
        assert_eq!(metered.hourly_usd(&unknown), None);
        assert!(rented.hourly_usd(&unknown).is_some());
    }
}
