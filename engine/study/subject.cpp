#include "engine/study/subject.hpp"

#include <fmt/format.h>

#include "engine/study/study_commands.hpp"

namespace glycine::study {

Option& ProblemSet::isForGenerated(Option& option) {
    return option.readBy("input", {"generated"}, "generated inputs");
}

void ProblemSet::requireFromFile(const Options& options) {
    options.requireReaders({"input", {"file"}, "give it or a file, not both"});
}

SubjectRegistry& SubjectRegistry::instance() {
    static SubjectRegistry registry;
    return registry;
}

void SubjectRegistry::add(std::unique_ptr<Subject> subject) {
    subjects_.push_back(std::move(subject));
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
