#pragma once

#include "tests/test.hpp"

/// Writers of small FIF and MATLAB 5 files, made from the format descriptions and independent of the readers.
namespace glycine::test {

template <class T>
std::string bigEndian(const std::vector<T>& values) {
    std::string bytes;
    for (const T value : values) {
        const auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
        bytes.append(raw.rbegin(), raw.rend());
    }
    return bytes;
}

/// A FIF file, tag by tag.
struct FifText {
    std::string bytes;

    FifText() { tag(100, 31, std::string(20, '\0')); }
    FifText& tag(int kind, int type, const std::string& data, int next = 0) {
        bytes += bigEndian<std::int32_t>({kind, type, static_cast<std::int32_t>(data.size()), next}) + data;
        return *this;
    }
    FifText& begin(int block) { return whole(104, {block}); }
    FifText& end(int block) { return whole(105, {block}); }
    FifText& whole(int kind, const std::vector<std::int32_t>& values) {
        return tag(kind, 3, bigEndian(values));
    }
    FifText& floats(int kind, const std::vector<float>& values) { return tag(kind, 4, bigEndian(values)); }
    FifText& text(int kind, const std::string& value) { return tag(kind, 10, value); }
    FifText& channel(const std::string& name, int kind, float calibration, int unit = 107, float range = 1,
                     std::vector<float> place = {}) {
        place.resize(12);
        std::string field = name.substr(0, 16);
        field.resize(16, '\0');
        return tag(203, 30,
                   bigEndian<std::int32_t>({1, 1, kind}) + bigEndian<float>({range, calibration}) +
                       bigEndian<std::int32_t>({0}) + bigEndian(place) + bigEndian<std::int32_t>({unit, 0}) +
                       field);
    }
    /// A magnetometer, a gradiometer, a bad EEG channel with a position, and a trigger; 100 Hz.
    FifText& head() {
        begin(100).begin(101).whole(200, {4}).floats(201, {100}).whole(204, {1'000'000'000, 5});
        begin(108).floats(201, {7}).whole(200, {1}).end(108);  // about the coils, not the recording
        channel("MEG 1", 1, 2, 112, 3).channel("MEG 2", 1, 1, 201);
        channel("EEG a long nam", 2, 0.5F, 107, 1, {0.01F, 0.02F, 0.09F}).channel("STI 014", 3, 1);
        for (const char* const name : {"MEG 1", "MEG 2", "EEG a long name that goes on", "STI 014"})
            begin(113).text(258, name).end(113);
        begin(359).text(3507, "EEG a long name that goes on:none").end(359);
        return end(101);
    }
};

/// Six samples of four channels, two of them after a gap of two buffers; an annotation, and another file.
inline FifText rawFif() {
    FifText fif;
    fif.head()
        .begin(3810)
        .floats(3568, {0.51F})
        .floats(3569, {0.53F})
        .text(206, "BAD{COLON}blink")
        .whole(204, {0, 0});
    fif.end(3810).begin(102).whole(208, {50});
    fif.tag(300, 4, bigEndian<float>({1, 10, 100, 0, 2, 20, 200, 5}));
    fif.tag(300, 4, bigEndian<float>({3, 30, 300, 5, 4, 40, 400, 0})).whole(301, {2});
    fif.tag(300, 4, bigEndian<float>({5, 50, 500, 7, 6, 60, 600, 7})).end(102);
    fif.begin(118).whole(115, {2}).text(118, "raw-1.fif").end(118).end(100);
    return fif;
}

/// Values of level 5 files. Texts and names are padded to eight bytes, as the format requires.
struct MatlabText {
    static std::string little(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), 4}; }
    static std::string element(std::uint32_t type, std::string data) {
        const auto size = static_cast<std::uint32_t>(data.size());
        if (size > 0 && size <= 4) {
            data.resize(4, '\0');
            return little(type | size << 16) + data;
        }
        data.resize((data.size() + 7) / 8 * 8, '\0');
        return little(type) + little(size) + data;
    }
    static std::string array(std::uint32_t kind, const std::vector<std::int32_t>& shape,
                             const std::string& name, const std::string& content) {
        std::string extents;
        for (const std::int32_t extent : shape) extents += little(static_cast<std::uint32_t>(extent));
        return element(
            14, element(6, little(kind) + little(0)) + element(5, extents) + element(1, name) + content);
    }
    template <class T>
    static std::string numbers(std::uint32_t kind, std::uint32_t type, const std::vector<std::int32_t>& shape,
                               const std::vector<T>& values, const std::string& name = "") {
        return array(
            kind, shape, name,
            element(type, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}));
    }
    static std::string number(double value) { return numbers<double>(6, 9, {1, 1}, {value}); }
    /// A double that is stored in one byte, as MATLAB does.
    static std::string small(std::uint8_t value) { return numbers<std::uint8_t>(6, 2, {1, 1}, {value}); }
    static std::string text(const std::string& value) {
        std::string wide;
        for (const char c : value) wide += {c, '\0'};
        return array(4, {1, static_cast<std::int32_t>(value.size())}, "", element(4, wide));
    }
    using Fields = std::vector<std::pair<std::string, std::vector<std::string>>>;
    static std::string structure(const Fields& fields, const std::string& name = "") {
        std::string names, values;
        for (const auto& [field, all] : fields) {
            std::string padded = field;
            padded.resize(32, '\0');
            names += padded;
        }
        const std::size_t count = fields.front().second.size();
        for (std::size_t k = 0; k < count; ++k)
            for (const auto& [field, all] : fields) values += all[k];
        return array(2, {1, static_cast<std::int32_t>(count)}, name,
                     element(5, little(32)) + element(1, names) + values);
    }
    static std::string file(const std::vector<std::string>& variables, bool isPacked = false) {
        std::string bytes = "MATLAB 5.0 MAT-file, written by a test";
        bytes.resize(124, ' ');
        bytes += std::string("\x00\x01IM", 4);
        for (const std::string& variable : variables) {
            if (!isPacked) {
                bytes += variable;
                continue;
            }
            uLongf size = compressBound(static_cast<uLong>(variable.size()));
            std::string packed(size, '\0');
            compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(variable.data()), static_cast<uLong>(variable.size()));
            bytes += little(15) + little(static_cast<std::uint32_t>(size)) + packed.substr(0, size);
        }
        return bytes;
    }
};

/// An EEGLAB data set of two channels at 100 Hz; `data` is one of MatlabText's values.
inline std::string eeglabSet(const std::string& data, int points, int trials,
                             const MatlabText::Fields& events, bool isPacked = false) {
    using M = MatlabText;
    return M::file(
        {M::structure(
            {{"setname", {M::text("rest")}},
             {"nbchan", {M::small(2)}},
             {"trials", {M::number(trials)}},
             {"pnts", {M::number(points)}},
             {"srate", {M::small(100)}},
             {"data", {data}},
             {"chanlocs",
              {M::structure({{"labels", {M::text("Fz"), M::text("C3")}},
                             {"type", {M::text("EEG"), M::text("")}},
                             {"X", {M::number(60), M::number(0)}},
                             {"Y", {M::number(0), M::number(63)}},
                             {"Z", {M::number(59), M::number(58)}}})}},
             {"event", {events.empty() ? M::numbers<double>(6, 9, {0, 0}, {}) : M::structure(events)}}},
            "EEG")},
        isPacked);
}

}  // namespace glycine::test
