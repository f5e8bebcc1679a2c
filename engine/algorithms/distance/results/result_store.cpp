#include "engine/algorithms/distance/results/result_store.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "engine/algorithms/distance/results/pair_array.hpp"
#include "engine/core/error.hpp"
#include "engine/core/names.hpp"

namespace glycine::distance {

namespace {

constexpr NameTable<ValueType, 3> kValueTypes{{
    {ValueType::Int32, "int32"},
    {ValueType::Float32, "float32"},
    {ValueType::Float64, "float64"},
}};
constexpr NameTable<StoreLayout, 3> kLayouts{{
    {StoreLayout::Square, "square"},
    {StoreLayout::Triangle, "triangle"},
    {StoreLayout::Condensed, "condensed"},
}};

class MemoryStore final : public ResultStore {
  public:
    MemoryStore(std::size_t instances, ValueType type, StoreLayout layout, double diagonalValue)
        : layout_{instances, layout}, type_(type) {
        const std::size_t bytes = storedBytes(instances, type, layout);
        // Pages of zeros are taken from the system when they are first written.
        memory_.reset(static_cast<std::byte*>(std::calloc(bytes + 1, 1)));
        if (!memory_)
            throw Error(
                fmt::format("the result of {} instances needs {:.3g} GB of memory, which is not there",
                            instances, static_cast<double>(bytes) / 1e9));
        values_ = makePairArray(memory_.get(), layout_, type, diagonalValue);
    }
    void store(const PairTile& tile, MatrixView<const double> values) override {
        values_->write(tile, values);
    }
    std::size_t instances() const override { return layout_.instances; }
    ValueType valueType() const override { return type_; }
    StoreLayout layout() const override { return layout_.layout; }
    double value(std::size_t i, std::size_t j) const override { return values_->value(i, j); }
    void readBlock(Range rows, Range columns, MatrixView<double> values) const override {
        values_->readBlock(rows, columns, values);
    }

  private:
    struct Free {
        void operator()(std::byte* pointer) const { std::free(pointer); }
    };
    PairLayout layout_;
    ValueType type_;
    std::unique_ptr<std::byte, Free> memory_;
    std::unique_ptr<PairArray> values_;
};

}  // namespace

std::string_view toString(ValueType type) {
    return nameOf(type, kValueTypes);
}

ValueType parseValueType(std::string_view name) {
    return valueOf("value type", name, kValueTypes);
}

std::string_view toString(StoreLayout layout) {
    return nameOf(layout, kLayouts);
}

std::size_t storedBytes(std::size_t instances, ValueType type, StoreLayout layout) {
    if (instances > std::size_t{1} << 30)
        throw UsageError(
            fmt::format("{} instances have more pairs than can be held; expected at most 2^30", instances));
    return PairLayout{instances, layout}.elements() * (type == ValueType::Float64 ? 8 : 4);
}

std::unique_ptr<ResultStore> makeMemoryStore(std::size_t instances, ValueType type, StoreLayout layout,
                                             double diagonalValue) {
    return std::make_unique<MemoryStore>(instances, type, layout, diagonalValue);
}

}  // namespace glycine::distance
