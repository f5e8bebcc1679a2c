// Calls the typed functions of `pairwise` and `align` with invalid arguments, on every backend.
#include "engine/alignment/add_to_alignment.hpp"
#include "engine/alignment/compute_alignment.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/arguments/wrong_backend_calls.hpp"

namespace glycine::test {
namespace {

Sequences someSequences() {
    return sequencesOf({"MKVLA", "MKVLLA", "MKALA", "MRVLA"}, Alphabet::Protein);
}

using SpoilPairs = std::function<void(Sequences&, pairwise::PairwiseOptions&)>;

WrongBackendCall pairwise(std::string what, std::string refusal, SpoilPairs spoil) {
    return {"pairs, " + what, std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                Sequences sequences = someSequences();
                pairwise::PairwiseOptions options{
                    .scoring = {.matrix = namedMatrix("BLOSUM62", Alphabet::Protein),
                                .gaps = {.open = 11, .extend = 1}}};
                spoil(sequences, options);
                pairs::PairStore store({.layout = {4, pairs::StoreLayout::Square}});
                pairwise::computePairwise(backend, sequences, options, store, silentProgress());
            }};
}

using SpoilAlignment = std::function<void(Sequences&, align::AlignOptions&)>;

WrongBackendCall alignment(std::string what, std::string refusal, SpoilAlignment spoil) {
    return {"alignment, " + what, std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                Sequences sequences = someSequences();
                align::AlignOptions options;
                spoil(sequences, options);
                align::computeAlignment(backend, sequences, options, silentProgress());
            }};
}

/// Invalid sequences that both functions refuse.
struct WrongSequences {
    std::string what;
    std::string refusal;
    std::function<void(Sequences&)> spoil;
};

std::vector<WrongSequences> wrongSequences() {
    return {
        {"alphabet", "UsageError: unknown alphabet '99'; known: protein, dna, rna",
         [](Sequences& s) { s.alphabet = unknown<Alphabet>(); }},
        {"empty sequence", "InputError: sequence 2 ('s2') has no letters; expected at least one",
         [](Sequences& s) {
             s.letters[1].clear();
             s.codes[1].clear();
         }},
        {"code 31", "InputError: sequence 3 ('s3'), letter 2: the code of 'K' is 31; expected 11",
         [](Sequences& s) { s.codes[2][1] = 31; }},
        {"code 200", "InputError: sequence 1 ('s1'), letter 5: the code of 'A' is 200; expected 0",
         [](Sequences& s) { s.codes[0][4] = 200; }},
        {"a gap", "InputError: sequence 1 ('s1'), letter 1: '-' is no letter of the alphabet protein",
         [](Sequences& s) {
             s.letters[0][0] = '-';
             s.codes[0][0] = kGapCode;
         }},
        {"a letter that is none",
         "InputError: sequence 4 ('s4'), letter 2: '#' is no letter of the alphabet protein",
         [](Sequences& s) {
             s.letters[3][1] = '#';
             s.codes[3][1] = kNoCode;
         }},
        {"codes of another length",
         "InputError: sequence 1 ('s1') has 4 codes; expected 5, one for each letter",
         [](Sequences& s) { s.codes[0].pop_back(); }},
        {"codes of fewer sequences",
         "UsageError: the sequences of codes are 3; expected 4, one for each sequence",
         [](Sequences& s) { s.codes.pop_back(); }},
        {"names", "UsageError: the names are 5; expected 4, one for each sequence",
         [](Sequences& s) { s.names.emplace_back("more"); }},
        {"no name", "InputError: sequence 3 has no name", [](Sequences& s) { s.names[2].clear(); }},
        {"a name twice", "InputError: sequence 4: the name 's1' is there already; expected each name once",
         [](Sequences& s) { s.names[3] = "s1"; }},
    };
}

TEST(AlignmentArguments, Pairs) {
    std::vector<WrongBackendCall> calls{
        pairwise("method", "UsageError: unknown method '99'; known: global, local, clustalw",
                 [](auto&, auto& o) { o.scoring.method = unknown<pairwise::PairMethod>(); }),
        pairwise("measure", "UsageError: unknown measure '99'; known: score, ",
                 [](auto&, auto& o) { o.measure = unknown<pairwise::PairMeasure>(); }),
        pairwise("variant", "UsageError: unknown variant '99'",
                 [](auto&, auto& o) { o.variant = unknown<pairwise::Variant>(); }),
        pairwise("no matrix",
                 "UsageError: the substitution matrix '' has scores of 0 letters; expected those of the 27",
                 [](auto&, auto& o) { o.scoring.matrix = {}; }),
        pairwise("nucleotides' matrix",
                 "UsageError: the substitution matrix IUB is for dna, but the sequences are protein",
                 [](auto&, auto& o) { o.scoring.matrix = namedMatrix("IUB", Alphabet::Dna); }),
        pairwise("asymmetric matrix",
                 "UsageError: the substitution matrix 'BLOSUM62' scores R with A as 7, and A with R as",
                 [](auto&, auto& o) { o.scoring.matrix.scores[1][0] = 7; }),
        pairwise("scores beyond the largest",
                 "UsageError: the substitution matrix 'BLOSUM62' scores A with A as 40000; expected -32000 "
                 "… 32000",
                 [](auto&, auto& o) { o.scoring.matrix.scores[0][0] = 40000; }),
        pairwise("matrix of an unknown alphabet", "UsageError: unknown alphabet '99'",
                 [](auto&, auto& o) { o.scoring.matrix.alphabet = unknown<Alphabet>(); }),
        pairwise("opening", "UsageError: gap penalties are -1 and 1; expected 0 … 32000",
                 [](auto&, auto& o) { o.scoring.gaps.open = -1; }),
        pairwise("extension", "UsageError: gap penalties are 11 and 40000; expected 0 … 32000",
                 [](auto&, auto& o) { o.scoring.gaps.extend = 40000; }),
        pairwise("nothing", "InputError: there are no sequences to align; expected at least one",
                 [](auto& s, auto&) { s = {}; })};
    for (const WrongSequences& wrong : wrongSequences())
        for (const pairwise::PairMethod method :
             {pairwise::PairMethod::Global, pairwise::PairMethod::Local, pairwise::PairMethod::ClustalW})
            calls.push_back(pairwise(fmt::format("{}, {}", toString(method), wrong.what), wrong.refusal,
                                     [spoil = wrong.spoil, method](Sequences& s, auto& o) {
                                         o.scoring.method = method;
                                         spoil(s);
                                     }));
    expectRefused(calls);
}

/// ((0,1),(2,3)).
trees::Tree someTree() {
    trees::Tree tree{.leaves = 4, .nodes = std::vector<trees::TreeNode>(7), .root = 6};
    trees::attach(tree, 4, 0, 1);
    trees::attach(tree, 4, 1, 1);
    trees::attach(tree, 5, 2, 1);
    trees::attach(tree, 5, 3, 1);
    trees::attach(tree, 6, 4, 1);
    trees::attach(tree, 6, 5, 1);
    return tree;
}

trees::Tree spoiled(const std::function<void(trees::Tree&)>& spoil) {
    trees::Tree tree = someTree();
    spoil(tree);
    return tree;
}

constexpr std::array kMethods{align::AlignMethod::Accuracy, align::AlignMethod::ClustalW,
                              align::AlignMethod::Thesis, align::AlignMethod::Fast};

TEST(AlignmentArguments, AlignmentsOfAllMethods) {
    std::vector<WrongBackendCall> calls;
    const auto add = [&](const std::string& what, const std::string& refusal, const SpoilAlignment& spoil) {
        for (const align::AlignMethod method : kMethods)
            calls.push_back(alignment(fmt::format("{}, {}", toString(method), what), refusal,
                                      [spoil, method](Sequences& s, align::AlignOptions& o) {
                                          o.method = method;
                                          spoil(s, o);
                                      }));
    };
    for (const WrongSequences& wrong : wrongSequences())
        add(wrong.what, wrong.refusal, [spoil = wrong.spoil](Sequences& s, auto&) { spoil(s); });
    add("one sequence", "UsageError: an alignment needs at least two sequences",
        [](auto& s, auto&) { s = sequencesOf({"MKV"}, Alphabet::Protein); });
    add("variant", "UsageError: unknown variant '99'",
        [](auto&, auto& o) { o.variant = unknown<pairwise::Variant>(); });
    add("tree method", "UsageError: unknown tree method '99'; known: nj, upgma",
        [](auto&, auto& o) { o.treeMethod = unknown<trees::TreeMethod>(); });
    add("too few distances", "UsageError: the distances are 5; expected 6, one for each pair of 4 sequences",
        [](auto&, auto& o) { o.distances.emplace(5, 0.5); });
    add("too many distances", "UsageError: the distances are 7; expected 6",
        [](auto&, auto& o) { o.distances.emplace(7, 0.5); });
    for (const auto& [name, value] : {std::pair{"nan", kNaN}, {"inf", kInfinity}})
        add(fmt::format("distance {}", name),
            fmt::format("InputError: the distance of sequences 3 and 2 is {}; expected a finite number",
                        name),
            [value = value](auto&, auto& o) {
                o.distances.emplace(6, 0.5);
                (*o.distances)[2] = value;
            });
    add("tree and distances", "UsageError: a guide tree and distances exclude each other",
        [](auto&, auto& o) {
            o.distances.emplace(6, 0.5);
            o.guideTree = someTree();
        });
    add("empty tree", "InputError: the guide tree has 0 leaves; expected one for each of the 4 sequences",
        [](auto&, auto& o) { o.guideTree.emplace(); });
    add("tree of others", "InputError: the guide tree has 3 leaves; expected one for each of the 4 sequences",
        [](auto&, auto& o) { o.guideTree = spoiled([](auto& tree) { tree.leaves = 3; }); });
    const std::vector<std::pair<std::string, std::function<void(trees::Tree&)>>> trees{
        {"the root is node -1 of 7", [](auto& tree) { tree.root = trees::kNoNode; }},
        {"it has 0 nodes; expected more, or as many as its 4 leaves", [](auto& tree) { tree.nodes.clear(); }},
        {"the root has a parent", [](auto& tree) { tree.nodes[6].parent = 4; }},
        {"node 5 has the child 70; expected a number below 7",
         [](auto& tree) { tree.nodes[5].children[1] = 70; }},
        {"node 6 is a child of node 5, and hangs below another one, too",
         [](auto& tree) { tree.nodes[5].children[1] = 6; }},
        {"node 2 is a child of node 5, and hangs below another one, too",
         [](auto& tree) { tree.nodes[5].children[1] = 2; }},
        {"node 5 has 0 children; expected some, as there are 4 leaves",
         [](auto& tree) { tree.nodes[5].children.clear(); }},
        {"node 0 has 1 children; expected none",
         [](auto& tree) {
             tree.nodes[0].children = {3};
             tree.nodes[3].parent = 0;
             tree.nodes[5].children = {2};
         }},
        {"3 of 4 leaves hang below the root", [](auto& tree) { tree.nodes[5].children.pop_back(); }},
    };
    for (const auto& [what, spoil] : trees)
        add(what, "InputError: this is not a tree: " + what,
            [spoil = spoil](auto&, auto& o) { o.guideTree = spoiled(spoil); });
    add("lengths",
        "InputError: the tree: the branch above node 2 has the length nan; expected a finite number",
        [](auto&, auto& o) { o.guideTree = spoiled([](auto& tree) { tree.nodes[2].length = kNaN; }); });
    calls.push_back(alignment("method", "UsageError: unknown method '99'; known: ", [](auto&, auto& o) {
        o.method = unknown<align::AlignMethod>();
    }));
    calls.push_back(alignment("fast with a variant", "UsageError: a variant is not for the method fast",
                              [](auto&, auto& o) {
                                  o.method = align::AlignMethod::Fast;
                                  o.variant = pairwise::Variant::InterPair;
                              }));
    calls.push_back(alignment("fast with a tree method",
                              "UsageError: a tree method is not for the method fast", [](auto&, auto& o) {
                                  o.method = align::AlignMethod::Fast;
                                  o.treeMethod = trees::TreeMethod::Upgma;
                              }));
    calls.push_back(alignment("clustalw that ends with the tree",
                              "UsageError: an end with the tree is not for the method clustalw",
                              [](auto&, auto& o) {
                                  o.method = align::AlignMethod::ClustalW;
                                  o.endsWithTree = true;
                              }));
    expectRefused(calls);
}

WrongBackendCall adding(
    std::string what, std::string refusal,
    std::function<void(MultipleAlignment&, MultipleAlignment&, align::AddOptions&)> spoil) {
    return {"adding, " + what, std::move(refusal), [spoil = std::move(spoil)](Backend& backend) {
                MultipleAlignment base{
                    .alphabet = Alphabet::Protein, .names = {"a", "b"}, .rows = {"MK-VLA", "MKLVLA"}};
                MultipleAlignment added{.alphabet = Alphabet::Protein, .names = {"c"}, .rows = {"MKLA"}};
                align::AddOptions options;
                spoil(base, added, options);
                align::addToAlignment(backend, base, added, options, silentProgress());
            }};
}

TEST(AlignmentArguments, AddingToAlignments) {
    expectRefused(
        {adding("variant", "UsageError: unknown variant '99'",
                [](auto&, auto&, auto& o) { o.variant = unknown<pairwise::Variant>(); }),
         adding("no base", "InputError: the alignment has no rows; expected at least one",
                [](auto& base, auto&, auto&) { base = {}; }),
         adding("nothing", "InputError: the alignment has no rows",
                [](auto&, auto& added, auto&) { added = {}; }),
         adding("lengths", "InputError: row 2 ('b') has 5 columns; expected 6 as in row 1",
                [](auto& base, auto&, auto&) { base.rows[1].pop_back(); }),
         adding("no letters", "InputError: sequence 1 ('a') has no letters; expected at least one",
                [](auto& base, auto&, auto&) { base.rows[0] = "------"; }),
         adding("no residue",
                "InputError: row 1 ('c'), column 2: '#' is neither '-' nor a letter of the alphabet protein",
                [](auto&, auto& added, auto&) { added.rows[0][1] = '#'; }),
         adding("names", "UsageError: the names are 1; expected 2, one for each row",
                [](auto& base, auto&, auto&) { base.names.pop_back(); }),
         adding("order", "UsageError: the order names row 7; expected each of 0 … 1 once",
                [](auto& base, auto&, auto&) {
                    base.order = {0, 7};
                }),
         adding("one name in both", "InputError: sequence 3: the name 'a' is there already",
                [](auto&, auto& added, auto&) { added.names[0] = "a"; }),
         adding("alphabets", "UsageError: the alignment is protein, but what is to be added is dna",
                [](auto&, auto& added, auto&) {
                    added.alphabet = Alphabet::Dna;
                    added.rows[0] = "ACGT";
                })});
}

}  // namespace
}  // namespace glycine::test
