#include "engine/distance/input/genotype_source.hpp"

#include "engine/io/sequences/plink_files.hpp"
#include "tests/core/recorded_team.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

/// Genotypes in memory in .bed layout; all bits are random, even those after the last sample.
io::PackedGenotypes packedGenotypes(std::size_t samples, std::size_t variants, bool hasMissing) {
    io::PackedGenotypes genotypes;
    genotypes.samples = samples;
    genotypes.variants = variants;
    const auto bytes = std::make_shared<std::vector<std::uint8_t>>(genotypes.bytesPerVariant() * variants);
    std::mt19937 random(static_cast<unsigned>(1000 * samples + variants));
    for (std::uint8_t& byte : *bytes) {
        unsigned value = random() & 0xff;
        // 01 becomes 11.
        if (!hasMissing) value |= (value & 0x55) << 1;
        byte = static_cast<std::uint8_t>(value);
    }
    genotypes.data = bytes->data();
    genotypes.storage = bytes;
    return genotypes;
}

/// Expects the planes that match readSymbols, bit by bit as DiscreteShape and PlaneBlock define them.
void expectPlanes(const DiscreteSource& source, Range instances, Range attributes) {
    const DiscreteShape& shape = source.shape();
    const Matrix<std::uint8_t> symbols = symbolsOf(source, instances, attributes);
    const PlaneBlock block = source.readPlanes(instances, attributes);
    ASSERT_EQ(block.instances(), instances.size());
    ASSERT_EQ(block.attributes(), attributes.size());
    ASSERT_EQ(block.storedPlanes(), shape.storedPlanes());
    for (std::size_t i = 0; i < instances.size(); ++i) {
        for (unsigned p = 0; p < shape.storedPlanes(); ++p) {
            std::vector<std::uint64_t> expected(block.stride(), 0);
            for (std::size_t k = 0; k < attributes.size(); ++k) {
                const unsigned symbol = symbols(i, k);
                if (symbol == kMissingSymbol) continue;
                const unsigned code = shape.isGenotypes ? (symbol == 0 ? 0 : symbol == 1 ? 1 : 3) : symbol;
                const std::uint64_t bit = p == shape.planes ? 1 : code >> p & 1;
                expected[k / 64] |= bit << (k % 64);
            }
            const std::vector<std::uint64_t> found(block.plane(i, p), block.plane(i, p) + block.stride());
            ASSERT_EQ(found, expected)
                << "instance " << i << ", plane " << p << ", " << shape.instances << " × " << shape.attributes
                << ", from (" << instances.begin << ", " << attributes.begin << ")";
        }
    }
}

TEST(GenotypeSource, SymbolsByHand) {
    // From the low end 00 11 10 01 00: two copies, none, one, missing, two; the following bits are set.
    const auto bytes =
        std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{0x6c, 0xfc, 0xff, 0xff});
    const GenotypeSource source({5, 2, bytes->data(), bytes});
    EXPECT_EQ(source.shape().instances, 5U);
    EXPECT_EQ(source.shape().attributes, 2U);
    EXPECT_EQ(source.shape().planes, 2U);
    EXPECT_TRUE(source.shape().hasMissing);
    EXPECT_TRUE(source.shape().isGenotypes);
    const Matrix<std::uint8_t> symbols = symbolsOf(source, {0, 5}, {0, 2});
    EXPECT_THAT(std::vector<int>(symbols.data(), symbols.data() + 10),
                ElementsAre(2, 0, 0, 0, 1, 0, kMissingSymbol, 0, 2, 0));
    const PlaneBlock block = source.readPlanes({0, 5}, {0, 2});
    EXPECT_EQ(block.plane(0, 0)[0], 1U);  // at least one copy
    EXPECT_EQ(block.plane(0, 1)[0], 1U);  // two copies
    EXPECT_EQ(block.plane(0, 2)[0], 3U);  // known
    EXPECT_EQ(block.plane(2, 0)[0], 1U);
    EXPECT_EQ(block.plane(2, 1)[0], 0U);
    EXPECT_EQ(block.plane(3, 2)[0], 2U);
}

TEST(GenotypeSource, PlanesAreTheSymbols) {
    for (const bool hasMissing : {false, true})
        for (const std::size_t samples : {1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 515})
            for (const std::size_t variants : {1, 63, 64, 65, 511, 512, 513, 1100}) {
                const GenotypeSource source(packedGenotypes(samples, variants, hasMissing));
                expectPlanes(source, {0, samples}, {0, variants});
            }
}

TEST(GenotypeSource, PlanesOfParts) {
    const GenotypeSource source(packedGenotypes(150, 1300, true));
    std::mt19937 random(7);
    for (std::size_t begin = 0; begin < 150; begin += 1 + random() % 9) {
        const std::size_t end = begin + 1 + random() % (150 - begin);
        const std::size_t first = 64 * (random() % 20);
        const std::size_t last = first + 1 + random() % (1300 - first);
        expectPlanes(source, {begin, end}, {first, last});
    }
    EXPECT_EQ(source.readPlanes({3, 3}, {0, 100}).instances(), 0U);
    EXPECT_EQ(source.readPlanes({3, 5}, {64, 64}).attributes(), 0U);
}

TEST(GenotypeSource, SymbolsOfSomeInstancesAreThoseOfAll) {
    std::mt19937 random(11);
    for (const bool hasMissing : {false, true}) {
        const io::PackedGenotypes genotypes = packedGenotypes(70, 1300, hasMissing);
        std::vector<std::uint32_t> selection;
        for (std::uint32_t k = 0; k < 1300; k += 1 + k % 3) selection.push_back(k);
        for (const GenotypeSource& source :
             {GenotypeSource(genotypes), GenotypeSource(genotypes, selection)}) {
            const std::size_t attributes = source.shape().attributes;
            // More instances than are read genotype by genotype.
            const Matrix<std::uint8_t> whole = symbolsOf(source, {0, 70}, {0, attributes});
            for (int round = 0; round < 50; ++round) {
                const std::size_t first = random() % 70, begin = random() % attributes;
                const Range instances{first, std::min<std::size_t>(70, first + 1 + random() % 8)};
                const Range range{begin, begin + 1 + random() % (attributes - begin)};
                const Matrix<std::uint8_t> few = symbolsOf(source, instances, range);
                for (std::size_t i = 0; i < few.rows(); ++i)
                    for (std::size_t k = 0; k < few.columns(); ++k)
                        ASSERT_EQ(few(i, k), whole(instances.begin + i, range.begin + k));
                std::vector<std::size_t> any(random() % 30);
                for (std::size_t& instance : any) instance = random() % 70;
                Matrix<std::uint8_t> found(any.size(), range.size()), one(any.size(), range.size());
                source.readSymbolsOf(any, range, found.view());
                source.DiscreteSource::readSymbolsOf(any, range, one.view());
                for (std::size_t i = 0; i < any.size(); ++i)
                    for (std::size_t k = 0; k < range.size(); ++k) {
                        ASSERT_EQ(found(i, k), whole(any[i], range.begin + k));
                        ASSERT_EQ(one(i, k), whole(any[i], range.begin + k));
                    }
            }
        }
    }
}

TEST(GenotypeSource, SelectedVariants) {
    const io::PackedGenotypes genotypes = packedGenotypes(45, 700, true);
    std::vector<std::uint32_t> selection;
    for (std::uint32_t k = 0; k < 700; ++k)
        if (k % 3 != 1) selection.push_back(k);
    const GenotypeSource all(genotypes);
    const GenotypeSource some(genotypes, selection);
    ASSERT_EQ(some.shape().attributes, selection.size());
    const Matrix<std::uint8_t> whole = symbolsOf(all, {0, 45}, {0, 700});
    const Matrix<std::uint8_t> part = symbolsOf(some, {0, 45}, {0, selection.size()});
    for (std::size_t i = 0; i < 45; ++i)
        for (std::size_t k = 0; k < selection.size(); ++k) ASSERT_EQ(part(i, k), whole(i, selection[k]));
    expectPlanes(some, {0, 45}, {0, selection.size()});
    expectPlanes(some, {6, 41}, {128, 300});
}

TEST(GenotypeSource, MissingIsSoughtInGenotypesInUseOnly) {
    for (const std::size_t samples : {1, 3, 4, 32, 33, 64, 70}) {
        io::PackedGenotypes genotypes;
        genotypes.samples = samples;
        genotypes.variants = 40;
        const auto bytes = std::make_shared<std::vector<std::uint8_t>>(genotypes.bytesPerVariant() * 40, 0);
        genotypes.data = bytes->data();
        genotypes.storage = bytes;
        // Missing genotypes after the last sample.
        for (std::size_t place = samples; place < 4 * genotypes.bytesPerVariant(); ++place)
            (*bytes)[39 * genotypes.bytesPerVariant() + place / 4] |=
                static_cast<std::uint8_t>(1U << 2 * (place % 4));
        EXPECT_FALSE(GenotypeSource(genotypes).shape().hasMissing) << samples;
        const std::size_t last = samples - 1;
        (*bytes)[38 * genotypes.bytesPerVariant() + last / 4] |=
            static_cast<std::uint8_t>(1U << 2 * (last % 4));
        EXPECT_TRUE(GenotypeSource(genotypes).shape().hasMissing) << samples;
        EXPECT_TRUE(GenotypeSource(genotypes, std::vector<std::uint32_t>{0, 38}).shape().hasMissing)
            << samples;
        EXPECT_FALSE(GenotypeSource(genotypes, std::vector<std::uint32_t>{0, 37, 39}).shape().hasMissing);
    }
}

TEST(GenotypeSource, ProcessesSeekMissingGenotypesInTheirParts) {
    io::PackedGenotypes genotypes;
    genotypes.samples = 8;
    genotypes.variants = 30;
    const auto bytes = std::make_shared<std::vector<std::uint8_t>>(genotypes.bytesPerVariant() * 30, 0);
    genotypes.data = bytes->data();
    genotypes.storage = bytes;
    (*bytes)[29 * genotypes.bytesPerVariant()] = 1;
    test::RecordedTeam::Record record;
    for (const std::size_t rank : {0, 1, 2}) {
        test::RecordedTeam alone(rank, 3, record);
        EXPECT_EQ(GenotypeSource(genotypes, std::nullopt, &alone).shape().hasMissing, rank == 2)
            << "others have sent nothing yet";
    }
    test::RecordedTeam first(0, 3, record);
    EXPECT_TRUE(GenotypeSource(genotypes, std::nullopt, &first).shape().hasMissing);
}

TEST(GenotypeSource, AllMissing) {
    io::PackedGenotypes genotypes = packedGenotypes(9, 70, true);
    const auto bytes = std::make_shared<std::vector<std::uint8_t>>(3 * 70, 0x55);
    genotypes.data = bytes->data();
    genotypes.storage = bytes;
    const GenotypeSource source(genotypes);
    EXPECT_TRUE(source.shape().hasMissing);
    expectPlanes(source, {0, 9}, {0, 70});
}

Matrix<std::uint8_t> drawnSymbols(std::size_t instances, std::size_t attributes, unsigned count,
                                  bool hasMissing) {
    Matrix<std::uint8_t> symbols(instances, attributes);
    std::mt19937 random(count);
    for (std::size_t k = 0; k < symbols.size(); ++k)
        symbols.data()[k] =
            static_cast<std::uint8_t>(hasMissing && random() % 5 == 0 ? kMissingSymbol : random() % count);
    return symbols;
}

TEST(SymbolMatrix, PlanesAreTheSymbols) {
    for (const bool hasMissing : {false, true})
        for (const std::size_t attributes : {1, 7, 63, 64, 65, 513, 700})
            for (unsigned planes = 0; planes <= 8; ++planes) {
                DiscreteShape shape;
                shape.isGenotypes = planes == 0;
                shape.planes = shape.isGenotypes ? 2 : planes;
                // 255 means missing and is not a symbol.
                const unsigned count = shape.isGenotypes ? 3 : planes == 8 ? 255 : 1U << planes;
                const SymbolMatrix source(drawnSymbols(5, attributes, count, hasMissing), shape);
                expectPlanes(source, {0, 5}, {0, attributes});
                expectPlanes(source, {1, 4}, {attributes / 128 * 64, attributes});
            }
}

TEST(GenotypeSource, AFileThatIsCutShortIsRefused) {
    constexpr std::size_t kSamples = 500, kVariants = 4000;
    const TemporaryFolder folder;
    const io::PlinkPaths paths = io::plinkPaths(folder / "set");
    std::vector<io::PlinkSample> samples;
    for (std::size_t i = 0; i < kSamples; ++i)
        samples.push_back({.familyId = std::to_string(i), .id = std::to_string(i)});
    const auto write = [&] {
        io::writePlinkFiles(paths, samples, kVariants, [&](std::size_t k, std::span<std::uint8_t> copies) {
            std::fill(copies.begin(), copies.end(), static_cast<std::uint8_t>(k % 3));
            return io::PlinkVariant{"1", "v", 0, 1, "A", "G"};
        });
    };
    const std::string message = "set.bed: was changed or cut short while it was read";
    for (const std::size_t left : {std::size_t{3}, std::size_t{200'000}, kVariants * kSamples / 4 + 2}) {
        write();
        const GenotypeSource source(io::openPlinkFiles(paths, [](auto&&...) {}).genotypes);
        std::filesystem::resize_file(paths.bed, left);
        EXPECT_THAT(messageOf<InputError>([&] {
                        source.readPlanes({0, kSamples}, {0, kVariants});
                    }),
                    HasSubstr(message));
        write();
        const io::PackedGenotypes genotypes = io::openPlinkFiles(paths, [](auto&&...) {}).genotypes;
        std::filesystem::resize_file(paths.bed, left);
        EXPECT_THAT(messageOf<InputError>([&] { GenotypeSource{genotypes}; }), HasSubstr(message))
            << "when missing genotypes are sought";
    }
}

TEST(CallSource, HasGenotypesAndSymbols) {
    for (const bool hasMissing : {false, true})
        for (const unsigned different : {3U, 4U, 5U, 40U, 255U})
            for (const std::size_t variants : {1U, 64U, 700U}) {
                constexpr std::size_t kSamples = 37;
                io::PackedGenotypes genotypes = packedGenotypes(kSamples, variants, hasMissing);
                Matrix<std::uint8_t> expected =
                    symbolsOf(GenotypeSource(genotypes), {0, kSamples}, {0, variants});
                for (std::size_t k = 0; k < variants; ++k)
                    for (std::size_t i = 0; i < kSamples; ++i)
                        if (expected(i, k) == 2) expected(i, k) = 3;
                // Every fifth variant becomes a symbol site.
                const auto bytes = std::make_shared<std::vector<std::uint8_t>>(
                    genotypes.data, genotypes.data + genotypes.bytesPerVariant() * variants);
                std::vector<io::SymbolSite> sites;
                for (std::size_t k = 0; k < variants; k += 5) {
                    io::SymbolSite site{k, {}};
                    std::vector<std::uint8_t> copies;
                    for (std::size_t i = 0; i < kSamples; ++i) {
                        const bool isMissing = hasMissing && (i + k) % 7 == 0;
                        const auto symbol = static_cast<std::uint8_t>((i * 31 + k) % different);
                        site.symbols.push_back(isMissing ? kMissingSymbol : symbol);
                        copies.push_back(isMissing ? io::kMissingCopies : std::uint8_t{0});
                        expected(i, k) = site.symbols.back();
                    }
                    io::packGenotypes(copies, bytes->data() + k * genotypes.bytesPerVariant());
                    sites.push_back(std::move(site));
                }
                genotypes.data = bytes->data();
                genotypes.storage = bytes;
                const CallSource source(genotypes, sites);
                EXPECT_FALSE(source.shape().isGenotypes);
                EXPECT_EQ(source.shape().hasMissing, hasMissing);
                const Matrix<std::uint8_t> found = symbolsOf(source, {0, kSamples}, {0, variants});
                EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), expected.data()))
                    << different << " symbols, " << variants << " variants";
                expectPlanes(source, {0, kSamples}, {0, variants});
                expectPlanes(source, {5, 30}, {variants / 128 * 64, variants});
            }
}

TEST(SymbolMatrix, ShapeFollowsFromTheSymbols) {
    for (const bool hasMissing : {false, true}) {
        DiscreteShape shape;
        shape.planes = 3;
        shape.hasMissing = !hasMissing;
        const SymbolMatrix source(drawnSymbols(4, 300, 8, hasMissing), shape);
        EXPECT_EQ(source.shape().instances, 4U);
        EXPECT_EQ(source.shape().attributes, 300U);
        EXPECT_EQ(source.shape().hasMissing, hasMissing);
    }
}

TEST(SymbolMatrix, RefusesSymbolsOutsideTheAlphabet) {
    Matrix<std::uint8_t> symbols(3, 5, 1);
    symbols(1, 3) = 3;
    symbols(2, 0) = 9;
    EXPECT_THAT(
        messageOf<InputError>([&] { SymbolMatrix(std::move(symbols), {.planes = 2, .isGenotypes = true}); }),
        HasSubstr("instance 2, attribute 4: symbol 3 is outside the alphabet 0 … 2"));
}

template <class Number>
void expectGenotypesOfNumbers() {
    // Every other row and column of a larger array, and all of it in reverse.
    constexpr std::size_t kRows = 6, kColumns = 261;
    Matrix<Number> whole(kRows, kColumns);
    Matrix<std::uint8_t> symbols(kRows, kColumns);
    std::mt19937 random(5);
    const std::vector<int> numbers =
        std::is_signed_v<Number> ? std::vector{0, 1, 2, -1, -9} : std::vector{0, 1, 2};
    for (std::size_t k = 0; k < whole.size(); ++k) {
        const int number = numbers[random() % numbers.size()];
        whole.data()[k] = static_cast<Number>(number);
        symbols.data()[k] = number < 0 ? kMissingSymbol : static_cast<std::uint8_t>(number);
    }
    constexpr auto kSize = static_cast<std::ptrdiff_t>(sizeof(Number));
    const auto expect = [&](const StridedNumbers<Number>& view, std::size_t first, int rowStep,
                            int columnStep) {
        const auto source = genotypesOf(view, "X");
        EXPECT_EQ(source->shape().hasMissing, std::is_signed_v<Number>);
        const Range rows{0, view.rows}, columns{0, view.columns};
        const Matrix<std::uint8_t> found = symbolsOf(*source, rows, columns);
        for (std::size_t i = 0; i < view.rows; ++i)
            for (std::size_t k = 0; k < view.columns; ++k) {
                const std::ptrdiff_t place =
                    static_cast<std::ptrdiff_t>(first) +
                    static_cast<std::ptrdiff_t>(i) * rowStep * std::ptrdiff_t{kColumns} +
                    static_cast<std::ptrdiff_t>(k) * columnStep;
                ASSERT_EQ(found(i, k), symbols.data()[place]) << i << ", " << k;
            }
        expectPlanes(*source, rows, columns);
        expectPlanes(*source, {1, view.rows}, {64, 130});
    };
    const std::ptrdiff_t row = kColumns * kSize;
    expect({whole.data(), kRows, kColumns, row, kSize}, 0, 1, 1);
    expect({whole.data(), kRows / 2, (kColumns + 1) / 2, 2 * row, 2 * kSize}, 0, 2, 2);
    const std::size_t last = whole.size() - 1;
    expect({whole.data() + last, kRows, kColumns, -row, -kSize}, last, -1, -1);
}

TEST(NumberGenotypes, OfAnyTypeAndStride) {
    expectGenotypesOfNumbers<std::int8_t>();
    expectGenotypesOfNumbers<std::uint8_t>();
    expectGenotypesOfNumbers<std::int64_t>();
    expectGenotypesOfNumbers<double>();
}

TEST(NumberGenotypes, RefuseWhatIsNone) {
    Matrix<float> numbers(2, 3, 1);
    numbers(1, 2) = 0.5F;
    EXPECT_EQ(
        messageOf<InputError>([&] {
            genotypesOf(StridedNumbers<float>{numbers.data(), 2, 3, 3 * sizeof(float), sizeof(float)}, "X");
        }),
        "X: (1, 2) is 0.5; outside the alphabet; expected 0, 1 or 2, or -1, -9, -127 or NaN for a missing "
        "genotype");
}

}  // namespace
}  // namespace glycine::distance
