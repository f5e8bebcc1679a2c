#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/command/command_registry.hpp"
#include "engine/command/recount.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/input/signals.hpp"
#include "engine/crossapen/results/subject_entropies.hpp"
#include "engine/crossapen/results/value_store.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/storage/part_file.hpp"

/// A batch of files, one subject each.
namespace glycine::crossapen {

struct SubjectFile {
    std::filesystem::path path;
    std::string name;  ///< of the subject, different from all others: "S001R01.edf"
    SignalSetShape shape;
};

struct SubjectOptions {
    SignalOptions signals;
    EntropyOptions entropy;
    bool keepEpochs = false;  ///< of the quantity asked for
};

/// What a run has found in some epochs of one shape, of which some pairs are counted again.
struct FoundEntropies {
    std::span<const Signals> epochs;
    std::span<const std::string> channels;
    std::function<const double*(std::size_t epoch)> valuesOf;  ///< as EpochShape describes them
    std::function<std::string(std::size_t epoch)> nameOf;      ///< "epoch 3 of S001R01.edf"
    const std::string& variant;                                ///< the one that ran
    double seconds = 0;                                        ///< that the run took
    std::size_t most = Recount::kMost;                         ///< pairs
    /// The signals of an epoch where `epochs` tell shapes alone; empty: they tell all.
    std::function<Signals(std::size_t epoch)> fetch{};
};
/// Two channels of an epoch give four pairs: of the first place by the reference, of others by `host`, whose
/// kernels have nothing in common with those of devices. Throws WrongResultError.
void recountEntropies(Recount& recount, Backend& host, const FoundEntropies& found,
                      const EntropyOptions& options, Progress& progress);

/// Reads and computes one file after the other; `report` is of all of them, with the variant of the last one
/// computed. `finished` is told about each as soon as it is complete.
/// Tiles that the store has are not computed again; of all of them `recount` takes some pairs, and throws
/// WrongResultError before the file is complete.
std::vector<SubjectEntropies> computeSubjects(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              Recount& recount, EntropyReport& report,
                                              const std::function<void(const SubjectEntropies&)>& finished);

/// Adds what `one` says of further epochs; the variant and the device are those of the one that computed
/// last.
void addReport(EntropyReport& all, const EntropyReport& one);

/// Of several processes, computes the files that the lead hands out, and of several devices, those that none
/// of them has taken, until all have their epochs in the store. A device that fails gives its file back.
/// Returns the number of files of each device, as tiles, with that of their epochs, as pairs; none of a
/// single one. `report`: of what this process computed.
std::vector<pairs::DeviceShare> computeShared(CommandContext& context, Backend& backend,
                                              const std::vector<SubjectFile>& files,
                                              const SubjectOptions& options, ValueStore& store,
                                              EntropyReport& report);

/// Every `of`th file, each epoch a tile of the part.
std::vector<storage::PartTile> tilesOfPart(const storage::Part& part, const std::vector<SubjectFile>& files,
                                           const EntropyOptions& options);
/// Computes the files of a part, and counts some pairs again as computeSubjects does.
void computePart(CommandContext& context, Backend& backend, const std::vector<SubjectFile>& files,
                 const SubjectOptions& options, storage::PartStore& store, Recount& recount,
                 EntropyReport& report);
/// Enters what parts have found.
void handOver(const Parts& parts, const std::vector<SubjectFile>& files, const EntropyOptions& options,
              ValueStore& store);

}  // namespace glycine::crossapen
