// Inputs of `distance` that several processes read together.
#include <cmath>
#include <limits>

#include "engine/distance/distance_engine.hpp"
#include "engine/distance/input/genotype_files.hpp"
#include "engine/distance/input/joined_data.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/io/arrays/mapped_npy.hpp"
#include "engine/storage/content_hash.hpp"
#include "tests/core/recorded_team.hpp"
#include "tests/distance/distance_input_fixtures.hpp"

namespace glycine::distance {
namespace {

class DistanceInputOfProcesses : public DistanceInput {};

TEST_F(DistanceInputOfProcesses, HashTheirPartsOfContents) {
    const fs::path large = folder_ / "large", small = folder_ / "small";
    writeFile(small, "abc");
    writeFile(large, "begins");
    fs::resize_file(large, 70 << 20);  // five pieces
    const std::vector<fs::path> files{large, small};
    const std::uint64_t expected = storage::contentHash(files);
    test::RecordedTeam::Record record;
    const auto hash = [&](ProcessTeam& team) { return storage::contentHash(files, &team); };
    EXPECT_THAT(test::inProcesses(3, 3, record, hash), testing::Each(expected));
    // The last process reads nothing of the first one's part, which changes here without a trace.
    const fs::file_time_type time = fs::last_write_time(large);
    std::fstream(large, std::ios::in | std::ios::out | std::ios::binary) << "BEGINS";
    fs::last_write_time(large, time);
    EXPECT_NE(storage::contentHash(files), expected);
    test::RecordedTeam last(2, 3, record);
    EXPECT_EQ(hash(last), expected);
}

TEST_F(DistanceInputOfProcesses, WithOwnCopiesHashAllOfThem) {
    for (const std::string last : {"the same", "another "}) {
        const std::vector<std::string> contents{"the same", "the same", last};
        for (std::size_t rank = 0; rank < 3; ++rank)
            writeFile(folder_ / ("copy" + std::to_string(rank)), contents[rank]);
        const auto copyOf = [&](std::size_t rank) {
            return std::vector<fs::path>{folder_ / ("copy" + std::to_string(rank))};
        };
        test::RecordedTeam::Record record;
        const auto hashes = test::inProcesses(3, 3, record, [&](ProcessTeam& team) {
            return storage::contentHash(copyOf(team.rank()), &team);
        });
        for (std::size_t rank = 0; rank < 3; ++rank)
            EXPECT_EQ(hashes[rank], storage::contentHash(copyOf(rank)));
        EXPECT_EQ(hashes[0] == hashes[2], last == contents[0]);
    }
}

TEST_F(DistanceInputOfProcesses, FindMissingGenotypesTogether) {
    for (const double missing : {0.0, 0.001}) {
        const auto genotypes = randomGenotypes({.instances = 50, .attributes = 300, .missing = missing});
        writeGenotypes(folder_ / "in.bed", *genotypes, silentProgress());
        test::RecordedTeam::Record record;
        const auto found = test::inProcesses(4, 2, record, [&](ProcessTeam& team) {
            InputOptions options;
            options.team = &team;
            const DataSet data = read("in.bed", options);
            return static_cast<int>(data.discrete->shape().hasMissing);
        });
        EXPECT_THAT(found, testing::Each(missing > 0 ? 1 : 0));
    }
}

TEST_F(DistanceInputOfProcesses, CheckTheirRowsOfAnArray) {
    const std::vector<std::int8_t> numbers{0, 1, 2, 1, 1, -1, 2, 0, 0, 1, 2, 2, 0, 0};
    const DataSet alone = readArray<std::int8_t>("|i1", numbers, 7, 2);
    test::RecordedTeam::Record record;
    const auto open = [&](ProcessTeam& team) {
        InputOptions options;
        options.team = &team;
        return read("a.npy", options);
    };
    const auto found = test::inProcesses(3, 2, record, [&](ProcessTeam& team) {
        const DataSet data = open(team);
        EXPECT_EQ(data.names, alone.names);
        Matrix<std::uint8_t> symbols(7, 2), expected(7, 2);
        data.discrete->readSymbols({0, 7}, {0, 2}, symbols.view());
        alone.discrete->readSymbols({0, 7}, {0, 2}, expected.view());
        EXPECT_TRUE(std::equal(symbols.data(), symbols.data() + symbols.size(), expected.data()));
        return static_cast<int>(data.discrete->shape().hasMissing);
    });
    EXPECT_THAT(found, testing::Each(1));
    // The last process reads no row of the first one's part, where a wrong number appears without a trace.
    const fs::path file = folder_ / "a.npy";
    const fs::file_time_type time = fs::last_write_time(file);
    std::fstream changed(file, std::ios::in | std::ios::out | std::ios::binary);
    changed.seekp(-13, std::ios::end);
    changed.put(7).flush();
    fs::last_write_time(file, time);
    test::RecordedTeam last(2, 3, record), first(0, 3, record);
    EXPECT_EQ(open(last).discrete->shape().instances, 7U);
    EXPECT_THAT(messageOf<InputError>([&] { open(first); }), HasSubstr("a.npy: (0, 1) is 7; outside"));
    EXPECT_THAT(messageOf<InputError>([&] { read("a.npy"); }), HasSubstr("a.npy: (0, 1) is 7; outside"));
}

TEST_F(DistanceInputOfProcesses, ReadTheirRowsOfCoordinates) {
    const auto check = [&]<class Number>(const char* dtype, Number) {
        const std::vector<Number> numbers{0, 1, 2.5, 1, 1, -1, 2, 0, 0, 1, 2, 2, 1e-3, 0};
        const DataSet alone = readArray<Number>(dtype, numbers, 7, 2);
        EXPECT_EQ(alone.inFile, nullptr);
        test::RecordedTeam::Record record;
        const auto open = [&](ProcessTeam& team) {
            InputOptions options;
            options.team = &team;
            return read("a.npy", options);
        };
        const auto rowsOf = [](const DataSet& data) {
            const MatrixView<const Number> rows = data.view().coordinates.as<Number>().first();
            return std::vector<Number>(rows.data(), rows.data() + rows.rows() * rows.columns());
        };
        const auto found = test::inProcesses(3, 1, record, [&](ProcessTeam& team) {
            const DataSet data = open(team);
            EXPECT_EQ(data.names, alone.names);
            EXPECT_EQ(data.kind, DataKind::Coordinates);
            return std::pair(data.inFile != nullptr, rowsOf(data));
        });
        EXPECT_THAT(found, testing::Each(std::pair(true, numbers)));
        // The last process reads no row of the first one's part, where a number vanishes without a trace.
        const fs::path file = folder_ / "a.npy";
        const fs::file_time_type time = fs::last_write_time(file);
        const Number none = std::numeric_limits<Number>::quiet_NaN();
        std::fstream changed(file, std::ios::in | std::ios::out | std::ios::binary);
        changed.seekp(-static_cast<std::streamoff>(13 * sizeof(Number)), std::ios::end);
        changed.write(reinterpret_cast<const char*>(&none), sizeof none).flush();
        fs::last_write_time(file, time);
        test::RecordedTeam last(2, 3, record), first(0, 3, record);
        const DataSet data = open(last);
        EXPECT_TRUE(std::isnan(rowsOf(data)[1]));
        EXPECT_THAT(messageOf<InputError>([&] { open(first); }), HasSubstr("a.npy: (0, 1) is nan; expected"));
        EXPECT_THAT(messageOf<InputError>([&] { read("a.npy"); }),
                    HasSubstr("a.npy: (0, 1) is nan; expected"));
        // A change that leaves a trace.
        fs::last_write_time(file, time + std::chrono::seconds(1));
        EXPECT_THROW(data.inFile->requireUnchanged(), InputError);
    };
    check("<f4", 0.F);
    check("<f8", 0.0);
    // Numbers that have to be converted are copied: other types, and columns first.
    test::RecordedTeam::Record record;
    test::RecordedTeam team(0, 1, record);
    InputOptions options = withKind(DataKind::Coordinates);
    options.team = &team;
    EXPECT_EQ(readArray<std::int16_t>("<i2", {1, 2, 3, 4}, 2, 2, options).inFile, nullptr);
    EXPECT_EQ(readArray<float>("<f4", {1, 2, 3, 4}, 2, 2, options, true).inFile, nullptr);
    // Some of them are copied, too, and so are all if others precede them.
    DataSet before = readArray<float>("<f4", {7, 8}, 1, 2);
    DataSet some = readArray<float>("<f4", {1, 2, 3, 4, 5, 6}, 3, 2, options);
    ASSERT_NE(some.inFile, nullptr);
    EXPECT_THAT(coordinates(selectInstances(some.view(), {0, 2})), ElementsAre(1, 2, 5, 6));
    EXPECT_EQ(putReferencesBefore(some, "a.npy", std::move(before), "a.npy"), 1U);
    EXPECT_EQ(some.inFile, nullptr);
    EXPECT_THAT(coordinates(some), ElementsAre(7, 8, 1, 2, 3, 4, 5, 6));
}

TEST_F(DistanceInputOfProcesses, CountKnownAttributesTogether) {
    const auto genotypes = randomGenotypes({.instances = 50, .attributes = 300, .missing = 0.2});
    test::RecordedTeam::Record record;
    EXPECT_THAT(test::inProcesses(
                    3, 1, record,
                    [&](ProcessTeam& team) { return knownAttributes(*genotypes, silentProgress(), &team); }),
                testing::Each(knownAttributes(*genotypes, silentProgress())));
}

}  // namespace
}  // namespace glycine::distance
