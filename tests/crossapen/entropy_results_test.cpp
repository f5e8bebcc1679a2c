#include "engine/crossapen/results/regions.hpp"
#include "engine/crossapen/results/result_files.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/json.hpp"
#include "engine/picture/canvas.hpp"
#include "tests/picture/picture_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

template <class T>
Matrix<T> matrixOf(std::size_t rows, std::size_t columns, std::initializer_list<T> values) {
    Matrix<T> matrix(rows, columns);
    std::copy(values.begin(), values.end(), matrix.data());
    return matrix;
}

EntropyMatrix quantityOf(std::string name, Matrix<double> mean) {
    EntropyMatrix quantity;
    quantity.name = std::move(name);
    quantity.label = "Cross-ApEn, bias max";
    quantity.deviation = Matrix<double>(mean.rows(), mean.columns(), 0.25);
    quantity.epochsUsed = Matrix<std::int32_t>(mean.rows(), mean.columns(), 2);
    quantity.mean = std::move(mean);
    return quantity;
}

/// Two channels, two quantities and two epochs, of which the second is number 4 in the file. The first
/// quantity keeps its epochs on request.
SubjectEntropies twoChannels(bool keepEpochs) {
    SubjectEntropies subject;
    subject.name = "S001, \"first\".edf";
    subject.description = "EDF";
    subject.channels = {"Fp1", "O2,"};
    subject.epochs = {{1, 0, 0, 0.0}, {4, 0, 3072, 19.2}};
    subject.skipped = {{{2, 0, 1024, 6.4}, "artefact list, line 3"}};
    subject.unusable = {{0, 1, "constant"}, {1, 1, "constant"}, {0, 0, "not finite"}};
    subject.notes = {"it is odd"};
    subject.quantities.push_back(
        quantityOf("crossapen_max", matrixOf<double>(2, 2, {0.5, 1.5, 1.0 / 3, kNaN})));
    subject.quantities.push_back(quantityOf("crossapen_0", matrixOf<double>(2, 2, {-0.0, kInfinity, 2, 3})));
    subject.quantities[0].epochsUsed(1, 1) = 0;
    subject.quantities[0].deviation(1, 1) = kNaN;
    if (keepEpochs) {
        subject.quantities[0].epochs.push_back(matrixOf<double>(2, 2, {0.25, 1, kNaN, kNaN}));
        subject.quantities[0].epochs.push_back(matrixOf<double>(2, 2, {0.75, 2, 0.5, kNaN}));
    }
    return subject;
}

SubjectEntropies singleChannels() {
    SubjectEntropies subject = twoChannels(false);
    subject.quantities.clear();
    subject.quantities.push_back(quantityOf("apen", matrixOf<double>(2, 1, {0.5, 0.75})));
    return subject;
}

std::vector<double> numbersOf(const io::NpzReader& archive, const std::string& name) {
    const auto source = archive.open(name);
    std::vector<double> values(io::readNpyHeader(*source).elements());
    source->read(std::as_writable_bytes(std::span(values)));
    return values;
}

TEST(SubjectNpz, ArraysOfAllQuantities) {
    const TemporaryFolder folder;
    writeSubjectNpz(folder / "a.npz", twoChannels(true), {{"m", "1"}, {"r", "0.2 SD"}});
    const io::NpzReader archive(folder / "a.npz");
    EXPECT_THAT(archive.names(), ElementsAre("crossapen_max", "crossapen_max_sd", "crossapen_max_epochs_used",
                                             "crossapen_max_by_epoch", "crossapen_0", "crossapen_0_sd",
                                             "crossapen_0_epochs_used", "channels", "epoch_numbers",
                                             "epoch_onsets", "parameters"));
    const Matrix<double> mean = io::readNpyMatrix<double>(*archive.open("crossapen_max"));
    EXPECT_EQ(mean(1, 0), 1.0 / 3);
    EXPECT_TRUE(std::isnan(mean(1, 1)));
    EXPECT_EQ(io::readNpyMatrix<double>(*archive.open("crossapen_0"))(0, 1), kInfinity);
    EXPECT_EQ(io::readNpyMatrix<std::int32_t>(*archive.open("crossapen_max_epochs_used"))(1, 1), 0);

    EXPECT_THAT(io::readNpyHeader(*archive.open("crossapen_max_by_epoch")).shape, ElementsAre(2, 2, 2));
    const std::vector<double> epochs = numbersOf(archive, "crossapen_max_by_epoch");
    EXPECT_EQ(epochs[1], 1);
    EXPECT_EQ(epochs[4], 0.75);
    EXPECT_EQ(epochs[6], 0.5);

    EXPECT_THAT(io::readNpyStrings(*archive.open("channels")), ElementsAre("Fp1", "O2,"));
    EXPECT_THAT(numbersOf(archive, "epoch_onsets"), ElementsAre(0, 19.2));
    const auto numbers = archive.open("epoch_numbers");
    EXPECT_EQ(io::readNpyHeader(*numbers).dtype, "<i4");
    std::vector<std::int32_t> values(2);
    numbers->read(std::as_writable_bytes(std::span(values)));
    EXPECT_THAT(values, ElementsAre(1, 4));
    EXPECT_THAT(io::readNpyStrings(*archive.open("parameters")),
                ElementsAre("file: S001, \"first\".edf", "m: 1", "r: 0.2 SD"));
}

TEST(SubjectNpz, FileNamesThatAreNotUtf8) {
    const TemporaryFolder folder;
    SubjectEntropies subject = twoChannels(false);
    subject.name = "M\xfcller.edf";
    writeSubjectNpz(folder / "a.npz", subject, {});
    EXPECT_THAT(io::readNpyStrings(*io::NpzReader(folder / "a.npz").open("parameters")),
                ElementsAre("file: Müller.edf"));
}

TEST(SubjectNpy, MeanOrEpochs) {
    const TemporaryFolder folder;
    writeSubjectNpy(folder / "mean.npy", twoChannels(false));
    EXPECT_EQ(io::readNpyMatrix<double>(folder / "mean.npy")(0, 1), 1.5);
    EXPECT_EQ(readFile(folder / "mean.npy.names"), "Fp1\nO2,\n");
    writeSubjectNpy(folder / "epochs.npy", twoChannels(true));
    const auto source = io::openFile(folder / "epochs.npy");
    EXPECT_THAT(io::readNpyHeader(*source).shape, ElementsAre(2, 2, 2));
    writeSubjectNpy(folder / "single.npy", singleChannels());
    EXPECT_THAT(io::readNpyHeader(*io::openFile(folder / "single.npy")).shape, ElementsAre(2, 1));
    const SubjectEntropies single = singleChannels();
    EXPECT_EQ(readFile(folder / "single.npy.names"), single.channels[0] + "\n" + single.channels[1] + "\n\n" +
                                                         single.quantities.front().name + "\n");
}

TEST(LongCsv, OneLineAPair) {
    const TemporaryFolder folder;
    const SubjectEntropies subjects[] = {twoChannels(false)};
    writeLongCsv(folder / "a.csv", subjects);
    EXPECT_EQ(readFile(folder / "a.csv"),
              "file,templates,partner,epoch,crossapen_max,crossapen_max_sd,crossapen_max_epochs,crossapen_0,"
              "crossapen_0_sd,crossapen_0_epochs\n"
              "\"S001, \"\"first\"\".edf\",Fp1,Fp1,mean,0.5,0.25,2,0,0.25,2\n"
              "\"S001, \"\"first\"\".edf\",Fp1,\"O2,\",mean,1.5,0.25,2,inf,0.25,2\n"
              "\"S001, \"\"first\"\".edf\",\"O2,\",Fp1,mean,0.3333333333333333,0.25,2,2,0.25,2\n"
              "\"S001, \"\"first\"\".edf\",\"O2,\",\"O2,\",mean,nan,nan,0,3,0.25,2\n");
}

TEST(LongCsv, LinesOfSingleEpochs) {
    const TemporaryFolder folder;
    SubjectEntropies subjects[] = {twoChannels(true), singleChannels()};
    subjects[0].name = "a";
    writeLongCsv(folder / "a.csv", std::span(subjects).first(1));
    const std::string text = readFile(folder / "a.csv");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 3 * 4);
    EXPECT_THAT(text, HasSubstr("\na,Fp1,Fp1,1,0.25,,,,,\n"
                                "a,Fp1,\"O2,\",1,1,,,,,\n"
                                "a,\"O2,\",Fp1,1,nan,,,,,\n"));
    EXPECT_THAT(text, HasSubstr("\na,\"O2,\",Fp1,4,0.5,,,,,\n"));
    subjects[1].name = "b";
    writeLongCsv(folder / "b.csv", std::span(subjects).last(1));
    EXPECT_EQ(readFile(folder / "b.csv"),
              "file,templates,partner,epoch,apen,apen_sd,apen_epochs\n"
              "b,Fp1,Fp1,mean,0.5,0.25,2\n"
              "b,\"O2,\",\"O2,\",mean,0.75,0.25,2\n");
}

TEST(SquareCsv, NamesInFirstRowAndColumn) {
    const TemporaryFolder folder;
    writeSquareCsv(folder / "a.csv", twoChannels(false));
    EXPECT_EQ(readFile(folder / "a.csv"),
              ",Fp1,\"O2,\"\n"
              "Fp1,0.5,1.5\n"
              "\"O2,\",0.3333333333333333,nan\n");
    writeSquareCsv(folder / "b.csv", singleChannels());
    EXPECT_EQ(readFile(folder / "b.csv"), ",apen\nFp1,0.5\n\"O2,\",0.75\n");
}

TEST(SubjectFiles, ExpectedSizesBoundThoseOfFiles) {
    const TemporaryFolder folder;
    const auto expectWithin = [](const storage::ExpectedFile& expected, const char* what) {
        const auto size = static_cast<double>(std::filesystem::file_size(expected.path));
        EXPECT_LE(expected.least, size) << what;
        EXPECT_GE(expected.most, size) << what;
        EXPECT_GT(expected.least, 0) << what;
    };
    for (const bool keepsEpochs : {false, true}) {
        SubjectEntropies subject = twoChannels(keepsEpochs);
        // Both the shortest values and the longest.
        subject.quantities[1].mean(0, 0) = -1.2345678901234567e-123;
        const std::vector<Quantity> quantities{{"crossapen_max", ""}, {"crossapen_0", ""}};
        const std::vector<ExpectedSubject> expected{
            {subject.name, subject.channels, quantities, {2, 2, 2}, 2, keepsEpochs}};
        const Parameters parameters{{"m", "1"}, {"r", "0.2 SD"}};
        writeSubjectNpz(folder / "a.npz", subject, parameters);
        expectWithin(expectedNpz(folder / "a.npz", expected.front()), "npz");
        writeSubjectNpy(folder / "a.npy", subject);
        expectWithin(expectedNpy(folder / "a.npy", expected.front()), "npy");
        writeLongCsv(folder / "a.csv", {&subject, 1});
        expectWithin(expectedLongCsv(folder / "a.csv", expected), "csv");
        writeSquareCsv(folder / "b.csv", subject);
        expectWithin(expectedSquareCsv(folder / "b.csv", expected.front()), "square csv");
    }
    // Arrays are known but for names and heads, and epochs take room.
    const std::vector<std::string> channels(300, "C");
    const std::vector<Quantity> one{{"crossapen_max", ""}};
    const ExpectedSubject large{"a", channels, one, {1, 300, 300}, 1000, true};
    EXPECT_EQ(expectedNpy("a.npy", large).least, 8.0 * 300 * 300 * 1000);
    EXPECT_LT(expectedNpz("a.npz", large).most, 1.01 * expectedNpz("a.npz", large).least);
    EXPECT_GT(expectedLongCsv("a.csv", {&large, 1}).least, 300.0 * 300 * 1000 * 9);
}

TEST(SubjectJson, ReportsTheResult) {
    const Json json = subjectJson(twoChannels(false));
    EXPECT_EQ(json["file"], "S001, \"first\".edf");
    EXPECT_EQ(json["channels"].size(), 2);
    EXPECT_EQ(json["epochs"][1]["number"], 4);
    EXPECT_EQ(json["epochs"][1]["onset"], 19.2);
    EXPECT_EQ(json["skippedEpochs"][0]["number"], 2);
    EXPECT_EQ(json["skippedEpochs"][0]["reason"], "artefact list, line 3");
    // One entry per channel and reason.
    ASSERT_EQ(json["unusableChannels"].size(), 2);
    EXPECT_EQ(json["unusableChannels"][1]["channel"], "O2,");
    EXPECT_EQ(json["unusableChannels"][1]["epochs"], Json({1, 4}));
    EXPECT_EQ(json["notes"][0], "it is odd");

    const Json& pairs = json["quantities"][0]["pairs"];
    EXPECT_EQ(pairs["count"], 2);
    EXPECT_EQ(pairs["undefined"], 0);
    EXPECT_DOUBLE_EQ(pairs["mean"].get<double>(), (1.5 + 1.0 / 3) / 2);
    EXPECT_EQ(pairs["smallest"]["templates"], "O2,");
    EXPECT_EQ(pairs["smallest"]["partner"], "Fp1");
    EXPECT_EQ(pairs["largest"]["value"], 1.5);
    EXPECT_DOUBLE_EQ(pairs["meanAsymmetry"].get<double>(), 1.5 - 1.0 / 3);
    const Json& self = json["quantities"][0]["channelsWithThemselves"];
    EXPECT_EQ(self["undefined"], 1);
    EXPECT_EQ(self["mean"], 0.5);
    EXPECT_EQ(self["largest"]["channel"], "Fp1");

    // Infinite values are excluded from the mean and have no asymmetry.
    const Json& infinite = json["quantities"][1]["pairs"];
    EXPECT_EQ(infinite["infinite"], 1);
    EXPECT_EQ(infinite["mean"], 2);
    EXPECT_TRUE(infinite["meanAsymmetry"].is_null());
    EXPECT_EQ(infinite["largest"]["partner"], "O2,");
}

TEST(SubjectJson, SingleChannelsHaveNoPairs) {
    const Json json = subjectJson(singleChannels());
    EXPECT_FALSE(json["quantities"][0].contains("pairs"));
    EXPECT_EQ(json["quantities"][0]["channelsWithThemselves"]["count"], 2);
    SubjectEntropies undefined = singleChannels();
    undefined.quantities.front().mean = Matrix<double>(2, 1, kNaN);
    const Json none = subjectJson(undefined)["quantities"][0]["channelsWithThemselves"];
    EXPECT_TRUE(none["mean"].is_null());
    EXPECT_TRUE(none["smallest"].is_null());
}

SubjectEntropies pictured(Matrix<double> mean) {
    SubjectEntropies subject;
    subject.name = "a.edf";
    for (std::size_t k = 0; k < mean.rows(); ++k) subject.channels.push_back("C" + std::to_string(k + 1));
    subject.quantities.push_back(quantityOf("crossapen_max", std::move(mean)));
    return subject;
}

constexpr std::size_t kQuarter = 250 * 250;  ///< smaller than one element of a 2 × 2 matrix drawn on its own

TEST(SubjectPicture, TheDiagonalDoesNotRuleTheScale) {
    const TemporaryFolder folder;
    const SubjectEntropies subjects[] = {pictured(matrixOf<double>(2, 2, {0.01, 2, 1, 0.01}))};
    drawSubjects(folder / "a.png", subjects, "title", "footer");
    const Picture picture(folder / "a.png");
    // 1 and the diagonal, whose values are smaller, have the first colour. 2 has the last colour.
    EXPECT_GT(picture.count(picture::colorMap()[0]), 3 * kQuarter);
    EXPECT_GT(picture.count(picture::colorMap()[255]), kQuarter);
}

TEST(SubjectPicture, EndsOfTheColours) {
    std::vector<double> values(101);
    std::iota(values.begin(), values.end(), 0.0);
    values.push_back(kInfinity);
    EXPECT_EQ(picture::ColorRange{}.endsOf(values), std::pair(0.0, 100.0));
    EXPECT_EQ(picture::ColorRange{.isRobust = true}.endsOf(values), std::pair(2.0, 98.0));
    EXPECT_EQ((picture::ColorRange{.minimum = 3, .maximum = 4}.endsOf(values)), std::pair(3.0, 4.0));
    EXPECT_EQ(picture::ColorRange{.minimum = 3}.endsOf(values), std::pair(3.0, 100.0));
    EXPECT_EQ(picture::ColorRange{.isRobust = true}.endsOf({kNaN}), std::pair(0.0, 1.0));
}

TEST(Regions, AreThoseOfNamesOrOfATable) {
    const std::vector<std::string> channels{"EEG Fp1", "Fc5.", "CPz", "P3-A1", "PO8",
                                            "T7",      "FT10", "T4",  "EOG",   "F99"};
    const pairs::InstanceGroups regions = regionsOf(channels, kRegionsByName);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < channels.size(); ++k) names.emplace_back(regions.labelOf(k));
    EXPECT_THAT(names, ElementsAre("frontal", "central", "central", "parietal", "occipital", "temporal left",
                                   "temporal right", "temporal right", "-", "-"));
    EXPECT_THROW(regionsOf(std::vector<std::string>{"A", "B"}, kRegionsByName), InputError);

    const TemporaryFolder folder;
    writeFile(folder / "r.tsv", "channel\tregion\nFp1\tfront\nCPz\tback\nP3\tback\n");
    EXPECT_THAT(regionsOf(channels, (folder / "r.tsv").string()).labels, ElementsAre("back", "front"));
}

TEST(Regions, AreMeansOfTheirChannels) {
    SubjectEntropies subject = pictured(matrixOf<double>(4, 4,
                                                         {9, 1, 2, 3,     //
                                                          4, 9, 5, kNaN,  //
                                                          6, 7, 9, 8,     //
                                                          kInfinity, 2, 3, 9}));
    subject.channels = {"F3", "F4", "Oz", "noise"};
    SubjectEntropies regional = byRegion(subject, regionsOf(subject.channels, kRegionsByName));
    EXPECT_THAT(regional.channels, ElementsAre("frontal", "occipital"));
    const Matrix<double>& mean = regional.quantities.front().mean;
    EXPECT_EQ(mean(0, 0), 2.5);  // (F3, F4) and (F4, F3)
    EXPECT_EQ(mean(0, 1), 3.5);
    EXPECT_EQ(mean(1, 0), 6.5);
    EXPECT_TRUE(std::isnan(mean(1, 1)));  // a region with a single channel has no other channel
    EXPECT_THAT(regional.quantities.front().label, HasSubstr("by region"));
    subject.quantities.front().mean = matrixOf<double>(4, 1, {1, kInfinity, 4, 5});
    regional = byRegion(subject, regionsOf(subject.channels, kRegionsByName));
    EXPECT_EQ(regional.quantities.front().mean(0, 0), 1);
    EXPECT_EQ(regional.quantities.front().mean(1, 0), 4);
}

TEST(SubjectPicture, ScalpMapsOfChannelsWithPlaces) {
    const TemporaryFolder folder;
    SubjectEntropies subject = pictured(matrixOf<double>(3, 3, {0, 1, 2, 3, 0, 5, 6, 7, 0}));
    subject.channels = {"EEG Fz", "noise", "Cz"};
    EXPECT_FALSE(hasScalp(subject));
    subject.channels[1] = "O2";
    ASSERT_TRUE(hasScalp(subject));
    drawScalp(folder / "a.svg", {&subject, 1}, "title", "footer");
    const std::string pairs = readFile(folder / "a.svg");
    // Row means are 1.5, 4, 6.5; column means are 4.5, 4, 3.5.
    for (const char* text : {">as templates, mean over all partners<",
                             ">as partner, mean over all templates<", ">Fz<", ">O2<", ">1.5<", ">6.5<"})
        EXPECT_THAT(pairs, HasSubstr(text));
    subject.quantities.front().mean = matrixOf<double>(3, 1, {1, 2, kNaN});
    drawScalp(folder / "b.svg", {&subject, 1}, "title", "footer", {.minimum = 0, .maximum = 4});
    const std::string single = readFile(folder / "b.svg");
    EXPECT_THAT(single, AllOf(HasSubstr(">4.0<"), Not(HasSubstr("partner"))));
    // If the file has positions, names do not matter.
    subject.channels = {"A", "B", "C", "D"};
    subject.positions = {{{0, 0, 90}}, {{90, 0, 0}}, {{0, 90, 0}}, {{-90, 0, 0}}};
    EXPECT_TRUE(hasScalp(subject));
}

TEST(SubjectPicture, OneScaleForAllSubjects) {
    const TemporaryFolder folder;
    std::vector<SubjectEntropies> subjects;
    for (int k = 0; k < 3; ++k) subjects.push_back(pictured(Matrix<double>(2, 2, 1.0 + k)));
    drawSubjects(folder / "a.png", subjects, "", "");
    const Picture picture(folder / "a.png");
    for (const std::size_t color : {0, 128, 255})
        EXPECT_GT(picture.count(picture::colorMap()[color]), kQuarter);
}

TEST(SubjectPicture, UndefinedIsGreyAndInfiniteStriped) {
    const TemporaryFolder folder;
    const SubjectEntropies subjects[] = {pictured(matrixOf<double>(2, 2, {1, kInfinity, kNaN, 1}))};
    drawSubjects(folder / "a.png", subjects, "", "");
    const Picture picture(folder / "a.png");
    EXPECT_GT(picture.count({176, 176, 180}), kQuarter);
    EXPECT_GT(picture.count({38, 38, 42}), kQuarter / 3);  // ink, which covers half of the stripes
}

TEST(SubjectPicture, NothingButUndefinedValues) {
    const TemporaryFolder folder;
    const SubjectEntropies subjects[] = {pictured(Matrix<double>(2, 2, kNaN))};
    drawSubjects(folder / "a.png", subjects, "", "");
    EXPECT_GT(Picture(folder / "a.png").count({176, 176, 180}), 4 * kQuarter);
}

TEST(SubjectPicture, ManySubjectsStayOnAPage) {
    const TemporaryFolder folder;
    for (const std::size_t count : {2, 7, 40}) {
        std::vector<SubjectEntropies> subjects;
        for (std::size_t k = 0; k < count; ++k)
            subjects.push_back(pictured(Matrix<double>(64, 64, static_cast<double>(k))));
        drawSubjects(folder / "a.png", subjects, "title", std::string(10000, 'x'));
        const Picture picture(folder / "a.png");
        EXPECT_LT(picture.width(), 2600) << count;
        EXPECT_LT(picture.height(), 2000) << count;
    }
}

TEST(SubjectPicture, DifferentChannels) {
    const TemporaryFolder folder;
    const SubjectEntropies subjects[] = {pictured(Matrix<double>(2, 2, 1.0)),
                                         pictured(Matrix<double>(5, 5, 2.0)),
                                         pictured(Matrix<double>(1, 1, 0.5))};
    drawSubjects(folder / "a.png", subjects, "", "");
    EXPECT_GT(Picture(folder / "a.png").count(picture::colorMap()[255]), kQuarter);
}

TEST(SubjectPicture, SingleChannelsAreRows) {
    const TemporaryFolder folder;
    SubjectEntropies second = singleChannels();
    second.channels = {"O2,", "Cz"};  // one more channel overall; each subject lacks one channel
    second.quantities.front().mean = matrixOf<double>(2, 1, {0.75, 0.5});
    const SubjectEntropies subjects[] = {singleChannels(), std::move(second)};
    drawSubjects(folder / "a.png", subjects, "", "");
    const Picture picture(folder / "a.png");
    constexpr std::size_t kCell = 22 * 22;
    EXPECT_GT(picture.count({176, 176, 180}), 2 * kCell);
    EXPECT_LT(picture.count({176, 176, 180}), 3 * kCell);
    EXPECT_GT(picture.count(picture::colorMap()[255]), 2 * kCell);
}

TEST(SubjectFiles, AFailureLeavesNoFiles) {
    const TemporaryFolder folder;
    const SubjectEntropies subjects[] = {twoChannels(true)};
    const std::filesystem::path lost = folder / "missing/a";
    EXPECT_THAT(messageOf<Error>([&] { writeSubjectNpz(lost, subjects[0], {}); }), HasSubstr("missing/a"));
    EXPECT_THAT(messageOf<Error>([&] { writeSubjectNpy(lost, subjects[0]); }), HasSubstr("missing/a"));
    EXPECT_THAT(messageOf<Error>([&] { writeLongCsv(lost, subjects); }), HasSubstr("missing/a"));
    EXPECT_THAT(messageOf<Error>([&] { writeSquareCsv(lost, subjects[0]); }), HasSubstr("missing/a"));
    EXPECT_THAT(messageOf<Error>([&] { drawSubjects(lost, subjects, "", ""); }), HasSubstr("missing/a"));
    EXPECT_EQ(folder.fileCount(), 0);
}

}  // namespace
}  // namespace glycine::crossapen
