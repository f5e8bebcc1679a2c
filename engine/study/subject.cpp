#include "engine/study/subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.hpp"

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

}  // namespace glycine::study
