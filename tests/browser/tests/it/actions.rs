//! Everyday questions, asked from the first screen in at most three actions: clicks, choices in lists, and typed values.

use std::cell::Cell;

use anyhow::{Result, ensure};
use browser_tests::{Browser, Page};

/// Most actions that a question may take.
const MOST: u32 = 3;

/// Somebody who has opened the page for the first time.
struct Visitor<'a> {
    page: &'a Page,
    actions: Cell<u32>,
}

impl<'a> Visitor<'a> {
    const fn of(page: &'a Page) -> Self {
        Self { page, actions: Cell::new(0) }
    }

    /// Counts an action, and fails at one too many.
    fn act(&self) -> Result<()> {
        self.actions.set(self.actions.get() + 1);
        ensure!(self.actions.get() <= MOST, "more than {MOST} actions");
        Ok(())
    }

    /// Clicks what can be seen without any other action.
    async fn click(&self, css: &str) -> Result<()> {
        self.act()?;
        let seen = "return document.querySelector(arguments[0])?.checkVisibility() ?? false";
        let seen: bool = self.page.script(seen, vec![css.into()]).await?;
        ensure!(seen, "{css} cannot be seen");
        self.page.click(css).await
    }

    /// Chooses from a list that can be seen, or types a value.
    async fn set(&self, id: &str, value: &str) -> Result<()> {
        self.act()?;
        ensure!(self.page.fields().await?.contains_key(id), "#{id} cannot be seen");
        self.page.set(id, value).await
    }

    /// Waits until the answer's first sentence, which can be seen, has some texts.
    async fn reads(&self, texts: &[&str]) -> Result<()> {
        self.page
            .wait(&format!("a sentence with {texts:?}"), async || {
                let lead = "const lead = document.querySelector('.lead:not([data-stale])');
                            return lead?.checkVisibility() ? lead.textContent.replace(/\\s+/g, ' ') : ''";
                let lead: String = self.page.script(lead, vec![]).await?;
                Ok(texts.iter().all(|text| lead.contains(text)))
            })
            .await
    }
}

#[tokio::test]
async fn days_plan_and_cost_of_llama_3_8b_on_64_h100() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let visitor = Visitor::of(page);
            visitor.click("[data-preset='llama-3.1-8b-training']").await?;
            visitor
                .reads(&[
                    " days (",
                    " and $",
                    " to train Llama-3.1-8B on ",
                    " with 64 × H100 SXM",
                    "TP 2, DP 32",
                ])
                .await?;
            // The fastest plan is offered, with its own time and cost, and opens with one more click.
            let offer = "[data-offer=best-plan]";
            page.answered(offer).await?;
            visitor.click(&format!("{offer} a")).await?;
            page.until("the plan's question", "return !location.hash.includes('tp=2')").await?;
            visitor.reads(&[" days (", " and $", " with 64 × H100 SXM"]).await?;
            page.answered(offer).await?;
            let best =
                "return document.querySelector('[data-offer=best-plan]').textContent.includes('is faster')";
            page.until("the best plan", best).await
        })
        .await
}

#[tokio::test]
async fn will_qwen3_32b_fit_on_my_gpus() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let visitor = Visitor::of(page);
            visitor.click("[data-goal=fit]").await?;
            page.until("the view", "return location.hash.includes('view=inference')").await?;
            visitor.set("model", "qwen3-32b").await?;
            visitor.reads(&["its on 1 × H100 SXM"]).await?;
            visitor.set("system-accelerator", "rtx-4090").await?;
            visitor.reads(&["Does not fit on 1 × RTX 4090", "needs ", "available"]).await?;
            page.until(
                "what fits",
                "return [...document.querySelectorAll('[data-offer] a')].filter(link => link.checkVisibility()).length > 1",
            )
            .await
        })
        .await
}

#[tokio::test]
async fn latency_against_dram_of_a_13b_model_on_4_gpus() -> Result<()> {
    Browser::start()?
        .open("")
        .with(async |page| {
            let visitor = Visitor::of(page);
            visitor.click("[data-goal=serve]").await?;
            page.until(
                "the example",
                "return document.querySelector('[data-preset=\"llama-2-13b-dram\"]') !== null",
            )
            .await?;
            visitor.click("[data-preset='llama-2-13b-dram']").await?;
            page.until(
                "the curve of 4 GPUs",
                "const figure = document.querySelector('figure[data-figure=dram-gpus]');
                 const drawing = figure.querySelector('.drawing > svg');
                 return figure.checkVisibility() && drawing.textContent.includes('4 GPUs')
                   && drawing.textContent.includes('bandwidth')",
            )
            .await?;
            // The question itself on four GPUs, in the same chart.
            visitor.set("inference-tensor", "4").await?;
            page.until("four GPUs", "return location.hash.includes('serve.tp=4')").await?;
            page.answered("figure[data-figure=dram-latency]:not([hidden])").await
        })
        .await
}
