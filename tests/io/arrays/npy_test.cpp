#include "engine/io/arrays/npy.hpp"

#include "tests/test.hpp"

namespace glycine::io {
namespace {

std::string npyBytes(int major, const std::string& dictionary, const std::string& data) {
    std::string text = dictionary + "\n";
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(major);
    bytes += '\0';
    for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
        bytes += static_cast<char>((text.size() >> (8 * i)) & 0xff);
    return bytes + text + data;
}

std::string dictionary(const std::string& dtype, const std::string& shape, bool fortranOrder = false) {
    return "{'descr': '" + dtype + "', 'fortran_order': " + (fortranOrder ? "True" : "False") +
           ", 'shape': " + shape + ", }";
}

template <class T>
std::string rawBytes(std::initializer_list<T> values, bool bigEndian = false) {
    std::string bytes;
    for (const T value : values) {
        auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
        if (bigEndian) std::reverse(raw.begin(), raw.end());
        bytes.append(raw.data(), raw.size());
    }
    return bytes;
}

std::unique_ptr<ByteSource> source(const std::string& bytes) {
    return openMemory(std::as_bytes(std::span(bytes)), "test.npy");
}

template <class T>
Matrix<T> parse(const std::string& bytes) {
    return readNpyMatrix<T>(*source(bytes));
}

template <class T>
std::vector<T> elements(const Matrix<T>& matrix) {
    return {matrix.data(), matrix.data() + matrix.size()};
}

std::string refusal(const std::string& bytes) {
    return messageOf<InputError>([&] { parse<double>(bytes); });
}

TEST(NpyRead, GoldenBytesOfNumpy) {
    // numpy.save of numpy.array([[1.5, -2.0]], dtype="<f4"), byte for byte: 128 bytes of header, 8 of data.
    std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
    bytes += "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
    bytes.append(127 - bytes.size(), ' ');
    bytes += '\n';
    bytes += std::string("\x00\x00\xc0\x3f\x00\x00\x00\xc0", 8);
    const Matrix<float> matrix = parse<float>(bytes);
    EXPECT_EQ(matrix.rows(), 1U);
    EXPECT_THAT(elements(matrix), ElementsAre(1.5F, -2.0F));
}

TEST(NpyWrite, GoldenBytesOfNumpy) {
    const TemporaryFolder folder;
    Matrix<float> matrix(1, 2);
    matrix(0, 0) = 1.5F;
    matrix(0, 1) = -2.0F;
    writeNpy<float>(folder / "out.npy", matrix.view());
    std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
    expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
    expected.append(127 - expected.size(), ' ');
    expected += '\n';
    expected += std::string("\x00\x00\xc0\x3f\x00\x00\x00\xc0", 8);
    EXPECT_EQ(readFile(folder / "out.npy"), expected);
}

TEST(NpyRead, VersionsTwoAndThree) {
    for (const int major : {2, 3})
        EXPECT_THAT(
            elements(parse<double>(npyBytes(major, dictionary("<f8", "(2, 1)"), rawBytes({0.25, 4.0})))),
            ElementsAre(0.25, 4.0));
}

TEST(NpyRead, BigEndian) {
    EXPECT_THAT(
        elements(parse<double>(npyBytes(1, dictionary(">f8", "(1, 2)"), rawBytes({1.25, -3e300}, true)))),
        ElementsAre(1.25, -3e300));
    EXPECT_THAT(elements(parse<float>(
                    npyBytes(1, dictionary(">i2", "(1, 2)"), rawBytes<std::int16_t>({258, -2}, true)))),
                ElementsAre(258, -2));
}

TEST(NpyRead, FortranOrderIsTransposed) {
    const std::string columns = rawBytes({1.0, 4.0, 2.0, 5.0, 3.0, 6.0});
    const Matrix<double> matrix = parse<double>(npyBytes(1, dictionary("<f8", "(2, 3)", true), columns));
    EXPECT_EQ(matrix.rows(), 2U);
    EXPECT_EQ(matrix.columns(), 3U);
    EXPECT_THAT(elements(matrix), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(NpyRead, AllNumericTypes) {
    const auto expectOneTwo = [](const std::string& dtype, const std::string& data) {
        EXPECT_THAT(elements(parse<double>(npyBytes(1, dictionary(dtype, "(1, 2)"), data))),
                    ElementsAre(1, 2))
            << dtype;
        EXPECT_THAT(elements(parse<std::int32_t>(npyBytes(1, dictionary(dtype, "(1, 2)"), data))),
                    ElementsAre(1, 2))
            << dtype;
    };
    expectOneTwo("<f4", rawBytes<float>({1, 2}));
    expectOneTwo("=f8", rawBytes<double>({1, 2}));
    expectOneTwo("|i1", rawBytes<std::int8_t>({1, 2}));
    expectOneTwo("|u1", rawBytes<std::uint8_t>({1, 2}));
    expectOneTwo("<i2", rawBytes<std::int16_t>({1, 2}));
    expectOneTwo("<u2", rawBytes<std::uint16_t>({1, 2}));
    expectOneTwo("<i4", rawBytes<std::int32_t>({1, 2}));
    expectOneTwo("<u4", rawBytes<std::uint32_t>({1, 2}));
    expectOneTwo("<i8", rawBytes<std::int64_t>({1, 2}));
    expectOneTwo("<u8", rawBytes<std::uint64_t>({1, 2}));
}

TEST(NpyRead, KeysInAnyOrderAndDoubleQuotes) {
    const std::string text = R"({"shape": (1,1), "descr": "<f8", "fortran_order": False})";
    EXPECT_THAT(elements(parse<double>(npyBytes(1, text, rawBytes({7.0})))), ElementsAre(7));
}

TEST(NpyRead, BlocksJoinWithoutASeam) {
    const TemporaryFolder folder;
    // 1500 × 1500 float64 are 18 MB, several blocks.
    Matrix<double> matrix(1500, 1500);
    for (std::size_t k = 0; k < matrix.size(); ++k) matrix.data()[k] = static_cast<double>(k);
    writeNpy<double>(folder / "large.npy", matrix.view());
    const Matrix<double> back = readNpyMatrix<double>(folder / "large.npy");
    EXPECT_EQ(elements(back), elements(matrix));
}

TEST(NpyWrite, StridedViewRoundTrip) {
    const TemporaryFolder folder;
    Matrix<std::int32_t> matrix(4, 5);
    for (std::int32_t k = 0; k < 20; ++k) matrix.data()[k] = k;
    const MatrixView<const std::int32_t> view =
        MatrixView<const std::int32_t>(matrix.view()).block(1, 2, 2, 3);
    writeNpy<std::int32_t>(folder / "block.npy", view);
    EXPECT_THAT(elements(readNpyMatrix<std::int32_t>(folder / "block.npy")),
                ElementsAre(7, 8, 9, 12, 13, 14));
}

TEST(NpyWrite, OtherThanTwoDimensions) {
    const TemporaryFolder folder;
    const std::vector<double> vector{1.5, -2, 3};
    writeNpy(folder / "vector.npy", npyVectorSource<double>(vector));
    const std::string line = readFile(folder / "vector.npy");
    EXPECT_THAT(line, HasSubstr("'shape': (3,)"));
    EXPECT_EQ(line.size(), 128 + 3 * sizeof(double));
    double last = 0;
    std::memcpy(&last, line.data() + 128 + 2 * sizeof(double), sizeof(double));
    EXPECT_EQ(last, 3);
    writeNpy(folder / "empty.npy", npyVectorSource<std::int32_t>({}));
    EXPECT_THAT(readFile(folder / "empty.npy"), HasSubstr("'shape': (0,)"));

    // A stack of two 2 × 3 matrices, one of them a view of a larger one.
    Matrix<std::int32_t> first(2, 3);
    Matrix<std::int32_t> second(4, 5, -1);
    for (int k = 0; k < 6; ++k) {
        first.data()[k] = k;
        second(1 + k / 3, 2 + k % 3) = 6 + k;
    }
    writeNpy(folder / "stack.npy",
             npyStackSource<std::int32_t>({first.view(), std::as_const(second).view().block(1, 2, 2, 3)}));
    const std::string stack = readFile(folder / "stack.npy");
    EXPECT_THAT(stack, HasSubstr("'shape': (2, 2, 3)"));
    std::array<std::int32_t, 12> values{};
    ASSERT_EQ(stack.size(), 128 + sizeof(values));
    std::memcpy(values.data(), stack.data() + 128, sizeof(values));
    for (int k = 0; k < 12; ++k) EXPECT_EQ(values[static_cast<std::size_t>(k)], k);
}

TEST(NpyStrings, RoundTripOfUnicode) {
    const std::vector<std::string> names{"CA", "", "Å-β", "\xf0\x9f\xa7\xac"};
    const std::string bytes = npyStringArray(names);
    EXPECT_THAT(bytes, HasSubstr("'descr': '<U3'"));
    EXPECT_THAT(bytes, HasSubstr("'shape': (4,)"));
    EXPECT_EQ(readNpyStrings(*source(bytes)), names);
}

TEST(NpyStrings, Refusals) {
    EXPECT_THAT(messageOf<InputError>([] {
                    npyStringArray(std::vector<std::string>{"ok", "bad \xff"});
                }),
                HasSubstr("not UTF-8 at byte 4"));
    EXPECT_THAT(messageOf<InputError>(
                    [] { readNpyStrings(*source(npyBytes(1, dictionary("<f8", "(1,)"), rawBytes({1.0})))); }),
                HasSubstr("expected a one-dimensional array of text"));
    EXPECT_THAT(messageOf<InputError>([] {
                    readNpyStrings(
                        *source(npyBytes(1, dictionary("<U1", "(1,)"), rawBytes<std::uint32_t>({0xd800}))));
                }),
                HasSubstr("string 0: 0xd800 is no Unicode character"));
    EXPECT_THAT(messageOf<InputError>(
                    [] { readNpyStrings(*source(npyBytes(1, dictionary("<U0", "(1000000000000,)"), ""))); }),
                HasSubstr("1000000000000 empty strings"));
}

TEST(NpyRefusal, NotNpy) {
    EXPECT_THAT(refusal("PK\x03\x04 something else"), HasSubstr("test.npy: not an NPY file"));
    EXPECT_THAT(refusal(""),
                AllOf(HasSubstr("truncated: 0 of the 8 bytes"), HasSubstr("the file has 0 bytes")));
}

TEST(NpyRefusal, Version) {
    EXPECT_THAT(refusal(npyBytes(4, "{}", "")), HasSubstr("NPY version 4.0; accepted are 1.0, 2.0 and 3.0"));
}

TEST(NpyRefusal, TruncatedHeader) {
    const std::string bytes = npyBytes(1, dictionary("<f8", "(1, 1)"), "");
    EXPECT_THAT(refusal(bytes.substr(0, 9)), HasSubstr("1 of the 2 bytes of the NPY header length"));
    EXPECT_THAT(refusal(bytes.substr(0, 30)), HasSubstr("20 of the 60 bytes of the NPY header are there"));
}

TEST(NpyRefusal, TruncatedDataSaysHowMuchIsThere) {
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "(2, 2)"), rawBytes({1.0, 2.0, 3.0}))),
                HasSubstr("24 bytes follow the header, which asks for 32 (shape (2, 2), dtype <f8)"));
}

TEST(NpyRefusal, AbsurdShapes) {
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "(4294967296, 4294967296)"), "")),
                HasSubstr("the shape (4294967296, 4294967296) holds more than 2⁶⁴ bytes"));
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "(99999999999999999999, 1)"), "")),
                HasSubstr("is too large"));
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "(1000000, 1000000)"), "")),
                HasSubstr("asks for 8000000000000"));
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "(-1, 1)"), "")), HasSubstr("a whole number ≥ 0"));
}

TEST(NpyRefusal, WrongDtypeIsNamed) {
    for (const std::string dtype : {"<f2", "<c16", "|O", "|b2", "<M8[s]", "<i3", "f8", "<f16", "|S4", ""})
        EXPECT_THAT(refusal(npyBytes(1, dictionary(dtype, "(1, 1)"), std::string(64, '\0'))),
                    AllOf(HasSubstr("the dtype is '" + dtype + "'"), HasSubstr("accepted are f4, f8, i1")));
    EXPECT_THAT(
        refusal(npyBytes(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1)}", "")),
        HasSubstr("a structured dtype"));
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<U4", "(1, 1)"), std::string(16, '\0'))),
                HasSubstr("'<U4', text; expected numbers"));
    // Text of length 0 takes no bytes: refused before memory is allocated for its shape.
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<U0", "(10000000, 1000000)"), "")),
                HasSubstr("'<U0', text; expected numbers"));
}

TEST(NpyRefusal, NotAMatrix) {
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "(3,)"), rawBytes({1.0, 2.0, 3.0}))),
                HasSubstr("1 dimensions (shape (3))"));
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "()"), rawBytes({1.0}))), HasSubstr("0 dimensions"));
}

TEST(NpyRefusal, MalformedDictionaryNamesTheByte) {
    EXPECT_THAT(refusal(npyBytes(1, "['descr']", "")), HasSubstr("NPY header, byte 10: expected '{'"));
    EXPECT_THAT(refusal(npyBytes(1, "{'descr': '<f8', 'shape': (1, 1)}", "")),
                HasSubstr("the key 'fortran_order' is missing"));
    EXPECT_THAT(refusal(npyBytes(1, "{'descr': '<f8', 'descr': '<f8'}", "")),
                HasSubstr("the key 'descr' is there twice"));
    EXPECT_THAT(refusal(npyBytes(1, "{'evil': 1}", "")), HasSubstr("unknown key 'evil'"));
    EXPECT_THAT(refusal(npyBytes(1, "{'descr': '<f8", "")), HasSubstr("a string without end"));
    EXPECT_THAT(refusal(npyBytes(1, "{'fortran_order': Maybe}", "")), HasSubstr("expected True or False"));
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<f8", "(1, 1)") + " x", "")),
                HasSubstr("nothing after the closing brace"));
}

TEST(NpyRefusal, ValuesThatDoNotFitIntegers) {
    const auto integers = [](const std::string& bytes) {
        return messageOf<InputError>([&] { parse<std::int32_t>(bytes); });
    };
    EXPECT_THAT(integers(npyBytes(1, dictionary("<f8", "(1, 2)"), rawBytes({1.0, 2.5}))),
                HasSubstr("(0, 1) is 2.5; expected a whole"));
    EXPECT_THAT(integers(npyBytes(1, dictionary("<f8", "(1, 1)"), rawBytes({std::nan("")}))),
                HasSubstr("(0, 0) is nan"));
    EXPECT_THAT(integers(npyBytes(1, dictionary("<i8", "(2, 1)", true),
                                  rawBytes<std::int64_t>({0, std::int64_t{1} << 31}))),
                HasSubstr("(1, 0) is 2147483648"));
}

TEST(NpyRefusal, WholeNumbersThatWouldBeRounded) {
    const auto ofSigned = [](std::int64_t value, bool bigEndian = false) {
        return npyBytes(1, dictionary(bigEndian ? ">i8" : "<i8", "(2, 1)"),
                        rawBytes<std::int64_t>({0, value}, bigEndian));
    };
    constexpr std::int64_t kNeighbour = (std::int64_t{1} << 53) + 1;
    EXPECT_THAT(
        refusal(ofSigned(kNeighbour)),
        HasSubstr("(1, 0) is 9007199254740993; expected a whole number that float64 holds exactly (up "
                  "to 2^53 = 9007199254740992 each is)"));
    EXPECT_THAT(refusal(ofSigned(-kNeighbour, true)), HasSubstr("(1, 0) is -9007199254740993"));
    EXPECT_THAT(elements(parse<double>(ofSigned(std::int64_t{1} << 60))), ElementsAre(0, 0x1p60));
    EXPECT_THAT(refusal(npyBytes(1, dictionary("<u8", "(1, 1)"),
                                 rawBytes<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()}))),
                HasSubstr("(0, 0) is 18446744073709551615"));
    EXPECT_THAT(
        messageOf<InputError>([] {
            parse<float>(npyBytes(1, dictionary("<i4", "(1, 1)"), rawBytes<std::int32_t>({16777217})));
        }),
        HasSubstr("float32 holds exactly (up to 2^24 = 16777216 each is)"));
}

TEST(NpyRefusal, FileProblems) {
    const TemporaryFolder folder;
    EXPECT_THAT(messageOf<InputError>([&] { readNpyMatrix<float>(folder / "none.npy"); }),
                AllOf(HasSubstr("none.npy"), HasSubstr("No such file or directory")));
    EXPECT_THAT(messageOf<InputError>([&] { readNpyMatrix<float>(folder.path()); }),
                HasSubstr("it is a folder"));
}

}  // namespace
}  // namespace glycine::io
