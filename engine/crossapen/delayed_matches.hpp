#pragma once

#include "engine/crossapen/entropy_engine.hpp"

namespace glycine::crossapen {

/// Wraps the engine that `entry` creates, which knows consecutive samples only, so that it supports a time
/// delay τ (MatchRule::delay).
///
/// The samples of a delayed template are neighbours among every τ-th sample. So the τ phases of a signal, i ≡
/// 0, 1 … τ − 1 (mod τ), are concatenated with a separator between two phases: a number that is further than
/// r from every sample and every other separator of the epoch. The engine finds exactly the same matches
/// between templates within a phase, since it compares the same samples.
///
/// A template across a separator matches nothing, except itself when a signal is compared with itself. Such
/// templates add only ln 1 to the sums of logarithms, and their number is known: m(τ − 1) of length m and (m
/// + 1)(τ − 1) of length m + 1. One count remains: the matches of the last τ templates of length m, which
/// have no sample m + 1. They are counted here, with τ / N of the comparisons.
///
/// Runs with a delay of 1 go straight to the engine.
Implementation<MatchEngine> withDelay(Implementation<MatchEngine> entry);

}  // namespace glycine::crossapen
