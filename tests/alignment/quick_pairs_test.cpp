#include "engine/alignment/clustal/quick_pairs.hpp"

#include <fmt/format.h>

#include "tests/test.hpp"

namespace glycine::align::clustalw {
namespace {

struct Family {
    const char* what;
    Alphabet alphabet;
    std::vector<std::string> letters;
    /// Scores that ClustalW 2.1 prints with -quicktree, (2:1), (3:1), (3:2), …; 0 stands for "Not Aligned".
    std::vector<std::string> scores;
};

TEST(QuickPairs, AreThoseOfClustalW) {
    const Family families[] = {
        {"proteins with B and X",
         Alphabet::Protein,
         {"LVDVTWHITAELAEHLPDDCBDAYGIARDVTFPQAWAPWHT", "FKYLDWHNRWYWPFILHXVPYPCGKPYTTDSCHIHAQGTHN",
          "RVRRTCHLSXDEDVCDVCYPBQYSTDWDXKYAWWHTY", "AERYRTAFHGTRYIBXLFDWCFPCRYGSHTTCMCHICYKMWFHK"},
         {"12.1951", "18.9189", "13.5135", "12.1951", "17.0732", "16.2162"}},
        {"more tuples than chains that are kept, and diagonals of equal counts",
         Alphabet::Protein,
         {"AAACACAAAACAACAAACCACAAACCAC", "AAAACCACAACACCCACAAACCACAACCAAC", "CACCACACAAAACCCAAAACCCCAACCAC",
          "AACACAAAAAACCAAACAACCAAACAAAC"},
         {"35.7143", "42.8571", "44.8276", "39.2857", "31.0345", "48.2759"}},
        {"nucleotides with N",
         Alphabet::Dna,
         {"AGAGAAGTTTGTGAACCNCTGTCGGAGATCGGNACCGTCTCT", "ATAGAGCTTTTGTGCATCACTTGGTNCAAGATTNGGAGTAGNTNC",
          "GACTAAGGTANATCGAGCATGCGGCCANGAGCGNNACTCGNGCTC", "GTTAAGTGTNGTTGAANTTGAACAAGANNAAGCTCCGTGTC"},
         {"23.8095", "23.8095", "17.7778", "24.3902", "19.5122", "21.9512"}},
        {"few nucleotides",
         Alphabet::Dna,
         {"AACCACCACCACAACCCAAAAACACAACCCCAAACAAAAAC", "AACCCAAACAACACCCAAACCCACCCCAACACCAACACAACA",
          "ACACACCCAAAACCAAACACAACCCCCCCCAACCCACAA"},
         {"56.0976", "53.8462", "56.4103"}},
        {"letters as few as a tuple", Alphabet::Protein, {"M", "MK", "WWWW"}, {"100", "0", "0"}},
        {"shorter than a tuple", Alphabet::Dna, {"A", "AC", "ACAC"}, {"0", "0", "100"}},
        {"one sequence", Alphabet::Protein, {"MK"}, {}},
    };
    Progress progress;
    for (const Family& family : families) {
        Sequences sequences;
        sequences.alphabet = family.alphabet;
        for (const std::string& letters : family.letters)
            sequences.add(fmt::format("s{}", sequences.size()), letters);
        std::vector<std::string> scores;
        for (const double distance : quickDistances(sequences, quickRules(family.alphabet), progress))
            scores.push_back(fmt::format("{:.6g}", 100 - 100 * distance));
        EXPECT_EQ(scores, family.scores) << family.what;
    }
}

}  // namespace
}  // namespace glycine::align::clustalw
