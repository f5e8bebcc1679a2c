#pragma once

#include <string_view>
#include <vector>

namespace glycine {

/// Published scores: facts, kept as text.
struct SubstitutionTable {
    std::string_view name;
    /// On and below the diagonal, row by row: of proteins in the order ARNDCQEGHILKMFPSTWYVBZX*, of
    /// nucleotides ACGTRYSWKMBDHVN.
    std::string_view scores;
};
const std::vector<SubstitutionTable>& blosumTables();
const std::vector<SubstitutionTable>& pamTables();
const std::vector<SubstitutionTable>& gonnetTables();
const std::vector<SubstitutionTable>& nucleotideTables();

}  // namespace glycine
