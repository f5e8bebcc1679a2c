#include "engine/crossapen/groups/group_comparison.hpp"

#include <zlib.h>

#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/json.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

// --- the table ---

const std::vector<fs::path> kFiles{"data/a.edf", "data/b.edf", "c.csv.gz"};

GroupTable tableOf(const std::string& text, const std::vector<fs::path>& files = kFiles) {
    const TemporaryFolder folder;
    writeFile(folder / "groups.csv", text);
    return readGroupTable(folder / "groups.csv", files);
}

std::string tableError(const std::string& text, const std::vector<fs::path>& files = kFiles) {
    return messageOf<InputError>([&] { tableOf(text, files); });
}

TEST(GroupTable, FilesByPathNameAndStem) {
    const GroupTable table = tableOf("data/a.edf,old\nb.edf,young\nc,old\n");
    EXPECT_THAT(table.groups, ElementsAre("old", "young"));
    EXPECT_THAT(table.groupOf, ElementsAre(0, 1, 0));
    EXPECT_THAT(tableOf("./data/../data/a.edf;old\nb;young\nc.csv.gz;young\n").groupOf, ElementsAre(0, 1, 1));
}

TEST(GroupTable, PathsFromTheFolderOfTheTable) {
    const TemporaryFolder folder;
    writeFile(folder / "groups.csv", "x/rec.edf,1\ny/rec.edf,2\n");
    const GroupTable table =
        readGroupTable(folder / "groups.csv", {folder / "y/rec.edf", folder / "x/rec.edf"});
    EXPECT_THAT(table.groups, ElementsAre("1", "2"));
    EXPECT_THAT(table.groupOf, ElementsAre(1, 0));
}

TEST(GroupTable, AHeaderNamesTheColumns) {
    const GroupTable table = tableOf("Group\tAge\tFile\nold\t80\ta\nyoung\t8\tb\nyoung\t9\tc\n");
    EXPECT_THAT(table.groups, ElementsAre("old", "young"));
    EXPECT_THAT(table.groupOf, ElementsAre(0, 1, 1));
}

TEST(GroupTable, SubjectsAreThoseOfAHeader) {
    EXPECT_THAT(tableOf("a.edf,subject\nb.edf,young\nc,young\n").subjectOf, IsEmpty());
    EXPECT_THAT(tableOf("file,group,subject\na,old,x\nb,young,x\nc,old,y\n").subjectOf,
                ElementsAre("x", "x", "y"));
    EXPECT_THAT(tableError("file,group,subject\na,old,x\na,old,z\nb,young,x\nc,old,y\n"),
                HasSubstr("line 3: data/a.edf is of the subject 'z', but of 'x' by line 2"));
}

TEST(GroupTable, QuotesBlanksAndLineEnds) {
    const GroupTable table =
        tableOf("\xef\xbb\xbf\"a.edf\" , \"old, healthy\"\r\n\r\nb.edf, young\r\nc.csv.gz,young");
    EXPECT_THAT(table.groups, ElementsAre("old, healthy", "young"));
}

TEST(GroupTable, NamesThatFitNoFileAreIgnored) {
    const GroupTable table = tableOf("z.edf,absent\na,old\nb,young\nc,old\nq,young\n");
    EXPECT_THAT(table.groups, ElementsAre("old", "young"));
    EXPECT_THAT(table.groupOf, ElementsAre(0, 1, 0));
}

TEST(GroupTable, PackedByGzip) {
    const TemporaryFolder folder;
    const fs::path path = folder / "groups.csv.gz";
    gzFile file = gzopen(path.c_str(), "wb");
    gzputs(file, "a,old\nb,young\nc,old\n");
    gzclose(file);
    EXPECT_THAT(readGroupTable(path, kFiles).groupOf, ElementsAre(0, 1, 0));
}

TEST(GroupTable, TheSameTwiceIsNoContradiction) {
    EXPECT_THAT(tableOf("a,old\na.edf,old\nb,young\nc,old\n").groupOf, ElementsAre(0, 1, 0));
}

TEST(GroupTable, Refusals) {
    EXPECT_THAT(tableError("a,old\nb,young\n"),
                AllOf(HasSubstr("groups.csv: names no group for c.csv.gz"), HasSubstr("'c.csv.gz'")));
    EXPECT_THAT(tableError("a,old\nb,young\nc,old\na.edf,young\n"),
                HasSubstr("line 4: data/a.edf belongs to the group 'young', but to 'old' by line 1"));
    EXPECT_THAT(tableError("rec,1\n", {"x/rec.edf", "y/rec.edf"}),
                HasSubstr("line 1: 'rec' fits several files, x/rec.edf and y/rec.edf"));
    EXPECT_THAT(tableError("a,old\nb,old\nc,old\n"), HasSubstr("all files belong to the group 'old'"));
    EXPECT_THAT(tableError("a,old,1\n"), HasSubstr("line 1: has 3 fields; expected two, file and group"));
    EXPECT_THAT(tableError("a,old\nb\n"), HasSubstr("line 2: has 1 fields; expected 2"));
    EXPECT_THAT(tableError("a,old\nb,\n"), HasSubstr("line 2: has no group"));
    EXPECT_THAT(tableError("a,old\n,young\n"), HasSubstr("line 2: has no file"));
    EXPECT_THAT(tableError("a,\xff\n"), HasSubstr("line 1: the name of the group is not UTF-8"));
    EXPECT_THAT(tableError("a,\"old\nb,young\n"), HasSubstr("quotes do not pair"));
    EXPECT_THAT(tableError(""), HasSubstr("groups.csv"));
    EXPECT_THAT(messageOf<InputError>([] { readGroupTable("/nowhere/groups.csv", kFiles); }),
                HasSubstr("/nowhere/groups.csv"));
}

// --- the comparison ---

SubjectEntropies subjectOf(std::string name, std::vector<std::string> channels, Matrix<double> mean) {
    SubjectEntropies subject;
    subject.name = std::move(name);
    subject.channels = std::move(channels);
    EntropyMatrix& quantity = subject.quantities.emplace_back();
    quantity.name = "crossapen_max";
    quantity.label = "Cross-ApEn, bias max";
    quantity.mean = std::move(mean);
    return subject;
}

Matrix<double> meansOf(std::size_t rows, std::size_t columns, const std::vector<double>& values) {
    Matrix<double> matrix(rows, columns);
    std::copy(values.begin(), values.end(), matrix.data());
    return matrix;
}

/// Five subjects with two channels, in groups of 2 and 3. Only pair (0, 1) separates the groups.
std::vector<SubjectEntropies> fiveSubjects() {
    std::vector<SubjectEntropies> subjects;
    const double other[] = {0.5, 0.1, 0.4, 0.2, 0.3};
    for (int k = 0; k < 5; ++k)
        subjects.push_back(subjectOf("s" + std::to_string(k), {"A", "B"},
                                     meansOf(2, 2, {0.5, 1.0 + k, other[k], k == 4 ? kNaN : other[k]})));
    return subjects;
}

GroupTable twoGroups() {
    return {{"young", "old"}, {0, 0, 1, 1, 1}};
}

TEST(GroupComparison, TwoGroupsByHand) {
    const GroupComparison comparison = compareGroups(fiveSubjects(), twoGroups(), 0.25);
    EXPECT_THAT(comparison.groups, ElementsAre("young", "old"));
    EXPECT_THAT(comparison.sizes, ElementsAre(2, 3));
    EXPECT_EQ(comparison.means[0](0, 1), 1.5);
    EXPECT_EQ(comparison.means[1](0, 1), 4);
    EXPECT_DOUBLE_EQ(comparison.means[1](1, 1), 0.3);  // without the NaN

    // With only two groups, Kruskal-Wallis over all groups would repeat the test of the pair of groups.
    ASSERT_EQ(comparison.tests.size(), 2);
    const PairwiseTest& ranks = comparison.tests[0];
    EXPECT_EQ(ranks.name, "young vs old");
    EXPECT_EQ(ranks.test, "Kruskal-Wallis");
    // Ranks 1, 2 and 3, 4, 5: H = 12 / 30 (9/2 + 144/3) − 18 = 3.
    EXPECT_NEAR(ranks.statistic(0, 1), 3, 1e-12);
    EXPECT_NEAR(ranks.p(0, 1), std::erfc(std::sqrt(1.5)), 1e-14);
    const PairwiseTest& test = comparison.tests[1];
    EXPECT_EQ(test.test, "Mann-Whitney");
    EXPECT_EQ(test.statistic(0, 1), 0);
    EXPECT_NEAR(test.p(0, 1), 0.2, 1e-15);
    // (0, 0) is 0.5 for all, so it has no p. (1, 0): 0.5, 0.1 and 0.4, 0.2, 0.3. (1, 1): 0.5, 0.1 and
    // 0.4, 0.2.
    EXPECT_TRUE(std::isnan(test.p(0, 0)));
    EXPECT_TRUE(std::isnan(test.q(0, 0)));
    EXPECT_EQ(test.p(1, 0), 1);
    EXPECT_EQ(test.p(1, 1), 1);
    EXPECT_EQ(test.elements, 3);
    EXPECT_NEAR(test.q(0, 1), 0.6, 1e-15);
    EXPECT_NEAR(test.shareBelow, 1.0 / 3, 1e-15);
    EXPECT_EQ(test.shareBelowCorrected, 0);
}

TEST(GroupComparison, ThreeGroups) {
    const GroupComparison comparison =
        compareGroups(fiveSubjects(), {{"a", "b", "c"}, {0, 0, 1, 2, 2}}, 0.01);
    std::vector<std::string> names;
    for (const PairwiseTest& test : comparison.tests) names.push_back(test.test + ": " + test.name);
    EXPECT_THAT(names, ElementsAre("Kruskal-Wallis: all groups", "Kruskal-Wallis: a vs b",
                                   "Mann-Whitney: a vs b", "Kruskal-Wallis: a vs c", "Mann-Whitney: a vs c",
                                   "Kruskal-Wallis: b vs c", "Mann-Whitney: b vs c"));
    EXPECT_THAT(comparison.tests[3].groups, ElementsAre(0, 2));
    // Ranks 1, 2 | 3 | 4, 5 with two degrees of freedom: H = 12 / 30 (9/2 + 9 + 81/2) − 18 = 3.6.
    EXPECT_NEAR(comparison.tests[0].statistic(0, 1), 3.6, 1e-12);
    EXPECT_NEAR(comparison.tests[0].p(0, 1), std::exp(-1.8), 1e-14);
    // One of the groups has a single subject.
    EXPECT_NEAR(comparison.tests[2].p(0, 1), 2.0 / 3, 1e-15);
}

TEST(GroupComparison, SymmetricQuantitiesCountAPairOnce) {
    std::vector<SubjectEntropies> subjects;
    for (int k = 0; k < 6; ++k) {
        const double value = k + 1;
        const double noise = (k * 5) % 6;
        subjects.push_back(subjectOf("s", {"A", "B"}, meansOf(2, 2, {noise, value, value, -noise})));
        subjects.back().quantities.front().isSymmetric = true;
    }
    const GroupTable table{{"x", "y"}, {0, 0, 0, 1, 1, 1}};
    const GroupComparison comparison = compareGroups(subjects, table, 0.15);
    const PairwiseTest& test = comparison.tests[1];
    EXPECT_TRUE(comparison.isSymmetric);
    EXPECT_EQ(test.elements, 3);
    EXPECT_NEAR(test.p(0, 1), 0.1, 1e-15);
    EXPECT_EQ(test.p(1, 0), test.p(0, 1));
    EXPECT_EQ(test.statistic(1, 0), test.statistic(0, 1));
    EXPECT_NEAR(test.q(0, 1), 0.3, 1e-15);
    EXPECT_EQ(test.q(1, 0), test.q(0, 1));
    EXPECT_NEAR(test.shareBelow, 1.0 / 3, 1e-15);
}

TEST(GroupComparison, ChannelsInAnotherOrder) {
    std::vector<SubjectEntropies> subjects = fiveSubjects();
    const GroupComparison expected = compareGroups(subjects, twoGroups(), 0.01);
    SubjectEntropies& moved = subjects[3];
    const Matrix<double>& mean = moved.quantities.front().mean;
    moved.channels = {"B", "A"};
    moved.quantities.front().mean = meansOf(2, 2, {mean(1, 1), mean(1, 0), mean(0, 1), mean(0, 0)});
    const GroupComparison comparison = compareGroups(subjects, twoGroups(), 0.01);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(comparison.means[1](i, j), expected.means[1](i, j));
}

TEST(GroupComparison, MatchingChannels) {
    const std::vector<std::string> channels{"A", "B", "C"};
    const std::vector<std::string> moved{"C", "A", "B"};
    EXPECT_THAT(matchChannels({"a.edf", channels}, {"b.edf", moved}), ElementsAre(1, 2, 0));
    EXPECT_THAT(messageOf<InputError>([&] {
                    matchChannels({"a.edf", channels}, {"b.edf", std::span(moved).first(2)});
                }),
                StartsWith("b.edf: has no channel 'B', which a.edf has"));
}

TEST(GroupComparison, SingleChannels) {
    std::vector<SubjectEntropies> subjects;
    for (int k = 0; k < 5; ++k)
        subjects.push_back(subjectOf("s", {"A", "B"}, meansOf(2, 1, {1.0 + k, 2.0 - k % 2})));
    subjects[1].channels = {"B", "A"};
    subjects[1].quantities.front().mean = meansOf(2, 1, {1, 2});
    const GroupComparison comparison = compareGroups(subjects, twoGroups(), 0.01);
    EXPECT_EQ(comparison.means[0].columns(), 1);
    EXPECT_EQ(comparison.means[0](0, 0), 1.5);
    EXPECT_EQ(comparison.tests[1].elements, 2);
    EXPECT_NEAR(comparison.tests[1].p(0, 0), 0.2, 1e-15);
}

TEST(GroupComparison, Refusals) {
    std::vector<SubjectEntropies> subjects = fiveSubjects();
    subjects[2].channels[1] = "C";
    EXPECT_THAT(messageOf<InputError>([&] { compareGroups(subjects, twoGroups(), 0.01); }),
                StartsWith("s2: has no channel 'B', which s0 has"));
    subjects = fiveSubjects();
    subjects[4] = subjectOf("s4", {"A", "B", "C"}, Matrix<double>(3, 3, 0.0));
    EXPECT_THAT(messageOf<InputError>([&] { compareGroups(subjects, twoGroups(), 0.01); }),
                StartsWith("s4: has the channel 'C', which s0 lacks"));
    subjects = fiveSubjects();
    EXPECT_THAT(messageOf<UsageError>([&] {
                    compareGroups(subjects, {{"a", "b", "c"}, {0, 0, 1, 1, 1}}, 0.01);
                }),
                HasSubstr("the group 'c' has no subject"));
    EXPECT_THAT(messageOf<UsageError>([&] {
                    compareGroups(subjects, {{"a"}, {0, 0, 0, 0, 0}}, 0.01);
                }),
                HasSubstr("needs at least two groups"));
    EXPECT_THAT(messageOf<UsageError>([&] {
                    compareGroups(subjects, {{"a", "b"}, {0, 1}}, 0.01);
                }),
                HasSubstr("5 subjects"));
    EXPECT_THAT(messageOf<UsageError>([&] { compareGroups(subjects, twoGroups(), 1.5); }),
                HasSubstr("alpha is 1.5"));
}

/// 30 subjects of 148 channels in three groups, as in the study.
TEST(GroupComparison, WithoutDifferencesFewPairsAreBelowAlpha) {
    RandomSequence random(7);
    std::vector<SubjectEntropies> subjects;
    GroupTable table{{"children", "adults", "elderly"}, {}};
    std::vector<std::string> channels;
    for (int k = 0; k < 148; ++k) channels.push_back("A" + std::to_string(k + 1));
    for (std::size_t k = 0; k < 30; ++k) {
        Matrix<double> mean(148, 148);
        for (std::size_t e = 0; e < mean.size(); ++e) mean.data()[e] = random.uniform();
        subjects.push_back(subjectOf("s", channels, std::move(mean)));
        table.groupOf.push_back(k % 3);
    }
    const GroupComparison comparison = compareGroups(subjects, table, 0.01);
    for (const PairwiseTest& test : comparison.tests) {
        EXPECT_EQ(test.elements, 148 * 148);
        EXPECT_GT(test.shareBelow, 0.005) << test.name;
        EXPECT_LT(test.shareBelow, 0.012) << test.name;
        EXPECT_EQ(test.shareBelowCorrected, 0) << test.name;
    }
}

// --- clusters ---

/// Four channels that form two pairs of neighbours. The first pair differs between the groups.
std::vector<SubjectEntropies> clusteredSubjects() {
    std::vector<SubjectEntropies> subjects;
    const double noise[] = {0.1, -0.2, 0.3, -0.1, 0.2, -0.3, 0.15, -0.25};
    for (std::size_t k = 0; k < 8; ++k) {
        const double shift = k < 4 ? 2 : 0;
        subjects.push_back(subjectOf(
            fmt::format("s{}", k), {"Fp1", "Fp2", "O1", "O2"},
            meansOf(4, 1,
                    {1 + shift + noise[k], 2 + shift - noise[k], noise[(k * 3) % 8], noise[(k * 5) % 8]})));
    }
    return subjects;
}

TEST(GroupClusters, OfNeighboursByTheirNames) {
    const GroupTable table{{"rest", "task"}, {0, 0, 0, 0, 1, 1, 1, 1}};
    const GroupComparison comparison =
        compareGroups(clusteredSubjects(), table, 0.05, statistics::ClusterOptions{});
    ASSERT_EQ(comparison.tests.size(), 3U);
    const PairwiseTest& test = comparison.tests[2];
    EXPECT_EQ(test.test, "cluster permutation");
    EXPECT_EQ(test.permutations, 70U);
    EXPECT_EQ(test.smallestP, 2.0 / 70);
    ASSERT_EQ(test.clusters.size(), 1U);
    EXPECT_THAT(test.clusters[0].elements, ElementsAre(0, 1));
    EXPECT_NEAR(test.clusters[0].p, 2.0 / 70, 1e-15);
    EXPECT_EQ(test.p(1, 0), test.clusters[0].p);
    EXPECT_EQ(test.p(2, 0), 1);
    EXPECT_EQ(test.shareBelow, 0.5);
    EXPECT_GT(test.effect(0, 0), 4);
    EXPECT_EQ(comparison.tests[1].effect(0, 0), 1);  // Cliff's delta: no overlap
    EXPECT_NEAR(comparison.tests[0].effect(0, 0), comparison.tests[0].statistic(0, 0) / 7, 1e-15);
    const Json json = groupJson(comparison);
    EXPECT_EQ(json["tests"][2]["clusters"][0]["elements"], Json({0, 1}));

    // Conditions of the same subjects; the files of the second condition come in another order.
    GroupTable paired = table;
    paired.subjectOf = {"a", "b", "c", "d", "d", "c", "b", "a"};
    const GroupComparison ofConditions =
        compareGroups(clusteredSubjects(), paired, 0.2, statistics::ClusterOptions{});
    EXPECT_TRUE(ofConditions.tests[2].isPaired);
    EXPECT_EQ(ofConditions.tests[2].permutations, 16U);
    EXPECT_NEAR(ofConditions.tests[2].clusters.at(0).p, 2.0 / 16, 1e-15);
    paired.subjectOf[0] = "e";
    EXPECT_THAT(messageOf<InputError>(
                    [&] { compareGroups(clusteredSubjects(), paired, 0.2, statistics::ClusterOptions{}); }),
                HasSubstr("the subject 'e' has 0 files in the group 'task'"));
    EXPECT_THAT(messageOf<InputError>(
                    [] { compareGroups(fiveSubjects(), twoGroups(), 0.2, statistics::ClusterOptions{}); }),
                HasSubstr("has no positions of its channels"));
    EXPECT_THAT(tableOf("subject,file,group\nx,a,1\ny,b,2\nx,c,2\n").subjectOf, ElementsAre("x", "y", "x"));
}

TEST(GroupClusters, OfPairsShareAChannel) {
    std::vector<SubjectEntropies> subjects;
    for (std::size_t k = 0; k < 8; ++k) {
        std::vector<double> values(16, 0.0);
        for (std::size_t e = 0; e < 16; ++e)
            values[e] = std::sin(static_cast<double>(7 * e + 13 * k * k)) / 5;
        // (Fp1, Fp1) and (Fp1, Fp2) differ. (O1, O2) differs too, but in the other direction.
        for (const std::size_t e : {0U, 1U}) values[e] += k < 4 ? 3 : 0;
        values[11] -= k < 4 ? 3 : 0;
        subjects.push_back(subjectOf("s", {"Fp1", "Fp2", "O1", "O2"}, meansOf(4, 4, values)));
    }
    const GroupTable table{{"rest", "task"}, {0, 0, 0, 0, 1, 1, 1, 1}};
    const auto comparison =
        compareGroups(subjects, table, 0.05, statistics::ClusterOptions{.elementAlpha = 0.001});
    const std::vector<statistics::Cluster>& clusters = comparison.tests.at(2).clusters;
    ASSERT_EQ(clusters.size(), 2U);
    EXPECT_THAT(clusters[0].elements, ElementsAre(0, 1));
    EXPECT_GT(clusters[0].mass, 0);
    EXPECT_THAT(clusters[1].elements, ElementsAre(11));
    EXPECT_LT(clusters[1].mass, 0);
    const TemporaryFolder folder;
    drawGroups(folder / "clusters.png", comparison, "title", "footer");
    EXPECT_GT(fs::file_size(folder / "clusters.png"), 1000);
}

// --- files ---

TEST(GroupFiles, Csv) {
    const TemporaryFolder folder;
    GroupTable table = twoGroups();
    table.groups[1] = "old, ill";
    writeGroupCsv(folder / "groups.csv", compareGroups(fiveSubjects(), table, 0.25));
    const std::string text = readFile(folder / "groups.csv");
    EXPECT_THAT(
        text,
        StartsWith("test,comparison,templates,partner,mean_young,\"mean_old, ill\",statistic,effect,p,q\n"
                   "Kruskal-Wallis,\"young vs old, ill\",A,A,0.5,0.5,nan,nan,nan,nan\n"
                   "Kruskal-Wallis,\"young vs old, ill\",A,B,1.5,4,"));
    EXPECT_THAT(text, HasSubstr("\nMann-Whitney,\"young vs old, ill\",A,B,1.5,4,0,-1,0.2,0.6"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 2 * 4);
}

TEST(GroupFiles, CsvOfSymmetricAndOfSingleChannels) {
    const TemporaryFolder folder;
    std::vector<SubjectEntropies> subjects = fiveSubjects();
    for (SubjectEntropies& subject : subjects) subject.quantities.front().isSymmetric = true;
    writeGroupCsv(folder / "symmetric.csv", compareGroups(subjects, twoGroups(), 0.25));
    const std::string symmetric = readFile(folder / "symmetric.csv");
    EXPECT_EQ(std::count(symmetric.begin(), symmetric.end(), '\n'), 1 + 2 * 3);
    subjects.clear();
    for (int k = 0; k < 5; ++k) subjects.push_back(subjectOf("s", {"A", "B"}, meansOf(2, 1, {1.0 + k, 2})));
    writeGroupCsv(folder / "single.csv", compareGroups(subjects, twoGroups(), 0.25));
    EXPECT_THAT(readFile(folder / "single.csv"),
                HasSubstr("\nMann-Whitney,young vs old,B,B,2,2,nan,nan,nan,nan\n"));
}

TEST(GroupFiles, Npz) {
    const TemporaryFolder folder;
    const GroupComparison comparison = compareGroups(fiveSubjects(), twoGroups(), 0.25);
    writeGroupNpz(folder / "groups.npz", comparison);
    const io::NpzReader archive(folder / "groups.npz");
    EXPECT_THAT(archive.names(), ElementsAre("means", "statistic", "effect", "p", "q", "tests", "groups",
                                             "sizes", "channels", "quantity"));
    EXPECT_THAT(io::readNpyHeader(*archive.open("means")).shape, ElementsAre(2, 2, 2));
    const auto p = archive.open("p");
    EXPECT_THAT(io::readNpyHeader(*p).shape, ElementsAre(2, 2, 2));
    std::vector<double> values(8);
    EXPECT_EQ(p->read(std::as_writable_bytes(std::span(values))), 64);
    EXPECT_EQ(values[1], comparison.tests[0].p(0, 1));
    EXPECT_EQ(values[4 + 1], comparison.tests[1].p(0, 1));
    EXPECT_THAT(io::readNpyStrings(*archive.open("tests")),
                ElementsAre("Kruskal-Wallis: young vs old", "Mann-Whitney: young vs old"));
    EXPECT_THAT(io::readNpyHeader(*archive.open("sizes")).shape, ElementsAre(2));
}

TEST(GroupFiles, Summary) {
    const Json json = groupJson(compareGroups(fiveSubjects(), twoGroups(), 0.25));
    EXPECT_EQ(json["alpha"], 0.25);
    EXPECT_EQ(json["groups"][1]["name"], "old");
    EXPECT_EQ(json["groups"][1]["subjects"], 3);
    EXPECT_EQ(json["tests"][1]["test"], "Mann-Whitney");
    EXPECT_EQ(json["tests"][1]["elements"], 3);
    EXPECT_NEAR(json["tests"][1]["shareBelowAlpha"].get<double>(), 1.0 / 3, 1e-15);
}

TEST(GroupFiles, PicturesOfEveryShape) {
    const TemporaryFolder folder;
    const std::vector<std::pair<std::string, GroupTable>> tables{
        {"two.png", twoGroups()},
        {"three.png", {{"a", "b", "c"}, {0, 0, 1, 2, 2}}},
        {"five.png", {{"a", "b", "c", "d", "e"}, {0, 1, 2, 3, 4}}}};
    for (const auto& [name, table] : tables) {
        drawGroups(folder / name, compareGroups(fiveSubjects(), table, 0.01), "title", "footer");
        EXPECT_GT(fs::file_size(folder / name), 1000) << name;
    }
    std::vector<SubjectEntropies> single;
    for (int k = 0; k < 5; ++k) single.push_back(subjectOf("s", {"A", "B"}, meansOf(2, 1, {1.0 + k, 2})));
    drawGroups(folder / "single.png", compareGroups(single, twoGroups(), 0.01), "", "");
    EXPECT_GT(fs::file_size(folder / "single.png"), 1000);
}

}  // namespace
}  // namespace glycine::crossapen
