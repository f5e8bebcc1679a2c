#pragma once

#include "engine/core/names.hpp"

namespace glycine {

/// What a file of aligned sequences is.
enum class AlignmentFormat {
    Clustal,    ///< .aln, .clustal: as ClustalW 2.1 writes it
    Fasta,      ///< .fa, .fasta, .fas, .afa
    Phylip,     ///< .phy, .phylip
    Stockholm,  ///< .sto, .stk, .stockholm: as Pfam and HMMER have it
    Msf,        ///< .msf: GCG's multiple sequence format
};
constexpr auto namesOf(AlignmentFormat) {
    using enum AlignmentFormat;
    return namesAre<AlignmentFormat>(
        "alignment format",
        {{Clustal, "clustal"}, {Fasta, "fasta"}, {Phylip, "phylip"}, {Stockholm, "stockholm"}, {Msf, "msf"}});
}

}  // namespace glycine
