#include "engine/study/study_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::study {

void requireValidationMemory(std::string_view algorithm, const std::vector<InputBytes>& inputs) {
    double held = 0;
    double largest = 0;
    for (const InputBytes& one : inputs) {
        held += one.input + one.answers;
        largest = std::max(largest, one.result);
    }
    requireHostMemory(
        fmt::format("comparing results of {} on {}", algorithm, formatCount(inputs.size(), "input")),
        held + largest);
}

void requireTimingMemory(std::string_view algorithm, const std::vector<InputBytes>& inputs) {
    double largest = 0;
    for (const InputBytes& one : inputs) largest = std::max(largest, one.input + one.answers + one.result);
    requireHostMemory(fmt::format("timing {}", algorithm), largest);
}

}  // namespace glycine::study
