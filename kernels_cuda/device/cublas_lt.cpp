#include "kernels_cuda/device/cublas_lt.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/system/shared_library.hpp"

#if __has_include(<cublasLt.h>)

#include <cublasLt.h>

#include <array>
#include <map>
#include <string_view>

#ifdef GLYCINE_FAULTS
#include "kernels_cuda/device/faults.hpp"
#endif

namespace glycine::cuda {

namespace {

/// The functions in use, with the names and types of the header; they are the same in versions 12 and 13.
struct Library {
    decltype(&::cublasLtCreate) cublasLtCreate = nullptr;
    decltype(&::cublasLtDestroy) cublasLtDestroy = nullptr;
    decltype(&::cublasLtGetStatusString) cublasLtGetStatusString = nullptr;
    decltype(&::cublasLtMatmul) cublasLtMatmul = nullptr;
    decltype(&::cublasLtMatmulAlgoGetHeuristic) cublasLtMatmulAlgoGetHeuristic = nullptr;
    decltype(&::cublasLtMatmulDescCreate) cublasLtMatmulDescCreate = nullptr;
    decltype(&::cublasLtMatmulDescDestroy) cublasLtMatmulDescDestroy = nullptr;
    decltype(&::cublasLtMatmulDescSetAttribute) cublasLtMatmulDescSetAttribute = nullptr;
    decltype(&::cublasLtMatmulPreferenceCreate) cublasLtMatmulPreferenceCreate = nullptr;
    decltype(&::cublasLtMatmulPreferenceDestroy) cublasLtMatmulPreferenceDestroy = nullptr;
    decltype(&::cublasLtMatmulPreferenceSetAttribute) cublasLtMatmulPreferenceSetAttribute = nullptr;
    decltype(&::cublasLtMatrixLayoutCreate) cublasLtMatrixLayoutCreate = nullptr;
    decltype(&::cublasLtMatrixLayoutDestroy) cublasLtMatrixLayoutDestroy = nullptr;
    std::string missing;  ///< why the library cannot be used

    /// Loaded once, and kept for the life of the process.
    static const Library& instance() {
        static const Library library;
        return library;
    }

  private:
    Library() {
        // Plain names first, which the system's loader resolves, then the folders of CUDA's own installer.
        const SharedLibrary library{"libcublasLt.so.13",
                                    "libcublasLt.so.12",
                                    "/usr/local/cuda/lib64/libcublasLt.so.13",
                                    "/usr/local/cuda/lib64/libcublasLt.so.12",
                                    "/opt/cuda/lib64/libcublasLt.so.13",
                                    "/opt/cuda/lib64/libcublasLt.so.12"};
        if (!library.isLoaded()) {
            missing =
                fmt::format("cuBLASLt (libcublasLt.so.13 or .12) cannot be loaded: {}", library.reason());
            return;
        }
#define GLYCINE_LOAD(name) load(library, name, #name)
        GLYCINE_LOAD(cublasLtCreate);
        GLYCINE_LOAD(cublasLtDestroy);
        GLYCINE_LOAD(cublasLtGetStatusString);
        GLYCINE_LOAD(cublasLtMatmul);
        GLYCINE_LOAD(cublasLtMatmulAlgoGetHeuristic);
        GLYCINE_LOAD(cublasLtMatmulDescCreate);
        GLYCINE_LOAD(cublasLtMatmulDescDestroy);
        GLYCINE_LOAD(cublasLtMatmulDescSetAttribute);
        GLYCINE_LOAD(cublasLtMatmulPreferenceCreate);
        GLYCINE_LOAD(cublasLtMatmulPreferenceDestroy);
        GLYCINE_LOAD(cublasLtMatmulPreferenceSetAttribute);
        GLYCINE_LOAD(cublasLtMatrixLayoutCreate);
        GLYCINE_LOAD(cublasLtMatrixLayoutDestroy);
#undef GLYCINE_LOAD
    }

    template <class Function>
    void load(const SharedLibrary& library, Function& function, const char* name) {
        function = library.function<Function>(name);
        if (function == nullptr && missing.empty()) missing = fmt::format("cuBLASLt lacks {}", name);
    }
};

void check(cublasStatus_t status, std::string_view call) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw DeviceError(
            fmt::format("{} failed: {}", call, Library::instance().cublasLtGetStatusString(status)));
}

/// Owns one of the library's descriptors.
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

/// The library's layouts are column-major: there, a row-major matrix is its own transpose.
Owned<cublasLtMatrixLayout_t> makeLayout(cudaDataType_t type, std::size_t rows, std::size_t columns,
                                         std::size_t stride) {
    cublasLtMatrixLayout_t layout = nullptr;
    check(Library::instance().cublasLtMatrixLayoutCreate(&layout, type, rows, columns,
                                                         static_cast<std::int64_t>(stride)),
          "cublasLtMatrixLayoutCreate");
    return {layout, Library::instance().cublasLtMatrixLayoutDestroy};
}

Owned<cublasLtMatmulDesc_t> makeTransposedProduct() {
    const Library& library = Library::instance();
    cublasLtMatmulDesc_t created = nullptr;
    check(library.cublasLtMatmulDescCreate(&created, CUBLAS_COMPUTE_32I, CUDA_R_32I),
          "cublasLtMatmulDescCreate");
    Owned<cublasLtMatmulDesc_t> description(created, library.cublasLtMatmulDescDestroy);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check(library.cublasLtMatmulDescSetAttribute(created, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                                 sizeof transposed),
          "cublasLtMatmulDescSetAttribute");
    return description;
}

/// A product without its addresses.
struct Plan {
    Owned<cublasLtMatrixLayout_t> first, second, result;
    cublasLtMatmulAlgo_t algorithm{};
    std::size_t workspaceBytes = 0;
};

}  // namespace

struct Int8Products::Impl {
    using Key = std::array<std::size_t, 5>;

    Impl(MemoryBudget& memory, std::size_t workspaceBytes)
        : workspace(memory, workspaceBytes), product(makeTransposedProduct()) {
        cublasLtHandle_t created = nullptr;
        check(Library::instance().cublasLtCreate(&created), "cublasLtCreate");
        handle = {created, Library::instance().cublasLtDestroy};
    }

    /// The first choice of the library's heuristics. Products of the same shape share a plan.
    const Plan& planFor(const Int8Task& task) {
        const Key key{task.rows, task.columns, task.depth, task.stride, task.c.stride};
        if (const auto known = plans.find(key); known != plans.end()) return known->second;
        const Library& library = Library::instance();
        cublasLtMatmulPreference_t created = nullptr;
        check(library.cublasLtMatmulPreferenceCreate(&created), "cublasLtMatmulPreferenceCreate");
        const Owned<cublasLtMatmulPreference_t> preference(created, library.cublasLtMatmulPreferenceDestroy);
        const std::size_t workspaceBytes = workspace.size();
        check(library.cublasLtMatmulPreferenceSetAttribute(created, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                           &workspaceBytes, sizeof workspaceBytes),
              "cublasLtMatmulPreferenceSetAttribute");
        Plan plan{makeLayout(CUDA_R_8I, task.depth, task.columns, task.stride),
                  makeLayout(CUDA_R_8I, task.depth, task.rows, task.stride),
                  makeLayout(CUDA_R_32I, task.columns, task.rows, task.c.stride)};
        cublasLtMatmulHeuristicResult_t found{};
        int count = 0;
        check(library.cublasLtMatmulAlgoGetHeuristic(handle.get(), product.get(), plan.first.get(),
                                                     plan.second.get(), plan.result.get(), plan.result.get(),
                                                     created, 1, &found, &count),
              fmt::format("cublasLtMatmulAlgoGetHeuristic for {} × {} × {} int8", task.rows, task.columns,
                          task.depth));
        plan.algorithm = found.algo;
        plan.workspaceBytes = found.workspaceSize;
        return plans.emplace(key, std::move(plan)).first->second;
    }

    DeviceBuffer<std::byte> workspace;
    Owned<cublasLtMatmulDesc_t> product;
    Owned<cublasLtHandle_t> handle{nullptr, nullptr};
    std::map<Key, Plan> plans;
};

const std::string& reasonAgainstInt8Products() {
    return Library::instance().missing;
}

Int8Products::Int8Products(MemoryBudget& memory, std::size_t workspaceBytes) {
    if (!reasonAgainstInt8Products().empty()) throw UnavailableError(reasonAgainstInt8Products());
    impl_ = std::make_unique<Impl>(memory, workspaceBytes);
}

Int8Products::~Int8Products() = default;

void Int8Products::multiply(const Int8Task& task, const Stream& stream) {
    const Plan& plan = impl_->planFor(task);
#ifdef GLYCINE_FAULTS
    const WatchedLaunch watch("cublasLtMatmul");
#endif
    const std::int32_t one = 1;
    const std::int32_t accumulated = task.adds ? 1 : 0;
    check(Library::instance().cublasLtMatmul(
              impl_->handle.get(), impl_->product.get(), &one, task.b, plan.first.get(), task.a,
              plan.second.get(), &accumulated, task.c.data, plan.result.get(), task.c.data, plan.result.get(),
              &plan.algorithm, impl_->workspace.data(), plan.workspaceBytes, stream.handle()),
          "cublasLtMatmul");
}

}  // namespace glycine::cuda

#else  // no header: behaves as if the library were missing

namespace glycine::cuda {

struct Int8Products::Impl {};

const std::string& reasonAgainstInt8Products() {
    static const std::string reason =
        "this program was built without cuBLASLt's header (cublasLt.h, part of the CUDA toolkit)";
    return reason;
}

Int8Products::Int8Products(MemoryBudget&, std::size_t) {
    throw UnavailableError(reasonAgainstInt8Products());
}
Int8Products::~Int8Products() = default;
void Int8Products::multiply(const Int8Task&, const Stream&) {
    throw UnavailableError(reasonAgainstInt8Products());
}

}  // namespace glycine::cuda

#endif
