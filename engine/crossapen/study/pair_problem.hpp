#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/crossapen/input/epoch_inputs.hpp"
#include "engine/study/subject.hpp"

namespace glycine::crossapen {

/// Matches (or memberships, or patterns) of all ordered pairs of channels of the epochs of one input. Work:
/// 10⁹ comparisons of samples by brute force; for patterns, samples.
///
/// A PairVerifier with this seed checks the results.
std::unique_ptr<study::Problem> pairProblem(EpochInput input, std::uint64_t seed);

/// All ordered channel pairs of the epochs of several subjects, generated and matched one subject at a time.
/// The defaults are the paper's study, section 3.5: 30 · 49 · 148² · 1024² = 3.38e13 comparisons.
struct StudyPlan {
    std::size_t subjects = 30;
    EpochExtents extents{.channels = 148, .samples = 1024, .epochs = 49};
    SignalModel model{};
    EntropyOptions options{};
    std::uint64_t seed = 1;
};

/// A study as one problem, for matches only. A run processes all subjects; generating them is not part of its
/// time. For each subject, some pairs are compared with the reference, and a checksum of all pairs with that
/// of the first correct configuration.
std::unique_ptr<study::Problem> studyProblem(const StudyPlan& plan);

/// The timed figures of Martínez-Zarzuela et al. 2013, section 4.
std::vector<study::PublishedFigure> publishedFigures();

/// `crossapen` as the study harness sees it.
std::unique_ptr<study::Subject> makeSubject();

}  // namespace glycine::crossapen
