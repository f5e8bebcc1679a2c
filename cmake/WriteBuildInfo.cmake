# Fills in the build_info.cpp template; writes the output only if it changes.
execute_process(
    COMMAND git -C ${SOURCE_DIR} rev-parse --short=10 HEAD
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status
)
if(NOT status EQUAL 0)
    set(COMMIT "unknown")
else()
    execute_process(COMMAND git -C ${SOURCE_DIR} status --porcelain -uno OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
        string(APPEND COMMIT "-dirty")
    endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
