#include "engine/alignment/clustal/progressive.hpp"

#include "engine/alignment/clustal/profile_alignment.hpp"
#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/io/trees/newick_reader.hpp"
#include "engine/trees/newick.hpp"
#include "engine/trees/rooting.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::align::clustalw {
namespace {

std::vector<std::uint8_t> codesOf(const std::string& letters) {
    std::vector<std::uint8_t> codes;
    for (const char letter : letters) codes.push_back(codeOf(Alphabet::Protein, letter));
    return codes;
}

std::string lettersOfRow(const std::vector<std::uint8_t>& row) {
    std::string letters;
    for (const std::uint8_t code : row)
        letters += code == kGapCode ? '-' : lettersOf(Alphabet::Protein)[code];
    return letters;
}

struct OwnedGroup {
    explicit OwnedGroup(const std::vector<std::string>& letters) {
        for (const std::string& row : letters) rows.push_back(codesOf(row));
        for (const auto& row : rows) {
            group.rows.push_back(&row);
            group.weights.push_back(1);
        }
    }
    Rows rows;
    Group group;
};

Profile penalties(const std::vector<std::string>& rows, bool isProtein = true) {
    const OwnedGroup owned(rows);
    Profile profile = frequencyProfile(owned.group);
    setPenalties(profile, owned.group, {1000, 20, isProtein});
    return profile;
}

TEST(ClustalwProfile, ResiduesDecideWhatOpeningAGapCosts) {
    // A 113, W 123, N 63, C 113, each less 20; the last column is an end.
    const Profile profile = penalties({"AWNC"});
    EXPECT_EQ(profile.open, (std::vector<int>{0, 930, 1030, 430, 0}));
    EXPECT_EQ(profile.extend, (std::vector<int>{0, 20, 20, 20, 0}));
}

TEST(ClustalwProfile, HydrophilicRunsOfFourHalveIt) {
    const Profile profile = penalties({"WGPSNWGPSW"});
    EXPECT_EQ(profile.open, (std::vector<int>{0, 1030, 500, 500, 500, 500, 1030, 410, 540, 560, 0}));
}

TEST(ClustalwProfile, GapsLowerItAndTheirNeighboursRaiseIt) {
    // W has factor 1.03. Four columns to the right of a gap and three to its left are near it: 3.5, 3, 2.5
    // and 2 times the cost.
    const Profile profile = penalties({"WWWWWW-WWWWWWW", "WWWWWWWWWWWWWW"});
    EXPECT_EQ(profile.open, (std::vector<int>{0, 1030, 1030, 1030, 2575, 3090, 3605, 500, 3605, 3090, 2575,
                                              2060, 1030, 1030, 0}));
    EXPECT_EQ(profile.extend[7], 10);
}

TEST(ClustalwProfile, BetweenTwoGapsTheNextOneCounts) {
    // The three columns between the gaps are 3, 2 and 1 columns away from the second gap, which counts
    // although the first gap is nearer to the first of them.
    const Profile profile = penalties({"WW-WWW-WWWWW", "WWWWWWWWWWWW"});
    EXPECT_EQ(profile.open,
              (std::vector<int>{0, 3090, 3605, 500, 2575, 3090, 3605, 500, 3605, 3090, 2575, 2060, 0}));
    // With four columns between the gaps, only the first gap is near the first of them.
    EXPECT_EQ(penalties({"WW-WWWW-WWWW", "WWWWWWWWWWWW"}).open[4], 3605);
}

TEST(ClustalwProfile, NearGapsNucleotidesCostTheUsual) {
    EXPECT_EQ(penalties({"AAA-AAA", "AAAAAAA"}, false).open,
              (std::vector<int>{0, 1000, 1000, 1000, 500, 1000, 1000, 0}));
}

TEST(ClustalwProfile, ARunCountsFromOneRowOfAHundredOn) {
    std::vector<std::string> rows(99, "WWWWWW");
    rows.push_back("WGPSNW");
    EXPECT_EQ(penalties(rows).open[2], 500);
    rows.push_back("WWWWWW");
    // The mean over 101 rows: 100 times 1.03, and glycine's 0.41.
    EXPECT_EQ(penalties(rows).open[2], 1020);
}

TEST(ClustalwProfile, GapsAtTheEndsOfRowsAreNone) {
    // A missing residue has factor 0: half of 1.03, in whole hundredths.
    const Profile profile = penalties({"--WW", "WWWW"});
    EXPECT_EQ(profile.open, (std::vector<int>{0, 510, 510, 1030, 0}));
    EXPECT_EQ(penalties({"--WW", "WWWW"}, false).open, (std::vector<int>{0, 1000, 1000, 1000, 0}));
}

TEST(ClustalwProfile, ValuesAreWeightedMeansAndTenths) {
    OwnedGroup owned({"AR", "A-", "RR"});
    owned.group.weights = {1, 1, 5};
    const Profile frequencies = frequencyProfile(owned.group);
    EXPECT_EQ(frequencies.column(1)[codeOf(Alphabet::Protein, 'A')], 2);  // 20 / 7
    EXPECT_EQ(frequencies.column(1)[codeOf(Alphabet::Protein, 'R')], 7);
    const SubstitutionMatrix& matrix = namedMatrix("GONNET250", Alphabet::Protein);
    const auto score = [&](char a, char b) {
        return matrix.score(codeOf(Alphabet::Protein, a), codeOf(Alphabet::Protein, b));
    };
    const Profile scores = scoreProfile(owned.group, matrix);
    EXPECT_EQ(scores.column(1)[codeOf(Alphabet::Protein, 'A')],
              (2 * score('A', 'A') + 5 * score('A', 'R')) / 7);
    // The gap is at the end of its row.
    EXPECT_EQ(scores.column(2)[codeOf(Alphabet::Protein, 'R')], 6 * score('R', 'R') / 7);
}

/// The best score by the whole matrix, with three values per cell.
int bestScore(const Profile& a, const Profile& b) {
    constexpr int kNever = std::numeric_limits<int>::min() / 2;
    struct Cell {
        int any = kNever, first = kNever, second = kNever;
    };
    std::vector<std::vector<Cell>> cells(a.size + 1, std::vector<Cell>(b.size + 1));
    const auto open = [&](std::size_t i, std::size_t j) { return a.open[i] + b.open[j]; };
    for (std::size_t i = 0; i <= a.size; ++i)
        for (std::size_t j = 0; j <= b.size; ++j) {
            Cell& cell = cells[i][j];
            if (i == 0 && j == 0) cell.any = 0;
            if (i > 0) {
                const bool isFree = j == 0 || j == b.size;
                const Cell& above = cells[i - 1][j];
                cell.first =
                    std::max(above.any - (isFree ? 0 : open(i, j)), above.first) - (isFree ? 0 : a.extend[i]);
            }
            if (j > 0) {
                const bool isFree = i == 0 || i == a.size;
                const Cell& before = cells[i][j - 1];
                cell.second = std::max(before.any - (isFree ? 0 : open(i, j)), before.second) -
                              (isFree ? 0 : b.extend[j]);
            }
            if (i > 0 && j > 0) {
                int sum = 0;
                for (std::size_t code = 0; code < kMaxCodes; ++code)
                    sum += a.column(i)[code] * b.column(j)[code];
                cell.any = cells[i - 1][j - 1].any + sum / 10;
            }
            cell.any = std::max({cell.any, cell.first, cell.second});
        }
    return cells[a.size][b.size].any;
}

TEST(ClustalwProfile, DivisionFindsTheBestScore) {
    RandomSequence random(5);
    const SubstitutionMatrix& matrix = namedMatrix("GONNET250", Alphabet::Protein);
    for (int round = 0; round < 200; ++round) {
        const auto some = [&](std::size_t most) {
            std::string letters;
            for (std::size_t length = 1 + random.below(most); length > 0; --length)
                letters += lettersOf(Alphabet::Protein)[random.below(20)];
            return letters;
        };
        const std::string row = some(30);
        std::string other = row;
        for (char& letter : other)
            if (random.below(5) == 0) letter = letter == row.front() ? '-' : row.front();
        other.front() = other.back() = 'W';
        const OwnedGroup first({row, other});
        const OwnedGroup second({some(30)});
        Profile a = scoreProfile(first.group, matrix);
        Profile b = frequencyProfile(second.group);
        setPenalties(a, first.group, {80, 5, true});
        setPenalties(b, second.group, {80, 5, true});
        const ProfileAlignment found = alignProfiles(a, b);
        ASSERT_EQ(found.score, bestScore(a, b)) << row << ' ' << other;
        const auto count = [&](Step step) {
            return static_cast<std::size_t>(std::ranges::count(found.steps, step));
        };
        ASSERT_EQ(count(Step::Both) + count(Step::First), a.size);
        ASSERT_EQ(count(Step::Both) + count(Step::Second), b.size);
    }
}

trees::Tree treeOfText(const std::string& text, const std::vector<std::string>& names) {
    const io::NamedTree read = io::readNewick(*test::streamOf(text, "guide.dnd"));
    // Leaves in the order of the sequences.
    trees::Tree tree = read.tree;
    std::vector<std::size_t> numbers(tree.nodes.size());
    for (std::size_t node = 0; node < numbers.size(); ++node)
        numbers[node] =
            node < tree.leaves
                ? static_cast<std::size_t>(std::ranges::find(names, read.labels[node]) - names.begin())
                : node;
    for (std::size_t node = 0; node < numbers.size(); ++node) {
        trees::TreeNode& target = tree.nodes[numbers[node]];
        target = read.tree.nodes[node];
        if (target.parent != trees::kNoNode) target.parent = numbers[target.parent];
        for (std::size_t& child : target.children) child = numbers[child];
    }
    return tree;
}

TEST(ClustalwProgressive, WeightsShareBranches) {
    // a: 0.1 + 0.2 / 2 = 0.2, b: 0.3 + 0.1 = 0.4, c: 0.4; 20, 40 and 40 of 100.
    const std::vector<std::string> names{"a", "b", "c"};
    EXPECT_EQ(sequenceWeights(treeOfText("((a:0.1001,b:0.3001):0.2,c:0.4001);", names)),
              (std::vector<int>{200, 400, 400}));
    EXPECT_EQ(sequenceWeights(treeOfText("((a:0,b:0):0,c:0);", names)), (std::vector<int>{1, 1, 1}));
}

TEST(ClustalText, ColumnsSayWhatTheyConserve) {
    const std::vector<std::string> names{"a", "longer"};
    const std::vector<std::string> rows{"ASC-W" + std::string(56, 'K'), "ATAGK" + std::string(56, 'K')};
    EXPECT_EQ(clustalText(Alphabet::Protein, names, rows),
              "CLUSTAL 2.1 multiple sequence alignment\n\n\n"
              "a               ASC-W" +
                  std::string(55, 'K') + "\nlonger          ATAGK" + std::string(55, 'K') +
                  "\n                *:.  " + std::string(55, '*') +
                  "\n\na               K\nlonger          K\n                *\n");
}

// As Debian's clustalw writes names of 20 and 21 letters; it would cut a name of 31 letters.
TEST(ClustalText, RowsAreShorterAfterLongNames) {
    const auto firstRow = [](std::size_t letters) {
        const std::vector<std::string> names{"a", std::string(letters, 'b')}, rows(2, std::string(61, 'K'));
        const std::string text = clustalText(Alphabet::Protein, names, rows);
        const std::size_t begin = text.find("\na ") + 1;
        return text.substr(begin, text.find('\n', begin) - begin);
    };
    EXPECT_EQ(firstRow(20), "a" + std::string(25, ' ') + std::string(60, 'K'));
    EXPECT_EQ(firstRow(21), "a" + std::string(26, ' ') + std::string(50, 'K'));
    EXPECT_EQ(firstRow(31), "a" + std::string(36, ' ') + std::string(50, 'K'));
}

/// A random amino acid or nucleotide.
char randomLetter(Alphabet alphabet, RandomSequence& random) {
    return alphabet == Alphabet::Protein ? lettersOf(alphabet)[random.below(20)] : "ACGT"[random.below(4)];
}

/// A family: one random sequence, mutated along a tree.
std::vector<std::string> simulatedFamily(std::size_t count, std::size_t length, double change,
                                         std::uint64_t seed, Alphabet alphabet = Alphabet::Protein) {
    RandomSequence random(seed);
    std::vector<std::string> family(1);
    for (std::size_t k = 0; k < length; ++k) family[0] += randomLetter(alphabet, random);
    while (family.size() < count) {
        std::string child;
        for (const char letter : family[random.below(family.size())]) {
            const double chance = random.uniform();
            if (chance < change * 0.03) continue;
            if (chance < change * 0.06)
                for (std::size_t more = 1 + random.below(6); more > 0; --more)
                    child += randomLetter(alphabet, random);
            child += random.uniform() < change ? randomLetter(alphabet, random) : letter;
        }
        family.push_back(child);
    }
    return family;
}

TEST(ClustalwProgressive, LosesAndReordersNoResidue) {
    for (const double change : {0.1, 0.4, 0.9}) {
        const std::vector<std::string> family = simulatedFamily(9, 60, change, 3);
        const Sequences sequences = sequencesOf(family, Alphabet::Protein);
        const std::vector<std::string> names{"a", "b", "c", "d", "e", "f", "g", "h", "i"};
        const std::string text = change < 0.5 ? "(((a:0.1,b:0.2):0.1,(c:0.1,d:0.3):0.05):0.1,((e:0.1,f:0.1):"
                                                "0.2,g:0.5):0.1,(h:0.1,i:0.1):0.1);"
                                              : "(a:0.5,b:0.5,(c:0.5,(d:0.6,(e:0.5,(f:0.5,(g:0.5,(h:0.5,i:0."
                                                "6):0.1):0.1):0.1):0.1):0.1):0.1);";
        const trees::Tree rooted = trees::rootAtMeanDistance(treeOfText(text, names));
        const ProgressiveAlignment found = alignProgressively(
            sequences, rooted, defaultOptions(Alphabet::Protein), nullptr, silentProgress());
        for (std::size_t k = 0; k < family.size(); ++k) {
            std::string letters = lettersOfRow(found.rows[k]);
            EXPECT_EQ(letters.size(), found.rows[0].size());
            std::erase(letters, '-');
            EXPECT_EQ(letters, family[k]);
        }
        std::vector<std::size_t> order = found.order;
        std::ranges::sort(order);
        for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], k);
    }
}

std::string textOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Sameness {
    bool ofTree = false;
    bool ofAlignment = false;
};

/// Whether both files equal clustalw's, byte for byte. The family and the results are written to `folder`.
Sameness comparedWithProgram(const std::vector<std::string>& family, const std::filesystem::path& folder,
                             Alphabet alphabet = Alphabet::Protein) {
    const std::filesystem::path input = folder / "family.fa";
    std::vector<std::string> names;
    {
        std::ofstream file(input);
        for (std::size_t k = 0; k < family.size(); ++k) {
            names.push_back("s" + std::to_string(k));
            file << '>' << names[k] << '\n' << family[k] << '\n';
        }
    }
    EXPECT_EQ(std::system(("clustalw -ALIGN -INFILE=" + input.string() + " > /dev/null 2>&1").c_str()), 0);
    HostBackend backend("cpu", 1);
    const MultipleAlignment found = computeAlignment(backend, sequencesOf(family, alphabet),
                                                     {.method = AlignMethod::ClustalW}, silentProgress())
                                        .alignment;
    std::vector<std::string> orderedNames, rows;
    for (const std::size_t k : found.order) {
        orderedNames.push_back(names[k]);
        rows.push_back(found.rows[k]);
    }
    return {newickTree(found.guideTree, names, trees::NewickForm::ClustalW) + '\n' ==
                textOf(folder / "family.dnd"),
            clustalText(alphabet, orderedNames, rows) == textOf(folder / "family.aln")};
}

bool isProgramThere() {
    return std::system("command -v clustalw > /dev/null 2>&1") == 0;
}

TEST(ClustalwProgressive, AlignsAsClustalW) {
    if (!isProgramThere()) GTEST_SKIP() << "clustalw is not installed";
    const TemporaryFolder folder;
    for (const double change : {0.15, 0.25, 0.35, 0.5})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Sameness is = comparedWithProgram(simulatedFamily(8, 150, change, seed), folder.path());
            EXPECT_TRUE(is.ofTree) << change << ", seed " << seed;
            EXPECT_TRUE(is.ofAlignment) << change << ", seed " << seed;
        }
}

TEST(ClustalwProgressive, AlignsNucleotidesAsClustalW) {
    if (!isProgramThere()) GTEST_SKIP() << "clustalw is not installed";
    const TemporaryFolder folder;
    for (const double change : {0.1, 0.25, 0.4})
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            const Sameness is = comparedWithProgram(simulatedFamily(9, 160, change, seed, Alphabet::Dna),
                                                    folder.path(), Alphabet::Dna);
            EXPECT_TRUE(is.ofTree) << change << ", seed " << seed;
            EXPECT_TRUE(is.ofAlignment) << change << ", seed " << seed;
        }
}

TEST(ClustalwProgressive, SettlesTiesAsClustalW) {
    if (!isProgramThere()) GTEST_SKIP() << "clustalw is not installed";
    const TemporaryFolder folder;
    // Sequences of three kinds, some of which may be equal: many distances are equal, many of them 0.
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        RandomSequence random(seed);
        const std::string base = simulatedFamily(1, 30, 0, seed).front();
        std::vector<std::string> kinds{base, base, base};
        for (std::size_t kind = 1; kind < kinds.size(); ++kind)
            for (std::size_t change = random.below(3) * 3; change > 0; --change)
                kinds[kind][random.below(base.size())] = lettersOf(Alphabet::Protein)[random.below(20)];
        std::vector<std::string> family;
        for (std::size_t k = 3 + seed % 5; k > 0; --k) family.push_back(kinds[random.below(kinds.size())]);
        const Sameness is = comparedWithProgram(family, folder.path());
        EXPECT_TRUE(is.ofTree) << seed;
        EXPECT_TRUE(is.ofAlignment) << seed;
    }
}

}  // namespace
}  // namespace glycine::align::clustalw
