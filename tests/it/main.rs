//! The model's tests. One binary, since linking the library once takes less time than linking it thirty times.
//!
//! `cargo test --test it` runs them all, `cargo test --test it figure::` those of one file.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]
// A method path is not general enough over a job's lifetime.
#![allow(clippy::redundant_closure_for_method_calls)]

mod accuracy;
mod all_reduce;
mod audio;
mod calculon;
mod calibration;
mod checkpoint;
mod circles;
mod command_line;
mod compared;
mod compared_geometry;
mod config_formats;
mod config_hybrids;
mod config_keys;
mod config_layers;
mod config_params;
mod config_types;
mod difference;
mod disaggregation;
mod documents;
mod dram_family;
mod expert_gpus;
mod expert_parallel;
mod families;
mod figure;
mod figure_cases;
mod figure_hostile;
mod figure_pipeline;
mod figure_points;
mod figure_search;
mod figure_style;
mod figure_technology;
mod finetuning;
mod formats;
mod frontier;
mod generations;
mod host_memory;
mod huggingface;
mod inference_fields;
mod kernel_laws;
mod korthikanti;
mod launch;
mod launch_commands;
mod launch_flags;
mod laws;
mod layers;
mod link;
mod link_properties;
mod local_speeds;
mod measured;
mod measured_versions;
mod mesh;
mod offload;
mod operators;
mod other_models;
mod papers;
mod parallelism;
mod pipelines;
mod predict;
mod prediction;
mod prediction_training;
mod profiles;
mod published;
mod recomputation;
mod replay;
mod requests;
mod schedules;
mod scripts;
mod search;
mod second_gpu;
mod service;
mod service_views;
mod serving_laws;
mod serving_search;
mod sessions;
mod simulation;
mod sizing;
mod sizing_options;
mod sizing_shared;
mod sizing_training;
mod speculation;
mod technology;
mod think_time;
mod ticks;
mod token_budget;
mod trace;
mod traffic;
mod vision;
mod vision_import;
mod waterfall;
