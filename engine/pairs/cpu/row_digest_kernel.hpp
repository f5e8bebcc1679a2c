#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/pairs/row_digest.hpp"

namespace glycine::pairs {

/// Digests a row of whole numbers.
struct RowDigestKernel {
    /// `inCommon`: pairs with fewer than `least` have no value;
    /// null: all pairs have one. `closest`: the largest value of close pairs. Values fit into 31 bits.
    RowDigest (*digest)(const std::uint32_t* values, const std::uint32_t* inCommon, std::size_t count,
                        std::int32_t least, std::int32_t closest) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static RowDigestKernel compiled();
};

}  // namespace glycine::pairs
