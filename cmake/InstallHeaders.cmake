# Runs at installation: writes the headers that engine/api/glycine.hpp includes, directly or indirectly, to
# <prefix>/<INCLUDE_FOLDER>/glycine. In the source tree they include each other as "engine/…", a name too general for installed
# headers; installed ones use <glycine/…>. The caller sets SOURCE_DIR and INCLUDE_FOLDER.
cmake_policy(VERSION 3.25)  # installation scripts begin without policies
set(pending engine/api/glycine.hpp)
set(done "")
while(pending)
    list(POP_FRONT pending header)
    if(header IN_LIST done)
        continue()
    endif()
    list(APPEND done ${header})
    file(STRINGS ${SOURCE_DIR}/${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
        if(NOT line MATCHES "^#include \"(engine/[^\"]+)\"")
            message(FATAL_ERROR "${header} is installed and includes what is not: ${line}")
        endif()
        list(APPEND pending ${CMAKE_MATCH_1})
    endforeach()
endwhile()

set(scratch ${BINARY_DIR}/installed_headers)
file(REMOVE_RECURSE ${scratch})
foreach(header IN LISTS done)
    file(READ ${SOURCE_DIR}/${header} text)
    string(REGEX REPLACE "#include \"engine/(api/)?([^\"]+)\"" "#include <glycine/\\2>" text "${text}")
    string(REGEX REPLACE "^engine/(api/)?" "" place ${header})
    file(WRITE ${scratch}/${place} "${text}")
endforeach()
# file(INSTALL) respects DESTDIR and records the installed files.
file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${INCLUDE_FOLDER}/glycine" TYPE DIRECTORY FILES "${scratch}/")
