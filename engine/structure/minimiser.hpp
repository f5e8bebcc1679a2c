#pragma once

#include <cmath>
#include <cstddef>

// Kernels that nvcc compiles, as C++17, include this header, too.
#ifdef __CUDACC__
#define GLYCINE_MINIMISER __device__
#else
#define GLYCINE_MINIMISER
#endif

namespace glycine::structure {

/// The scalars of a Minimiser.
struct MinimiserState {
    static constexpr unsigned kMemory = 10;  ///< pairs of moves and changes of the gradient

    double energy = 0;             ///< at the accepted point
    double step = 1;               ///< along the direction, to try
    double inverse[kMemory] = {};  ///< 1 / (move · change) of each pair
    unsigned oldest = 0;           ///< slot of the oldest pair
    unsigned pairs = 0;
    bool isDone = false;
};

/// Vectors of a Minimiser: gradient and direction, then moves and changes by slot.
inline constexpr std::size_t kMinimiserVectors = 2 + 2 * std::size_t{MinimiserState::kMemory};

/// L-BFGS with backtracking (D. C. Liu, J. Nocedal, Math. Program. 45 (1989), 503-528), one evaluation at a
/// time, so that all models of an ensemble take theirs together. Host and devices run this code. A Team
/// divides vectors among threads: each(count, body), sum(count, value) and largest(count, value), of which
/// the latter two return the same number to all threads. An element belongs to the same thread throughout.
template <class Team>
class Minimiser {
  public:
    /// Views kMinimiserVectors × count numbers and the scalars, which the creator must keep alive.
    GLYCINE_MINIMISER Minimiser(const Team& team, std::size_t count, double* vectors, MinimiserState& state)
        : team_(team),
          count_(count),
          gradient_(vectors),
          direction_(vectors + count),
          moved_(vectors + 2 * count),
          changed_(moved_ + MinimiserState::kMemory * count),
          state_(state) {}

    GLYCINE_MINIMISER void begin(double energy, const double* gradient) {
        state_ = MinimiserState{};
        accept(energy, gradient);
        choose();
    }
    /// From the accepted point to the one to try: step() · direction().
    GLYCINE_MINIMISER const double* direction() const { return direction_; }
    GLYCINE_MINIMISER double step() const { return state_.step; }
    /// Whether no step along the gradient lowers the energy.
    GLYCINE_MINIMISER bool isDone() const { return state_.isDone; }

    /// Judges the tried point; returns whether it becomes the accepted one.
    GLYCINE_MINIMISER bool take(double energy, const double* gradient) {
        const double slope = product(direction_, gradient_);
        const bool isTaken = energy <= state_.energy + kSufficientDecrease * state_.step * slope;
        if (isTaken) {
            remember(gradient);
            accept(energy, gradient);
        } else {
            state_.step *= kShrink;
            if (state_.step > kShortestStep) return false;
            state_.isDone = state_.pairs == 0;
            state_.pairs = 0;
        }
        choose();
        return isTaken;
    }

  private:
    static constexpr double kSufficientDecrease = 1e-4;
    static constexpr double kShrink = 0.4;
    static constexpr double kShortestStep = 1e-7;
    static constexpr double kLeastCurvature = 1e-12;
    /// The largest element of a first move, without and with pairs.
    static constexpr double kFirstMove = 0.02;
    static constexpr double kLargestMove = 0.5;

    /// Of the pair that `older` pairs precede.
    GLYCINE_MINIMISER unsigned slotOf(unsigned older) const {
        return (state_.oldest + older) % MinimiserState::kMemory;
    }
    GLYCINE_MINIMISER double product(const double* a, const double* b) const {
        return team_.sum(count_, [&](std::size_t k) { return a[k] * b[k]; });
    }
    GLYCINE_MINIMISER void addToDirection(double scale, const double* what) {
        team_.each(count_, [&](std::size_t k) { direction_[k] += scale * what[k]; });
    }
    GLYCINE_MINIMISER void accept(double energy, const double* gradient) {
        state_.energy = energy;
        team_.each(count_, [&](std::size_t k) { gradient_[k] = gradient[k]; });
    }

    /// Keeps the step's move and change of the gradient, in place of the oldest.
    GLYCINE_MINIMISER void remember(const double* gradient) {
        const double step = state_.step;
        const double curvature = team_.sum(
            count_, [&](std::size_t k) { return (step * direction_[k]) * (gradient[k] - gradient_[k]); });
        if (!(curvature > kLeastCurvature)) return;
        const bool isFull = state_.pairs == MinimiserState::kMemory;
        const unsigned slot = slotOf(isFull ? 0 : state_.pairs++);
        if (isFull) state_.oldest = slotOf(1);
        state_.inverse[slot] = 1 / curvature;
        double* const moved = moved_ + slot * count_;
        double* const changed = changed_ + slot * count_;
        team_.each(count_, [&](std::size_t k) {
            moved[k] = step * direction_[k];
            changed[k] = gradient[k] - gradient_[k];
        });
    }

    /// Direction and first step, by the two loops over the pairs.
    GLYCINE_MINIMISER void choose() {
        team_.each(count_, [&](std::size_t k) { direction_[k] = gradient_[k]; });
        double shares[MinimiserState::kMemory];
        for (unsigned h = state_.pairs; h-- > 0;) {
            const unsigned slot = slotOf(h);
            shares[h] = state_.inverse[slot] * product(moved_ + slot * count_, direction_);
            addToDirection(-shares[h], changed_ + slot * count_);
        }
        if (state_.pairs > 0) {
            const unsigned slot = slotOf(state_.pairs - 1);
            const double* const last = changed_ + slot * count_;
            const double scale = 1 / (state_.inverse[slot] * product(last, last));
            team_.each(count_, [&](std::size_t k) { direction_[k] *= scale; });
        }
        for (unsigned h = 0; h < state_.pairs; ++h) {
            const unsigned slot = slotOf(h);
            addToDirection(shares[h] - state_.inverse[slot] * product(changed_ + slot * count_, direction_),
                           moved_ + slot * count_);
        }
        team_.each(count_, [&](std::size_t k) { direction_[k] = -direction_[k]; });
        if (product(direction_, gradient_) >= 0) {
            state_.pairs = 0;
            team_.each(count_, [&](std::size_t k) { direction_[k] = -gradient_[k]; });
        }
        const double largest = team_.largest(count_, [&](std::size_t k) { return std::fabs(direction_[k]); });
        state_.step =
            std::fmin(1.0, (state_.pairs == 0 ? kFirstMove : kLargestMove) / std::fmax(largest, 1e-30));
    }

    Team team_;
    std::size_t count_;
    double* gradient_;
    double* direction_;
    double* moved_;
    double* changed_;
    MinimiserState& state_;
};

/// The Team of one thread.
struct SerialTeam {
    template <class Body>
    void each(std::size_t count, const Body& body) const {
        for (std::size_t k = 0; k < count; ++k) body(k);
    }
    template <class Value>
    double sum(std::size_t count, const Value& value) const {
        double total = 0;
        for (std::size_t k = 0; k < count; ++k) total += value(k);
        return total;
    }
    template <class Value>
    double largest(std::size_t count, const Value& value) const {
        double most = 0;
        for (std::size_t k = 0; k < count; ++k) most = std::fmax(most, value(k));
        return most;
    }
};

}  // namespace glycine::structure
