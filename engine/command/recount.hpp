#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/common_options.hpp"
#include "engine/command/text_table.hpp"
#include "engine/core/random.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/io/text/json_forward.hpp"

/// Counts of elements of one kind, as most commands have them, and how reports tell of any count. All
/// elements of a small run are counted again, of others as many as a share of its time allows: n elements,
/// drawn from all parts, miss a fault in a share p of them with probability (1 − p)^n. 460 find 99 of 100
/// faults in 1 % of the elements, 2,000 all but one of 5·10⁸, and kMost 99,995 of 100,000 faults in 0.1 %.
namespace glycine {

namespace pairs {
class PairOutput;
}

/// What counting again is expected to take, and the computation that it checks took, in seconds.
struct RecountTime {
    double each = 0;  ///< an element
    double run = 0;   ///< the computation
    double once = 0;  ///< what the first element takes beside its own
};

/// What reports tell of a count; nothing of one on a backend of the host.
std::optional<RecountReport> reportOf(const StageRecount& recount);

/// The count of a run whose elements are all of one kind, by the reference.
class Recount final : public StageRecount {
  public:
    /// Elements of a run, at most; where a run has several files, some of each.
    static constexpr std::size_t kMost = 10'000;
    /// Which elements.
    static constexpr std::uint64_t kSeed = 1;

    /// `kind` of the elements, and `method` by which they are counted again, as in RecountReport.
    Recount(const Backend& backend, const BackendRequest& request, std::string kind,
            std::string method = "with reference");

    /// `wanted` of these numbers of elements, for counts that may be over before the last one: not in order,
    /// so that no stretch is left out.
    static std::vector<std::size_t> someOf(std::vector<std::size_t> numbers, std::size_t wanted);

    /// How many of `most` elements are to be counted: what fits into a quarter of a second, or 5 % of what
    /// the run took, less what earlier counts took, in time of the processor, so that a busy machine finds
    /// as much; one always, but a single one may take a second, or 10 %.
    /// 0 on backends of the host, with --no-check, and where a single one takes too long. The time begins.
    std::size_t begin(std::size_t most, const RecountTime& time);

    /// begin for the pairs of so many instances: which of them are to be counted, as pairs::pairNumber
    /// numbers them. `references` more than 0: of the pairs of an instance from this one on with one before.
    std::vector<std::size_t> beginPairs(std::size_t instances, const RecountTime& time,
                                        std::size_t references = 0);

    /// So many elements more agree. Whether there is time for others, whatever was expected.
    bool goesOnAfter(std::size_t elements);

    /// Counts some of the places 0 … `places` − 1 again, at most `most`, spread over all of them and not in
    /// order, until its time is over. `countPlace(place)` compares all elements of a place and says how many
    /// these are.
    template <class CountPlace>
    void countSome(std::size_t places, std::size_t most, const RecountTime& time, CountPlace&& countPlace) {
        const std::size_t wanted = begin(std::min(places, most), time);
        for (const std::size_t place : someOf(spreadSamples(places, wanted, kSeed), wanted))
            if (!goesOnAfter(countPlace(place))) break;
    }

    /// Who counts again.
    Backend& reference();

    /// Nothing on backends of the host, which have none.
    std::optional<RecountReport> report() const { return reportOf(*this); }

  private:
    Stopwatch watch_;            ///< since begin()
    double processor_ = 0;       ///< seconds of the thread at begin()
    double secondsOfBegun_ = 0;  ///< of the count that was begun, as far as they are reported
    double secondsOfAll_ = 0;    ///< of all counts so far
    double secondsOfRuns_ = 0;   ///< that these and this one check
    double seconds_ = 0;         ///< of the processor, that this one may take
    std::unique_ptr<Backend> reference_;
};

/// Runs `recount`, which counts pairs of `values` again. Where it throws WrongResultError, nothing is kept of
/// them, and the error goes on.
void discardIfWrong(pairs::PairOutput& values, const std::function<void()>& recount);

/// Adds "Check" with a line: "re-counted with reference: 780 pairs, all agree", or "re-counted on the host:
/// 435 pairs of posteriors, 29 joins of progressive alignment, all agree".
void addRecountField(Fields& fields, const std::optional<RecountReport>& recount);
Json toJson(const RecountReport& recount);

}  // namespace glycine
