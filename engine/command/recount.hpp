#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/io/text/json_forward.hpp"

/// Recounts elements of one kind, as most commands do, and reports recounts of any kind.
///
/// Small runs are recounted in full; for others, the number of elements depends on a share of the run time. n
/// elements, drawn from all parts, miss a fault in a share p of them with probability (1 − p)^n. 460 elements
/// find 99 of 100 faults in 1 % of the elements; 2,000 miss one in 5·10⁸ of them. kMax find 99,995 of
/// 100,000 faults in 0.1 % of the elements.
namespace glycine {

namespace pairs {
class PairOutput;
}

/// Expected times of a recount, and the time of the computation that it checks, in seconds.
struct RecountTime {
    double each = 0;   ///< per element
    double run = 0;    ///< the computation
    double fixed = 0;  ///< additional time of the first element
};

/// The report of a recount; nothing for backends on the host.
std::optional<RecountReport> reportOf(const StageRecount& recount);

/// Recounts, with the reference, a run whose elements are all of one kind.
class Recount final : public StageRecount {
  public:
    /// Maximum number of elements per run; shared among its files if there are several.
    static constexpr std::size_t kMax = 10'000;
    /// Seed that selects the elements.
    static constexpr std::uint64_t kSeed = 1;

    /// `kind` of the elements and `method` of recounting, as in RecountReport.
    Recount(const Backend& backend, const BackendRequest& request, std::string kind,
            std::string method = "with reference");

    /// Selects `wanted` of the numbers in random order, so that a recount that stops early leaves out no
    /// stretch.
    static std::vector<std::size_t> someOf(std::vector<std::size_t> numbers, std::size_t wanted);

    /// Whether the first element may take as long as expected: 1 s or 10 % of the run time.
    static bool hasTimeFor(const RecountTime& time) {
        return time.fixed + time.each <= std::max(kSecondsOfOne, kShareOfOne * time.run);
    }
    /// Names the method while no element was recounted with the reference: that of a run in which some were
    /// stays as the constructor was told.
    void countBy(std::string method) {
        if (!reference_) report_.method = std::move(method);
    }

    /// Starts the clock and returns how many of `most` elements to recount: as many as fit into 0.25 s or 5 %
    /// of the run time, whichever is longer, minus earlier recounts. This is processor time, so that a busy
    /// machine finds as much. At least one element, which may take 1 s or 10 %. Returns 0 on backends of the
    /// host, with --no-check, and if a single element takes too long.
    std::size_t begin(std::size_t most, const RecountTime& time);

    /// Like `begin`, for the pairs of `instances` instances. Returns the pairs to recount as numbered by
    /// pairs::pairNumber. If `references` > 0: only pairs of an instance from `references` on with one before
    /// it.
    std::vector<std::size_t> beginPairs(std::size_t instances, const RecountTime& time,
                                        std::size_t references = 0);

    /// The pairs among which beginPairs selects, ascending, for results that do not keep all pairs.
    static std::vector<std::size_t> sampledPairs(std::size_t instances, std::size_t references);

    /// Records that `elements` more elements agree. Returns whether time is left, whatever was expected.
    bool continuesAfter(std::size_t elements);

    /// Recounts some of the places 0 … `places` − 1, at most `most`, spread over all of them in random order,
    /// until the time is over. `countPlace(place)` compares all elements of a place and returns their number.
    template <class CountPlace>
    void countSome(std::size_t places, std::size_t most, const RecountTime& time, CountPlace&& countPlace) {
        const std::size_t wanted = begin(std::min(places, most), time);
        for (const std::size_t place : someOf(spreadSamples(places, wanted, kSeed), wanted))
            if (!continuesAfter(countPlace(place))) break;
    }

    /// The same on all threads. Several threads call `countPlace`.
    template <class CountPlace>
    void countSomeTogether(std::size_t places, std::size_t most, const RecountTime& time,
                           CountPlace&& countPlace) {
        const std::size_t wanted = begin(std::min(places, most), time);
        const std::vector<std::size_t> chosen = someOf(spreadSamples(places, wanted, kSeed), wanted);
        const int threads = omp_get_max_threads();
        // Places between two looks at the clock.
        constexpr std::size_t kOfAThread = 64;
        for (const Range& some : splitRange(chosen.size(), kOfAThread * static_cast<std::size_t>(threads))) {
            std::atomic<std::size_t> counted = 0;
            parallelFor(threads, some.size(), [&](std::size_t index, std::size_t) {
                counted += countPlace(chosen[some.begin + index]);
            });
            if (!continuesAfter(counted)) break;
        }
    }

    /// The reference backend; created on first use.
    Backend& reference();

    /// Nothing on backends of the host, which are not recounted.
    std::optional<RecountReport> report() const { return reportOf(*this); }

  private:
    Stopwatch watch_;            ///< since begin()
    double processor_ = 0;       ///< thread's processor seconds at begin()
    double secondsOfBegun_ = 0;  ///< seconds of the current recount that are already reported
    double secondsOfAll_ = 0;    ///< of all recounts so far
    double secondsOfRuns_ = 0;   ///< of the runs checked so far, including this one
    double seconds_ = 0;         ///< processor seconds that this recount may use
    std::unique_ptr<Backend> reference_;
    std::string withReference_;  ///< method of runs that call reference()
};

/// Runs `recount`, which recounts pairs of `values`. If it throws WrongResultError, discards the values and
/// rethrows.
void discardIfWrong(pairs::PairOutput& values, const std::function<void()>& recount);

/// Adds "Check" with a line: "re-counted with reference: 780 pairs, all agree", or "re-counted on the host:
/// 435 pairs of posteriors, 29 joins of progressive alignment, all agree".
void addRecountField(Fields& fields, const std::optional<RecountReport>& recount);
Json toJson(const RecountReport& recount);

}  // namespace glycine
