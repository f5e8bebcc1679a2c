# Included by engine/CMakeLists.txt.
glycine_kernel(glycine_computing engine/pairs/cpu/row_digest_kernel.cpp)
