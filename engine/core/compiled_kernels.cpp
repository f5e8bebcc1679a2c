#include "engine/core/compiled_kernels.hpp"

#include <charconv>
#include <utility>

namespace glycine {

namespace {

/// The text between `before` and `after`; empty if the line lacks one of them.
std::string_view textBetween(std::string_view line, std::string_view before, std::string_view after) {
    const std::size_t begin = line.find(before);
    if (begin == std::string_view::npos) return {};
    line.remove_prefix(begin + before.size());
    const std::size_t end = line.find(after);
    return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

/// The number in front of `unit`: 28 of ", 28 bytes smem"; 0 if the line lacks it.
std::size_t numberBefore(std::string_view line, std::string_view unit) {
    std::size_t begin = line.find(unit), number = 0;
    if (begin == std::string_view::npos) return 0;
    const std::size_t end = begin;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    std::from_chars(line.data() + begin, line.data() + end, number);
    return number;
}

}  // namespace

std::vector<CompiledResources> readResourceUsage(std::string_view output) {
    std::vector<CompiledResources> all;
    CompiledResources current;
    while (!output.empty()) {
        const std::string_view line = output.substr(0, output.find('\n'));
        output.remove_prefix(line.size() == output.size() ? line.size() : line.size() + 1);
        if (const std::string_view entry = textBetween(line, "Compiling entry function '", "'");
            !entry.empty())
            current = {.entry = std::string(entry), .target = std::string(textBetween(line, "for '", "'"))};
        const std::size_t registers = numberBefore(line, " registers");
        if (current.entry.empty() || registers == 0) continue;
        current.registers = static_cast<unsigned>(registers);
        current.sharedBytes = numberBefore(line, " bytes smem");
        all.push_back(std::exchange(current, {}));
    }
    return all;
}

std::map<std::string, std::function<CompiledKernels()>, std::less<>>& compiledKernels() {
    static std::map<std::string, std::function<CompiledKernels()>, std::less<>> all;
    return all;
}

}  // namespace glycine
