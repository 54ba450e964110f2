# Installs the files that are not installed by any subfolder. Configures the two packages that `cpack` builds: a .deb,
# and a .tar.gz that can be unpacked into any folder. To build packages that run on other processors, configure with
# -DCOALESCE_ARCH=portable.
install(FILES LICENSE CHANGELOG.md DESTINATION share/doc/coalesce)
install(FILES docs/guide/simulate.schema.json DESTINATION share/coalesce)
install(FILES cmake/package/gitlab.yml DESTINATION share/coalesce)
install(CODE "set(SIMULATE \"${CMAKE_BINARY_DIR}/bin/simulate\")
set(MAN_PAGE \"${CMAKE_BINARY_DIR}/simulate.1\")
include(\"${PROJECT_SOURCE_DIR}/cmake/package/man_page.cmake\")")
install(FILES ${CMAKE_BINARY_DIR}/simulate.1 DESTINATION share/man/man1)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME coalesce)
set(CPACK_PACKAGE_VERSION ${COALESCE_VERSION})
set(CPACK_PACKAGE_VENDOR Coalesce)
set(CPACK_PACKAGE_CONTACT "Coalesce <coalesce@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Simulated GPU that runs and checks CUDA programs and counts their costs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libstdc++6, libzstd1, liblz4-1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang, cmake")
include(CPack)
