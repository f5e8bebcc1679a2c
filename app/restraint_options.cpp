#include "app/restraint_options.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace glycine {

Option& addFirstResidueOption(Options& options, io::MappingOptions& mapping) {
    auto& firsts = mapping.firstResidues;
    return options.parsedList(
        "--first-residue CHAIN=N,…",
        [&firsts](const std::vector<std::string>& words) {
            firsts.clear();
            for (const std::string& word : words) firsts.push_back(io::parseFirstResidue(word));
        },
        [&firsts] {
            std::string text;
            for (const auto& [chain, first] : firsts)
                text += fmt::format("{}{}={}", text.empty() ? "" : ",", chain, first);
            return text;
        },
        "Number of a chain's first residue, for files that name no chains: B=101");
}

}  // namespace glycine
