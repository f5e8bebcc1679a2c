# Sets GLYCINE_CUDA_FOUND when the cuda backend can be built. Nothing fails without nvcc.
set(GLYCINE_CUDA_FOUND OFF)
if(GLYCINE_WITH_CUDA)
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        # Machine code from Turing to Hopper, and PTX for what comes later.
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 90)
        endif()
        enable_language(CUDA)
        set(CMAKE_CUDA_STANDARD 17)  # CMake 3.25 knows no flag for C++20 with nvcc 13
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        find_package(CUDAToolkit REQUIRED)
        set(GLYCINE_CUDA_FOUND ON)
    else()
        message(STATUS "nvcc not found: building without the cuda backend")
    endif()
endif()
