# Sets GLYCINE_CUDA_FOUND if the cuda backend can be built. A missing nvcc is not an error.
set(GLYCINE_CUDA_FOUND OFF)
if(GLYCINE_WITH_CUDA)
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        # By default, builds machine code for this machine's device. Without a device, nvcc generates PTX, which the driver of
        # any device since Turing compiles at first use. packaging/build_packages.sh requests machine code from Turing to
        # Hopper; other builds can set the environment variable CUDAARCHS, which CMake reads.
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
            if(EXISTS /dev/nvidia0)
                set(CMAKE_CUDA_ARCHITECTURES native)
            else()
                set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-virtual 90-virtual)
            endif()
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
