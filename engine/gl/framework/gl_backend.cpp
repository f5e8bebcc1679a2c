#include "engine/gl/framework/gl_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/gl/framework/gl_probes.hpp"
#include "engine/gl/framework/self_test.hpp"

namespace glycine::gl {

GlBackend::GlBackend(const BackendOptions& options, const std::optional<GlBugs>& bugs)
    : options_(options), cache_(storage::userCacheFolder()), budget_(options.passBudgetMilliseconds) {
    cache_.makeParent();
    context_ = Context::create({options.context, options.dialect, options.device, options.visibleWindow});
    gl_ = queryCapabilities(options);
    if (bugs) gl_.bugs = *bugs;
    programs_ = std::make_unique<ProgramCache>(options.dialect, options.shaderFolder, cache_);
    textures_ = std::make_unique<TexturePool>(gl_.limits.deviceBytes, options.dialect == Dialect::Gl21,
                                              !gl_.bugs.slowPixelBuffers);
    geometry_ = std::make_unique<PassGeometry>();
    beginSelfTests(*programs_);
    proveRenderTargets(gl_, *textures_, *geometry_, *programs_);
    if (!gl_.features.floatTargets)
        throw UnavailableError(fmt::format("{} ({}) cannot render to float textures in dialect {}: {}",
                                           gl_.renderer, gl_.version, toString(options.dialect),
                                           gl_.features.floatTargetsCause));
    canary_ = std::make_unique<Canary>(*textures_, *geometry_, *programs_, budget_);
    ratesKey_ = "rates\n" + driverKey(options.dialect);
    if (const auto rates = cache_.find(ratesKey_)) budget_.recall(*rates);

    capabilities_ = describe(gl_);
    capabilities_.features.insert(
        capabilities_.features.begin(),
        {"context", context_->origin(), fmt::format("dialect {}", toString(options.dialect))});
    for (const PrecisionResult& result : measurePrecision(*textures_, *geometry_, *programs_)) {
        if (result.operation == "a + b") addsExactly_ = result.isExact;
        capabilities_.features.push_back(
            {fmt::format("precision of {}", result.operation),
             result.isExact ? "correctly rounded" : fmt::format("{:.1f} x 2^-24", result.largestError),
             "self-test: largest error on 256 inputs, relative (log: to at least 1)"});
    }
    capabilities_.features.push_back(programs_->binaries().describe());
    textures_->trim();
    if (!options.visibleWindow) return;
    window_ = std::make_unique<VisibleWindow>(*textures_, *geometry_, *programs_);
    geometry_->watch(
        [this](const Program& program, const Framebuffer& target) { window_->show(program.name(), target); });
}

GlBackend::~GlBackend() {
    if (const std::string rates = budget_.remembered(); !rates.empty()) cache_.put(ratesKey_, rates);
    context_->makeCurrent();
    programs_->storeUsed();
}

const LoopLimit& GlBackend::loopLimit() const {
    if (!loopLimit_) {
        const CurrentContext here(*context_);
        const LoopLimit limit = measureLoopRounds(*textures_, *geometry_, *programs_);
        capabilities_.limits.push_back(describe(limit));
        loopLimit_ = limit;
    }
    return *loopLimit_;
}

const Capabilities& GlBackend::capabilities() const {
    loopLimit();
    return capabilities_;
}

std::vector<DeviceProbe> GlBackend::probes() {
    return glProbes(*this);
}

void GlBackend::finish() {
    glFinish();
    budget_.settle();
    checkErrors("waiting for the device");
}

FragmentPass GlBackend::pass(std::string_view fragmentFile, const ShaderDefines& defines) {
    return FragmentPass(*geometry_, programs_->get("common/rectangle.vert", fragmentFile, defines));
}

namespace {

/// The first reason in a text, as one line: of a list of attempts, its first entry.
std::string firstReason(const std::string& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end == text.size() || text[end - 1] != ':') return text.substr(0, end);
    const std::size_t next = std::min(text.find_first_not_of("\n ", end), text.size());
    return text.substr(next, text.find('\n', next) - next);
}

}  // namespace

std::unique_ptr<GlBackend> GlBackend::make(const BackendOptions& options) {
    std::vector<std::pair<Dialect, std::string>> refusals;
    const auto first = std::ranges::find(allDialects(), options.dialect);
    for (auto dialect = first; dialect != allDialects().end(); ++dialect) {
        BackendOptions attempt = options;
        attempt.dialect = *dialect;
        try {
            auto backend = std::make_unique<GlBackend>(attempt);
            for (const auto& [other, reason] : refusals)
                backend->note_ += fmt::format("{}dialect {}, because {} cannot be had: {}",
                                              backend->note_.empty() ? "" : "; ", toString(*dialect),
                                              toString(other), firstReason(reason));
            return backend;
        } catch (const MemoryError&) {
            throw;  // Memory that one dialect lacks, all lack.
        } catch (const UnavailableError& error) {
            refusals.emplace_back(*dialect, error.what());
        }
        if (!options.allowDialectFallback) break;
    }
    const std::string& reason = refusals.front().second;
    if (!options.allowDialectFallback) {
        const bool isTooOld = reason.find("gives no OpenGL 3.3 context") != std::string::npos;
        throw UnavailableError(isTooOld ? reason + "\nWith an older driver, try --dialect gl21 or es300."
                                        : reason);
    }
    if (std::ranges::all_of(refusals, [&](const auto& refusal) { return refusal.second == reason; }))
        throw UnavailableError(reason);
    std::string all;
    for (const auto& [dialect, text] : refusals)
        all += fmt::format("{}dialect {}: {}", all.empty() ? "" : "\n", toString(dialect), text);
    throw UnavailableError(all);
}

}  // namespace glycine::gl
