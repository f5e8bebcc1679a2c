#pragma once

#include <span>
#include <string>

#include "engine/core/names.hpp"
#include "engine/trees/clustering.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::trees {

/// How a tree is written.
enum class NewickForm {
    SevenDigits,  ///< lengths with seven significant digits, on one line
    RoundTrip,    ///< lengths with as many digits as give the same double again, on one line
    ClustalW  ///< lengths with five decimals, each node on a line, names bare: a .dnd file as ClustalW writes
              ///< it
};

constexpr auto namesOf(NewickForm) {
    using enum NewickForm;
    return namesAre<NewickForm>(
        "form of trees", {{SevenDigits, "seven digits"}, {RoundTrip, "round trip"}, {ClustalW, "clustalw"}});
}

/// A tree in Newick's form, without a line's end behind it. `names`: of the leaves, or of all nodes; those of
/// inner ones, their support for example, stand behind their brackets where they are not empty. Names with
/// blanks or characters that the format gives a meaning are put between single quotes (not in ClustalW's
/// form). Throws InputError as postorder, UsageError for another number of names.
std::string newickTree(const Tree& tree, std::span<const std::string> names, NewickForm form);

/// The tree of a clustering in Newick's form: "((a:1,b:1):0.5,c:1.5);". A cluster that was made at height h
/// lies h / 2 above its instances, so that the way from one instance to another through the tree is as long
/// as the mean distance between the two clusters that were joined; lengths have seven significant digits,
/// since the means are taken in float32. Instances stand from left to right as in Clustering::leaves. Names
/// with blanks or characters that the format gives a meaning are put between single quotes.
///
/// Source: G. Olsen, "Newick's 8:45 Tree Format Standard" (1990),
/// https://phylipweb.github.io/phylip/newick_doc.html; underscores stay bare, as phylogenetic programs write
/// them.
std::string newickTree(const Clustering& clustering, std::span<const std::string> names);

}  // namespace glycine::trees
