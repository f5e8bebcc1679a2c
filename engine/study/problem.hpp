#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/comparison.hpp"
#include "engine/core/configuration.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/random.hpp"

/// What an algorithm tells the study harness: problems and computations. `validate`, `bench` and `reproduce`
/// are written on these alone; they choose backends, loop over configurations, repeat, time and report.

namespace glycine::study {

// What a report keeps of a result, so that results of two machines can be compared without them.

struct ResultDigest {
    std::uint64_t bits = 0;  ///< of all elements: equal where results agree to the bit (but for 2⁻⁶⁴)
    std::size_t elements = 0;
    std::vector<double>
        samples{};  ///< some of the elements, the same ones everywhere, ordered by their place

    /// "00c0ffee00c0ffee".
    std::string text() const;
    bool operator==(const ResultDigest&) const = default;
};

/// Takes in the elements of a result in any order, so that how it was cut into tiles does not matter.
class ResultDigester {
  public:
    /// `quantity`: which of several matrices.
    template <class T>
    void take(std::size_t quantity, std::size_t row, std::size_t column, T value) {
        const std::uint64_t place = mix(quantity * kQuantities + mix(row * kRows + column));
        sum_ += mix(place ^ mix(bitsOf(value)));
        ++elements_;
        // The elements of the smallest places: as good as drawn by lot, and the same everywhere.
        if (samples_.size() < kSamples || place < samples_.back().place)
            keep({place, static_cast<double>(value)});
    }
    ResultDigest digest() const;

  private:
    struct Sample {
        std::uint64_t place;
        double value;
    };
    static constexpr std::size_t kSamples = 32;
    /// Further apart than any column or quantity.
    static constexpr std::uint64_t kQuantities = 0x2545F4914F6CDD1DU, kRows = 0x100000001U;

    /// Every bit depends on every bit of the number, and 0 is none.
    static std::uint64_t mix(std::uint64_t number) { return mixBits(number + kGoldenIncrement); }
    template <class T>
    static std::uint64_t bitsOf(T value) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<std::uint64_t>(value);
        else if constexpr (sizeof(T) == 4)
            return std::bit_cast<std::uint32_t>(value);
        else
            return std::bit_cast<std::uint64_t>(value);
    }
    void keep(Sample sample);

    std::uint64_t sum_ = 0;
    std::size_t elements_ = 0;
    std::vector<Sample> samples_;  ///< the smallest places, ascending
};

/// Of rows of whole numbers that need not be of one length, as the columns of an alignment's residues.
ResultDigest digestOfRows(const std::vector<std::vector<std::uint32_t>>& rows);

struct StageTime {
    std::string name;    ///< "upper"
    double seconds = 0;  ///< of a steady clock, until the device is idle
    double work = 0;     ///< of the stage, in units of Subject::rateUnit · seconds; 0: no rate is shown
};

/// How good a result is, where that is asked beside its time: {"precision", 0.7}.
struct Score {
    std::string name;
    double value = 0;
};

/// What one run of a computation tells beside its result.
struct Outcome {
    std::string variant;            ///< the one that ran, never "default"
    std::vector<StageTime> stages;  ///< the same in every run
    double seconds = 0;             ///< on the clock, of all stages and what lies between them
    double work = 0;                ///< of all stages; 0: no rate is shown
    std::string note;               ///< what the backend decided on the way; may be empty
    std::vector<Score> scores{};    ///< the same in every run; mostly none
};

/// What a result takes of a device at least, whatever computes it: so much of what one of its ceilings
/// counts (DeviceProbe::name; device_ceilings.hpp).
struct Need {
    std::string ceiling;  ///< "add+min float32"
    double amount =
        0;  ///< in 10⁹ of what the ceiling's unit counts: operations, bytes, bits; launches as they are
    /// Whose time it is held against; empty: "compute", else the stages that have work, together, else the
    /// total.
    std::string stage{};
};

/// How much of a result is compared with the reference.
enum class Depth {
    Whole,    ///< every element with the reference's, and what lies around the result in memory
    Sampled,  ///< some elements computed again: what a large result can afford
};

/// A problem in the hands of one backend and variant. Lives no longer than both.
class Computation {
  public:
    virtual ~Computation() = default;
    /// Computes the whole result once; may be called again and again, each run starting from the same input.
    virtual Outcome run(Progress& progress) = 0;
    /// Compares what the last run left, and makes sure that the next check cannot pass on the same memory.
    virtual Comparison check(Progress& progress) = 0;
    /// What tells the whole result of the first run from others, asked before that run's check. Nothing where
    /// the computation does not see the whole result.
    virtual std::optional<ResultDigest> digest() { return {}; }
};

/// One input with the question that is asked about it.
class Problem {
  public:
    virtual ~Problem() = default;
    /// For people: "sparse, 17 atoms".
    virtual std::string name() const = 0;
    /// {{"instances", 2000}, {"attributes", 512}}.
    virtual Dimensions dimensions() const = 0;
    /// The one that stands for all in reports.
    virtual std::size_t size() const { return dimensions().front().second; }
    /// Whether the configuration's number format (or kind of work) is what this problem is about. What it is
    /// not about is passed over in silence.
    virtual bool concerns(const Configuration& configuration) const = 0;
    /// Whether it can be computed so; asked before `start`.
    virtual Support supports(Backend& backend, const Configuration& configuration) = 0;
    /// Nothing is computed yet, but memory may be taken. `depth`: of the checks to come. `progress` is for
    /// what the reference has to compute first.
    virtual std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration,
                                               Depth depth, Progress& progress) = 0;
    /// What the result of a configuration takes at least, each a bound of its own: the one that takes the
    /// device longest is the ceiling that the time is held against. `configuration` names the variant that
    /// ran, since some leave out work that others cannot. Empty: there is no telling, because what has to be
    /// done depends on the data; a launch it takes all the same.
    virtual std::vector<Need> needs(const Configuration& /*configuration*/) const { return {}; }
    /// Seconds that the reference has taken for this problem so far.
    virtual double referenceSeconds() const { return 0; }
};

// Problems that are told in place: for those that need no class of their own.

/// A computation: Computation::run, ::check and ::digest.
struct ToldComputation {
    std::function<Outcome(Progress&)> run;
    std::function<Comparison(Progress&)> check;
    std::function<std::optional<ResultDigest>()> digest{};
};
/// A problem: the functions of Problem of the same names. Without `concerns`, it concerns every
/// configuration.
struct ToldProblem {
    std::string name;
    Dimensions dimensions;
    std::function<Support(Backend&, const Configuration&)> supports;
    std::function<ToldComputation(Backend&, const Configuration&)> start;
    std::function<std::vector<Need>(const Configuration&)> needs{};
    std::function<bool(const Configuration&)> concerns{};
};
std::unique_ptr<Problem> problemOf(ToldProblem told);

}  // namespace glycine::study
