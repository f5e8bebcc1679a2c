# Writes OUTPUT: what nvcc reports of the registers and shared memory of the kernels in SOURCE, as text that printed_kernels.hpp
# declares. Called at build time (kernels_cuda/CMakeLists.txt). INCLUDES, DEFINITIONS and OPTIONS are lists with "," as separator.
cmake_minimum_required(VERSION 3.25)
foreach(kind IN ITEMS INCLUDES DEFINITIONS OPTIONS)
    string(REPLACE "," ";" ${kind} "${${kind}}")
    list(REMOVE_ITEM ${kind} "")
    list(REMOVE_DUPLICATES ${kind})
endforeach()
list(TRANSFORM INCLUDES PREPEND "-I")
list(TRANSFORM DEFINITIONS PREPEND "-D")
if(HOST_COMPILER)
    list(APPEND OPTIONS -ccbin=${HOST_COMPILER})
endif()
execute_process(
    COMMAND ${COMPILER} -cubin -arch=sm_${ARCHITECTURE} -std=c++17 --resource-usage ${INCLUDES} ${DEFINITIONS} ${OPTIONS} -MD -MF
            ${OUTPUT}.d -MT ${OUTPUT} -o ${OUTPUT}.cubin ${SOURCE}
    RESULT_VARIABLE status
    OUTPUT_VARIABLE report
    ERROR_VARIABLE report
)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} did not compile for sm_${ARCHITECTURE}:\n${report}")
endif()
file(REMOVE ${OUTPUT}.cubin)
string(REGEX MATCHALL "ptxas info[^\n]*(Compiling entry|Used)[^\n]*" lines "${report}")
if(NOT lines)
    message(FATAL_ERROR "nvcc reported no resources of ${SOURCE}:\n${report}")
endif()
list(JOIN lines "\n" text)
set(source "// Generated; do not edit.\n#include \"kernels_cuda/printed_kernels.hpp\"\n\n")
string(APPEND source "const char* glycine::cuda::printedKernelResources() {\n    return R\"PTXAS(${text}\n)PTXAS\";\n}\n")
file(WRITE ${OUTPUT} "${source}")
