#pragma once

#include <span>
#include <string>

#include "engine/sequences/sequences.hpp"

namespace glycine::align {

/// What a column conserves, as ClustalW 2.1 signs it: '*' one residue; of proteins ':' residues of one of the
/// strong groups (STA, NEQK, NHQK, NDEQ, QHRK, MILV, MILF, HY, FYW), '.' of one of the weak ones (CSA, ATV,
/// SAG, STNK, STPA, SGND, SNDEQK, NDEQHK, NEQHRK, FVLIM, HFY); a column with a gap conserves nothing: ' '.
char conservationSign(Alphabet alphabet, std::span<const std::string> rows, std::size_t column);

/// An alignment as ClustalW 2.1 writes it: blocks of 60 columns, or of 50 where names have more than 20
/// letters, each row behind its name, and below each block what its columns conserve. The column of names is
/// at least 10 wide. Names are never cut, as ClustalW does behind 30 letters.
///
/// `rows` are letters and '-', of equal length, in upper case.
std::string clustalText(Alphabet alphabet, std::span<const std::string> names,
                        std::span<const std::string> rows);

}  // namespace glycine::align
