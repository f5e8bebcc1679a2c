#pragma once

#include <cstddef>
#include <string>

#include "engine/bounds/block_layout.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/bounds/smoothing_engine.hpp"

/// Division of blocks between devices and the processor, by measured rates.
namespace glycine::bounds {

/// Relaxations per second of upper bounds, by a worker of this engine that works alone on blocks of this
/// side. The time of such a relaxation does not depend on the numbers. `isHost`: of the processor, which is
/// measured on fewer blocks. Returns 0 for a matrix of one block. Throws as SmoothingEngine::worker.
double measureRate(SmoothingEngine& engine, NumberFormat format, std::size_t atoms, std::size_t side,
                   bool isHost);

/// How devices of equal rate and the processor, the last worker, share the blocks.
struct Division {
    BlockCorner corner;
    std::string reason;  ///< why the worker of the corner gets no blocks; empty if it gets some
};
/// The slower of the two gets a corner. It gets four fifths of the blocks that its rate is worth, because all
/// others wait for it in every round, and none if its rate is less than a tenth of both. Several devices keep
/// at least half of the blocks.
Division divideByRate(std::size_t devices, double deviceRate, double hostRate, std::size_t count);

/// Why it does not pay to measure the processor next to devices of this rate: they need too little time, or
/// so many threads are too slow in any case. Empty if it may pay. `deviceRate` 0: a matrix of one block.
std::string reasonNotToMeasureHost(double deviceRate, std::size_t devices, std::size_t atoms, bool hasLower,
                                   std::size_t threads);

/// Leaves a crew of one device and cpu if cpu would get no block of these matrices: alone, the device
/// computes whole matrices instead of blocks. Returns why, or nothing if they share. Throws as
/// smoothTogether (shared_smoothing.hpp).
std::string leaveSlowHost(Backend& backend, const AnyBoundMatrices& matrices, Variant variant);

/// For tests: rates instead of measured ones; 0: those measured.
void pretendRates(double device, double host);

}  // namespace glycine::bounds
