// Lists of instances to keep or leave out.
#include "engine/distance/input/chosen_instances.hpp"

#include "engine/distance/random_data.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

DataSet sampleSet(bool isCoordinates) {
    DataSet data;
    data.names = {"a", "b", "c d", "f_e"};
    data.familyIds = {{"f", "a"}, {"f", "b"}, {"c d", "c d"}, {"f", "e"}};
    if (isCoordinates) {
        data.kind = DataKind::Coordinates;
        Matrix<float> numbers(4, 2);
        for (std::size_t k = 0; k < numbers.size(); ++k) numbers.data()[k] = static_cast<float>(k);
        data.coordinates = std::move(numbers);
    } else {
        data.discrete = randomGenotypes({.instances = 4, .attributes = 20000, .missing = 0.1});
        data.founders = {true, false, true, true};
    }
    return data;
}

// Counted copies among 4 instances, and missing ones: 4/8 0, 1/8 0, 1/6 1, all missing, 0/8 0.
TEST(ChosenInstances, VariantsByLimits) {
    const auto chosen = [](const VariantLimits& limits, bool hasFounders) {
        DataSet data;
        data.names = {"a", "b", "c", "d"};
        data.familyIds = {{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}};
        data.discrete =
            std::make_unique<SymbolMatrix>(fixtures::genotypes({"211.0", "100.0", "10..0", "000.0"}));
        if (hasFounders) data.founders = {false, true, true, true};
        data.description = "4 instances × 5 variants of x";
        data.variantsLeftOut = 3;
        chooseInstances(data, {}, {}, limits);
        EXPECT_EQ(data.description,
                  fmt::format("4 instances × {} of 8 variants of x", data.view().attributes()));
        return data.view().attributes();
    };
    EXPECT_EQ(chosen({.maf = 0.125}, false), 4U);
    EXPECT_EQ(chosen({.maf = 0.126}, false), 3U);
    EXPECT_EQ(chosen({.maf = 0.5}, false), 2U) << "the one without genotypes stays";
    EXPECT_EQ(chosen({.maf = 0.1}, true), 2U);
    EXPECT_EQ(chosen({.geno = 0.25}, false), 4U);
    EXPECT_EQ(chosen({.geno = 0.2}, false), 3U);
    EXPECT_EQ(chosen({.maf = 0.01, .geno = 0}, false), 2U);
    EXPECT_THROW(chosen({.maf = 0.5, .geno = 0.1}, true), InputError);
}

TEST(ChosenInstances, ByLists) {
    struct Case {
        std::string keep, remove;
        std::vector<std::size_t> chosen;
    };
    const TemporaryFolder folder;
    const auto listOf = [&](const char* name, const std::string& text) -> fs::path {
        if (text.empty()) return {};
        writeFile(folder / name, text);
        return folder / name;
    };
    const Case cases[] = {{"b\n\na\n", "", {0, 1}},
                          {"", "f\te\n", {0, 1, 2}},
                          {"#FID IID\r\nf b 0 0 1\r\nc d\r\n", "", {1, 2}},
                          {"a\nb\nf_e", "b", {0, 3}},
                          {"nobody\nc d\n", "", {2}}};
    for (const Case& one : cases)
        for (const bool isCoordinates : {false, true}) {
            SCOPED_TRACE(one.keep + "/" + one.remove);
            const DataSet all = sampleSet(isCoordinates);
            DataSet some = sampleSet(isCoordinates);
            chooseInstances(some, listOf("keep", one.keep), listOf("remove", one.remove));
            ASSERT_EQ(some.view().instances(), one.chosen.size());
            ASSERT_EQ(some.names.size(), one.chosen.size());
            const std::string options = one.keep.empty()     ? "--remove"
                                        : one.remove.empty() ? "--keep"
                                                             : "--keep, --remove";
            EXPECT_EQ(some.notes.back(),
                      fmt::format("chosen {} of 4 instances ({})", one.chosen.size(), options));
            for (std::size_t i = 0; i < one.chosen.size(); ++i) {
                EXPECT_EQ(some.names[i], all.names[one.chosen[i]]);
                EXPECT_EQ(some.familyIds[i], all.familyIds[one.chosen[i]]);
                if (isCoordinates) {
                    EXPECT_EQ(std::get<0>(some.coordinates)(i, 1),
                              std::get<0>(all.coordinates)(one.chosen[i], 1));
                    continue;
                }
                EXPECT_EQ(some.founders[i], all.founders[one.chosen[i]]);
                const Range attributes{63, 19999};
                const auto symbols = symbolsOf(*some.discrete, {i, i + 1}, attributes);
                const auto expected =
                    symbolsOf(*all.discrete, {one.chosen[i], one.chosen[i] + 1}, attributes);
                EXPECT_TRUE(std::equal(symbols.data(), symbols.data() + symbols.size(), expected.data()));
            }
        }
    DataSet data = sampleSet(false);
    EXPECT_THROW(chooseInstances(data, listOf("keep", "x\ny\n"), {}), InputError);
    EXPECT_THROW(chooseInstances(data, {}, listOf("remove", "a\nb\nc d\nf_e\n")), InputError);
}

}  // namespace
}  // namespace glycine::distance
