#pragma once

#include <span>
#include <string>

#include "engine/core/names.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::trees {

/// The form of a written tree.
enum class NewickForm {
    SevenDigits,  ///< lengths with seven significant digits, on one line
    RoundTrip,    ///< lengths with enough digits to read back the same double, on one line
    ClustalW      ///< lengths with five decimals, each node on a line, unquoted names: ClustalW's .dnd file
};

constexpr auto namesOf(NewickForm) {
    using enum NewickForm;
    return namesAre<NewickForm>(
        "form of trees", {{SevenDigits, "seven digits"}, {RoundTrip, "round trip"}, {ClustalW, "clustalw"}});
}

/// A tree in Newick format, without a final line break. `names`: one for each leaf, or for each node. Names
/// of inner nodes, such as their support, follow their brackets unless they are empty. Names with blanks or
/// special characters are put in single quotes (not in ClustalW's form). Throws what postorder throws, and
/// UsageError for a wrong number of names.
std::string newickTree(const Tree& tree, std::span<const std::string> names, NewickForm form);

/// The tree of a clustering in Newick format: "((a:1,b:1):0.5,c:1.5);". A cluster made at height h is h / 2
/// above its instances. The path between two instances is then as long as the mean distance between the two
/// clusters that were joined. Lengths have seven significant digits, since the means are computed in float32.
/// Instances are ordered from left to right as in Clustering::leaves. Names with blanks or special characters
/// are put in single quotes.
///
/// Source: G. Olsen, "Newick's 8:45 Tree Format Standard" (1990),
/// https://phylipweb.github.io/phylip/newick_doc.html; underscores are not quoted, as phylogenetic programs
/// write them.
std::string newickTree(const Clustering& clustering, std::span<const std::string> names);

}  // namespace glycine::trees
