#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/bounds/agreement.hpp"
#include "engine/bounds/device_comparison.hpp"
#include "engine/bounds/input/molecule_bounds.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/study/bounds_problem.hpp"
#include "engine/command/common_options.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/published.hpp"

namespace glycine::bounds {

namespace {

/// Upper and lower bounds in these number formats, the reference's, and those that a backend smooths.
study::InputBytes bytesOf(std::size_t atoms, const std::vector<std::string>& numberFormats) {
    study::InputBytes bytes;
    for (const std::string& name : numberFormats) {
        const double both = bytesForBounds(fromString<NumberFormat>(name), atoms);
        bytes.input += both;
        bytes.result = std::max(bytes.result, both);
    }
    bytes.answers = bytes.input;
    return bytes;
}

/// Dense, sparse and contradictory bounds of awkward sizes, or those of a file.
class ValidationProblems final : public study::ProblemSet {
  public:
    void declare(Options& options) override {
        options.value("IN", input_, "Bounds (.npz) or a structure (.pdb, .cif, …); generated ones if absent");
        isForGenerated(
            options.value("--sizes N,…", sizes_, "Numbers of atoms of the generated bounds").positive());
        isForGenerated(
            options
                .value("--tetrangle-sizes N,…", tetrangleSizes_,
                       "Numbers of atoms of generated bounds whose limits by tetrangles are compared")
                .within(1, 200));
        isForGenerated(addSeedOption(options, seed_, "bounds"));
        options
            .choice("--interop HOW", interop_,
                    "How CUDA reaches OpenGL's data when both are compared on the device: auto, direct (in "
                    "place, or not at all) or staged (through the host)")
            .readBy("backend", {"gl"})
            .readBy("backend", {"cuda"});
        options.footer(
            "Compares every available backend, variant, dialect and number format with the serial\n"
            "reference. Exit code 1 if any disagree.\n\n"
            "Examples:\n"
            "  glycine validate bounds\n"
            "  glycine validate bounds 2sdf.pdb.gz --backend gl,cpu --precision float32\n"
            "  glycine validate bounds --sizes 300 --max-texture 128 --backend gl --variant blocked");
    }

    void prepare(const Options& options, Progress&) override {
        if (!input_.empty()) requireFromFile(options);
    }

    std::vector<study::InputBytes> bytes(const std::vector<std::string>& numberFormats) const override {
        std::vector<study::InputBytes> inputs;
        if (!input_.empty()) return inputs;
        for (const std::size_t atoms : sizes_)
            inputs.insert(inputs.end(), kInputKinds.size(), bytesOf(atoms, numberFormats));
        for (const std::size_t atoms : tetrangleSizes_)
            inputs.insert(inputs.end(), kTetrangleKinds.size(), bytesOf(atoms, numberFormats));
        return inputs;
    }

    std::size_t count() const override {
        return input_.empty()
                   ? sizes_.size() * kInputKinds.size() + tetrangleSizes_.size() * kTetrangleKinds.size()
                   : 1;
    }

    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        if (!input_.empty())
            return std::make_unique<BoundsProblem>(input_, 0, [this](NumberFormat format) {
                // Contradictions are welcome: backends have to agree on them as well.
                return loadInputFile(input_, {{.format = format, .allowInconsistent = true}}).bounds;
            });
        const std::size_t smoothed = sizes_.size() * kInputKinds.size();
        const bool isTetrangles = index >= smoothed;
        if (isTetrangles) index -= smoothed;
        const std::size_t kinds = isTetrangles ? kTetrangleKinds.size() : kInputKinds.size();
        const InputKind kind =
            isTetrangles ? kTetrangleKinds[index % kinds] : kInputKinds[index % kinds].first;
        const std::size_t atoms = (isTetrangles ? tetrangleSizes_ : sizes_)[index / kinds];
        const std::string name = fmt::format("{}, {}", nameOf(kind, kInputKinds), formatCount(atoms, "atom"));
        const auto makeInput = [kind, atoms, seed = seed_](NumberFormat format) {
            return makeValidationInput(kind, atoms, seed, format);
        };
        if (isTetrangles) return tetrangleProblem("tetrangles of " + name, atoms, makeInput);
        return std::make_unique<BoundsProblem>(name, atoms, makeInput);
    }

    Fields settings() const override {
        return {
            {"input",
             input_.empty()
                 ? fmt::format("generated: dense, sparse and contradictory bounds of {} atoms, tetrangles of "
                               "dense and sparse ones of {}, seed {}",
                               fmt::join(sizes_, ", "), fmt::join(tetrangleSizes_, ", "), seed_)
                 : input_},
            {"allowed",
             "no difference for fixed, nor for variants that sum in the reference's order on consistent "
             "input; else the rounding of the most sums on any path that is, but for rounding, the "
             "shortest; by tetrangles no difference, on gl bounds that are looser by a rounding of points "
             "and the least gain"}};
    }

    /// gl and cuda on the same data, compared on the device.
    std::vector<ValidationRow> moreRows(const Options& options,
                                        const std::vector<Configuration>& configurations,
                                        const std::vector<std::unique_ptr<study::Problem>>& problems,
                                        const BackendOptions& device, Fields& notes,
                                        Progress& progress) override {
        const auto isSelected = [&](std::string_view backend) {
            return std::ranges::any_of(configurations, [&](const Configuration& one) {
                return one.backend == backend && one.variant == "blocked" && one.numberFormat == "float32";
            });
        };
        // Runs only if both backends are selected or the user names a mode.
        if (!options.isGiven("--interop") && !(isSelected("gl") && isSelected("cuda"))) return {};
        ValidationRow row;
        row.configuration = {"gl = cuda", "blocked", Dialect::Gl33, "float32"};
        try {
            compareOnDevice(row, problems, device, notes, progress);
        } catch (const UnavailableError& error) {
            row.skipped = error.what();
        }
        return {row};
    }

  private:
    void compareOnDevice(ValidationRow& row, const std::vector<std::unique_ptr<study::Problem>>& problems,
                         const BackendOptions& options, Fields& notes, Progress& progress) const {
        DeviceComparison device(options, interop_);
        notes.emplace_back("gl = cuda", fmt::format("compared on the device, CUDA reaching OpenGL's data {}",
                                                    device.description()));
        double bytes = 0, handed = 0, staged = 0;
        for (const auto& made : problems) {
            if (dynamic_cast<BoundsProblem*>(made.get()) == nullptr) continue;
            auto& problem = static_cast<BoundsProblem&>(*made);
            const auto input = std::get<BoundMatrices<float>>(problem.input(NumberFormat::Float32));
            const DeviceDifference found = device.compare(input.upper, input.lower, progress);
            const double largest = std::max(found.upper, found.lower);
            row.add({.input = problem.name(),
                     .isEqual = largest == 0,
                     .largestDifference = largest,
                     .allowedDifference =
                         problem.allowedDifference(NumberFormat::Float32, Variant::Blocked, progress),
                     .place = found.upper >= found.lower ? "the upper bounds" : "the lower bounds"});
            row.seconds += found.glSeconds + found.cudaSeconds + found.handoverSeconds;
            bytes += found.handoverBytes;
            handed += found.handoverSeconds;
            staged += found.stagedSeconds;
        }
        row.figures = {{"handoverBytes", bytes}, {"handoverSeconds", handed}};
        std::string text = fmt::format("{} handed over in {}", formatBytes(static_cast<std::uint64_t>(bytes)),
                                       formatSeconds(handed));
        if (staged > 0) {
            row.figures.push_back({"stagedSeconds", staged});
            text += fmt::format(" in place, {} through the host: {} saved", formatSeconds(staged),
                                staged > handed ? formatShare(staged - handed, staged) : "nothing");
        }
        notes.emplace_back("transfer", text);
    }

    /// Contradictory bounds are not tightened by tetrangles.
    static constexpr std::array kTetrangleKinds{InputKind::Dense, InputKind::Sparse};

    std::string input_;
    std::vector<std::size_t> sizes_{1, 2, 3, 5, 17, 64, 65, 100};
    std::vector<std::size_t> tetrangleSizes_{4, 5, 33};
    std::uint64_t seed_ = 1;
    InteropMode interop_ = InteropMode::Automatic;
};

/// Random atoms of some sizes, or a file.
class TimingProblems final : public study::ProblemSet {
  public:
    void declare(Options& options) override {
        isForGenerated(options.value("--sizes N,…", sizes_, "Numbers of atoms").positive());
        options.value("--which upper|both", which_, "Bounds to time: both, or upper (only the upper bounds)")
            .suggests({"both", "upper"});
        options.choice("--precision P", format_, "Number format: float32, float64 or fixed")
            .formerly("--format");
        isForGenerated(addSeedOption(options, seed_, "bounds"));
        isForGenerated(
            options.value("--known SHARE", known_, "Share of pairs that are known, 0 to 1").within(0, 1));
        options.value("--input FILE", input_, "Time this file instead (.npz, .pdb, .cif, …)");
        options.footer(
            "Times are of the stages on the device. A result that fails its check gets no time, and exit\n"
            "code 1.\n\n"
            "Examples:\n"
            "  glycine bench bounds --sizes 1024,2048,4096\n"
            "  glycine bench bounds --sizes 1024 --which upper --backend gl --variant packed,blocked\n"
            "  glycine bench bounds --input 1igt.pdb.gz --backend cpu,cuda --repeats 3 -o report.json");
    }

    void prepare(const Options& options, Progress&) override {
        if (which_ != "both" && which_ != "upper")
            throwUnknownName("kind of bounds", which_, {"upper", "both"});
        if (input_.empty()) return;
        requireFromFile(options);
        file_ = loadInputFile(input_, {{.format = format_, .allowInconsistent = true}});
        if (which_ == "upper") std::visit([](auto& owned) { owned.lower = {}; }, file_.bounds);
        sizes_ = {atomCount(file_.matrices())};
    }

    std::vector<study::InputBytes> bytes(const std::vector<std::string>& numberFormats) const override {
        std::vector<study::InputBytes> inputs;
        if (!input_.empty()) return inputs;
        for (const std::size_t atoms : sizes_) {
            const double both = bytesOf(atoms, numberFormats).input;
            // Lower bounds are generated and dropped if not requested.
            const double kept = which_ == "both" ? both : both / 2;
            inputs.push_back({kept, 0, kept});
        }
        return inputs;
    }
    std::vector<std::string> numberFormats() const override { return {std::string(toString(format_))}; }
    std::vector<std::string> inputFiles() const override {
        if (input_.empty()) return {};
        return {input_};
    }
    std::size_t count() const override { return sizes_.size(); }

    std::unique_ptr<study::Problem> make(std::size_t index, Progress&) override {
        if (input_.empty())
            return randomProblem(
                {.atoms = sizes_[index], .known = known_, .seed = seed_, .withLower = which_ == "both"});
        return std::make_unique<BoundsProblem>(
            formatCount(sizes_[0], "atom"), sizes_[0],
            [this](NumberFormat) { return std::move(file_.bounds); }, seed_);
    }

    Fields settings() const override {
        return {{"input", input_.empty() ? fmt::format("random atoms, {} of the pairs known, seed {}",
                                                       formatShare(known_, 1), seed_)
                                         : file_.description},
                {"bounds", fmt::format("{}, {}", which_ == "upper" ? "upper alone" : "upper and lower",
                                       toString(format_))},
                {"rates",
                 "effective: n³ relaxations in 10⁹ / s (minimum time), whatever symmetry or pruning saved"},
                {"check",
                 fmt::format("{} rows of the first and the last result against float64", kVerifiedRows)}};
    }

  private:
    std::vector<std::size_t> sizes_{128, 256, 512, 1024};
    std::string which_ = "both";
    NumberFormat format_ = NumberFormat::Float32;
    std::uint64_t seed_ = 1;
    double known_ = 0.1;
    std::string input_;
    BoundSet file_;
};

class BoundsSubject final : public study::SubjectOf<ValidationProblems, TimingProblems> {
  public:
    const Algorithm& algorithm() const override { return bounds::algorithm(); }
    std::string unit() const override { return "Å"; }
    std::string rateUnit() const override { return "G/s"; }
    std::string sizeLabel() const override { return "atoms"; }
    bool leavesVariantToBackend() const override { return false; }
    std::vector<study::SweepStep> sweep() const override {
        return study::sweepOver("--sizes", {"64,128,256", "512,1024", "2048,4096"},
                                {{"float32"}, {"fixed", {"--precision", "fixed"}}});
    }
    std::vector<study::EndToEndRun> endToEndRuns(study::Extent extent) const override {
        return study::endToEndRunsOf(
            extent, {"256", "2048", "8192"},
            {{"bounds", "bounds --known 0.1 -o in.npz --atoms {}", "bounds in.npz -o out.npz"}});
    }
    std::vector<study::PublishedFigure> published() const override { return {gems2Table()}; }
    std::vector<study::DrawnFigure> drawn() const override { return {gems2Structure()}; }
};

}  // namespace

std::unique_ptr<study::Subject> subject() {
    return std::make_unique<BoundsSubject>();
}

study::PublishedFigure gems2Table() {
    const study::PublishedData data("gems2");
    study::PublishedFigure figure = data.figures().front();
    const auto atomsAt = [data, id = figure.id](study::Scale scale) {
        std::vector<std::size_t> atoms;
        for (const Json& input : data.inputs(id, scale)) atoms.push_back(input.at("atoms"));
        return atoms;
    };
    figure.problems = [atomsAt](study::Scale scale, std::uint64_t seed, Progress&) {
        std::vector<std::unique_ptr<study::Problem>> problems;
        for (const std::size_t atoms : atomsAt(scale))
            problems.push_back(randomProblem({.atoms = atoms, .seed = seed}));
        return problems;
    };
    figure.deviceFacts = [](Backend& backend, const Configuration& row) {
        return createImplementation<SmoothingEngine>(backend)->facts(fromString<Variant>(row.variant));
    };
    figure.bytes = [atomsAt](study::Scale scale) {
        std::vector<study::InputBytes> bytes;
        for (const std::size_t atoms : atomsAt(scale)) {
            const double both = bytesForBounds(NumberFormat::Float32, atoms);
            bytes.push_back({both, 0, both});
        }
        return bytes;
    };
    return figure;
}

}  // namespace glycine::bounds
