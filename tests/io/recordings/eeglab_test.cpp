// EEGLAB data sets: MATLAB 5 files written byte by byte, packed and not, and 7.3 files written by the HDF5
// library.
#include <hdf5.h>

#include "engine/io/recordings/eeglab.hpp"
#include "tests/io/recordings/recording_files.hpp"
#include "tests/io/recordings/recording_fixtures.hpp"

namespace glycine::io {
namespace {

using test::eeglabSet;
using test::messageOf;
using test::physicalSamples;
using test::stretches;
using test::TemporaryFolder;
using test::writeFile;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using M = test::MatlabText;

const std::vector<float> kSamples{1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60};

M::Fields events() {
    return {{"type", {M::text("go"), M::text("boundary"), M::number(7)}},
            {"latency", {M::number(2), M::number(4.5), M::number(6)}},
            {"duration", {M::number(0), M::number(20), M::number(1)}}};
}

/// Expects six points, divided after the fourth, where 0.2 s were cut out.
void expectContinuous(const Recording& recording) {
    EXPECT_EQ(recording.format, "EEGLAB");
    EXPECT_EQ(recording.description, "rest");
    ASSERT_EQ(recording.channels.size(), 2U);
    EXPECT_EQ(recording.channels[1].label, "C3");
    EXPECT_EQ(recording.channels[0].type, "EEG");
    ASSERT_TRUE(recording.channels[1].position);
    EXPECT_THAT(*recording.channels[1].position, ElementsAre(-63, 0, 58));
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 4U), Pair(0.24, 2U)));
    EXPECT_THAT(physicalSamples(recording, 0, 1), ElementsAre(10, 20, 30, 40));
    EXPECT_THAT(physicalSamples(recording, 1, 0), ElementsAre(5, 6));
    ASSERT_EQ(recording.annotations.size(), 2U);
    EXPECT_EQ(recording.annotations[0].text + recording.annotations[1].text, "go7");
    EXPECT_DOUBLE_EQ(recording.annotations[0].onset, 0.01);
    EXPECT_DOUBLE_EQ(recording.annotations[1].onset, 0.25);
    EXPECT_THAT(recording.notes, IsEmpty());
}

TEST(Eeglab, ReadsMatlab5WithSamplesInside) {
    const TemporaryFolder folder;
    for (const bool isPacked : {false, true}) {
        writeFile(folder / "a.set",
                  eeglabSet(M::numbers<float>(7, 7, {2, 6}, kSamples), 6, 1, events(), isPacked));
        expectContinuous(readEeglab(folder / "a.set"));
    }
    // Doubles with integer values are stored in the smallest type that holds them.
    const std::vector<std::uint8_t> bytes(kSamples.begin(), kSamples.end());
    writeFile(folder / "b.set", eeglabSet(M::numbers<std::uint8_t>(6, 2, {2, 6}, bytes), 6, 1, events()));
    expectContinuous(readEeglab(folder / "b.set"));
    EXPECT_THAT(eeglabFiles(folder / "b.set"), ElementsAre(folder / "b.set"));
}

TEST(Eeglab, ReadsSamplesFromASecondFile) {
    const TemporaryFolder folder;
    const auto raw = [](const std::vector<float>& values) {
        return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    };
    writeFile(folder / "a.set", eeglabSet(M::text("a.fdt"), 6, 1, events()));
    writeFile(folder / "a.fdt", raw(kSamples));
    expectContinuous(readEeglab(folder / "a.set"));
    // Both files were renamed; the data set still contains the old name.
    std::filesystem::rename(folder / "a.set", folder / "b.set");
    std::filesystem::rename(folder / "a.fdt", folder / "b.fdt");
    expectContinuous(readEeglab(folder / "b.set"));
    EXPECT_THAT(eeglabFiles(folder / "b.set"), ElementsAre(folder / "b.set", folder / "b.fdt"));
    writeFile(folder / "c.set", eeglabSet(M::text("c.dat"), 6, 1, events()));
    writeFile(folder / "c.dat", raw({1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60}));
    expectContinuous(readEeglab(folder / "c.set"));

    writeFile(folder / "b.fdt", raw({1, 2, 3}));
    EXPECT_THAT(
        messageOf<InputError>([&] { readEeglab(folder / "b.set"); }),
        HasSubstr(
            "the samples take 12 bytes; expected 48 of 2 channels × 6 points × 1 trials; was it cut short?"));
    std::filesystem::remove(folder / "b.fdt");
    EXPECT_THAT(messageOf<InputError>([&] { readEeglab(folder / "b.set"); }),
                HasSubstr("the samples are in the file 'a.fdt', which is not in the same folder"));
}

TEST(Eeglab, ReadsTrialsAsSegments) {
    const TemporaryFolder folder;
    const M::Fields trialEvents{{"type", {M::text("stim"), M::text("stim"), M::text("far")}},
                                {"latency", {M::number(2), M::number(5), M::number(99)}}};
    writeFile(folder / "a.set", eeglabSet(M::numbers<float>(7, 7, {2, 3, 2}, kSamples), 3, 2, trialEvents));
    const Recording recording = readEeglab(folder / "a.set");
    EXPECT_EQ(recording.format, "EEGLAB, epochs");
    EXPECT_THAT(stretches(recording), ElementsAre(Pair(0.0, 3U), Pair(0.03, 3U)));
    EXPECT_THAT(physicalSamples(recording, 1, 0), ElementsAre(4, 5, 6));
    ASSERT_EQ(recording.annotations.size(), 2U);
    EXPECT_DOUBLE_EQ(recording.annotations[1].onset, 0.04);
    EXPECT_THAT(recording.notes, ElementsAre("event 3 ('far') has no place within the recording"));
}

/// Writes the parts of a 7.3 file as MATLAB does.
class Hdf5Writer {
  public:
    explicit Hdf5Writer(const std::filesystem::path& path) {
        // MATLAB reserves 512 bytes for its own header.
        const hid_t made = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_userblock(made, 512);
        file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, made, H5P_DEFAULT);
        H5Pclose(made);
        group("#refs#");
    }
    Hdf5Writer(const Hdf5Writer&) = delete;
    ~Hdf5Writer() { H5Fclose(file_); }
    void group(const std::string& name) const {
        H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    void numbers(const std::string& name, const std::vector<hsize_t>& shape,
                 const std::vector<double>& values, hid_t type = H5T_IEEE_F64LE,
                 const std::string& kind = "double") const {
        const hid_t set = create(name, shape, type);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        attribute(set, kind);
        H5Dclose(set);
    }
    void text(const std::string& name, const std::string& value) const {
        numbers(name, {value.size(), 1}, {value.begin(), value.end()}, H5T_STD_U16LE, "char");
    }
    void references(const std::string& name, const std::vector<std::string>& targets) const {
        std::vector<hobj_ref_t> all(targets.size());
        for (std::size_t k = 0; k < targets.size(); ++k)
            H5Rcreate(&all[k], file_, targets[k].c_str(), H5R_OBJECT, -1);
        const hid_t set = create(name, {targets.size(), 1}, H5T_STD_REF_OBJ);
        H5Dwrite(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(all.data()));
        H5Dclose(set);
    }

  private:
    hid_t create(const std::string& name, const std::vector<hsize_t>& shape, hid_t type) const {
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t set = H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Sclose(space);
        return set;
    }
    static void attribute(hid_t set, const std::string& kind) {
        const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
        H5Tset_size(type, kind.size());
        const hid_t made = H5Acreate2(set, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(made, type, kind.data());
        H5Aclose(made);
        H5Sclose(space);
        H5Tclose(type);
    }
    hid_t file_ = -1;
};

TEST(Eeglab, ReadsMatlab73) {
    const TemporaryFolder folder;
    for (const std::string place : {"EEG/", ""}) {  // the structure, or its fields as variables
        const std::filesystem::path path = folder / (place.empty() ? "b.set" : "a.set");
        {
            const Hdf5Writer writer(path);
            if (!place.empty()) writer.group("EEG");
            writer.text(place + "setname", "rest");
            const std::pair<const char*, double> counts[] = {
                {"nbchan", 2}, {"trials", 1}, {"pnts", 6}, {"srate", 100}};
            for (const auto& [name, value] : counts) writer.numbers(place + name, {1, 1}, {value});
            writer.numbers(place + "data", {6, 2}, {kSamples.begin(), kSamples.end()}, H5T_IEEE_F32LE,
                           "single");
            int next = 0;
            const auto list = [&](const std::string& name,
                                  const std::vector<std::variant<double, std::string>>& values) {
                std::vector<std::string> targets;
                for (const auto& value : values) {
                    targets.push_back("#refs#/" + std::to_string(next++));
                    if (const auto* text = std::get_if<std::string>(&value))
                        writer.text(targets.back(), *text);
                    else
                        writer.numbers(targets.back(), {1, 1}, {std::get<double>(value)});
                }
                writer.references(place + name, targets);
            };
            writer.group(place + "chanlocs");
            list("chanlocs/labels", {"Fz", "C3"});
            list("chanlocs/type", {"EEG", "EEG"});
            list("chanlocs/X", {60.0, 0.0});
            list("chanlocs/Y", {0.0, 63.0});
            list("chanlocs/Z", {59.0, 58.0});
            writer.group(place + "event");
            list("event/type", {"go", "boundary", 7.0});
            list("event/latency", {2.0, 4.5, 6.0});
            list("event/duration", {0.0, 20.0, 1.0});
        }
        expectContinuous(readEeglab(path));
    }
}

TEST(Eeglab, RefusesOtherAndDamagedFiles) {
    const auto refusal = [](const std::string& bytes) {
        return messageOf<InputError>([&] {
            recordingOf(parseMatlab(std::as_bytes(std::span(bytes)), "a.set"), "a.set", std::nullopt);
        });
    };
    EXPECT_THAT(refusal(M::file({M::structure({{"x", {M::small(1)}}}, "other")})),
                HasSubstr("has no EEGLAB data set"));
    EXPECT_THAT(refusal("MATLAB 5.0"), HasSubstr("shorter than the header"));
    EXPECT_THAT(refusal(std::string(128, ' ')), HasSubstr("byte 124: no MATLAB file"));
    const std::string good = eeglabSet(M::numbers<float>(7, 7, {2, 6}, kSamples), 6, 1, events());
    EXPECT_THAT(refusal(good.substr(0, good.size() - 9)), HasSubstr("byte 128: truncated: an element of"));
    const std::string packed = eeglabSet(M::numbers<float>(7, 7, {2, 6}, kSamples), 6, 1, events(), true);
    std::string broken = packed;
    broken[200] = static_cast<char>(broken[200] + 1);
    EXPECT_THAT(refusal(broken), HasSubstr("byte 128: this"));
    EXPECT_THAT(refusal(eeglabSet(M::numbers<float>(7, 7, {2, 6}, kSamples), 7, 1, {})),
                HasSubstr("the samples take 48 bytes; expected 56"));
    EXPECT_THAT(refusal(eeglabSet(M::numbers<float>(7, 7, {2, 6}, kSamples), 0, 1, {})),
                HasSubstr("EEG.pnts is '0'; expected a whole number from 1 on"));
    EXPECT_THAT(refusal(eeglabSet(M::text("x.fdt"), 6, 1, {})), HasSubstr("EEG.data holds no real numbers"));
    std::string turned = good;
    std::swap(turned[126], turned[127]);
    EXPECT_THAT(refusal(turned), HasSubstr("big-endian"));
}

}  // namespace
}  // namespace glycine::io
