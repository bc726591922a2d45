//! Classifies GPU kernels by name.
//!
//! Patterns are substrings of the names that profilers print, in lower case; comments cite where each name was found.
//! The first pattern that matches decides. Their order matters: a FlashAttention kernel may be built with CUTLASS, and
//! a grouped matrix multiply of experts is a GEMM too.

use crate::estimate::Activity;

/// Patterns of communication kernels. [`collective`] derives the kind of communication from the rest of the name.
const COMMUNICATION: [&str; 7] = [
    // NCCL 2.17 and later, RCCL: `ncclKernel_AllReduce_RING_LL_Sum_float` and
    // `ncclDevKernel_AllReduce_Sum_bf16_RING_LL` (facebookresearch/HolisticTraceAnalysis@f4d0062c,
    // tests/data/nccl_parser_config).
    "nccl",
    "rccl",
    // The custom all-reduce of vLLM and SGLang: `vllm::cross_device_reduce_1stage`.
    "cross_device_reduce",
    // FlashInfer's and TensorRT-LLM's all-reduces, fused with norms.
    "allreduce",
    "multimem_all_reduce",
    "nvshmem",
    // `deep_ep::intranode::dispatch` (deepseek-ai/DeepEP@b805c0e1, csrc/kernels).
    "deep_ep::",
];

/// Patterns of compute kernels, in the order in which they are tried.
const COMPUTE: &[(&str, Activity)] = &[
    // Triton and CUTLASS kernels of experts: `fused_moe_kernel` (vLLM), `moe_align_block_size_kernel`,
    // `cutlass::gemm::GroupProblemShape` (CUTLASS 3, as in vLLM on H100), `ck_tile::GroupedGemmKernel` (AITER),
    // `deep_gemm::…m_grouped…`.
    ("moe", Activity::Experts),
    ("groupproblemshape", Activity::Experts),
    ("grouped_gemm", Activity::Experts),
    ("groupedgemm", Activity::Experts),
    ("m_grouped", Activity::Experts),
    ("expert", Activity::Experts),
    // `flashinfer::norm::RMSNormKernel`, `flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheKernel`: listed before
    // "flash", because they are not attention.
    ("flashinfer::norm", Activity::Elementwise),
    ("flashinfer::activation", Activity::Elementwise),
    ("flashinfer::sampling", Activity::Elementwise),
    ("rotary", Activity::Elementwise),
    // `flash_fwd_kernel` (Dao-AILab/flash-attention@c1f0be2f), `flash::FlashAttnFwdSm90`,
    // `flash::FlashAttentionForwardSm100`.
    ("flash", Activity::Attention),
    // `fmha_cutlassF_bf16_aligned_64x128_rf_sm80` (PyTorch), `ck_tile::FmhaFwdKernel` (Composable Kernel),
    // `fmhaSm100…` (TensorRT-LLM).
    ("fmha", Activity::Attention),
    // `cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16` (cuDNN 9).
    ("sdpa", Activity::Attention),
    // `vllm::paged_attention_v2_kernel`, `kernel_unified_attention_2d` and `_fwd_grouped_kernel_stage1` of Triton.
    ("attention", Activity::Attention),
    ("attn", Activity::Attention),
    ("_fwd_grouped_kernel_stage", Activity::Attention),
    ("_fwd_kernel_stage", Activity::Attention),
    // `flashinfer::BatchPrefillWithPagedKVCacheKernel`, `BatchDecodeWithPagedKVCacheKernel`.
    ("withpagedkvcache", Activity::Attention),
    ("withraggedkvcache", Activity::Attention),
    ("mla_", Activity::Attention),
    // `at::native::(anonymous namespace)::multi_tensor_apply_kernel` (foreach optimizers of PyTorch),
    // `multi_tensor_apply_kernel<…AdamFunctor…>` (Apex, Transformer Engine).
    ("multi_tensor_apply", Activity::Optimizer),
    ("fused_adam", Activity::Optimizer),
    ("fusedadam", Activity::Optimizer),
    ("adam_", Activity::Optimizer),
    ("lamb_", Activity::Optimizer),
    // PyTorch's own kernels: `at::native::vectorized_elementwise_kernel`, `at::native::reduce_kernel`,
    // `at::native::(anonymous namespace)::cunn_SoftMaxForward`. None of them multiplies matrices.
    ("at::native::", Activity::Elementwise),
    ("at_cuda_detail::cub", Activity::Elementwise),
    // `nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT` (cuBLAS 12.6 and later), `ampere_sgemm_32x128_nt`, `sm80_xmma_gemm_…`,
    // `cutlass_80_tensorop_s1688gemm_…`, `void cutlass::Kernel<…>`, `cublasLt::splitKreduce_kernel`.
    ("nvjet", Activity::Matmul),
    ("gemm", Activity::Matmul),
    ("gemv", Activity::Matmul),
    ("xmma", Activity::Matmul),
    ("cutlass", Activity::Matmul),
    ("cublas", Activity::Matmul),
    ("splitkreduce", Activity::Matmul),
    ("matmul", Activity::Matmul),
    ("marlin", Activity::Matmul),
    // `Cijk_Ailk_Bljk_BBS_BH_Bias_…` (AMD Tensile, hipBLASLt).
    ("cijk_", Activity::Matmul),
    ("wgrad", Activity::Matmul),
    ("dgrad", Activity::Matmul),
    // `triton_poi_fused_…`, `triton_red_fused_…`, `triton_per_fused_…` (TorchInductor).
    ("triton_", Activity::Elementwise),
    ("elementwise", Activity::Elementwise),
    ("norm", Activity::Elementwise),
    ("softmax", Activity::Elementwise),
    ("reduce", Activity::Elementwise),
    ("rope", Activity::Elementwise),
    // `vllm::act_and_mul_kernel<…silu_kernel…>` (vllm-project/vllm@c6691785, csrc/activation_kernels.cu).
    ("silu", Activity::Elementwise),
    ("gelu", Activity::Elementwise),
    ("act_and_mul", Activity::Elementwise),
    ("swiglu", Activity::Elementwise),
    ("embedding", Activity::Elementwise),
    ("cross_entropy", Activity::Elementwise),
    ("dropout", Activity::Elementwise),
    ("quant", Activity::Elementwise),
    ("cast", Activity::Elementwise),
    ("transpose", Activity::Elementwise),
    // `cudnn::bn_bw_1C11_kernel_new`, `cudnn::ops::nchwToNhwcKernel`.
    ("cudnn::bn_", Activity::Elementwise),
    ("cudnn::ops::", Activity::Elementwise),
];

/// Patterns of kernels that run only in training: backward passes and optimizers.
const TRAINED: [&str; 7] = ["bwd", "backward", "bprop", "dgrad", "wgrad", "multi_tensor_apply", "adam"];

/// Classification of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kernel {
    /// The kernel's activity. For communication it follows from the collective alone; [`communication`] refines it by
    /// the process group.
    pub(super) activity: Activity,
    /// True if the kernel runs only in training.
    pub(super) trains: bool,
}

/// Classifies a kernel by name.
pub(super) fn kernel(name: &str) -> Kernel {
    let name = name.to_lowercase();
    let has = |part: &&str| name.contains(*part);
    let activity = if COMMUNICATION.iter().any(has) {
        collective(&name)
    } else {
        let found = COMPUTE.iter().find(|(part, _)| has(part));
        found.map_or(Activity::Other, |(_, activity)| *activity)
    };
    Kernel { activity, trains: TRAINED.iter().any(has) }
}

/// Classifies a collective whose process group is unknown: all-to-alls are expert-parallel, sends and receives are
/// pipeline communication, and other collectives may belong to any group.
fn collective(name: &str) -> Activity {
    let has = |part: &str| name.contains(part);
    if has("alltoall") || has("all_to_all") || has("deep_ep") || has("nvshmem") {
        Activity::ExpertParallel
    } else if has("sendrecv") || has("send") || has("recv") {
        Activity::Pipeline
    } else {
        Activity::Collectives
    }
}

/// Patterns of process-group descriptions, in the order in which they are tried. They cover Megatron Core's
/// `parallel_state.py` (NVIDIA/Megatron-LM@934c8260), such as `EXPERT_DATA_PARALLEL_GROUP`, and PyTorch's device
/// meshes, such as `mesh_dp_shard_cp`. Groups that reduce gradients of experts or over context-parallel ranks count as
/// data parallelism.
const GROUPS: [(&str, Activity); 15] = [
    ("data_parallel", Activity::DataParallel),
    ("mesh_dp", Activity::DataParallel),
    ("fsdp", Activity::DataParallel),
    ("replicate", Activity::DataParallel),
    ("shard", Activity::DataParallel),
    ("expert_tensor", Activity::TensorParallel),
    ("expert", Activity::ExpertParallel),
    ("mesh_ep", Activity::ExpertParallel),
    ("context_parallel", Activity::ContextParallel),
    ("mesh_cp", Activity::ContextParallel),
    ("pipeline", Activity::Pipeline),
    ("mesh_pp", Activity::Pipeline),
    ("embedding_group", Activity::Pipeline),
    ("tensor", Activity::TensorParallel),
    ("mesh_tp", Activity::TensorParallel),
];

/// Classifies a communication kernel by its process group, else by its collective, else by its own name (`by_name`).
/// The collective precedes the kernel's name because NCCL runs all-to-alls as `SendRecv` kernels.
pub(super) fn communication(by_name: Activity, group: &str, collective_name: &str) -> Activity {
    let group = group.to_lowercase();
    if let Some((_, activity)) = GROUPS.iter().find(|(part, _)| group.contains(part)) {
        return *activity;
    }
    match collective_name {
        "" => by_name,
        name => collective(&name.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_profilers_print_are_sorted() {
        for (name, activity) in [
            ("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT", Activity::Matmul),
            ("Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64", Activity::Matmul),
            ("sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc", Activity::Matmul),
            ("void cublasLt::splitKreduce_kernel<32, 16, int, float>", Activity::Matmul),
            (
                "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64",
                Activity::Attention,
            ),
            ("fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention", Activity::Attention),
            (
                "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<",
                Activity::Attention,
            ),
            ("void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>", Activity::Elementwise),
            ("void flashinfer::BatchDecodeWithPagedKVCacheKernel<", Activity::Attention),
            ("void vllm::rms_norm_kernel<c10::BFloat16>", Activity::Elementwise),
            ("void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel", Activity::Elementwise),
            ("triton_poi_fused_add_mul_silu_3", Activity::Elementwise),
            ("fused_moe_kernel", Activity::Experts),
            (
                "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<",
                Activity::Experts,
            ),
            (
                "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float, float, int>>",
                Activity::Optimizer,
            ),
            (
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                Activity::Collectives,
            ),
            ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", Activity::Pipeline),
            ("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>", Activity::Collectives),
            ("void deep_ep::intranode::dispatch<8, 768, 8192>(int4*, float*", Activity::ExpertParallel),
            ("my_kernel", Activity::Other),
            ("", Activity::Other),
        ] {
            assert_eq!(kernel(name).activity, activity, "{name}");
        }
        assert!(kernel("flash_bwd_kernel").trains && !kernel("flash_fwd_kernel").trains);
    }

    #[test]
    fn groups_name_communication() {
        for (group, collective, activity) in [
            ("TENSOR_MODEL_PARALLEL_GROUP", "_allgather_base", Activity::TensorParallel),
            ("DATA_PARALLEL_GROUP_WITH_CP", "_reduce_scatter_base", Activity::DataParallel),
            ("EXPERT_DATA_PARALLEL_GROUP", "_reduce_scatter_base", Activity::DataParallel),
            ("EXPERT_MODEL_PARALLEL_GROUP", "all_to_allv", Activity::ExpertParallel),
            ("mesh_dp_shard_cp", "_allgather_base", Activity::DataParallel),
            ("default_pg", "allreduce", Activity::Collectives),
            ("default_pg", "alltoallv", Activity::ExpertParallel),
            ("undefined", "send", Activity::Pipeline),
            ("", "", Activity::Other),
        ] {
            assert_eq!(communication(Activity::Other, group, collective), activity, "{group} {collective}");
        }
    }
}
