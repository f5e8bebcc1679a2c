#pragma once

#include <cctype>
#include <ostream>

#include "engine/api/backends.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/implementation.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "tests/test.hpp"

/// The same tests for every backend: each suite runs in every available setting of a backend, over all
/// variants and number formats of an algorithm. Settings that the machine lacks are skipped with the reason.
namespace glycine::test {

/// A backend with its options.
struct Setting {
    std::string name;  ///< "cpu_avx2"
    std::string backend;
    BackendOptions options{};
    std::optional<gl::GlBugs> bugs{};  ///< driver bugs to work around; absent: the driver's own

    bool isHost() const { return backend == "reference" || backend == "cpu"; }
    /// An artificially small device, which refuses many requests because of their size alone.
    bool isSmall() const { return options.maxDeviceBytes != 0 || options.maxTextureSize != 0; }
    std::optional<Dialect> dialect() const {
        return backend == "gl" ? std::optional(options.dialect) : std::nullopt;
    }
};
/// Whether a setting repeats the shaders of another: es300 shares all code with gl33 but the first line of
/// each shader, settings of bugs share all but the lines that work around them.
inline bool repeatsShaders(const Setting& setting) {
    return setting.bugs || setting.dialect() == Dialect::Es300;
}
/// Whether sweeps over sizes have their middle in a setting, too, and not only their ends. Small devices
/// share all code but the division into pieces, and the reference is compared with itself.
inline bool isSwept(const Setting& setting) {
    return !repeatsShaders(setting) && setting.backend != "reference" && !setting.isSmall();
}
inline void PrintTo(const Setting& setting, std::ostream* stream) {
    *stream << setting.name;
}

/// Every instruction set; every dialect; and the workarounds for driver bugs that this driver does not have.
inline std::vector<Setting> allSettings() {
    std::vector<Setting> settings{{"reference", "reference"}};
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        // For "AVX-512": GoogleTest only accepts letters, digits and underscores.
        std::string name = "cpu_" + std::string(toString(set));
        std::replace_if(
            name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
        Setting& cpu = settings.emplace_back(Setting{name, "cpu"});
        cpu.options.instructions = set;
        cpu.options.threads = 2;
    }
    for (const Dialect dialect : allDialects()) {
        Setting& gl = settings.emplace_back(Setting{"gl_" + std::string(toString(dialect)), "gl"});
        gl.options.dialect = dialect;
    }
    for (const bool assumed : {false, true}) {
        Setting& gl = settings.emplace_back(Setting{assumed ? "gl_all_bugs" : "gl_no_bugs", "gl"});
        gl.bugs = gl::GlBugs{assumed, assumed, assumed, assumed};
    }
    settings.push_back({"cuda", "cuda"});
    return settings;
}

/// Artificially small devices: limited texture size and draw time for gl, limited memory for gl and cuda.
inline std::vector<Setting> smallSettings(std::size_t textureSide, std::size_t glBytes, std::size_t cudaBytes,
                                          double passBudgetMilliseconds = 0.01) {
    std::vector<Setting> settings{
        {"gl_small_textures", "gl"}, {"gl_little_memory", "gl"}, {"cuda_little_memory", "cuda"}};
    settings[0].options.maxTextureSize = textureSide;
    settings[0].options.passBudgetMilliseconds = passBudgetMilliseconds;
    settings[1].options.maxDeviceBytes = glBytes;
    settings[2].options.maxDeviceBytes = cudaBytes;
    return settings;
}

inline std::string nameOf(const testing::TestParamInfo<Setting>& info) {
    return info.param.name;
}

/// Registers the backends of this build, with their implementations of the algorithms.
inline void registerBackends() {
    glycine::registerBackends();
    BackendRegistry::instance().loadAll();
}

/// Throws UnavailableError with the reason.
inline std::unique_ptr<Backend> makeBackend(const Setting& setting) {
    if (setting.bugs) return std::make_unique<gl::GlBackend>(setting.options, setting.bugs);
    return BackendRegistry::instance().create(setting.backend, setting.options);
}

/// Backends of OpenGL that the tests of a program share, by everything that a setting asks for: a driver
/// compiles a shader once per context.
inline std::map<std::string, std::unique_ptr<gl::GlBackend>>& keptBackends() {
    static std::map<std::string, std::unique_ptr<gl::GlBackend>> backends;
    return backends;
}

/// A setting's backend for one test. OpenGL contexts are kept for later tests, but start as new ones do:
/// without textures, and without rates of earlier draws. Other backends are made anew.
class TestBackend {
  public:
    TestBackend() = default;
    /// Throws UnavailableError with the reason.
    explicit TestBackend(const Setting& setting) {
        if (setting.backend != "gl") {
            own_ = makeBackend(setting);
            backend_ = own_.get();
            return;
        }
        const BackendOptions& options = setting.options;
        std::unique_ptr<gl::GlBackend>& kept = keptBackends()[fmt::format(
            "{} {} {} {} {}", toString(options.dialect), options.maxTextureSize, options.maxDeviceBytes,
            options.passBudgetMilliseconds, setting.bugs ? setting.name : "")];
        if (!kept) kept = std::make_unique<gl::GlBackend>(options, setting.bugs);
        kept->makeCurrent();
        kept->budget() = gl::PassBudget(options.passBudgetMilliseconds);
        lent_ = kept->textures().bytesLent();
        gl_ = kept.get();
        backend_ = gl_;
    }
    /// Ends the test: no CUDA device memory and no texture may be in use.
    void release() {
        if (gl_ != nullptr) {
            gl_->makeCurrent();
            EXPECT_EQ(gl_->textures().bytesLent(), lent_);
            gl_->textures().trim();
        } else if (backend_ != nullptr && backend_->name() == "cuda") {
            EXPECT_EQ(backend_->deviceBytesInUse(), 0U);
        }
        *this = {};
    }
    Backend& operator*() const { return *backend_; }
    Backend* operator->() const { return backend_; }

  private:
    std::unique_ptr<Backend> own_;
    gl::GlBackend* gl_ = nullptr;
    Backend* backend_ = nullptr;
    std::size_t lent_ = 0;
};

/// Releases contexts before the program ends: a driver may be unloaded before static objects are destroyed.
class ReleaseKeptBackends : public testing::Environment {
  public:
    void TearDown() override { keptBackends().clear(); }
};
[[maybe_unused]] inline const testing::Environment* const kReleaseKeptBackends =
    testing::AddGlobalTestEnvironment(new ReleaseKeptBackends);

/// Whether the bugs in a setting are the driver's own, so that the dialect's setting already covers it.
/// slowComputedBlockIndex, which few shaders work around, is compared only if `readsComputedBlocks`. Throws
/// UnavailableError if there is no driver.
inline bool hasDriversOwnBugs(const Setting& setting, bool readsComputedBlocks) {
    if (!setting.bugs) return false;
    static const gl::GlBugs own = gl::GlBackend(BackendOptions{}).gl().bugs;
    gl::GlBugs compared = *setting.bugs;
    if (!readsComputedBlocks) compared.slowComputedBlockIndex = own.slowComputedBlockIndex;
    return compared == own;
}
constexpr const char* kDriversOwnBugs =
    "these are the bugs that this driver has: the setting of its dialect is this";

/// Calls `ask` with a zero of each of the types T that `has(zero)` accepts: one test for all number formats.
template <class... T, class Has, class Ask>
void onTypes(const Has& has, const Ask& ask) {
    const auto onType = [&](auto zero) {
        if (has(zero)) ask(zero);
    };
    (onType(T(0)), ...);
}

/// Whether a request is accepted. A refusal must have a reason, and is a failure unless it `mayRefuse`.
inline bool isTaken(const Support& support, bool mayRefuse) {
    EXPECT_TRUE(support || mayRefuse) << support.reason();
    EXPECT_NE(support.reason().empty(), !support);
    return bool(support);
}

/// Expects that a call ends with CancelledError at each of these numbers of checks for a stop.
template <class Call>
void expectStops(std::initializer_list<int> checksBefore, const Call& call) {
    for (const int before : checksBefore) {
        std::atomic<int> checks{0};
        Progress cancelled({}, [&] { return ++checks > before; });
        EXPECT_THROW(call(cancelled), CancelledError) << before;
    }
}

/// A backend for each test. At the end of a test, OpenGL drivers must not have logged any message, and no
/// texture and no CUDA device memory may be in use.
class EveryBackend : public testing::TestWithParam<Setting> {
  protected:
    void SetUp() override {
        registerBackends();
        const auto& entries = BackendRegistry::instance().entries();
        if (std::none_of(entries.begin(), entries.end(),
                         [](const auto& entry) { return entry.name == GetParam().backend; }))
            GTEST_SKIP() << GetParam().backend << " is not in this build";
        try {
            if (hasDriversOwnBugs(GetParam(), readsComputedBlocks())) GTEST_SKIP() << kDriversOwnBugs;
            backend_ = TestBackend(GetParam());
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        gl::DebugLog::take();
    }
    /// Whether the tested code works around slowComputedBlockIndex, as few shaders do.
    virtual bool readsComputedBlocks() const { return false; }
    void TearDown() override {
        backend_.release();
        EXPECT_THAT(gl::DebugLog::take(), IsEmpty());
    }

    Backend& backend() { return *backend_; }

    bool isSwept() const { return test::isSwept(GetParam()); }
    bool repeatsShaders() const { return test::repeatsShaders(GetParam()); }
    bool isSmall() const { return GetParam().isSmall(); }
    /// Whether billions of comparisons are fast enough.
    bool isFast() {
        return GetParam().backend == "cuda" || (GetParam().backend == "gl" && !backend().isEmulated());
    }
    /// The values of a sweep: `all`, or its `ends` where the middle is not repeated.
    std::vector<std::size_t> sweep(std::vector<std::size_t> all, std::vector<std::size_t> ends) const {
        return isSwept() ? std::move(all) : std::move(ends);
    }

    /// Names of the variants that exist in the setting's dialect and support `format`. To be run: of es300
    /// the first alone, since backends_test runs all of them, and see isSwept().
    std::vector<std::string> variantsFor(const std::vector<VariantInfo>& all, const std::string& format,
                                         bool toBeRun = true) const {
        const std::optional<Dialect> dialect = GetParam().dialect();
        std::vector<std::string> names;
        for (const VariantInfo& info : all) {
            if (info.backend != GetParam().backend) continue;
            const auto has = [](const auto& list, const auto& value) {
                return std::find(list.begin(), list.end(), value) != list.end();
            };
            if (has(info.numberFormats, format) && (!dialect || has(info.dialects, *dialect)))
                names.push_back(info.name);
        }
        if (toBeRun && dialect == Dialect::Es300 && names.size() > 1) names.resize(1);
        return names;
    }

  private:
    TestBackend backend_;
};

/// `Suite` (EveryBackend or a class derived from it) with the backend's implementation of an interface,
/// created for each test.
template <class Suite, class Interface>
class WithImplementation : public Suite {
  protected:
    void SetUp() override {
        Suite::SetUp();
        if (this->IsSkipped()) return;
        entry_ = findImplementation<Interface>(this->backend());
        ASSERT_NE(entry_, nullptr);
        engine_ = entry_->create(this->backend());
    }
    void TearDown() override {
        engine_.reset();
        Suite::TearDown();
    }
    /// The implementation's variants named by variantsFor().
    template <class Variant>
    std::vector<Variant> variantsOf(std::string_view format, bool toBeRun = true) const {
        std::vector<Variant> variants;
        for (const std::string& name : this->variantsFor(entry_->variants, std::string(format), toBeRun))
            variants.push_back(fromString<Variant>(name));
        return variants;
    }

    const Implementation<Interface>* entry_ = nullptr;
    std::unique_ptr<Interface> engine_;
};

}  // namespace glycine::test
