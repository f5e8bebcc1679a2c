#pragma once

#include "engine/distance/input/input_data.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine::distance {

/// Reads files that a test writes as inputs of `distance`.
class DistanceInput : public test::ProgramTest {
  protected:
    DataSet read(const std::string& name, const InputOptions& options = {}) const {
        return readDataSet(folder_ / name, options);
    }
    DataSet readText(const std::string& name, const std::string& text,
                     const InputOptions& options = {}) const {
        writeFile(folder_ / name, text);
        return read(name, options);
    }
    std::string refusal(const std::string& name, const std::string& text,
                        const InputOptions& options = {}) const {
        return messageOf<InputError>([&] { readText(name, text, options); });
    }
    template <class T>
    DataSet readArray(const std::string& dtype, std::vector<T> elements, std::size_t rows,
                      std::size_t columns, const InputOptions& options = {}, bool isFortran = false) const {
        const std::size_t shape[] = {rows, columns};
        std::string text = io::npyHeaderText(dtype, shape);
        if (isFortran) text.replace(text.find("False"), 5, "True ");
        text.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
        return readText("a.npy", text, options);
    }
    /// Two families with individuals of the same name, one of them a child; the variants are on all kinds of
    /// chromosomes.
    void writePlink(const std::vector<std::string>& chromosomes) const {
        const std::vector<io::PlinkSample> samples{{"f1", "i1"}, {"f2", "i1"}, {"f2", "c", "0", "i1"}};
        io::writePlinkFiles(io::plinkPaths(folder_ / "set"), samples, chromosomes.size(),
                            [&](std::size_t k, std::span<std::uint8_t> copies) {
                                copies[0] = static_cast<std::uint8_t>(k % 3);
                                copies[1] = 0;
                                copies[2] = k == 0 ? io::kMissingCopies : 2;
                                return io::PlinkVariant{chromosomes[k], "v", 0, 1, "A", "G"};
                            });
    }
    static InputOptions withKind(DataKind kind) {
        InputOptions options;
        options.kind = kind;
        return options;
    }
    static std::vector<double> coordinates(const DataSet& data) {
        return std::visit(
            [](const auto& numbers) {
                return std::vector<double>(numbers.data(), numbers.data() + numbers.size());
            },
            data.coordinates);
    }
};

}  // namespace glycine::distance
