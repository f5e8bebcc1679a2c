#pragma once

#include "engine/core/instruction_set.hpp"
#include "tests/test.hpp"

/// Tests of what is compiled for each set of instructions.
namespace glycine::test {

inline std::vector<InstructionSet> allInstructionSets() {
    return {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512};
}

/// Instruction sets of this processor.
inline std::vector<InstructionSet> instructionSetsHere() {
    std::vector<InstructionSet> sets = allInstructionSets();
    std::erase_if(sets, [](InstructionSet set) { return set > detectInstructionSet(); });
    return sets;
}

/// Is skipped where this processor lacks its set.
class EachInstructionSet : public ::testing::TestWithParam<InstructionSet> {
  protected:
    void SetUp() override {
        if (GetParam() > detectInstructionSet()) GTEST_SKIP() << "needs: " << toString(GetParam());
    }
};
inline std::string nameOfSet(const ::testing::TestParamInfo<InstructionSet>& one) {
    return one.param == InstructionSet::Generic ? "generic"
           : one.param == InstructionSet::Avx2  ? "avx2"
                                                : "avx512";
}

}  // namespace glycine::test
