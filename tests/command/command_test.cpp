// Code that all commands share: numbers as text, tables, statistics, options, backends, reports.
#include <unistd.h>

#include "engine/command/command_registry.hpp"
#include "engine/command/common_options.hpp"
#include "engine/command/output_files.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/study/bench_report.hpp"
#include "engine/study/statistics.hpp"
#include "engine/study/validation_report.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

TEST(CommandContext, MakesControlCharactersVisible) {
    std::ostringstream out, err;
    CommandContext context(out, err, false);
    context.out() << "a\xe2" << std::string("\x80\xae") << "\x1b[2J\n";
    printFields(context.out(), {{"File", "x\xc2\x9bm.tsv"}});
    EXPECT_EQ(out.str(), "a\\u202e\\x1b[2J\nFile  x\\u009bm.tsv\n");
    context.err() << "no end\b";
    EXPECT_EQ(err.str(), "");
    context.err() << std::flush;
    EXPECT_EQ(err.str(), "no end\\x08");
}

TEST(Quantity, SecondsHaveThreeDigitsAndAUnit) {
    EXPECT_EQ(formatSeconds(0), "0 ns");
    EXPECT_EQ(formatSeconds(250e-9), "250 ns");
    EXPECT_EQ(formatSeconds(3.14159e-6), "3.14 µs");
    EXPECT_EQ(formatSeconds(0.02749), "27.5 ms");
    EXPECT_EQ(formatSeconds(0.99999), "1.00 s");
    EXPECT_EQ(formatSeconds(1.236), "1.24 s");
    EXPECT_EQ(formatSeconds(59.94), "59.9 s");
    EXPECT_EQ(formatSeconds(59.96), "1 min 00 s");
    EXPECT_EQ(formatSeconds(187), "3 min 07 s");
    EXPECT_EQ(formatSeconds(7510), "2 h 05 min");
}

TEST(Quantity, CountsAreGrouped) {
    EXPECT_EQ(formatCount(0), "0");
    EXPECT_EQ(formatCount(999), "999");
    EXPECT_EQ(formatCount(1000), "1,000");
    EXPECT_EQ(formatCount(1234567), "1,234,567");
    EXPECT_EQ(formatCount(1, "pair"), "1 pair");
    EXPECT_EQ(formatCount(2, "pair"), "2 pairs");
}

TEST(Quantity, NumbersAndShares) {
    EXPECT_EQ(formatNumber(0), "0");
    EXPECT_EQ(formatNumber(0.03141), "0.0314");
    EXPECT_EQ(formatNumber(12.34), "12.3");
    EXPECT_EQ(formatNumber(1234.4), "1,234");
    EXPECT_EQ(formatNumber(-1234.4), "-1,234");
    EXPECT_EQ(formatNumber(1e-4), "1.00e-04");
    EXPECT_EQ(formatShare(1, 16), "6.25 %");
    EXPECT_EQ(formatShare(1, 1), "100 %");
    EXPECT_EQ(formatShare(0, 0), "0 %");
    EXPECT_EQ(formatBytes(1), "1 byte");
    EXPECT_EQ(formatBytes(1536), "1.5 KiB");
    EXPECT_EQ(formatBytes(std::uint64_t{3} << 30), "3.0 GiB");
}

TEST(Quantity, ParsesAmountsOfMemory) {
    EXPECT_EQ(parseByteSize("1024"), 1024u);
    EXPECT_EQ(parseByteSize("512M"), std::size_t{512} << 20);
    EXPECT_EQ(parseByteSize("4g"), std::size_t{4} << 30);
    EXPECT_EQ(parseByteSize("1.5K"), 1536u);
    EXPECT_EQ(parseByteSize("2MiB"), std::size_t{2} << 20);
    EXPECT_EQ(parseByteSize("7B"), 7u);
    for (const char* wrong : {"", "M", "-1M", "0", "12X", "1e3", "5 M", "nan", "99999999T", "1iB"})
        EXPECT_THROW(parseByteSize(wrong), UsageError) << wrong;
}

TEST(Statistics, MinimumAndMedian) {
    const Statistics odd = summarize({3, 1, 2});
    EXPECT_EQ(odd.count, 3u);
    EXPECT_EQ(odd.minimum, 1);
    EXPECT_EQ(odd.median, 2);
    EXPECT_EQ(odd.maximum, 3);
    EXPECT_EQ(summarize({4, 1, 2, 3}).median, 2.5);
    EXPECT_EQ(summarize({7}).median, 7);
    EXPECT_EQ(summarize({}).count, 0u);
}

TEST(TextTable, AlignsColumnsByDisplayedWidth) {
    TextTable table({{"name"}, {"time", Align::Right}, {"note"}});
    table.addRow({"a", "3.14 µs", "x"});
    table.addRow({"longer", "1 s"});
    std::ostringstream out;
    table.print(out);
    EXPECT_EQ(out.str(),
              "name       time  note\n"
              "a       3.14 µs  x\n"
              "longer      1 s\n");
    EXPECT_THROW(table.addRow({"1", "2", "3", "4"}), std::logic_error);
}

TEST(TextTable, WrapsTheLastColumnToTheTerminal) {
    TextTable table({{"k"}, {"text"}});
    table.addRow({"a", "one two three four five six seven"});
    std::ostringstream out;
    table.print(out, 30);
    EXPECT_EQ(out.str(),
              "k  text\n"
              "a  one two three four five six\n"
              "   seven\n");
}

TEST(TextTable, WrapsBetweenWords) {
    EXPECT_THAT(wrapText("aa bb cc", 5), ElementsAre("aa bb", "cc"));
    EXPECT_THAT(wrapText("aa bb cc", 0), ElementsAre("aa bb cc"));
    EXPECT_THAT(wrapText("much-too-long ab", 5), ElementsAre("much-too-long", "ab"));
    EXPECT_THAT(wrapText("a\nb", 5), ElementsAre("a", "b"));
    EXPECT_THAT(wrapText("ÅÅÅ ÅÅ", 6), ElementsAre("ÅÅÅ ÅÅ"));
    EXPECT_THAT(wrapText("", 5), ElementsAre(""));
    EXPECT_EQ(displayWidth("±2⁻²⁰ Å"), 7u);
}

TEST(TextTable, FieldsShareOneColumn) {
    std::ostringstream out;
    printFields(out, {{"Input", "x"}, {"Violations", "none\nat all"}});
    EXPECT_EQ(out.str(),
              "Input       x\n"
              "Violations  none\n"
              "            at all\n");
}

TEST(CommandContext, ShowsProgressAsALineOfATerminal) {
    for (const bool isShown : {true, false}) {
        const StoppedClock clock;
        std::ostringstream out;
        std::ostringstream err;
        CommandContext context(out, err, isShown);
        context.setProgressPrefix("gl/packed: ");
        context.progress().begin("upper bounds", 4);
        Clock::advance(0.6);
        context.progress().advance(1);
        context.clearProgressLine();
        if (isShown) {
            EXPECT_THAT(err.str(), HasSubstr("gl/packed: upper bounds:  25 %"));
            EXPECT_THAT(err.str(), HasSubstr(" left"));
            EXPECT_THAT(err.str(), EndsWith("\r\033[K"));
        } else {
            EXPECT_EQ(err.str(), "");
        }
        EXPECT_EQ(out.str(), "");
    }
}

TEST(CommandContext, AddsALineOfProgressEvery30SecondsElsewhere) {
    const StoppedClock clock;
    std::ostringstream out, err;
    CommandContext context(out, err, false);
    context.progress().begin("upper bounds", 100);
    const auto advance = [&](double seconds) {
        Clock::advance(seconds);
        context.progress().advance(10);
    };
    advance(29);
    EXPECT_EQ(err.str(), "");
    advance(1);
    advance(29);
    advance(1);
    EXPECT_EQ(err.str(),
              "glycine: upper bounds:  20 %, 30 s, about 2 min 00 s left\n"
              "glycine: upper bounds:  40 %, 1 min 00 s, about 1 min 30 s left\n");
    context.setVerbosity(Verbosity::Quiet);
    advance(40);
    EXPECT_EQ(std::ranges::count(err.str(), '\n'), 2);
}

struct ParsedOptions {
    Options command;
    BackendRequest request;
    const BackendOptions& options = request.device;
    explicit ParsedOptions(std::vector<std::string> arguments) {
        addBackendOptions(command, request.device);
        addDevicesOption(command, request);
        command.parse(std::move(arguments));
    }
};

TEST(BackendOptions, AreParsed) {
    const ParsedOptions parsed(
        "--device 1 --threads 3 --dialect es300 --context egl --visible --max-texture 256 "
        "--max-memory 512M --pass-budget 20 --shaders ."_args);
    EXPECT_EQ(parsed.options.device, 1);
    EXPECT_EQ(parsed.options.threads, 3);
    EXPECT_EQ(parsed.options.dialect, Dialect::Es300);
    EXPECT_EQ(parsed.options.context, ContextKind::Egl);
    EXPECT_TRUE(parsed.options.visibleWindow);
    EXPECT_EQ(parsed.options.maxTextureSize, 256u);
    EXPECT_EQ(parsed.options.maxDeviceBytes, std::size_t{512} << 20);
    EXPECT_EQ(parsed.options.passBudgetMilliseconds, 20);
    EXPECT_EQ(parsed.options.shaderFolder, ".");
}

TEST(BackendOptions, DevicesAreAListOrAll) {
    EXPECT_EQ(ParsedOptions("--devices 2,0"_args).options.devices, (std::vector<int>{2, 0}));
    EXPECT_EQ(ParsedOptions("--devices all"_args).options.devices, std::vector<int>{});
    for (const char* wrong : {"", "0,", "0;1", "-1", "0,x", "0,1,0", "99999999999"})
        EXPECT_THROW(ParsedOptions({"--devices", wrong}), UsageError) << wrong;
    EXPECT_THROW(checkBackendOptions(ParsedOptions("--devices 0,1"_args).command, {"cpu"}), UsageError);
    EXPECT_THAT(messageOf<Error>([] {
                    checkBackendOptions(ParsedOptions("--devices 0,1"_args).command, {"cuda", "gl"});
                }),
                HasSubstr("name it with --backend"));
    EXPECT_THAT(messageOf<Error>([] {
                    checkBackendOptions(ParsedOptions("--devices 0,1 --device 1"_args).command, {"gl"});
                }),
                HasSubstr("give one of the two"));
}

TEST(SeedOption, IsExplained) {
    Options command;
    std::uint64_t seed = 7;
    addSeedOption(command, seed, "signals");
    EXPECT_EQ(command.help("--seed"), "Random seed of the generated signals (default: 7)");
    command.parse("--seed 9"_args);
    EXPECT_EQ(seed, 9u);
}

TEST(BackendOptions, WrongValuesAreRefused) {
    EXPECT_THROW(ParsedOptions("--dialect hlsl"_args), UsageError);
    EXPECT_THROW(ParsedOptions("--context wgl"_args), UsageError);
    EXPECT_THROW(ParsedOptions("--max-memory much"_args), UsageError);
    EXPECT_THROW(ParsedOptions("--threads 0"_args), UsageError);
    EXPECT_THROW(ParsedOptions("--device -1"_args), UsageError);
    EXPECT_THROW(ParsedOptions("--shaders /nonexistent/folder"_args), UsageError);
}

TEST(BackendOptions, ThatNobodyReadsAreRefused) {
    EXPECT_NO_THROW(checkBackendOptions(ParsedOptions("--dialect gl21"_args).command, {"cpu", "gl"}));
    EXPECT_THAT(
        messageOf<Error>([] { checkBackendOptions(ParsedOptions("--dialect gl21"_args).command, {"cpu"}); }),
        HasSubstr("--dialect concerns gl, but this would run on cpu"));
    EXPECT_THROW(checkBackendOptions(ParsedOptions("--threads 2"_args).command, {"gl"}), UsageError);
    EXPECT_NO_THROW(checkBackendOptions(ParsedOptions("--max-memory 1G"_args).command, {"cuda"}));
    EXPECT_NO_THROW(checkBackendOptions(ParsedOptions("--device 0"_args).command, {"gl"}));
    EXPECT_THAT(messageOf<Error>([] {
                    checkBackendOptions(ParsedOptions("--device 0"_args).command, {"cpu", "gl"});
                }),
                HasSubstr("name it with --backend"));
}

class OutputFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("glycine_output_files_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
        std::ofstream(folder_ / "in.npz") << "input";
    }
    void TearDown() override { fs::remove_all(folder_); }
    fs::path folder_;
};

TEST_F(OutputFiles, MustNotBeTheInput) {
    EXPECT_NO_THROW(checkOutputFiles({folder_ / "out.npz"}, {folder_ / "in.npz"}));
    EXPECT_THROW(checkOutputFiles({folder_ / "in.npz"}, {folder_ / "in.npz"}), UsageError);
    EXPECT_THROW(checkOutputFiles({folder_ / "." / "in.npz"}, {folder_ / "in.npz"}), UsageError);
    fs::create_symlink(folder_ / "in.npz", folder_ / "link.npz");
    EXPECT_THROW(checkOutputFiles({folder_ / "link.npz"}, {folder_ / "in.npz"}), UsageError);
}

TEST_F(OutputFiles, MustDifferAndBeWritable) {
    EXPECT_THROW(checkOutputFiles({folder_ / "a.png", folder_ / "a.png"}, {}), UsageError);
    EXPECT_THROW(checkOutputFiles({folder_ / "missing" / "a.png"}, {}), UsageError);
    EXPECT_THROW(checkOutputFiles({folder_}, {}), UsageError);
    EXPECT_NO_THROW(requireExtension("-o", "X.NPZ", ".npz"));
    EXPECT_THROW(requireExtension("-o", "x.npy", ".npz"), UsageError);
}

/// Backend of the fakes in this file. Each name in the default rule is registered once.
class FakeBackend : public test::NamedBackend {
  public:
    FakeBackend(std::string name, bool isEmulated) : NamedBackend(std::move(name)), isEmulated_(isEmulated) {}
    bool isEmulated() const override { return isEmulated_; }

  private:
    bool isEmulated_;
};

struct FakeMachine {
    bool hasCuda = false;
    bool hasGl = true;
    bool isGlEmulated = false;
    int created = 0;
};
FakeMachine& machine() {
    static FakeMachine state;
    return state;
}

void registerFakes() {
    static const bool once = [] {
        const auto add = [](const std::string& name, bool (*isPresent)()) {
            BackendRegistry::instance().add(
                {name,
                 "a fake",
                 [name, isPresent](const BackendOptions&) -> std::unique_ptr<Backend> {
                     ++machine().created;
                     if (!isPresent()) throw UnavailableError("no " + name + " here");
                     return std::make_unique<FakeBackend>(name, name == "gl" && machine().isGlEmulated);
                 },
                 {}});
        };
        add("reference", [] { return true; });
        add("cpu", [] { return true; });
        add("gl", [] { return machine().hasGl; });
        add("cuda", [] { return machine().hasCuda; });
        return true;
    }();
    static_cast<void>(once);
}

struct FakeAlgorithm final : Algorithm {
    FakeAlgorithm()
        : Algorithm(
              "fake", "", "",
              []() -> std::vector<VariantInfo> {
                  const std::vector<Dialect> modern{Dialect::Gl33, Dialect::Es300};
                  return {{"reference", "serial", "", "", {"float32", "float64"}, {}, true},
                          {"cpu", "dense", "", "", {"float32", "float64"}, {}, true},
                          {"gl", "packed", "", "", {"float32"}, allDialects(), false},
                          {"gl", "blocked", "", "", {"float32"}, modern, true}};
              },
              [](Backend&, const Configuration&, const Dimensions&) { return Support::yes(); }) {}
};

class Backends : public ::testing::Test {
  protected:
    void SetUp() override {
        registerFakes();
        machine() = {};
    }
    static std::string chosen(const std::function<Support(Backend&)>& canRun = [](Backend&) {
        return Support::yes();
    }) {
        return std::string(chooseBackend({}, canRun).backend->name());
    }
    static std::vector<std::string> labels(const ConfigurationFilter& filter) {
        std::vector<std::string> result;
        for (const Configuration& configuration : selectConfigurations(FakeAlgorithm(), filter))
            result.push_back(configuration.label());
        return result;
    }
};

// `info` has inspected every backend already, and contexts are slow to create.
TEST_F(Backends, TheRuleMakesNoneItself) {
    std::vector<std::string> reached;
    const auto choose = [&](const Candidate& gl, const std::string& cpuRefusal) {
        reached.clear();
        return applyDefaultRule([&](std::string_view name) -> Candidate {
            reached.emplace_back(name);
            if (name == "cuda") return {"built without nvcc", ""};
            if (name == "gl") return gl;
            return {name == "cpu" ? cpuRefusal : "too large", ""};
        });
    };
    const RuleChoice onGpu = choose({"", reluctanceOfEmulated(false, "a GPU")}, "");
    EXPECT_EQ(onGpu.name, "gl");
    EXPECT_EQ(onGpu.reason, "cuda: built without nvcc");
    EXPECT_THAT(reached, ElementsAre("cuda", "gl"));
    const RuleChoice onCpu = choose({"", reluctanceOfEmulated(true, "llvmpipe")}, "");
    EXPECT_EQ(onCpu.name, "cpu");
    EXPECT_EQ(onCpu.reason, "cuda: built without nvcc; gl: only on the processor, through llvmpipe");
    EXPECT_EQ(choose({"", reluctanceOfEmulated(true, "llvmpipe")}, "no memory").name, "gl");
    const RuleChoice none = choose({"no context", ""}, "no memory");
    EXPECT_EQ(none.name, "");
    EXPECT_EQ(none.reason, "cuda: built without nvcc; gl: no context; cpu: no memory; reference: too large");
    EXPECT_EQ(machine().created, 0);
}

TEST_F(Backends, DefaultIsTheBestThatIsThere) {
    machine().hasCuda = true;
    EXPECT_EQ(chosen(), "cuda");
    machine().hasCuda = false;
    EXPECT_EQ(chosen(), "gl");
    machine().isGlEmulated = true;
    EXPECT_EQ(chosen(), "cpu");
    machine().hasGl = false;
    EXPECT_EQ(chosen(), "cpu");
}

TEST_F(Backends, DefaultCanDoTheWork) {
    const auto only = [](std::string name) {
        return [name](Backend& backend) {
            return backend.name() == name ? Support::yes() : Support::no("not this one");
        };
    };
    machine().isGlEmulated = true;
    EXPECT_EQ(chosen(only("gl")), "gl");
    EXPECT_EQ(chosen(only("reference")), "reference");
    EXPECT_THAT(messageOf<Error>([&] { chosen(only("nobody")); }), HasSubstr("cpu: not this one"));
    EXPECT_THAT(messageOf<Error>([&] { chosen(only("nobody")); }), HasSubstr("cuda: no cuda here"));
}

TEST_F(Backends, DefaultIsTheProcessorWhereItIsFaster) {
    const auto slowOnGl = [](bool canCpu) {
        return [canCpu](Backend& backend) {
            if (backend.name() == "gl") return Support::slowly("slower than cpu");
            return canCpu || backend.name() != "cpu" ? Support::yes() : Support::no("too long");
        };
    };
    const BackendChoice choice = chooseBackend({}, slowOnGl(true));
    EXPECT_EQ(choice.backend->name(), "cpu");
    EXPECT_THAT(choice.reason, HasSubstr("gl: slower than cpu"));
    EXPECT_EQ(chosen(slowOnGl(false)), "gl");
}

TEST_F(Backends, DefaultIsTheProcessorForLittleWorkAndWakesNoDevice) {
    machine().hasCuda = true;
    const auto all = [](Backend&) { return Support::yes(); };
    const BackendChoice little = chooseBackend({}, all, kDeviceStartSeconds / 2);
    EXPECT_EQ(little.backend->name(), "cpu");
    EXPECT_THAT(little.reason, HasSubstr("cuda: cpu is expected to end"));
    EXPECT_EQ(machine().created, 1);
    EXPECT_EQ(chooseBackend({}, all, 2 * kDeviceStartSeconds).backend->name(), "cuda");
    // For example, a variant that cpu does not have.
    const auto notOnCpu = [](Backend& backend) {
        return backend.name() == "cpu" ? Support::no("not this one") : Support::yes();
    };
    EXPECT_EQ(chooseBackend({}, notOnCpu, 0).backend->name(), "cuda");
    BackendOptions options;
    options.threads = 4;
    EXPECT_DOUBLE_EQ(hostSecondsFor(8e9, 1e9, options), 2);
}

TEST_F(Backends, NamedOneDistinguishesWrongUseFromAMissingDevice) {
    const auto named = [](const Support& support) {
        const Options options;
        selectBackend(options, {.backend = "cpu", .variant = "fast", .device = {}},
                      [&](Backend&) { return support; });
    };
    EXPECT_NO_THROW(named(Support::yes()));
    EXPECT_THROW(named(Support::no("too small")), UnavailableError);
    EXPECT_EQ(messageOf<UsageError>([&] { named(Support::misuse("not for symbols")); }), "not for symbols");
}

TEST_F(Backends, NamedOneSaysWhyItIsMissing) {
    EXPECT_EQ(messageOf<Error>([] { createNamedBackend("cuda", {}); }),
              "the backend cuda is not available: no cuda here");
    EXPECT_THROW(createNamedBackend("vulkan", {}), UsageError);
}

TEST_F(Backends, ConfigurationsFollowTheFilter) {
    EXPECT_THAT(labels({}), ElementsAre("reference/serial float32", "reference/serial float64",
                                        "cpu/dense float32", "cpu/dense float64", "gl/packed gl33 float32",
                                        "gl/blocked gl33 float32", "gl/packed es300 float32",
                                        "gl/blocked es300 float32", "gl/packed gl21 float32", "cuda"));
    EXPECT_THAT(
        labels({.backends = {"gl", "cpu"}, .numberFormats = {"float32"}, .dialects = {Dialect::Gl33}}),
        ElementsAre("gl/packed gl33 float32", "gl/blocked gl33 float32", "cpu/dense float32"));
    EXPECT_THAT(labels({.variants = {"blocked", "packed"}, .dialects = {Dialect::Es300}}),
                ElementsAre("gl/blocked es300 float32", "gl/packed es300 float32"));
    EXPECT_THAT(labels({.backends = {"gl"}, .dialects = {Dialect::Gl33}, .defaultVariantsOnly = true}),
                ElementsAre("gl/blocked gl33 float32"));
    EXPECT_THAT(labels({.numberFormats = {"float64"}}),
                ElementsAre("reference/serial float64", "cpu/dense float64", "cuda"));
}

TEST_F(Backends, ConfigurationsOfUnknownNamesAreRefused) {
    EXPECT_THAT(messageOf<Error>([] { labels({.backends = {"metal"}}); }),
                HasSubstr("unknown backend 'metal'; known: reference"));
    EXPECT_THAT(
        messageOf<Error>([] { labels({.variants = {"fast"}}); }),
        HasSubstr("unknown variant 'fast'; known: reference: serial; cpu: dense; gl: packed, blocked"));
    EXPECT_THAT(messageOf<Error>([] { labels({.numberFormats = {"half"}}); }),
                HasSubstr("unknown number format 'half'"));
    EXPECT_THROW(labels({.backends = {"gl"}, .numberFormats = {"float64"}}), UsageError);
}

TEST_F(Backends, PoolMakesEachBackendOnce) {
    BackendPool backends{BackendOptions{}};
    backends.use("cpu", {});
    backends.use("cpu", {});
    EXPECT_EQ(machine().created, 1);
    backends.use("gl", Dialect::Gl33);
    backends.use("gl", Dialect::Es300);
    EXPECT_EQ(machine().created, 3);
    EXPECT_THROW(backends.use("cuda", {}), UnavailableError);
    EXPECT_THROW(backends.use("cuda", {}), UnavailableError);
    EXPECT_EQ(machine().created, 4) << "a refusal is remembered";
}

study::MeasuredRow benchRow(const std::string& variant, double seconds) {
    study::MeasuredRow row{{"gl", variant, Dialect::Gl33, "float32"}};
    row.size = 1000;
    row.dimensions = {{"atoms", 1000}};
    row.stages = {{"upper", summarize({seconds, 2 * seconds, 3 * seconds}), 1.0},
                  {"download", summarize({0.0})}};
    row.total.seconds = summarize({seconds, 2 * seconds, 3 * seconds});
    row.check = "16 rows exact";
    return row;
}

study::BenchReport benchReport() {
    study::BenchReport report;
    report.algorithm = "fake";
    report.sizeLabel = "atoms";
    report.rateUnit = "G/s";
    report.environment = {"build 1", "processor 2", "system 3", "date 4"};
    report.addDevice({"gl", "gl33", "a device", "a driver"});
    report.addDevice({"gl", "gl33", "a device", "a driver"});
    report.rows = {benchRow("packed", 0.5), benchRow("blocked", 0.25)};
    return report;
}

TEST(BenchReport, HasMinimumMedianRateAndRatio) {
    const study::BenchReport report = benchReport();
    EXPECT_EQ(report.devices.size(), 1u);
    EXPECT_EQ(report.ratioToFirst(report.rows[0]), 1);
    EXPECT_EQ(report.ratioToFirst(report.rows[1]), 2);
    std::ostringstream out;
    report.print(out, 0);
    EXPECT_THAT(out.str(), HasSubstr("a device; a driver"));
    EXPECT_THAT(out.str(), HasSubstr("1,000  gl       blocked  gl33     250 ms (500 ms)"));
    EXPECT_THAT(out.str(), HasSubstr("4.00"));
    EXPECT_THAT(out.str(), HasSubstr("2 ×"));
    const Json json = report.toJson();
    EXPECT_EQ(json["rows"][1]["seconds"]["total"]["median"], 0.5);
    EXPECT_EQ(json["rows"][1]["rates"]["upper"]["best"], 4.0);
    EXPECT_EQ(json["rows"][1]["ratioToFirst"], 2.0);
    EXPECT_EQ(json["environment"]["build"], "build 1");
}

TEST(BenchReport, SizesOfSeveralNumbers) {
    study::BenchReport report = benchReport();
    report.rows[0].dimensions = {{"instances", 1000}, {"attributes", 512}};
    report.rows[1].dimensions = {{"instances", 1000}, {"attributes", 65536}};
    report.rows[1].total.work = 3;
    EXPECT_EQ(report.ratioToFirst(report.rows[1]), 1) << "the first of its own size";
    std::ostringstream out;
    report.print(out, 0);
    EXPECT_THAT(out.str(), HasSubstr(" 1,000 × 512  gl"));
    EXPECT_THAT(out.str(), HasSubstr("1,000 × 65,536  gl"));
    EXPECT_THAT(out.str(), HasSubstr("total G/s"));
    EXPECT_THAT(out.str(), HasSubstr("12.0"));
    const Json json = report.toJson();
    EXPECT_EQ(json["rows"][1]["size"], 1000);
    EXPECT_EQ(json["rows"][1]["attributes"], 65536);
    EXPECT_EQ(json["rows"][1]["rates"]["total"]["best"], 12.0);
    EXPECT_FALSE(json["rows"][0]["rates"].contains("total"));
}

TEST(BenchReport, GivesNoTimeForAWrongOrSkippedResult) {
    study::BenchReport report = benchReport();
    report.rows[0].isWrong = true;
    report.rows[0].check = "off by 3";
    report.rows[1].skipped = "no such device";
    EXPECT_EQ(report.ratioToFirst(report.rows[1]), 0);
    std::ostringstream out;
    report.print(out, 0);
    EXPECT_THAT(out.str(), HasSubstr("WRONG: off by 3"));
    EXPECT_THAT(out.str(), HasSubstr("skipped: no such device"));
    EXPECT_THAT(out.str(), Not(HasSubstr("500 ms")));
    const Json json = report.toJson();
    EXPECT_FALSE(json["rows"][0].contains("seconds"));
    EXPECT_EQ(json["rows"][0]["verified"], false);
    EXPECT_EQ(json["rows"][1]["skipped"], "no such device");
}

TEST(ValidationReport, DistinguishesEqualAgreeingAndDisagreeing) {
    study::ValidationReport report;
    report.unit = "Å";
    ValidationRow equal;
    equal.add({.input = "a", .isEqual = true});
    ValidationRow close;
    close.add({.input = "a", .isEqual = true});
    close.add({.input = "b", .largestDifference = 1e-6, .allowedDifference = 1e-4});
    ValidationRow wrong;
    wrong.add({.input = "a", .isEqual = true});
    wrong.add(
        {.input = "b", .largestDifference = 2, .allowedDifference = 1e-4, .place = "upper bound of (1, 2)"});
    ValidationRow strict;
    strict.add({.input = "c", .largestDifference = 1e-9});
    ValidationRow broken;
    broken.add({.input = "d",
                .largestDifference = std::numeric_limits<double>::quiet_NaN(),
                .allowedDifference = 1});
    ValidationRow skipped;
    skipped.skipped = "no driver";
    report.rows = {equal, close};
    EXPECT_EQ(report.disagreeing(), 0u);
    std::ostringstream good;
    report.print(good, 0);
    EXPECT_THAT(good.str(), HasSubstr("equal to the bit"));
    EXPECT_THAT(good.str(), HasSubstr("agrees: differs by up to 1e-06 Å, 0.0001 allowed"));
    EXPECT_THAT(good.str(), HasSubstr("All 2 configurations agree"));

    report.rows = {equal, close, wrong, strict, broken, skipped};
    EXPECT_EQ(report.disagreeing(), 3u);
    EXPECT_EQ(report.compared(), 5u);
    std::ostringstream bad;
    report.print(bad, 0);
    EXPECT_THAT(bad.str(), HasSubstr("DISAGREES on 1 of 2 inputs"));
    EXPECT_THAT(bad.str(), HasSubstr("equal bits expected"));
    EXPECT_THAT(bad.str(), HasSubstr("upper bound of (1, 2)"));
    EXPECT_THAT(bad.str(), HasSubstr("skipped: no driver"));
    EXPECT_THAT(bad.str(), HasSubstr("3 of 5 configurations disagree"));
    EXPECT_EQ(report.toJson()["agrees"], false);
    EXPECT_EQ(report.toJson()["rows"][2]["disagreements"][0]["input"], "b");
}

}  // namespace
}  // namespace glycine
