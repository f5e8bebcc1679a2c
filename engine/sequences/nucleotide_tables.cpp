#include "engine/sequences/substitution_tables.hpp"

namespace glycine {

// IUB: as ClustalW 2.1 holds it, match 10 and mismatch -9, where letters that may be the same nucleotide
// match. EDNAFULL: as EMBOSS 6.6 distributes it (NCBI's NUC.4.4), match 5 and mismatch -4.
const std::vector<SubstitutionTable>& nucleotideTables() {
    static const std::vector<SubstitutionTable> tables{
        {"IUB", R"(
10 -9 10 -9 -9 10 -9 -9 -9 10 10 -9 10 -9 10 -9 10 -9 10 -9 10 -9 10 10 -9 10 10 10 10 -9 -9 10 10 10 -9
10 -9 -9 10 10 10 10 10 10 10 10 10 -9 -9 10 10 10 10 -9 10 -9 10 10 10 10 10 10 10 10 10 10 10 -9 10 10
10 10 10 10 10 10 10 10 10 10 -9 10 10 10 10 10 10 10 10 10 10 10 10 10 -9 10 10 10 10 10 10 10 10 10 10
10 10 10 10 10 10 10 10 10 10 10 10 10 10 10)"},
        {"EDNAFULL", R"(
5 -4 5 -4 -4 5 -4 -4 -4 5 1 -4 1 -4 -1 -4 1 -4 1 -4 -1 -4 1 1 -4 -2 -2 -1 1 -4 -4 1 -2 -2 -4 -1 -4 -4 1 1
-2 -2 -2 -2 -1 1 1 -4 -4 -2 -2 -2 -2 -4 -1 -4 -1 -1 -1 -3 -1 -1 -3 -1 -3 -1 -1 -4 -1 -1 -1 -3 -3 -1 -1 -3
-2 -1 -1 -1 -4 -1 -3 -1 -3 -1 -3 -1 -2 -2 -1 -1 -1 -1 -4 -1 -3 -1 -3 -3 -1 -2 -2 -2 -1 -2 -2 -2 -2 -1 -1
-1 -1 -1 -1 -1 -1 -1 -1 -1)"},
    };
    return tables;
}

}  // namespace glycine
