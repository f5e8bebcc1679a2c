# Sets GLYCINE_VERSION (digits and dots): the greater of the newest tag v<numbers> below the commit and the file VERSION. A
# tarball only has the file. At a tag both are equal (scripts/check_packaging.py); after it, VERSION may name the next release.
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/VERSION GLYCINE_VERSION LIMIT_COUNT 1)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/VERSION)
set(status none)
# A tarball may have been unpacked inside another repository.
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
    execute_process(
        COMMAND git -C ${CMAKE_CURRENT_SOURCE_DIR} describe --tags --abbrev=0 --match "v[0-9]*.[0-9]*.[0-9]*"
        OUTPUT_VARIABLE tag OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status
    )
endif()
if(status EQUAL 0 AND tag MATCHES "^v([0-9]+\\.[0-9]+\\.[0-9]+)$" AND CMAKE_MATCH_1 VERSION_GREATER GLYCINE_VERSION)
    set(GLYCINE_VERSION ${CMAKE_MATCH_1})
endif()
