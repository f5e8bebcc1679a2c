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

/// The interface between an algorithm and the study harness: problems and computations. `validate`, `bench`
/// and `reproduce` use nothing else; they choose backends, loop over configurations, repeat, time and report.

namespace glycine::study {

// Digests of results, kept in reports so that the results of two machines can be compared.

struct ResultDigest {
    /// hash of all elements: equal if the results are identical (false positives: 2⁻⁶⁴)
    std::uint64_t bits = 0;
    std::size_t elements = 0;
    std::vector<double> samples{};  ///< some elements, at the same places everywhere, ordered by place

    /// "00c0ffee00c0ffee".
    std::string text() const;
    bool operator==(const ResultDigest&) const = default;
};

/// Digests the elements of a result in any order, so that the tiling does not matter.
class ResultDigester {
  public:
    /// `quantity`: index of the matrix, if there are several.
    template <class T>
    void take(std::size_t quantity, std::size_t row, std::size_t column, T value) {
        const std::uint64_t place = mix(quantity * kQuantities + mix(row * kRows + column));
        sum_ += mix(place ^ mix(bitsOf(value)));
        ++elements_;
        // Keeps the elements of the smallest places: as good as a random draw, and the same on every machine.
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
    /// Multipliers larger than any column or quantity.
    static constexpr std::uint64_t kQuantities = 0x2545F4914F6CDD1DU, kRows = 0x100000001U;

    /// Every output bit depends on every input bit; 0 is never returned.
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
    std::vector<Sample> samples_;  ///< elements of the smallest places, ascending
};

/// Digest of rows of integers, which may differ in length; for example the alignment column of each residue.
ResultDigest digestOfRows(const std::vector<std::vector<std::uint32_t>>& rows);

struct StageTime {
    std::string name;    ///< "upper"
    double seconds = 0;  ///< measured by a steady clock until the device is idle
    double work = 0;     ///< in units of Subject::rateUnit · seconds; 0: no rate is shown
};

/// A quality score of a result, reported with its time: {"precision", 0.7}.
struct Score {
    std::string name;
    double value = 0;
};

/// Report of one run of a computation, without its result.
struct Outcome {
    std::string variant;            ///< the one that ran, never "default"
    std::vector<StageTime> stages;  ///< the same in every run
    double seconds = 0;             ///< wall-clock time of all stages and everything between them
    double work = 0;                ///< of all stages; 0: no rate is shown
    std::string note;               ///< what the backend decided while running; may be empty
    std::vector<Score> scores{};    ///< the same in every run; usually empty
};

/// The least that a result requires of a device, whatever the algorithm: an amount of work of one ceiling
/// (DeviceProbe::name; device_ceilings.hpp).
struct RequiredWork {
    std::string ceiling;  ///< "add+min float32"
    double amount = 0;  ///< in 10⁹ of the ceiling's unit (operations, bytes, bits); launches as a plain count
    /// Stage whose time is compared with the ceiling. Empty: "compute", else the sum of the stages that have
    /// work, else the total.
    std::string stage{};
};

/// How much of a result is compared with the reference.
enum class CheckScope {
    Full,     ///< every element, and the memory around the result
    Sampled,  ///< some elements, recomputed: affordable for large results
};

/// A problem, bound to one backend and variant. Must not outlive either.
class Computation {
  public:
    virtual ~Computation() = default;
    /// Computes the whole result once. May be called repeatedly; each run starts from the same input.
    virtual Outcome run(Progress& progress) = 0;
    /// Checks the result of the last run, and overwrites it so that a later check cannot pass on the same
    /// memory.
    virtual Comparison check(Progress& progress) = 0;
    /// Digest of the first run's whole result; call it before that run's check. Nothing if the computation
    /// never sees the whole result.
    virtual std::optional<ResultDigest> digest() { return {}; }
};

/// One input, and what to compute from it.
class Problem {
  public:
    virtual ~Problem() = default;
    /// Readable name: "sparse, 17 atoms".
    virtual std::string name() const = 0;
    /// {{"instances", 2000}, {"attributes", 512}}.
    virtual Dimensions dimensions() const = 0;
    /// The dimension that represents the size in reports.
    virtual std::size_t size() const { return dimensions().front().second; }
    /// Whether the problem is about the configuration's number format (or kind of work). Other configurations
    /// are skipped silently.
    virtual bool concerns(const Configuration& configuration) const = 0;
    /// Whether the backend can compute it in this configuration; call before `start`.
    virtual Support supports(Backend& backend, const Configuration& configuration) = 0;
    /// Prepares a computation: may allocate, but computes nothing on the backend. `scope`: of later checks.
    /// `progress` covers the reference's work, which comes first.
    virtual std::unique_ptr<Computation> start(Backend& backend, const Configuration& configuration,
                                               CheckScope scope, Progress& progress) = 0;
    /// The least work that the result requires, one entry per ceiling. The ceiling on which it takes longest
    /// is the bound that times are compared with. `configuration` names the variant that ran, because
    /// variants may skip work. Empty if the work depends on the data; one launch is then the minimum.
    virtual std::vector<RequiredWork> needs(const Configuration& /*configuration*/) const { return {}; }
    /// Seconds that the reference has spent on this problem so far.
    virtual double referenceSeconds() const { return 0; }
};

// Problems built from callbacks, for cases that do not deserve a class.

/// Callbacks for Computation::run, ::check and ::digest.
struct CallbackComputation {
    std::function<Outcome(Progress&)> run;
    std::function<Comparison(Progress&)> check;
    std::function<std::optional<ResultDigest>()> digest{};
};
/// Callbacks for the functions of Problem with the same names. Without `concerns`, the problem concerns every
/// configuration. Without `referenceSeconds`, the reference's time is not reported.
struct CallbackProblem {
    std::string name;
    Dimensions dimensions;
    std::function<Support(Backend&, const Configuration&)> supports;
    std::function<CallbackComputation(Backend&, const Configuration&)> start;
    std::function<std::vector<RequiredWork>(const Configuration&)> needs{};
    std::function<bool(const Configuration&)> concerns{};
    std::function<double()> referenceSeconds{};
};
std::unique_ptr<Problem> problemOf(CallbackProblem callbacks);

}  // namespace glycine::study
