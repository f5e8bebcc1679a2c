#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/algorithm.hpp"
#include "engine/core/names.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/published.hpp"
#include "engine/study/study_memory.hpp"
#include "engine/study/validation_report.hpp"

/// An algorithm as the study harness sees it, one file per algorithm: engine/X/study/X_subject.cpp.

namespace glycine::study {

// The sizes that a study covers.

/// Small: a few milliseconds on a processor; large: enough to keep a device busy.
enum class Extent { Small, Medium, Large };
constexpr auto namesOf(Extent) {
    return namesAre<Extent>("extent",
                            {{Extent::Small, "small"}, {Extent::Medium, "medium"}, {Extent::Large, "large"}});
}

/// Inputs of one kind and size class.
struct SweepStep {
    /// the kind, "float32"; all steps of a series form one curve in a chart; may be empty
    std::string series{};
    Extent extent = Extent::Small;
    std::vector<std::string> arguments{};  ///< arguments of `glycine bench`
};

/// A kind of input, and the arguments that select it.
struct SweepSeries {
    std::string name{};
    std::vector<std::string> arguments{};
};

/// Steps of small, medium and large size for each series. `sizes`: values of `option`, such as "64,128,256".
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

/// A command from input file to output file, run in a folder of its own.
struct EndToEndRun {
    std::string name;      ///< what the command computes: "close pairs"
    std::string generate;  ///< after `glycine generate`; makes the input
    std::string run;       ///< after `glycine`, without the backend
};
/// Replaces "{}" in `generate` by the element of `sizes` for the extent.
std::vector<EndToEndRun> endToEndRunsOf(Extent extent, const std::array<const char*, 3>& sizes,
                                        std::vector<EndToEndRun> runs);

/// The problems of one call of `validate` or `bench`, and the options that define them. Life cycle:
/// constructed and `declare`d before parsing, then `prepare`d, then used.
class ProblemSet {
  public:
    virtual ~ProblemSet() = default;
    /// Declares options for the inputs: sizes, seeds, files. The set must live as long as the options.
    virtual void declare(Options& options) = 0;
    /// Called after parsing: refuses incompatible options and reads files, but does not generate inputs yet.
    /// Throws UsageError and InputError.
    virtual void prepare(const Options& options, Progress& progress) = 0;
    /// Host memory that the inputs of all problems will need, one element per input. `numberFormats`: those
    /// of the configurations that take part. For a file, only memory that its reader has not checked itself.
    virtual std::vector<InputBytes> bytes(const std::vector<std::string>& numberFormats) const = 0;
    /// Called after `prepare` and the memory check: makes inputs that several problems share.
    virtual void makeInputs(Progress& /*progress*/) {}
    /// Number formats of the configurations that take part; empty: all.
    virtual std::vector<std::string> numberFormats() const { return {}; }
    /// Input files, which no report may overwrite.
    virtual std::vector<std::string> inputFiles() const { return {}; }
    /// Number of problems; call after makeInputs.
    virtual std::size_t count() const = 0;
    /// Makes problem `index` on demand. `bench` holds one problem at a time, `validate` all of them.
    virtual std::unique_ptr<Problem> make(std::size_t index, Progress& progress) = 0;
    /// Head of the report: input, notes, what is counted, what is compared, allowed differences.
    virtual Fields settings() const = 0;
    /// Additional rows of `validate`, made while no backend is held; for example, two backends compared with
    /// each other. `notes`: receives fields about them for the head of the report.
    virtual std::vector<ValidationRow> moreRows(const Options& /*options*/,
                                                const std::vector<Configuration>& /*configurations*/,
                                                const std::vector<std::unique_ptr<Problem>>& /*problems*/,
                                                const BackendOptions& /*device*/, Fields& /*notes*/,
                                                Progress& /*progress*/) {
        return {};
    }

  protected:
    /// Marks an option that only applies to generated inputs: requireFromFile refuses it.
    static Option& isForGenerated(Option& option);
    /// Throws UsageError if such an option was given together with a file.
    static void requireFromFile(const Options& options);
};

class Subject {
  public:
    virtual ~Subject() = default;
    /// Its name is the NAME of `glycine validate NAME`.
    virtual const Algorithm& algorithm() const = 0;
    /// Unit of differences: "Å".
    virtual std::string unit() const = 0;
    /// Unit of rates: "G/s" with work in 10⁹.
    virtual std::string rateUnit() const = 0;
    /// Names of Problem::dimensions: "instances × attributes".
    virtual std::string sizeLabel() const = 0;
    /// Variant that `bench` runs if none is named: true: the backend's own choice for the data ("default");
    /// false: the variant marked as default.
    virtual bool leavesVariantToBackend() const { return true; }
    /// Problems without a file: inputs of all kinds and awkward sizes, compared in full.
    virtual std::unique_ptr<ProblemSet> validationProblems() const = 0;
    /// Large problems, checked by samples.
    virtual std::unique_ptr<ProblemSet> timingProblems() const = 0;
    /// Sizes that `glycine study` times, from small to large. Each step holds arguments of timingProblems().
    virtual std::vector<SweepStep> sweep() const { return {{}}; }
    /// Commands that `glycine bench end-to-end` times.
    virtual std::vector<EndToEndRun> endToEndRuns(Extent) const { return {}; }
    /// Figures and tables of publications that can be measured here.
    virtual std::vector<PublishedFigure> published() const { return {}; }
    /// Figures that are drawn from the user's file.
    virtual std::vector<DrawnFigure> drawn() const { return {}; }
};

/// A subject whose problem sets are default-constructible.
template <class ValidationSet, class TimingSet>
class SubjectOf : public Subject {
  public:
    std::unique_ptr<ProblemSet> validationProblems() const override {
        return std::make_unique<ValidationSet>();
    }
    std::unique_ptr<ProblemSet> timingProblems() const override { return std::make_unique<TimingSet>(); }
};

class SubjectRegistry {
  public:
    static SubjectRegistry& instance();
    void add(std::unique_ptr<Subject> subject);
    const std::vector<std::unique_ptr<Subject>>& subjects() const { return subjects_; }
    /// The published figures of all subjects.
    std::vector<PublishedFigure> published() const;

  private:
    std::vector<std::unique_ptr<Subject>> subjects_;
};
/// The subjects with these names, each once; "all" selects all. Throws UsageError for an unknown name.
std::vector<const Subject*> chosenSubjects(const std::vector<std::string>& names);

}  // namespace glycine::study
