#include "engine/study/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/study/study_commands.hpp"

namespace glycine::study {

Option& ProblemSet::isForGenerated(Option& option) {
    return option.readBy("input", {"generated"}, "generated inputs");
}

void ProblemSet::requireFromFile(const Options& options) {
    options.requireReaders({"input", {"file"}, "give it or a file, not both"});
}

std::vector<PublishedFigure> SubjectRegistry::published() const {
    std::vector<PublishedFigure> figures;
    for (const auto& subject : subjects_)
        std::ranges::move(subject->published(), std::back_inserter(figures));
    return figures;
}

SubjectRegistry& SubjectRegistry::instance() {
    static SubjectRegistry registry;
    return registry;
}

void SubjectRegistry::add(std::unique_ptr<Subject> subject) {
    subjects_.push_back(std::move(subject));
}

std::vector<const Subject*> chosenSubjects(const std::vector<std::string>& names) {
    std::vector<const Subject*> all, chosen;
    std::vector<std::string> known;
    for (const auto& subject : SubjectRegistry::instance().subjects()) {
        all.push_back(subject.get());
        known.emplace_back(subject->algorithm().name());
    }
    for (const std::string& name : names) {
        if (name == "all") return all;
        const auto found = std::ranges::find(known, name);
        if (found == known.end()) {
            known.emplace_back("all");
            throwUnknownName("algorithm", name, {known.begin(), known.end()});
        }
        const Subject* subject = all[static_cast<std::size_t>(found - known.begin())];
        if (std::ranges::find(chosen, subject) == chosen.end()) chosen.push_back(subject);
    }
    return chosen;
}

std::vector<EndToEndRun> endToEndRunsOf(Extent extent, const std::array<const char*, 3>& sizes,
                                        std::vector<EndToEndRun> runs) {
    for (EndToEndRun& run : runs)
        run.generate = fmt::format(fmt::runtime(run.generate), sizes[static_cast<std::size_t>(extent)]);
    return runs;
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
