#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/sequences/sequences.hpp"

/// Profiles of aligned groups, which hold the count of each letter in each column, and the joining of two
/// groups.
namespace glycine::align {

/// The source of a column in the alignment of two groups.
enum class JoinStep : std::uint8_t { Both, First, Second };

/// Letter counts of a group of aligned sequences. Letters are indexed by their place among those that occur
/// in the input.
struct ColumnProfile {
    std::size_t width = 0;
    std::vector<float> counts;  ///< [column][letter]: total weight of the sequences with that letter
    double weight = 0;          ///< of all sequences together
};

/// The join of two groups.
struct ProfileJoin {
    std::vector<JoinStep> steps;  ///< one per column of the joint alignment
    bool isRepeated = false;      ///< repeated in double precision: the sums exceed float32
};

/// Joins profiles by the posteriors of their columns. The posteriors of the hidden Markov model and of the
/// partition function (pair_model.hpp) are merged as they are for sequences.
class ProfileJoiner {
  public:
    /// `instructions` must be available on this processor. `isDouble`: all sums in double precision, as on
    /// the reference backend; otherwise only sums that exceed the range of float32.
    ProfileJoiner(const Sequences& sequences, InstructionSet instructions, bool isDouble = false);

    std::size_t letters() const { return codes_.size(); }
    /// The profile of one sequence with this weight.
    ColumnProfile profileOf(std::span<const std::uint8_t> codes, double weight) const;

    /// Adds a letter to a column.
    void count(ColumnProfile& profile, std::size_t column, std::uint8_t code, double weight) const {
        profile.counts[column * letters() + places_[code]] += static_cast<float>(weight);
    }

    /// Memory reused from join to join; one per thread.
    class Memory {
      public:
        Memory();
        ~Memory();
        Memory(Memory&&) noexcept;

      private:
        friend class ProfileJoiner;
        struct Parts;
        std::unique_ptr<Parts> parts_;
    };

    /// The alignment of both profiles with the largest sum of posteriors. Between paired columns, columns of
    /// the first group come before those of the second.
    ProfileJoin join(const ColumnProfile& first, const ColumnProfile& second, Memory& memory) const {
        return join(first, second, {}, memory);
    }
    /// The same among alignments near a given one: column i of the first group is only paired with columns j
    /// of the second for which |i − path[i + j]| ≤ kReach. `path`: the number of columns of the first group
    /// among the first d = 0 … columns of both; where both have a column, either number is good for the step
    /// between.
    ProfileJoin join(const ColumnProfile& first, const ColumnProfile& second,
                     std::span<const std::uint32_t> path, Memory& memory) const;
    static constexpr std::size_t kReach = 128;

  private:
    template <class Number>
    bool findPosteriors(const ColumnProfile& first, const ColumnProfile& second,
                        std::span<const std::uint32_t> path, Memory& memory) const;

    Alphabet alphabet_;
    InstructionSet instructions_;
    bool isDouble_;
    std::vector<std::uint8_t> codes_;  ///< codes that occur in the input, ascending
    std::array<std::uint8_t, kMaxCodes> places_{};
    std::array<std::vector<double>, 2> odds_;  ///< of each model: [letter][letter], occurring ones only
};

/// The profile of two groups in the columns of their join.
ColumnProfile joined(const ColumnProfile& first, const ColumnProfile& second,
                     std::span<const JoinStep> steps);

}  // namespace glycine::align
