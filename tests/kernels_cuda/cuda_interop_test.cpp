// OpenGL objects used by CUDA in place. Skipped without an NVIDIA driver, and if the OpenGL context is not on
// the CUDA device.

#include "engine/core/matrix.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/gl/framework/texture.hpp"
#include "kernels_cuda/bounds/device_smoothing.hpp"
#include "kernels_cuda/device/gl_interop.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

using cuda::CudaBackend;
using cuda::DeviceBuffer;
using cuda::StagedTransfer;

constexpr auto kWhole = StagedTransfer::Part::Whole;

/// A current context and the backend on the same device.
class CudaInterop : public testing::Test {
  protected:
    void SetUp() override {
        try {
            context_ = gl::Context::create({});
            const std::vector<int> devices = cuda::devicesOfCurrentGlContext();
            BackendOptions options;
            if (!devices.empty()) options.device = devices.front();
            backend_ = std::make_unique<CudaBackend>(options);
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        if (const Support support = cuda::canShareWithGl(*backend_); !support)
            GTEST_SKIP() << support.reason();
        transfer_ = &backend_->transfer();
    }

    template <class T>
    DeviceBuffer<T> onDevice(const Matrix<T>& matrix) {
        DeviceBuffer<T> buffer(backend_->memory(), matrix.size());
        transfer_->upload<T>(matrix.data(), matrix.columns(), buffer.data(), matrix.columns(), matrix.rows(),
                             matrix.columns(), kWhole);
        return buffer;
    }

    std::unique_ptr<gl::Context> context_;
    std::unique_ptr<CudaBackend> backend_;
    StagedTransfer* transfer_ = nullptr;
};

/// Symmetric, zero diagonal, integers: sums are exact in float.
Matrix<float> makeUpperBounds(std::size_t n) {
    std::mt19937 random(n);
    std::uniform_int_distribution<int> bound(1, 1000);
    Matrix<float> matrix(n, n, 0.0f);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) matrix(i, j) = matrix(j, i) = static_cast<float>(bound(random));
    return matrix;
}

Matrix<float> smoothedOnHost(const Matrix<float>& input) {
    Matrix<float> u = input.clone();
    for (std::size_t k = 0; k < u.rows(); ++k)
        for (std::size_t i = 0; i < u.rows(); ++i)
            for (std::size_t j = 0; j < u.rows(); ++j) u(i, j) = std::min(u(i, j), u(i, k) + u(k, j));
    return u;
}

void expectEqual(const Matrix<float>& expected, MatrixView<const float> actual) {
    for (std::size_t i = 0; i < expected.rows(); ++i)
        for (std::size_t j = 0; j < expected.columns(); ++j)
            ASSERT_EQ(actual(i, j), expected(i, j)) << "at " << i << ", " << j;
}

TEST_F(CudaInterop, importsARow1x4Texture) {
    for (const std::size_t n : {1, 6, 129}) {
        const std::size_t width = (n + 3) / 4;
        const Matrix<float> matrix = makeUpperBounds(n);
        Matrix<float> texels(n, 4 * width, -5.0f);
        for (std::size_t i = 0; i < n; ++i) std::copy_n(matrix.row(i), n, texels.row(i));
        gl::Texture texture({gl::TextureFormat::RGBA32F, {int(width), int(n)}});
        texture.upload(texels.data());
        const cuda::RegisteredImage image(*backend_, texture.name());
        const DeviceBuffer<float> expected = onDevice(matrix);
        const DeviceBuffer<float> imported(backend_->memory(), n * n);
        {
            const cuda::MappedImage mapped(image);
            EXPECT_EQ(mapped.width(), width);
            EXPECT_EQ(mapped.height(), n);
            EXPECT_EQ(mapped.components(), 4);
            cuda::importImage<float>(*backend_, mapped, imported.data(), n, n, n);
        }
        EXPECT_EQ(cuda::maxAbsDifference<float>(*backend_, expected.data(), n, imported.data(), n, n), 0);
    }
}

TEST_F(CudaInterop, smoothsATextureInPlace) {
    constexpr std::size_t n = 130;
    constexpr std::size_t width = 33;
    const Matrix<float> matrix = makeUpperBounds(n);
    Matrix<float> texels(n, 4 * width, 0.0f);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(matrix.row(i), n, texels.row(i));
    gl::Texture texture({gl::TextureFormat::RGBA32F, {int(width), int(n)}});
    texture.upload(texels.data());
    const cuda::RegisteredImage image(*backend_, texture.name());
    {
        const cuda::MappedImage mapped(image);
        const DeviceBuffer<float> buffer(backend_->memory(), n * n);
        cuda::importImage<float>(*backend_, mapped, buffer.data(), n, n, n);
        cuda::smoothUpperInPlace<float>(*backend_, buffer.data(), n, n);
        cuda::exportImage<float>(*backend_, buffer.data(), n, n, n, 1e30f, mapped);
    }
    glBindTexture(GL_TEXTURE_2D, texture.name());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, texels.data());
    expectEqual(smoothedOnHost(matrix), texels.view());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = n; j < 4 * width; ++j) ASSERT_EQ(texels(i, j), 1e30f);
}

TEST_F(CudaInterop, carriesIntegersThroughAScalarTexture) {
    constexpr std::size_t rows = 9;
    constexpr std::size_t columns = 35;
    Matrix<std::int32_t> matrix(rows, columns);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = int(i * 2654435761u);
    gl::Texture texture({gl::TextureFormat::R32I, {int(columns), int(rows)}});
    const cuda::RegisteredImage image(*backend_, texture.name());
    const DeviceBuffer<std::int32_t> source = onDevice(matrix);
    const DeviceBuffer<std::int32_t> back(backend_->memory(), rows * columns);
    {
        const cuda::MappedImage mapped(image);
        EXPECT_TRUE(mapped.holdsIntegers());
        cuda::exportImage<std::int32_t>(*backend_, source.data(), columns, rows, columns, 0, mapped);
        cuda::importImage<std::int32_t>(*backend_, mapped, back.data(), columns, rows, columns);
        EXPECT_THROW(cuda::importImage<float>(*backend_, mapped, nullptr, columns, rows, columns),
                     DeviceError);
        EXPECT_THROW(
            cuda::importImage<std::int32_t>(*backend_, mapped, back.data(), columns, rows + 1, columns),
            DeviceError);
    }
    Matrix<std::int32_t> actual(rows, columns);
    transfer_->download<std::int32_t>(back.data(), columns, actual.data(), columns, rows, columns);
    for (std::size_t i = 0; i < matrix.size(); ++i) ASSERT_EQ(actual.data()[i], matrix.data()[i]);
    glBindTexture(GL_TEXTURE_2D, texture.name());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_INT, actual.data());
    for (std::size_t i = 0; i < matrix.size(); ++i) ASSERT_EQ(actual.data()[i], matrix.data()[i]);
}

TEST_F(CudaInterop, smoothsABufferInPlace) {
    constexpr std::size_t n = 200;
    Matrix<float> matrix = makeUpperBounds(n);
    const Matrix<float> expected = smoothedOnHost(matrix);
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, n * n * sizeof(float), matrix.data(), GL_DYNAMIC_DRAW);
    {
        const cuda::RegisteredBuffer registered(*backend_, buffer);
        const cuda::MappedBuffer mapped(registered);
        EXPECT_GE(mapped.bytes(), n * n * sizeof(float));
        cuda::smoothUpperInPlace<float>(*backend_, mapped.as<float>(), n, n);
    }
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, n * n * sizeof(float), matrix.data());
    glDeleteBuffers(1, &buffer);
    expectEqual(expected, matrix.view());
}

TEST_F(CudaInterop, namesTheCallThatFailed) {
    try {
        const cuda::RegisteredImage image(*backend_, 987654);
        FAIL() << "registered a texture that does not exist";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cudaGraphicsGLRegisterImage"));
    }
    const DeviceBuffer<float> matrix = onDevice(makeUpperBounds(20));
    EXPECT_NO_THROW(cuda::smoothUpperInPlace<float>(*backend_, matrix.data(), 20, 20))
        << "blamed for what failed before";
}

}  // namespace
}  // namespace glycine
