#pragma once

// For functions of plain numbers that kernels call, too. nvcc compiles their headers as C++17.
#ifdef __CUDACC__
#define GLYCINE_HOST_DEVICE __host__ __device__
#else
#define GLYCINE_HOST_DEVICE
#endif
