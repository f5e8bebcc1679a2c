#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/names.hpp"

/// Which sizes a study goes through.
namespace glycine::study {

/// Small: a few milliseconds on a processor; large: what a device needs to be busy.
enum class Extent { Small, Medium, Large };
constexpr auto namesOf(Extent) {
    return namesAre<Extent>("extent",
                            {{Extent::Small, "small"}, {Extent::Medium, "medium"}, {Extent::Large, "large"}});
}

/// Some inputs of one kind.
struct SweepStep {
    std::string series{};  ///< the kind, "float32": one curve in a chart, over all its steps; may be empty
    Extent extent = Extent::Small;
    std::vector<std::string> arguments{};  ///< as `glycine bench` takes them
};

/// A kind of input, and the arguments that ask for it.
struct SweepSeries {
    std::string name{};
    std::vector<std::string> arguments{};
};

/// For each series its small, medium and large sizes, the values of `option`: "64,128,256".
inline std::vector<SweepStep> sweepOver(const std::string& option, const std::array<const char*, 3>& sizes,
                                        const std::vector<SweepSeries>& allSeries) {
    std::vector<SweepStep> steps;
    for (const SweepSeries& series : allSeries)
        for (const Extent extent : {Extent::Small, Extent::Medium, Extent::Large}) {
            SweepStep& step = steps.emplace_back(SweepStep{series.name, extent, series.arguments});
            step.arguments.emplace_back(option);
            step.arguments.emplace_back(sizes[static_cast<std::size_t>(extent)]);
        }
    return steps;
}

}  // namespace glycine::study
