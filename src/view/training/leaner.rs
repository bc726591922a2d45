//! Recipes that need less memory, offered where no plan of the asked one fits.

use super::runs::{plan_link, plan_time_and_cost};
use crate::scenario::Scenario;
use crate::search::Search;
use crate::system::Precision;
use crate::training::{Gradients, Optimizer, TrainingRecipe};
use crate::units::{Amount, Unit};
use crate::view::Notice;

/// Most GPUs for which these are searched: all searches run in one step of the worker, and they grow with the GPUs.
const MOST_GPUS: u32 = 16;

/// A way to train with less memory.
struct Leaner {
    name: &'static str,
    recipe: fn(TrainingRecipe) -> TrainingRecipe,
}

/// From the closest to the asked recipe to the one of the least memory.
const LEANER: [Leaner; 3] = [
    Leaner {
        name: "AdamW with 8-bit moments, 16-bit gradients",
        recipe: |recipe| TrainingRecipe {
            optimizer: Optimizer::Adam8,
            gradients: Gradients::Released,
            ..recipe
        },
    },
    Leaner {
        name: "Adapters only (LoRA)",
        recipe: |recipe| TrainingRecipe { frozen: true, gradients: Gradients::Bf16, ..recipe },
    },
    Leaner {
        name: "Adapters beside 4-bit weights (QLoRA)",
        recipe: |recipe| TrainingRecipe {
            frozen: true,
            gradients: Gradients::Bf16,
            base: Precision::Nf4Double,
            ..recipe
        },
    },
];

/// The recipes of less memory for which a plan fits on the asked GPUs.
pub(in crate::view) fn leaner(question: &Scenario) -> Option<Notice> {
    let gpus = question.system.gpus;
    if gpus > MOST_GPUS {
        return None;
    }
    let links = LEANER.iter().filter_map(|way| {
        let recipe = (way.recipe)(question.recipe);
        // Beside adapters that were asked for, only another format of the frozen weights saves memory.
        if question.recipe.frozen && recipe.base == question.recipe.base {
            return None;
        }
        let mut there = Scenario { recipe, ..question.clone() };
        there.train_usual(question.recipe.frozen);
        let search = there.fastest().ok()?;
        let found = Search::best(search.question().clone(), gpus)?;
        Some(plan_link(&there, &found, format!("{}: {}", way.name, plan_time_and_cost(&there, &found))))
    });
    let links: Vec<_> = links.collect();
    let on = Amount::new(f64::from(gpus), Unit::Gpus);
    let text = format!("Recipes that need less memory and fit on {on}:");
    (!links.is_empty()).then(|| Notice::new("leaner-recipe", text, links))
}
