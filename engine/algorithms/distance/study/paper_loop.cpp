#include "engine/algorithms/distance/study/paper_loop.hpp"

namespace glycine::distance {

void countAsInPaper(int instances, int attributes, const int* data, int* distance) {
    for (int i = 0; i < instances; i++) {
        for (int j = 0; j < instances; j++) {
            for (int k = 0; k < attributes; k++) {
                distance[i + instances * j] += (data[i * attributes + k] != data[j * attributes + k]);
            }
        }
    }
}

}  // namespace glycine::distance
