#include "engine/study/subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::study {

SubjectRegistry& SubjectRegistry::instance() {
    static SubjectRegistry registry;
    return registry;
}

void SubjectRegistry::add(std::unique_ptr<Subject> subject) {
    subjects_.push_back(std::move(subject));
}

const Subject& SubjectRegistry::find(std::string_view name) const {
    std::vector<std::string_view> known;
    for (const auto& subject : subjects_) {
        if (subject->algorithm().name() == name) return *subject;
        known.push_back(subject->algorithm().name());
    }
    throw UsageError(fmt::format("unknown algorithm '{}'; known: {}", name, fmt::join(known, ", ")));
}

void addSubject(std::unique_ptr<Subject> subject) {
    const Subject& added = *subject;
    SubjectRegistry::instance().add(std::move(subject));
    const std::string name(added.algorithm().name());
    CommandRegistry& commands = CommandRegistry::instance();
    commands.add({"validate", name, "",
                  fmt::format("Compare all backends and variants with the reference for {}", name),
                  [&added](Options& options) { return declareValidate(added, options); }});
    commands.add({"bench", name, "", fmt::format("Verify and time backends and variants for {}", name),
                  [&added](Options& options) { return declareBench(added, options); }});
}

}  // namespace glycine::study
