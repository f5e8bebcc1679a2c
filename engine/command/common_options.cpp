#include "engine/command/common_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <map>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/configuration.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/system/machine.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/json.hpp"

namespace glycine {

namespace {

constexpr NameTable<std::optional<bool>, 3> kHeaders{{{std::nullopt, "auto"}, {true, "yes"}, {false, "no"}}};

constexpr const char* kFacet = "backend";

bool isRegistered(std::string_view name) {
    const auto& entries = BackendRegistry::instance().entries();
    return std::any_of(entries.begin(), entries.end(),
                       [name](const auto& entry) { return entry.name == name; });
}

/// Parses "0,2", or "all", which returns an empty list.
std::vector<int> parseDevices(std::string_view text) {
    std::vector<int> devices;
    if (text == "all") return devices;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::string_view digits = text.substr(begin, text.find(',', begin) - begin);
        begin += digits.size() + 1;
        int device = -1;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), device);
        if (failure != std::errc() || end != digits.data() + digits.size() || device < 0)
            throw UsageError(
                fmt::format("--devices takes indices like 0,1, or all, not '{}'", visible(text)));
        if (std::ranges::find(devices, device) != devices.end())
            throw UsageError(fmt::format("--devices names device {} twice", device));
        devices.push_back(device);
    }
    return devices;
}

/// The devices that the user requests from a backend. Throws UsageError for an unknown device, and
/// UnavailableError if the backend has none.
std::vector<int> devicesOf(const std::string& backend, std::vector<int> wanted) {
    std::size_t count = 0;
    try {
        count = BackendRegistry::instance().listDevices(backend).size();
    } catch (const UnavailableError& reason) {
        throw unavailable(backend, reason);
    }
    if (count == 0) throw UsageError(fmt::format("--devices: {} cannot list its devices here", backend));
    if (wanted.empty())
        for (std::size_t device = 0; device < count; ++device) wanted.push_back(static_cast<int>(device));
    for (const int device : wanted)
        if (static_cast<std::size_t>(device) >= count)
            throw UsageError(fmt::format("--devices: {} has no device {}; they are numbered 0 to {}", backend,
                                         device, count - 1));
    return wanted;
}

}  // namespace

void addJsonOption(Options& options, bool& json, const std::string& help) {
    options.flag("--json", json, help).notASetting();
}

void addRestartOption(Options& options, bool& restart) {
    const Heading heading(options, "Computation");
    options.flag("--restart", restart, "Discard the results kept by a stopped run (default: resume)")
        .notASetting();
}

void addTableOptions(Options& options, TableReading target, const std::string& header,
                     const std::string& transpose) {
    options.choice("--header H", target.header, kHeaders, header)
        .decidesResult()
        .readBy("input", {"table"}, "tables");
    options.flag("--transpose", target.transpose, transpose)
        .decidesResult()
        .readBy("input", {"table", "array"}, "tables and .npy");
}

std::vector<std::string> backendNames() {
    std::vector<std::string> names;
    for (const auto& entry : BackendRegistry::instance().entries()) names.push_back(entry.name);
    return names;
}

std::vector<std::string> variantNames(const Algorithm& algorithm) {
    std::vector<std::string> names;
    for (const VariantInfo& variant : algorithm.variants())
        if (std::ranges::find(names, variant.name) == names.end()) names.push_back(variant.name);
    return names;
}

void addBackendChoice(Options& options, BackendRequest& target,
                      std::initializer_list<std::reference_wrapper<const Algorithm>> algorithms,
                      bool isShareable) {
    const Heading heading(options, "Computation");
    target.isShareable = isShareable;
    constexpr std::string_view kWithHost = "+cpu";
    options
        .parsed(
            "--backend B",
            [&target, kWithHost](const std::string& text) {
                target.withHost = text.ends_with(kWithHost);
                target.backend = text.substr(0, text.size() - (target.withHost ? kWithHost.size() : 0));
                if (target.withHost && target.backend != "cuda" && target.backend != "gl")
                    throw UsageError(fmt::format(
                        "--backend {}: cpu shares tiles with a device; expected cuda+cpu or gl+cpu",
                        visible(text)));
            },
            [&target, kWithHost] {
                return target.backend + std::string(target.withHost ? kWithHost : std::string_view());
            },
            fmt::format("reference, cpu, gl or cuda{}",
                        isShareable ? "\n; also cuda+cpu or gl+cpu, which share the work" : ""))
        .byDefault("the best one; see `glycine info`")
        .suggests(backendNames())
        .basic();
    options.value("--variant V", target.variant, "Variant of the backend; `glycine list` shows all")
        .byDefault("")
        .suggests([known = std::vector(algorithms)] {
            std::vector<std::string> variants;
            for (const Algorithm& algorithm : known)
                for (std::string& name : variantNames(algorithm))
                    if (std::ranges::find(variants, name) == variants.end())
                        variants.push_back(std::move(name));
            return variants;
        });
    options
        .flag("--no-check", target.isUnchecked,
              "gl, cuda: do not recompute a few elements by reference before the result is written")
        .readBy(kFacet, {"gl", "cuda"});
}

void addBackendOptions(Options& options, BackendOptions& target) {
    const Heading heading(options, "Device");
    options
        .value("--device N", target.device, "Index of the backend's device; `glycine info` lists the devices")
        .within(0, 1023);
    options.value("--threads N", target.threads, "cpu: number of threads")
        .byDefault("one per core")
        .within(1, 4096)
        .readBy(kFacet, {"cpu"});
    options.choice("--simd SET", target.instructions, "cpu: generic, avx2 or avx512")
        .byDefault("the widest that the processor supports")
        .readBy(kFacet, {"cpu"});
    options
        .choice("--dialect D", target.dialect,
                "gl: gl33, es300 or gl21, the language of the shaders; with --backend gl and no --dialect, "
                "the first that the driver supports")
        .readBy(kFacet, {"gl"});
    options
        .choice("--context KIND", target.context,
                "gl: auto, egl (no display needed) or glfw (a hidden window)")
        .readBy(kFacet, {"gl"});
    options
        .flag("--visible", target.visibleWindow,
              "gl: show the passes in the window of --context glfw; Escape hides it, closing it ends the run")
        .readBy(kFacet, {"gl"})
        .readBy("context", {"auto", "glfw"}, "windows");
    options
        .value(
            "--max-texture N", target.maxTextureSize,
            "gl: maximum side of a texture in texels; larger matrices are processed in tiles (bounds: except "
            "with gl21)")
        .byDefault("")
        .within(1, 1 << 20)
        .readBy(kFacet, {"gl"});
    options
        .parsed(
            "--max-memory SIZE",
            [&target](const std::string& text) { target.maxDeviceBytes = parseByteSize(text); },
            [&target] { return target.maxDeviceBytes > 0 ? fmt::format("{}", target.maxDeviceBytes) : ""; },
            "gl, cuda: maximum device memory, for example 512M or 4G")
        .readBy(kFacet, {"gl", "cuda"});
    options
        .value("--pass-budget MS", target.passBudgetMilliseconds,
               "gl: maximum time of a single draw in milliseconds")
        .above(0, 1e6)
        .readBy(kFacet, {"gl"});
    options.value("--shaders DIR", target.shaderFolder, "gl: folder of shaders that replace built-in ones")
        .existingFolder()
        .readBy(kFacet, {"gl"});
}

void addDevicesOption(Options& options, BackendRequest& target) {
    std::optional<std::vector<int>>& devices = target.device.devices;
    options
        .parsed(
            "--devices LIST", [&devices](const std::string& text) { devices = parseDevices(text); },
            [&devices] {
                if (!devices) return std::string();
                return devices->empty() ? "all" : fmt::format("{}", fmt::join(*devices, ","));
            },
            "gl, cuda: devices that share the work: 0,1 or all (with --backend)")
        .readBy(kFacet, {"gl", "cuda"});
}

Option& addSeedOption(Options& options, std::uint64_t& seed, std::string_view what) {
    return options.value("--seed S", seed, fmt::format("Random seed of the generated {}", what));
}

void checkBackendOptions(const Options& options, const std::vector<std::string>& backends, bool withHost) {
    for (const char* option : {"--device", "--devices"})
        if (options.isGivenIfKnown(option) && backends.size() != (withHost ? 2 : 1))
            throw UsageError(
                fmt::format("{} counts the devices of one backend; name it with --backend", option));
    if (options.isGivenIfKnown("--device") && options.isGivenIfKnown("--devices"))
        throw UsageError("--device names one device and --devices several; give one of the two");
    if (options.isGivenIfKnown("--context"))
        options.requireReaders(
            {"context", {options.settings()["context"].get<std::string>()}, "--context egl has none"});
    if (const auto unread = options.firstUnread({kFacet, backends, ""}))
        throw UsageError(fmt::format("{} concerns {}, but this would run on {}; add --backend {}",
                                     unread->option, fmt::join(unread->values, " and "),
                                     fmt::join(backends, ", "), unread->values.front()));
}

std::string_view defaultBackendRule() {
    return "the first of these that is available and can do the work: cuda, and gl on a GPU, unless cpu is "
           "expected to be faster at it; cpu; gl; reference";
}

UnavailableError unavailable(std::string_view name, const UnavailableError& reason) {
    return UnavailableError(fmt::format("the backend {} is not available: {}", name, reason.what()));
}

void requireSupport(const Support& support) {
    if (support.isMisuse()) throw UsageError(support.reason());
    if (!support) throw UnavailableError(support.reason());
}

std::unique_ptr<Backend> createNamedBackend(const std::string& name, const BackendOptions& options) {
    try {
        return BackendRegistry::instance().create(name, options);
    } catch (const UnavailableError& error) {
        throw unavailable(name, error);
    }
}

std::string reluctanceOfEmulated(bool isEmulated, std::string_view device) {
    return isEmulated ? fmt::format("only on the processor, through {}", device) : "";
}

RuleChoice applyDefaultRule(const std::function<Candidate(std::string_view name)>& ask) {
    std::vector<std::string> refusals;
    const auto chosen = [&](std::string_view name) {
        return RuleChoice{std::string(name), fmt::format("{}", fmt::join(refusals, "; "))};
    };
    const auto refuse = [&](std::string_view name, std::string_view reason) {
        refusals.push_back(fmt::format("{}: {}", name, reason));
    };
    std::string_view reluctant;
    for (const std::string_view name : kDefaultOrder) {
        if (!isRegistered(name)) continue;
        const Candidate candidate = ask(name);
        if (!candidate.refusal.empty()) {
            refuse(name, candidate.refusal);
            continue;
        }
        if (candidate.reluctance.empty()) return chosen(name);
        refuse(name, candidate.reluctance);
        if (reluctant.empty()) reluctant = name;
    }
    if (!reluctant.empty()) return chosen(reluctant);
    const Candidate reference = ask("reference");
    if (reference.refusal.empty()) return chosen("reference");
    refuse("reference", reference.refusal);
    return chosen("");
}

double hostSecondsFor(double operations, double rate, const BackendOptions& options) {
    const unsigned threads =
        options.threads > 0 ? static_cast<unsigned>(options.threads) : std::thread::hardware_concurrency();
    return operations / (rate * std::max(threads, 1U));
}

BorrowedBackendChoice chooseBorrowedBackend(const std::function<Backend&(const std::string& name)>& make,
                                            const std::function<Support(Backend&)>& canRun,
                                            double hostSeconds) {
    std::map<std::string, Backend*, std::less<>> able;
    std::string misuse;
    bool believes = true;  // accepts reluctances that are known before a backend is made
    const auto ask = [&](std::string_view name) -> Candidate {
        const BackendRegistry::Entry& entry = BackendRegistry::instance().find(name);
        if (const std::string reluctance = entry.reluctance ? entry.reluctance() : "";
            believes && !reluctance.empty())
            return {.refusal = {}, .reluctance = reluctance};
        const bool isDevice = name != "cpu" && name != "reference";
        if (believes && isDevice && hostSeconds < kDeviceStartSeconds)
            return {.refusal = {}, .reluctance = "cpu is expected to end before a device has started"};
        Backend* backend = nullptr;
        try {
            backend = &make(entry.name);
        } catch (const UnavailableError& error) {
            return {.refusal = error.what(), .reluctance = {}};
        } catch (const DeviceError& error) {
            return {.refusal = error.what(), .reluctance = {}};
        } catch (const std::bad_alloc&) {
            return {.refusal = "there is not enough memory to make it", .reluctance = {}};
        }
        const Support support = canRun(*backend);
        if (support.isMisuse() && misuse.empty()) misuse = support.reason();
        if (!support) return {.refusal = support.reason(), .reluctance = {}};
        Candidate candidate{"", reluctanceOfEmulated(backend->isEmulated(), backend->device())};
        if (candidate.reluctance.empty()) candidate.reluctance = support.reluctance();
        able.emplace(name, backend);
        return candidate;
    };
    RuleChoice choice = applyDefaultRule(ask);
    if (!choice.name.empty() && !able.contains(choice.name)) {
        believes = false;
        choice = applyDefaultRule(ask);
    }
    if (choice.name.empty() && !misuse.empty()) throw UsageError(misuse);
    if (choice.name.empty())
        throw UnavailableError(fmt::format("no backend of this machine can do this: {}", choice.reason));
    return {*able.find(choice.name)->second, std::move(choice.reason)};
}

BackendChoice chooseBackend(const BackendOptions& options, const std::function<Support(Backend&)>& canRun,
                            double hostSeconds) {
    std::vector<std::unique_ptr<Backend>> made;
    const BorrowedBackendChoice choice = chooseBorrowedBackend(
        [&](const std::string& name) -> Backend& {
            made.push_back(BackendRegistry::instance().create(name, options));
            return *made.back();
        },
        canRun, hostSeconds);
    const auto chosen = std::ranges::find(made, &choice.backend, &std::unique_ptr<Backend>::get);
    return {std::move(*chosen), choice.reason};
}

void checkBackendUse(const Options& options, const Algorithm& algorithm, const BackendRequest& request) {
    std::vector<std::string> names;
    if (request.backend.empty()) {
        names = backendNames();
        if (request.variant != "default") requireVariant(algorithm, request.variant);
    } else {
        names.push_back(BackendRegistry::instance().find(request.backend).name);
        if (request.variant != "default") requireVariant(algorithm, request.backend, request.variant);
        if (request.withHost) {
            if (!request.isShareable)
                throw UsageError(
                    fmt::format("--backend {}+cpu: this command does not share its work between a device and "
                                "the processor; expected one backend",
                                request.backend));
            if (request.variant != "default")
                throw UsageError(
                    fmt::format("--variant names a way of one backend, not of {}+cpu", request.backend));
            names.push_back("cpu");
        }
    }
    checkBackendOptions(options, names, request.withHost);
}

namespace {

/// If several processes run on a host, each gets a share of the threads, and a device of its own if there are
/// several.
BackendOptions shareOfProcess(const BackendRequest& request) {
    BackendOptions options = request.device;
    const ProcessTeam* const team = processTeam();
    if (team == nullptr || team->processesOnHost() == 1) return options;
    // mpirun may have bound the process to its own processors.
    const std::size_t allowed = ownProcessors().size();
    if (options.threads == 0)
        options.threads = static_cast<int>(std::max<std::size_t>(
            1, allowed < std::thread::hardware_concurrency() ? allowed : allowed / team->processesOnHost()));
    if (request.backend.empty() || options.device || options.devices) return options;
    const std::size_t devices = BackendRegistry::instance().listDevices(request.backend).size();
    if (devices > 1) options.device = static_cast<int>(team->placeOnHost() % devices);
    return options;
}

/// Options of cpu next to devices, each of which keeps one thread busy.
BackendOptions optionsNextToDevices(const BackendOptions& options, std::size_t devices) {
    BackendOptions own;
    own.instructions = options.instructions;
    const std::size_t processors = ownProcessors().size();
    own.threads = options.threads > 0 ? options.threads
                                      : static_cast<int>(processors > devices ? processors - devices : 1);
    return own;
}

}  // namespace

DeviceAhead::DeviceAhead(const BackendRequest& request, const std::filesystem::path& input) {
    constexpr std::uintmax_t kSmall = std::uintmax_t{8} << 20;
    std::error_code isUnknown;
    if (request.backend.empty() && std::filesystem::is_regular_file(input, isUnknown) &&
        std::filesystem::file_size(input, isUnknown) < kSmall)
        return;
    const std::string name(request.backend.empty() ? kDefaultOrder[0] : std::string_view(request.backend));
    if (!isRegistered(name)) return;
    BackendRegistry& registry = BackendRegistry::instance();
    if (const auto& reluctance = registry.find(name).reluctance; reluctance && !reluctance().empty()) return;
    try {
        registry.load(name);
    } catch (const UnavailableError&) {
        return;
    }
    const auto wake = registry.find(name).wake;
    if (!wake) return;
    startThread(waking_, [wake, name, request] {
        std::vector<std::future<void>> others;  // each device takes some tenths of a second
        try {
            BackendOptions device = shareOfProcess(request);
            std::vector<int> devices;
            if (device.devices) devices = devicesOf(name, *device.devices);
            if (!devices.empty()) device.device = devices.front();
            for (std::size_t k = 1; k < devices.size(); ++k)
                startThread(others.emplace_back(), [wake, own = device, index = devices[k]]() mutable {
                    own.device = index;
                    wake(own);
                });
            wake(device);
        } catch (const std::exception&) {
            // The error is reported when the backend is made.
        }
    });
}

void useThreadsOfIdleProcesses(const BackendRequest& request, std::optional<DefaultThreads>& threads) {
    if (request.device.threads == 0) threads.emplace(static_cast<int>(ownProcessors().size()));
}

BackendChoice selectBackend(const Options& options, const BackendRequest& request,
                            const std::function<Support(Backend&)>& canRun, double hostSeconds) {
    if (!request.backend.empty()) {
        BackendOptions device = shareOfProcess(request);
        device.allowDialectFallback = !options.isGivenIfKnown("--dialect");
        std::vector<int> devices;
        if (device.devices) {
            devices = devicesOf(request.backend, *device.devices);
            device.device = devices.front();
            if (const ProcessTeam* const team = processTeam();
                team != nullptr && team->processes() > 1 && devices.size() > 1)
                throw UsageError(fmt::format(
                    "--devices {}: a process of glycine-mpi computes on one device; start as many "
                    "processes as devices, without --devices",
                    fmt::join(devices, ",")));
        }
        BackendChoice choice{createNamedBackend(request.backend, device), ""};
        if (request.withHost) {
            if (devices.empty()) devices.push_back(device.device.value_or(0));
            devices.push_back(DeviceCrew::kHost);
        }
        if (devices.size() > 1)
            choice.backend->setCrew(
                {devices, [name = request.backend, device, count = devices.size()](int index) {
                     BackendOptions own = device;
                     if (index == DeviceCrew::kHost)
                         return createNamedBackend("cpu", optionsNextToDevices(device, count - 1));
                     own.device = index;
                     return createNamedBackend(name, own);
                 }});
        choice.reason = choice.backend->note();
        requireSupport(canRun(*choice.backend));
        return choice;
    }
    BackendChoice choice = chooseBackend(shareOfProcess(request), canRun, hostSeconds);
    checkBackendOptions(options, {std::string(choice.backend->name())});
    if (choice.reason.empty()) choice.reason = "the first of the default order";
    return choice;
}

}  // namespace glycine
