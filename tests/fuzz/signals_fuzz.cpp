#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/core/error.hpp"
#include "engine/crossapen/input/signals.hpp"
#include "tests/fuzz/fuzz_file.hpp"

/// Any table of signals, packed or not, by rows or by columns, either gives epochs within the channels, or an
/// InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace glycine;
    static const test::FuzzFile file("fuzz.csv");
    file.fill(data, size);
    crossapen::SignalOptions options;
    options.transpose = size % 2 != 0;  // lengths cover both ways, and the bytes are read once
    options.epochSamples = 3;
    options.samplingRate = 100;
    Progress progress;
    try {
        const crossapen::SignalSet set = crossapen::readSignals(file.path(), options, progress);
        if (set.channels.empty() || set.epochs.empty()) std::abort();
        for (std::size_t index = 0; index < set.epochs.size(); ++index) {
            const MatrixView<const double> epoch = set.epoch(index);
            const crossapen::EpochOrigin& origin = set.epochs[index];
            if (set.segments[origin.segment].rows() != set.channels.size() ||
                origin.firstSample + set.epochSamples > set.segments[origin.segment].columns())
                std::abort();
            (void)epoch(epoch.rows() - 1, epoch.columns() - 1);
        }
    } catch (const InputError&) {
    } catch (const UsageError&) {  // bytes of a recording, which states its own rate
    }
    return 0;
}
