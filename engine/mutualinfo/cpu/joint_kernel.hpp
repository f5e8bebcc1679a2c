#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// The arithmetic core of `cpu grouped`: joint tables of one gene with a panel of others.
namespace glycine::mutualinfo::cpu {

/// Dense weights of some genes lie side by side in a panel, a row a sample; bin j of gene g in column
/// j · genes + g. Padded with zeros to `width` columns.
struct PanelShape {
    std::size_t genes = 0;
    std::size_t width = 0;  ///< ≥ genes · bins
};

/// Rows of a panel are fetched from the cache by so many samples in advance: they come in no order.
inline constexpr std::size_t kAhead = 2;

/// The samples of one gene (x) in some rows of a panel, grouped by the first bin in which they have weight.
template <class Number>
struct SampleGroups {
    const Number* panel = nullptr;  ///< on a 64-byte boundary
    std::size_t width = 0;          ///< PanelShape::width
    std::size_t bins = 0;
    std::size_t order = 0;
    const std::uint16_t* samples = nullptr;  ///< rows of the panel, group by group, and kAhead more of any
    const Number* weights = nullptr;         ///< `order` a sample, in that order
    const std::uint32_t* ends = nullptr;     ///< where each of the bins − order + 1 groups ends
    /// bins × width: Σ x(s, i) · panel(s, c) is added to element (i, c).
    double* joint = nullptr;
};

/// The joint tables of one gene with those of a panel, as SampleGroups leaves them.
struct JointTables {
    const double* joint = nullptr;  ///< bins × width, and kBeyond more of any
    PanelShape panel{};
    std::size_t bins = 0;
    double* scratch = nullptr;  ///< 3 · width + kBeyond numbers
    double* values = nullptr;   ///< panel.genes: mutual information in bits; kEmpty where a table is empty
};
inline constexpr double kEmpty = -1;
inline constexpr std::size_t kBeyond = 8;  ///< numbers that are read or written behind the last

template <class Number>
using JointFunction = void (*)(const SampleGroups<Number>& block);
using InformationFunction = void (*)(const JointTables& tables);

template <class Number>
struct JointKernel {
    JointFunction<Number> addJoint = nullptr;
    InformationFunction findInformation = nullptr;
    std::size_t columnStep = 0;  ///< widths of panels are multiples of it
    /// Columns for which the registers hold sums of up to three rows of the joint tables.
    std::size_t columnsAtOnce = 0;

    static constexpr KernelNeeds kNeeds{.fusedProducts = true};
    template <InstructionSet set>
    static JointKernel compiled();
};

}  // namespace glycine::mutualinfo::cpu
