#pragma once

#include "engine/command/command_registry.hpp"
#include "engine/core/device_probe.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/text/json.hpp"
#include "engine/study/device_ceilings.hpp"
#include "engine/study/study_commands.hpp"
#include "engine/study/subject.hpp"
#include "tests/test.hpp"

/// An algorithm whose run times the test specifies, on backends that do nothing.
namespace glycine::study::test {

/// Behaviour of the runs, and a log of what was done.
struct Script {
    /// Seconds of successive runs, by variant and number of threads ("quick", "quick/1"); the last value
    /// repeats.
    std::map<std::string, std::vector<double>> seconds;
    std::vector<std::string> log;    ///< calls in order: "quick", "check quick"
    std::vector<std::string> needs;  ///< variants whose needs were queried
    double amount = 1e-9;            ///< additions and minima that they need, in 10⁹
    std::string cancelledBy;         ///< a variant whose run throws CancelledError
    std::string outlasting;          ///< a variant whose run lasts until the TimeLimit
    std::size_t runsBefore = 0;      ///< number of runs before these two take effect
    double result = 1.5;             ///< result of every computation
    int mostOpenGl = 0;              ///< maximum number of OpenGL backends at the same time
    double figureBytes = 0;          ///< memory that the figure requires, unless quick
    /// The ceiling of `cpu` in G/s of additions and minima; 0: backends offer none; below 0: measuring throws
    /// Error.
    double ceiling = 0;
    std::vector<int> measured;  ///< numbers of threads of the backends whose ceiling was measured
    bool hasOtherCase =
        false;  ///< the first claim has one of larger problems, and a claim about larger ones follows
    bool hasGpuRow = false;   ///< the figure has a method "GPU" on `gl`, and claims about it
    bool hasGpus = false;     ///< the claim about it is judged on two backends, and at another size
    bool isSoftware = false;  ///< `gl` is a software renderer
};
inline Script& script() {
    static Script one;
    return one;
}

class FakeBackend final : public Backend {
  public:
    FakeBackend(std::string name, int threads) : name_(std::move(name)), threads_(threads) {
        ++alive()[name_];
    }
    ~FakeBackend() override { --alive()[name_]; }
    std::string_view name() const override { return name_; }
    std::string device() const override { return "fake " + name_; }
    std::string driver() const override { return "fake driver"; }
    const Capabilities& capabilities() const override { return capabilities_; }
    bool isEmulated() const override { return name_ == "gl" && script().isSoftware; }
    int threads() const { return threads_; }
    std::vector<DeviceProbe> probes() override {
        if (script().ceiling < 0) throw Error("no probe can be reached");
        if (script().ceiling == 0 || name_ != "cpu") return {};
        const auto start = [this]() -> DeviceProbe::Runner {
            script().measured.push_back(threads_);
            return [](std::size_t portions) {
                const auto seconds = 0.01 * static_cast<double>(portions);
                return ProbeRun{script().ceiling * seconds, seconds};
            };
        };
        return {{probeName(kAddMin, "float32"), "G/s", "by registers", start, {}},
                absentProbe(probeName(kLog, "float32"), "G/s", "no clock")};
    }
    /// Number of living backends by name.
    static std::map<std::string, int>& alive() {
        static std::map<std::string, int> counts;
        return counts;
    }

  private:
    std::string name_;
    int threads_;
    Capabilities capabilities_;
};

/// Registers the fakes; "cuda" cannot run.
inline void registerFakeBackends() {
    static const bool once = [] {
        for (const char* name : {"reference", "cpu", "gl"})
            BackendRegistry::instance().add({name,
                                             "a fake",
                                             [name](const BackendOptions& options) {
                                                 return std::make_unique<FakeBackend>(name, options.threads);
                                             },
                                             {}});
        BackendRegistry::instance().add(
            {"cuda",
             "none here",
             [](const BackendOptions&) -> std::unique_ptr<Backend> { throw UnavailableError("none here"); },
             {}});
        return true;
    }();
    static_cast<void>(once);
}

struct FakeAlgorithm final : Algorithm {
    FakeAlgorithm()
        : Algorithm(
              "fake", "Waits", "nobody",
              []() -> std::vector<VariantInfo> {
                  return {{"reference", "serial", "", "", {"float32"}, {}, true},
                          {"cpu", "quick", "", "", {"float32"}, {}, true},
                          {"cpu", "slow", "", "", {"float32"}, {}, false},
                          {"cpu", "wrong", "", "", {"float32"}, {}, false},
                          {"cpu", "late", "", "", {"float32"}, {}, false},
                          {"cpu", "declines", "", "", {"float32"}, {}, false},
                          {"gl", "packed", "", "", {"float32"}, allDialects(), true}};
              },
              [](Backend&, const Configuration&, const Dimensions&) { return Support::yes(); }) {}
};

class FakeComputation final : public Computation {
  public:
    FakeComputation(std::string label, std::string variant)
        : label_(std::move(label)), variant_(std::move(variant)) {}
    Outcome run(Progress& progress) override {
        Script& s = script();
        s.log.push_back(label_);
        s.mostOpenGl = std::max(s.mostOpenGl, FakeBackend::alive()["gl"]);
        if (variant_ == s.cancelledBy && s.runsBefore-- == 0) throw CancelledError();
        if (variant_ == s.outlasting && s.runsBefore-- == 0) {
            Clock::advance(1e3);
            progress.throwIfCancelled();
        }
        ++runs_;
        if (variant_ == "late" && runs_ > 2) throw UnavailableError("out of memory");
        const std::vector<double>& times = s.seconds[label_];
        const double seconds = times.empty() ? 1 : times[std::min(runs_, times.size()) - 1];
        return {variant_ == "default" ? "quick" : variant_,
                {{"half", seconds / 2, 1}, {"rest", seconds / 4}},
                seconds,
                2,
                "a note",
                variant_ == "quick" || variant_ == "packed" ? std::vector<Score>{{"precision", 0.25}}
                                                            : std::vector<Score>()};
    }
    std::optional<ResultDigest> digest() override {
        ResultDigester digester;
        digester.take(0, 1, 0, script().result);
        return digester.digest();
    }
    Comparison check(Progress&) override {
        script().log.push_back("check " + label_);
        Comparison comparison = equalSoFar(0.5);
        if (variant_ == "wrong") {
            comparison.isEqual = false;
            comparison.largestDifference = 3;
            comparison.place = "element 7";
        } else {
            comparison.verdict = "all exact";
        }
        return comparison;
    }

  private:
    std::string label_;
    std::string variant_;
    std::size_t runs_ = 0;
};

class FakeProblem final : public Problem {
  public:
    explicit FakeProblem(std::size_t size) : size_(size) {}
    std::string name() const override { return "problem " + std::to_string(size_); }
    Dimensions dimensions() const override { return {{"items", size_}}; }
    bool concerns(const Configuration& configuration) const override {
        return configuration.backend != "reference";
    }
    Support supports(Backend&, const Configuration& configuration) override {
        return configuration.variant == "declines" && size_ > 1 ? Support::no("too large") : Support::yes();
    }
    std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration, CheckScope scope,
                                       Progress&) override {
        scopes.push_back(scope);
        std::string label = configuration.variant;
        if (const int threads = dynamic_cast<FakeBackend&>(backend).threads(); threads > 0)
            label += "/" + std::to_string(threads);
        return std::make_unique<FakeComputation>(label, configuration.variant);
    }
    double referenceSeconds() const override { return 2; }
    /// Two needs for the quick variant; one for `gl` that is never measured.
    std::vector<RequiredWork> needs(const Configuration& configuration) const override {
        script().needs.push_back(configuration.variant);
        if (configuration.backend == "gl") return {{"no such ceiling", 1}};
        if (configuration.variant == "slow")
            return {{probeName(kAddMin, "float32"), script().amount, "half"}};
        return {{std::string(kCopyBandwidth), 1e-12}, {probeName(kAddMin, "float32"), script().amount}};
    }
    std::vector<CheckScope> scopes;

  private:
    std::size_t size_;
};

class FakeProblems final : public ProblemSet {
  public:
    void declare(Options& options) override { options.value("--sizes N,…", sizes_, "Sizes").positive(); }
    void prepare(const Options&, Progress&) override {}
    std::vector<InputBytes> bytes(const std::vector<std::string>& formats) const override {
        std::vector<InputBytes> inputs;
        for (const std::size_t size : sizes_) {
            const auto bytes = static_cast<double>(size);
            inputs.push_back({bytes * static_cast<double>(formats.size()), bytes, bytes});
        }
        return inputs;
    }
    void makeInputs(Progress&) override { areMade_ = true; }
    std::size_t count() const override { return sizes_.size(); }
    std::unique_ptr<Problem> make(std::size_t index, Progress&) override {
        EXPECT_TRUE(areMade_);
        return std::make_unique<FakeProblem>(sizes_[index]);
    }
    Fields settings() const override { return {{"input", "none"}}; }
    std::vector<ValidationRow> moreRows(const Options&, const std::vector<Configuration>&,
                                        const std::vector<std::unique_ptr<Problem>>& problems,
                                        const BackendOptions&, Fields& notes, Progress&) override {
        if (problems.size() < 3) return {};
        EXPECT_EQ(FakeBackend::alive()["cpu"], 0) << "no backend is held any more";
        notes.emplace_back("a = b", "compared");
        ValidationRow row;
        row.configuration.backend = "a = b";
        row.add(equalSoFar(0));
        return {row};
    }

  private:
    std::vector<std::size_t> sizes_{1, 2};
    bool areMade_ = false;
};

class FakeSubject final : public Subject {
  public:
    const Algorithm& algorithm() const override {
        static const FakeAlgorithm algorithm;
        return algorithm;
    }
    std::string unit() const override { return "m"; }
    std::string rateUnit() const override { return "G/s"; }
    std::string sizeLabel() const override { return "items"; }
    std::unique_ptr<ProblemSet> validationProblems() const override {
        return std::make_unique<FakeProblems>();
    }
    std::unique_ptr<ProblemSet> timingProblems() const override { return std::make_unique<FakeProblems>(); }
    std::vector<DrawnFigure> drawn() const override {
        return {{.id = "fake-drawing", .title = "a face", .input = "a photograph"}};
    }
    std::vector<PublishedFigure> published() const override {
        PublishedFigure figure;
        figure.id = "fake-figure-1";
        figure.title = "waiting";
        figure.source = "nobody, nowhere";
        figure.about = "no machine";
        figure.quick = "size 1 alone";
        figure.sizeLabel = "items";
        figure.rateUnit = "G/s";
        figure.problems = [](Scale scale, std::uint64_t, Progress&) {
            std::vector<std::unique_ptr<Problem>> problems;
            for (std::size_t size = 1; size <= (scale == Scale::Quick ? 1u : 4u); size *= 2)
                problems.push_back(std::make_unique<FakeProblem>(size));
            return problems;
        };
        figure.bytes = [](Scale scale) {
            return std::vector<InputBytes>{{scale == Scale::Published ? script().figureBytes : 0, 0, 0}};
        };
        figure.rows = [](Scale scale) {
            std::vector<PublishedRow> rows;
            for (std::size_t problem = 0; problem < (scale == Scale::Quick ? 1u : 3u); ++problem) {
                const auto add = [&](const char* method, const char* variant, const char* stage,
                                     int threads) {
                    PublishedRow row;
                    row.method = method;
                    row.problem = problem;
                    row.configuration = {"cpu", variant, {}, "float32"};
                    row.threads = threads;
                    row.stage = stage;
                    row.key = std::string(method) + stage + std::to_string(problem);
                    row.paperSeconds = 8;
                    rows.push_back(row);
                };
                add("old", "slow", "half", 0);
                add("old", "slow", "half+rest", 0);
                add("new", "quick", "half", 0);
                add("one thread", "quick", "", 1);
                PublishedRow paper;
                paper.method = "paper alone";
                paper.problem = problem;
                paper.paperSeconds = 3;
                rows.push_back(paper);
                if (!script().hasGpuRow) continue;
                add("GPU", "packed", "", 0);
                rows.back().configuration.backend = "gl";
                if (!script().hasGpus) continue;
                add("CUDA", "packed", "", 0);
                rows.back().configuration.backend = "cuda";
            }
            return rows;
        };
        figure.claims = [](Scale) {
            std::vector<Claim> claims{{.text = "the new one is twice as fast",
                                       .place = "page 1",
                                       .quantity = Ratio{"oldhalf0", "newhalf0"},
                                       .paper = "2 ×",
                                       .low = 1.5,
                                       .otherwise = "clocks are faster"}};
            if (script().hasOtherCase) {
                claims.push_back(claims.front());
                claims.back().quantity = Ratio{"oldhalf1", "newhalf1"};
                claims.push_back({.text = "threads gain nothing",
                                  .place = "page 1",
                                  .quantity = Ratio{"one thread2", "newhalf2"},
                                  .paper = "1 ×",
                                  .low = 0.5});
            }
            if (!script().hasGpuRow) return claims;
            const Claim ofGpu{.text = "the GPU is faster",
                              .place = "page 2",
                              .quantity = Ratio{"one thread0", "GPU0"},
                              .paper = "10 ×",
                              .low = 8,
                              .otherwise = "shaders are what they were"};
            claims.push_back(ofGpu);
            if (script().hasGpus) {
                claims.back().column = "gl, size 1";
                claims.push_back(ofGpu);
                claims.back().column = "cuda, size 1";
                claims.back().quantity = Ratio{"one thread0", "CUDA0"};
                claims.push_back(ofGpu);
                claims.back().column = "gl, size 2";
                claims.back().quantity = Ratio{"GPU0", "one thread0"};
            }
            claims.push_back({.text = "it is as precise",
                              .place = "page 3",
                              .quantity = ScoreRatio{"precision", {"GPU0"}, {"newhalf0"}},
                              .paper = "equal",
                              .low = 1,
                              .high = 1});
            return claims;
        };
        figure.untested = {{"it is quiet", "no microphone"}};
        figure.charts = [](Scale) {
            Json charts = Json::parse(
                R"([{"kind": "bars", "panels": [{"points": [["old: half+rest", "oldhalf+rest0"]]}]}])");
            if (script().hasGpuRow) charts[0]["panels"][0]["points"].push_back({"GPU", "GPU0"});
            return charts;
        };
        return {figure};
    }
};

/// Registers the fake subject, once per process.
inline void registerFakeSubject() {
    static const bool once = [] {
        SubjectRegistry::instance().add(std::make_unique<FakeSubject>());
        return true;
    }();
    static_cast<void>(once);
}

struct StudyOutcome {
    int exitCode = -1;
    std::string out;
    std::string error;
    Json json() const { return Json::parse(out); }
};

/// Runs a command of the harness like the command line.
inline StudyOutcome runCommand(const std::function<CommandAction(Options&)>& declare,
                               const std::vector<std::string>& arguments) {
    registerFakeBackends();
    std::ostringstream out, err;
    CommandContext context(out, err, false);
    StudyOutcome outcome;
    try {
        Options options;
        const CommandAction action = declare(options);
        options.parse(arguments);
        outcome.exitCode = action(context);
    } catch (const Error& error) {
        outcome.exitCode = error.exitCode();
        outcome.error = error.what();
    }
    outcome.out = out.str();
    return outcome;
}

}  // namespace glycine::study::test
