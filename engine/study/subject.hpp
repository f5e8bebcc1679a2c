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

/// An algorithm as the harness sees it. One file an algorithm: engine/X/study/X_subject.cpp.

namespace glycine::study {

// Which sizes a study goes through.

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

/// A command from an input file to an output file, in a folder of its own.
struct WholeRun {
    std::string name;      ///< what it makes: "close pairs"
    std::string generate;  ///< behind `glycine generate`; makes the input
    std::string run;       ///< behind `glycine`, but for the backend
};
/// The same of each size: where they stand in `generate`, "{}" is the one of `sizes` for the extent.
std::vector<WholeRun> wholeRunsOf(Extent extent, const std::array<const char*, 3>& sizes,
                                  std::vector<WholeRun> runs);

/// The problems of one call of `validate` or `bench`, and the options that make them. Made before parsing
/// (declares its options), then `prepare`d, then asked.
class ProblemSet {
  public:
    virtual ~ProblemSet() = default;
    /// Declares what the inputs are: sizes, seeds, files. The set lives as long as the options.
    virtual void declare(Options& options) = 0;
    /// After parsing: refuses options that do not go together, reads files. What is generated is not made
    /// yet. Throws UsageError and InputError.
    virtual void prepare(const Options& options, Progress& progress) = 0;
    /// What the inputs of all problems will take of the host's memory, one element an input. `numberFormats`:
    /// those of the configurations that take part. Of a file, what its reader has not asked for itself.
    virtual std::vector<InputBytes> bytes(const std::vector<std::string>& numberFormats) const = 0;
    /// After `prepare`, once there is room for them: makes inputs that several problems share.
    virtual void makeInputs(Progress& /*progress*/) {}
    /// Number formats of the configurations that take part; empty: all.
    virtual std::vector<std::string> numberFormats() const { return {}; }
    /// Input files, which no report may overwrite.
    virtual std::vector<std::string> inputFiles() const { return {}; }
    /// Problems; asked after makeInputs.
    virtual std::size_t count() const = 0;
    /// Problem `index`, made when it is asked for. `bench` keeps one at a time, `validate` all of them.
    virtual std::unique_ptr<Problem> make(std::size_t index, Progress& progress) = 0;
    /// Said at the head of the report: input, notes, what is counted, what is compared, how much may differ.
    virtual Fields settings() const = 0;
    /// Rows of `validate` beside those of single configurations, made when no backend is held: two backends
    /// compared with each other, say. `notes`: what is to be said about them at the head of the report.
    virtual std::vector<ValidationRow> moreRows(const Options& /*options*/,
                                                const std::vector<Configuration>& /*configurations*/,
                                                const std::vector<std::unique_ptr<Problem>>& /*problems*/,
                                                const BackendOptions& /*device*/, Fields& /*notes*/,
                                                Progress& /*progress*/) {
        return {};
    }

  protected:
    /// Of an option that makes inputs: requireFromFile refuses it.
    static Option& isForGenerated(Option& option);
    /// Throws UsageError where one of these was given, and a file as well.
    static void requireFromFile(const Options& options);
};

class Subject {
  public:
    virtual ~Subject() = default;
    /// Also the name of `glycine validate NAME`.
    virtual const Algorithm& algorithm() const = 0;
    /// Of differences: "Å".
    virtual std::string unit() const = 0;
    /// Of rates: "G/s" with work in 10⁹.
    virtual std::string rateUnit() const = 0;
    /// "instances × attributes": what Problem::dimensions are.
    virtual std::string sizeLabel() const = 0;
    /// What runs in `bench` when no variant is named: the backend's own choice for the data ("default"), or
    /// the variant that is marked as the default one.
    virtual bool leavesVariantToBackend() const { return true; }
    /// Without a file: inputs of all kinds and awkward sizes, compared whole.
    virtual std::unique_ptr<ProblemSet> validationProblems() const = 0;
    /// Large ones, checked by samples.
    virtual std::unique_ptr<ProblemSet> timingProblems() const = 0;
    /// What `glycine study` times, from small to large. Each step: arguments of timingProblems().
    virtual std::vector<SweepStep> sweep() const { return {{}}; }
    /// What `glycine bench end-to-end` times.
    virtual std::vector<WholeRun> wholeRuns(Extent) const { return {}; }
    /// Figures and tables of publications that can be measured here.
    virtual std::vector<PublishedFigure> published() const { return {}; }
    /// Those that are drawn from the user's file.
    virtual std::vector<DrawnFigure> drawn() const { return {}; }
};

/// With sets of problems that are made from nothing.
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

  private:
    std::vector<std::unique_ptr<Subject>> subjects_;
};
/// Those of these names, each once; "all". Throws UsageError for a name that none has.
std::vector<const Subject*> chosenSubjects(const std::vector<std::string>& names);

}  // namespace glycine::study
