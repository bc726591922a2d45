//! Measured values of a scenario, shown beside the prediction.

use serde::{Deserialize, Serialize};

use crate::estimate::{Activity, Course};

/// Measured values. They do not affect the prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    /// The source, e.g. the name of a benchmark; empty for values that were typed in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// Time of one optimizer step, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_s: Option<f64>,
    /// Training throughput, tokens per second per GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_gpu: Option<f64>,
    /// Model FLOPs utilisation (MFU), as a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mfu: Option<f64>,
    /// Peak rate that the MFU refers to, TFLOP/s; the device's dense peak if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_tflops: Option<f64>,
    /// Time to first token (TTFT), ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<f64>,
    /// Time per output token after the first (TPOT), ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpot_ms: Option<f64>,
    /// Request latency, from sending to the last token, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Output throughput over all GPUs, tokens/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Time by activity, from a profile.
    #[serde(skip_serializing_if = "Activities::is_empty")]
    pub activity: Activities,
    /// Time of a training step by phase, from a log.
    #[serde(skip_serializing_if = "Phases::is_empty")]
    pub phases: Phases,
    /// Utilisation over one training step, from a profile.
    #[serde(skip_serializing_if = "CourseText::is_empty")]
    pub course: CourseText,
}

/// Time of the phases of a training step, which follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Phases {
    /// Time of the forward passes, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward: Option<f64>,
    /// Time of the backward passes without [`Self::reduction`], s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backward: Option<f64>,
    /// Time of the gradient reduction that backward passes do not hide, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduction: Option<f64>,
    /// Time of the optimizer's step, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<f64>,
}

impl Phases {
    /// The phases with this function applied to each time.
    #[must_use]
    pub fn map(self, of: fn(f64) -> f64) -> Self {
        let Self { forward, backward, reduction, optimizer } = self;
        Self {
            forward: forward.map(of),
            backward: backward.map(of),
            reduction: reduction.map(of),
            optimizer: optimizer.map(of),
        }
    }

    /// Returns true if no phase was measured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An encoded [`Course`], or an empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CourseText(String);

impl CourseText {
    /// Description of the format, for error messages.
    pub const FORM: &'static str =
        "letters of M, A, E, O, C and X in this order, each followed by 48 digits to base 36";

    /// Returns true if there is no course.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The encoded text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The decoded course; `None` for an empty text.
    pub fn course(&self) -> Option<Course> {
        Course::parse(&self.0)
    }
}

impl From<&Course> for CourseText {
    fn from(course: &Course) -> Self {
        Self(course.encode())
    }
}

impl From<CourseText> for String {
    fn from(course: CourseText) -> Self {
        course.0
    }
}

impl TryFrom<String> for CourseText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let valid = text.is_empty() || Course::parse(&text).is_some();
        if valid { Ok(Self(text)) } else { Err(format!("must be {}", Self::FORM)) }
    }
}

/// Time by GPU activity: per step if the profile has steps, otherwise over the whole profile, of which only the shares
/// are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Activities {
    /// Time of matrix multiplies, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matmul: Option<f64>,
    /// Time of grouped matrix multiplies and routing of experts, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts: Option<f64>,
    /// Time of attention, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention: Option<f64>,
    /// Time of elementwise kernels, norms and reductions, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elementwise: Option<f64>,
    /// Time of the optimizer's kernels, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<f64>,
    /// Time of kernels whose name matches no pattern, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<f64>,
    /// Exposed tensor-parallel communication, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor_parallel: Option<f64>,
    /// Exposed context-parallel communication, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_parallel: Option<f64>,
    /// Exposed expert-parallel communication, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert_parallel: Option<f64>,
    /// Exposed pipeline communication, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<f64>,
    /// Exposed data-parallel communication, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_parallel: Option<f64>,
    /// Exposed collectives of unnamed process groups, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collectives: Option<f64>,
    /// Time of copies while no kernel runs, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<f64>,
    /// Time without a kernel or copy, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<f64>,
    /// Hidden communication (overlapped by compute kernels), s. It is not part of [`Self::total`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<f64>,
}

impl Activities {
    /// Returns true if no phase was measured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The time of an activity, s.
    pub const fn get(&self, activity: Activity) -> Option<f64> {
        match activity {
            Activity::Matmul => self.matmul,
            Activity::Experts => self.experts,
            Activity::Attention => self.attention,
            Activity::Elementwise => self.elementwise,
            Activity::Optimizer => self.optimizer,
            Activity::Other => self.other,
            Activity::TensorParallel => self.tensor_parallel,
            Activity::ContextParallel => self.context_parallel,
            Activity::ExpertParallel => self.expert_parallel,
            Activity::Pipeline => self.pipeline,
            Activity::DataParallel => self.data_parallel,
            Activity::Collectives => self.collectives,
            Activity::Copies => self.copies,
            Activity::Idle => self.idle,
        }
    }

    /// Mutable access to the time of an activity, s.
    pub const fn of(&mut self, activity: Activity) -> &mut Option<f64> {
        match activity {
            Activity::Matmul => &mut self.matmul,
            Activity::Experts => &mut self.experts,
            Activity::Attention => &mut self.attention,
            Activity::Elementwise => &mut self.elementwise,
            Activity::Optimizer => &mut self.optimizer,
            Activity::Other => &mut self.other,
            Activity::TensorParallel => &mut self.tensor_parallel,
            Activity::ContextParallel => &mut self.context_parallel,
            Activity::ExpertParallel => &mut self.expert_parallel,
            Activity::Pipeline => &mut self.pipeline,
            Activity::DataParallel => &mut self.data_parallel,
            Activity::Collectives => &mut self.collectives,
            Activity::Copies => &mut self.copies,
            Activity::Idle => &mut self.idle,
        }
    }

    /// Sum over all activities, s, without hidden communication.
    pub fn total(&self) -> f64 {
        Activity::ALL.into_iter().filter_map(|activity| self.get(activity)).sum()
    }
}

impl Measured {
    /// Returns true if there are no measured values.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
