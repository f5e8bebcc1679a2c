#pragma once

#include <memory>
#include <string>

#include "engine/bounds/bounds.hpp"
#include "engine/core/backend.hpp"
#include "engine/core/implementation.hpp"

namespace glycine::bounds {

/// Result of a comparison on the device.
struct DeviceDifference {
    double upper = 0;  ///< largest |gl − cuda| in Å
    double lower = 0;  ///< the same of the lower bounds
    double glSeconds = 0;
    double cudaSeconds = 0;
    double handoverSeconds = 0;  ///< for CUDA to reach the input and GL's results
    double handoverBytes = 0;    ///< of these
    /// In-place mode only: seconds to transfer the same data through the host, whose elements must equal
    /// those found in place. 0 in staged mode.
    double stagedSeconds = 0;
};

/// Matrices of a comparison: raw bounds, and bounds smoothed by gl.
enum class HeldMatrix { RawUpper, RawLower, Upper, Lower };
inline constexpr HeldMatrix kHeldMatrices[] = {HeldMatrix::RawUpper, HeldMatrix::RawLower, HeldMatrix::Upper,
                                               HeldMatrix::Lower};

/// A float32 matrix in an OpenGL texture of layout Row1x4, in plain numbers.
struct HeldTexture {
    unsigned name = 0;       ///< of the texture
    std::size_t rows = 0;    ///< texels
    std::size_t stride = 0;  ///< floats a row: 4 a texel
    std::size_t bytes() const { return rows * stride * sizeof(float); }
};

/// gl's half of a comparison: holds matrices in OpenGL memory. Makes its context current and leaves it so.
class MatrixHolder {
  public:
    virtual ~MatrixHolder() = default;
    static constexpr std::string_view kAlgorithm = "a comparison on the device";
    static ImplementationList<MatrixHolder>& implementations();
    /// Uploads and smooths the bounds of n atoms, and holds all four matrices; returns the seconds that
    /// smoothing took. Throws UnavailableError where they do not fit one texture.
    virtual double smooth(MatrixView<const float> upper, MatrixView<const float> lower,
                          Progress& progress) = 0;
    virtual HeldTexture texture(HeldMatrix which) const = 0;
    /// The name of a buffer object with a copy of the matrix, made on the device; it lives as long as the
    /// matrices.
    virtual unsigned bufferWith(HeldMatrix which) = 0;
    /// Reads rows × stride floats.
    virtual void read(HeldMatrix which, float* elements) const = 0;
    /// Waits until OpenGL is idle.
    virtual void finish() = 0;
};

/// cuda's half: smooths the matrices that gl holds and compares the results.
class MatrixUser {
  public:
    virtual ~MatrixUser() = default;
    static constexpr std::string_view kAlgorithm = "a comparison on the device";
    static ImplementationList<MatrixUser>& implementations();
    /// Whether CUDA can use objects of the current OpenGL context in place, or the reason why not.
    virtual Support canShare() const = 0;
    /// Smooths the raw bounds of n atoms and compares. `mode`: Direct or Staged.
    virtual DeviceDifference compare(MatrixHolder& holder, std::size_t n, InteropMode mode) = 0;
};

/// Smooths one data set by variant `blocked` of `gl` and of `cuda` and compares the results on the device.
///
/// The float32 bounds go into OpenGL textures once and are smoothed there; CUDA smooths the same textures'
/// contents and compares. In mode Direct nothing travels through the host: the textures, and buffers in which
/// CUDA smooths in place, are registered with CUDA, and the CUDA device is the one that draws for the OpenGL
/// context. In mode Staged they are copied through host memory.
class DeviceComparison {
  public:
    /// Makes both backends. Throws UnavailableError when one of them is missing (a build without nvcc among
    /// the reasons), or when Direct is requested and the driver cannot share.
    DeviceComparison(const BackendOptions& options, InteropMode mode);
    ~DeviceComparison();
    DeviceComparison(const DeviceComparison&) = delete;
    DeviceComparison& operator=(const DeviceComparison&) = delete;

    /// Direct or Staged: how CUDA reads GL's data.
    InteropMode mode() const;
    /// "in place", or "through the host" with the reason when the mode was left to choose.
    std::string description() const;
    /// Upper and lower bounds of n ≥ 1 atoms that fit one texture (else UnavailableError).
    DeviceDifference compare(MatrixView<const float> upper, MatrixView<const float> lower,
                             Progress& progress);

  private:
    std::unique_ptr<Backend> gl_;
    std::unique_ptr<MatrixHolder> holder_;
    std::unique_ptr<Backend> cuda_;
    std::unique_ptr<MatrixUser> user_;
    InteropMode mode_ = InteropMode::Direct;
    std::string reason_;
};

// One function per device, defined next to its implementation.
namespace gl {
Implementation<MatrixHolder> matrixHolder();
}
namespace cuda {
Implementation<MatrixUser> matrixUser();
}

}  // namespace glycine::bounds
