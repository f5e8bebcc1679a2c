#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// The arithmetic kernel of `cpu grouped`: joint tables of one gene with a panel of others.
namespace glycine::mutualinfo::cpu {

/// Dense weights of several genes, side by side in a panel with one row per sample. Bin j of gene g is in
/// column j · genes + g. Padded with zeros to `width` columns.
struct PanelShape {
    std::size_t genes = 0;
    std::size_t width = 0;  ///< ≥ genes · bins
};

/// Rows of a panel are prefetched this many samples ahead, because they are accessed in no particular order.
inline constexpr std::size_t kAhead = 2;

/// The samples of one gene (x) in some rows of a panel, grouped by the first bin with a non-zero weight.
template <class Number>
struct SampleGroups {
    const Number* panel = nullptr;  ///< 64-byte aligned
    std::size_t width = 0;          ///< PanelShape::width
    std::size_t bins = 0;
    std::size_t order = 0;
    const std::uint16_t* samples = nullptr;  ///< rows of the panel, group by group; kAhead extra ones with
                                             ///< any value
    const Number* weights = nullptr;         ///< `order` per sample, in the same order
    const std::uint32_t* ends = nullptr;     ///< end of each of the bins − order + 1 groups
    /// bins × width: adds Σ x(s, i) · panel(s, c) to element (i, c).
    double* joint = nullptr;
};

/// The joint tables of one gene with a panel, computed from SampleGroups.
struct JointTables {
    const double* joint = nullptr;  ///< bins × width; kBeyond extra numbers with any value
    PanelShape panel{};
    std::size_t bins = 0;
    double* scratch = nullptr;  ///< 3 · width + kBeyond numbers
    double* values = nullptr;   ///< panel.genes: mutual information in bits; kEmpty if a table is empty
};
inline constexpr double kEmpty = -1;
inline constexpr std::size_t kBeyond = 8;  ///< numbers read or written past the end

template <class Number>
using JointFunction = void (*)(const SampleGroups<Number>& block);
using InformationFunction = void (*)(const JointTables& tables);

template <class Number>
struct JointKernel {
    JointFunction<Number> addJoint = nullptr;
    InformationFunction findInformation = nullptr;
    std::size_t columnStep = 0;  ///< widths of panels are multiples of this
    /// Columns whose sums for up to three rows of the joint tables fit in the registers.
    std::size_t columnsAtOnce = 0;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true};
    template <InstructionSet set>
    static JointKernel compiled();
};

}  // namespace glycine::mutualinfo::cpu
