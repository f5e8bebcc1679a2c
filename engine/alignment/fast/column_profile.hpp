#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/sequences/sequences.hpp"

/// Groups of aligned sequences by how often each letter stands in each column, and how two of them are
/// joined.
namespace glycine::align {

/// What a column of an alignment of two groups takes from them.
enum class JoinStep : std::uint8_t { Both, First, Second };

/// Letters of a group of aligned sequences. Letters are counted by their place among those that the input
/// has.
struct ColumnProfile {
    std::size_t width = 0;
    std::vector<float> counts;  ///< of each column, of each letter, the weights of the sequences that have it
    double weight = 0;          ///< of all sequences
};

/// How two groups come together.
struct ProfileJoin {
    std::vector<JoinStep> steps;  ///< of each column of the alignment of both
    bool isRepeated = false;      ///< in double precision, since float32 does not hold the sums
};

/// Joins profiles by the posteriors of their columns: those of the hidden Markov model and of the partition
/// function (pair_model.hpp), merged as those of sequences are.
class ProfileJoiner {
  public:
    /// `instructions`: which this processor has. `isDouble`: all sums in double precision, as the reference
    /// has them; else those that float32 does not hold.
    ProfileJoiner(const Sequences& sequences, InstructionSet instructions, bool isDouble = false);

    std::size_t letters() const { return codes_.size(); }
    /// A sequence of such a weight.
    ColumnProfile profileOf(std::span<const std::uint8_t> codes, double weight) const;

    /// Adds a letter to a column.
    void count(ColumnProfile& profile, std::size_t column, std::uint8_t code, double weight) const {
        profile.counts[column * letters() + places_[code]] += static_cast<float>(weight);
    }

    /// Memory that is kept from join to join; one a thread.
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

    /// The columns that the alignment of both has whose sum of posteriors is largest. Between pairs, columns
    /// of the first group stand before those of the second.
    ProfileJoin join(const ColumnProfile& first, const ColumnProfile& second, Memory& memory) const;

  private:
    template <class Number>
    bool findPosteriors(const ColumnProfile& first, const ColumnProfile& second, Memory& memory) const;

    Alphabet alphabet_;
    InstructionSet instructions_;
    bool isDouble_;
    std::vector<std::uint8_t> codes_;  ///< that the input has, ascending
    std::array<std::uint8_t, kMostCodes> places_{};
    std::array<std::vector<double>, 2> odds_;  ///< of each model, of each pair of these letters
};

/// The profile of two groups in the columns of their join.
ColumnProfile joined(const ColumnProfile& first, const ColumnProfile& second,
                     std::span<const JoinStep> steps);

}  // namespace glycine::align
