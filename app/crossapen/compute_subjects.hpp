#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/recount.hpp"
#include "engine/core/backend.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/input/signals.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/crossapen/results/value_store.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/storage/part_file.hpp"

/// A batch of files, one per subject.
namespace glycine::crossapen {

struct SubjectFile {
    std::filesystem::path path;
    std::string name;  ///< unique name of the subject: "S001R01.edf"
    SignalSetShape shape;
};

/// Bytes of the signals of a file, of which a device holds all epochs.
double bytesOfSignals(const SubjectFile& file, std::size_t epochSamples);
/// The most bytes of signals that the members of a crew hold at once. Devices take whole files. Next to
/// `cpu`, members share the epochs of some files, and each of them then holds a copy.
double bytesOfSignalsAtOnce(const std::vector<SubjectFile>& files, std::size_t epochSamples,
                            const DeviceCrew& crew);

/// A file whose signals were read.
struct ReadFile {
    std::size_t number = std::numeric_limits<std::size_t>::max();  ///< among the files of a run
    SignalSet signals;
    std::vector<Signals> epochs;
};

struct SubjectOptions {
    SignalOptions signals;
    EntropyOptions entropy;
    bool keepEpochs = false;  ///< keep values of single epochs for the requested quantity
};

/// Results of a run for epochs of one shape, some pairs of which are recounted.
struct FoundEntropies {
    std::span<const Signals> epochs;
    std::span<const std::string> channels;
    std::function<const double*(std::size_t epoch)> valuesOf;  ///< in the layout of EpochShape
    std::function<std::string(std::size_t epoch)> nameOf;      ///< "epoch 3 of S001R01.edf"
    const std::string& variant;                                ///< the variant that ran
    double seconds = 0;                                        ///< run time
    std::size_t most = Recount::kMax;                          ///< maximum number of pairs to recount
    /// Returns the signals of an epoch if `epochs` contains only shapes. Empty: `epochs` contains the
    /// signals.
    std::function<Signals(std::size_t epoch)> fetch{};
    std::size_t file = 0;  ///< number of the file in the run
};
/// Recounts entropies of places, each of two channels in one epoch, which give four pairs. The first place
/// uses the reference, unless it would take too long. Others use `host`, whose kernels share nothing with
/// those of devices. Throws WrongPairError.
void recountEntropies(Recount& recount, Backend& host, const FoundEntropies& found,
                      const EntropyOptions& options, Progress& progress);

/// Reads and computes the files one after another. `report` covers all of them, with the variant of the last
/// file computed. Calls `finished` for each file as soon as it is complete. Tiles in the store are not
/// computed again. `recount` checks pairs of all tiles and throws WrongResultError before the file is
/// complete. `last`: a file that was read already; it is moved from.
std::vector<SubjectEntropies> computeSubjects(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              Recount& recount, EntropyReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished,
                                              ReadFile last = {});

/// Adds the report of further epochs; variant and device are those of the last computation.
void addReport(EntropyReport& all, const EntropyReport& one);

/// Epochs of a file that one device computes at a time.
struct EpochShare {
    std::size_t file = 0;
    Range epochs;
};
/// The epochs of a file of so many channels that a device computes at once.
using EpochsAtOnce = std::function<std::size_t(std::size_t channels)>;
/// Every file is a share. `cpu` takes the last shares, so the last `toCut` files with open epochs (`left`, of
/// each file) are cut: into quarters, but not finer than `epochsAtOnce`, so that a device loses nothing if
/// `cpu` takes none.
std::vector<EpochShare> sharesOf(const std::vector<SubjectFile>& files, const std::vector<std::size_t>& left,
                                 std::size_t toCut, const EpochsAtOnce& epochsAtOnce);

/// The shares of processes, or of parts: whole files of so many `epochs`, or equal pieces of fewer files than
/// four for each, so that all have about the same to do. Each process that takes a piece reads the file.
/// 0 processes: whole files.
std::vector<EpochShare> sharesOfProcesses(const std::vector<std::size_t>& epochs, std::size_t processes);

/// Computes files until all epochs are in the store. Among several processes, the lead hands out the files;
/// among several devices, each takes the next open file. `cpu` next to a device takes epochs of the last
/// files while no device has to wait for it, unless its values would differ. A device that fails returns its
/// file. Returns one share per device, with files as tiles (those of which it computed epochs) and epochs as
/// pairs; empty for a single device. The shares' `done` has the file as rows and its epochs as columns.
/// Epochs of an earlier run belong to no share. `report`: work of this process. `last`: receives the only
/// file, if this process has read it.
std::vector<pairs::DeviceShare> computeShared(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              EntropyReport& report, ReadFile* last = nullptr);

/// Tiles of a part, one per epoch: those of every `of`th file, or of every `of`th piece if there are fewer
/// files than four per part.
std::vector<storage::PartTile> tilesOfPart(const storage::Part& part, const std::vector<SubjectFile>& files,
                                           const EntropyOptions& options);
/// Computes the files of a part, and recounts some pairs as computeSubjects does.
void computePart(CommandContext& context, Backend& backend, const std::vector<SubjectFile>& files,
                 const SubjectOptions& options, storage::PartStore& store, Recount& recount,
                 EntropyReport& report);
/// Copies the results of parts into the store.
void handOver(const Parts& parts, const std::vector<SubjectFile>& files, const EntropyOptions& options,
              ValueStore& store);

}  // namespace glycine::crossapen
