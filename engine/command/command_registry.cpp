#include "engine/command/command_registry.hpp"

#include <algorithm>
#include <utility>

namespace glycine {

CommandRegistry& CommandRegistry::instance() {
    static CommandRegistry registry;
    return registry;
}

void CommandRegistry::add(Command command) {
    commands_.push_back(std::move(command));
}

void CommandRegistry::describeGroup(std::string group, std::string summary) {
    groups_.emplace_back(std::move(group), std::move(summary));
}

std::string CommandRegistry::groupSummary(const std::string& group) const {
    const auto found = std::find_if(groups_.begin(), groups_.end(),
                                    [&group](const auto& known) { return known.first == group; });
    return found == groups_.end() ? std::string() : found->second;
}

}  // namespace glycine
