# Sets GLYCINE_CUDA_FOUND when the cuda backend can be built. Nothing fails without nvcc.
set(GLYCINE_CUDA_FOUND OFF)
if(GLYCINE_WITH_CUDA)
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        # A build for this machine: machine code for its device. Where there is none, nvcc makes PTX, which the driver of any device
        # since Turing compiles at its first use. packaging/build_packages.sh asks for machine code from Turing to Hopper, others
        # by the variable CUDAARCHS of the environment, which CMake knows.
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
