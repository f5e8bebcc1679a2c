# Sets GLYCINE_VERSION, numbers alone: of the newest tag v<numbers> below the commit, or where git or tags are missing (a
# tarball), what the file VERSION says. Both must agree once a release is tagged: scripts/check_packaging.py holds them together.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/VERSION GLYCINE_VERSION LIMIT_COUNT 1)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/VERSION)
execute_process(
    COMMAND git -C ${CMAKE_CURRENT_SOURCE_DIR} describe --tags --abbrev=0 --match "v[0-9]*.[0-9]*.[0-9]*"
    OUTPUT_VARIABLE tag OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status
)
if(status EQUAL 0 AND tag MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)$" AND CMAKE_MATCH_1 VERSION_GREATER GLYCINE_VERSION)
    set(GLYCINE_VERSION ${CMAKE_MATCH_1})
endif()
