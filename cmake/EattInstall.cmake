# cmake --install BUILD --prefix X: the programs, the library for other projects, the recipes as files
# to copy and change (they are also built in), and completion and man pages, which the installed
# program writes about itself.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# libeatt.so: translation without libtorch, for C (eatt.h) and C++ (translator.h). It shows only the
# names of eatt, so that it does not meet another version of what it links.
file(WRITE ${PROJECT_BINARY_DIR}/generated/empty.cc "")
add_library(eatt_shared SHARED ${PROJECT_BINARY_DIR}/generated/empty.cc)
target_link_libraries(eatt_shared PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,eatt_runtime>" eatt_sanitizers)
target_link_options(eatt_shared PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/libeatt.map)
set_target_properties(eatt_shared PROPERTIES OUTPUT_NAME eatt EXPORT_NAME eatt
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libeatt.map)
target_include_directories(eatt_shared INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/eatt>)
add_dependencies(eatt eatt_shared)  # Whoever has the program can install.

install(TARGETS eatt_shared EXPORT eatt LIBRARY)
install(FILES ${PROJECT_SOURCE_DIR}/src/runtime/api/eatt.h
  ${PROJECT_SOURCE_DIR}/src/runtime/api/translator.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/eatt)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/eatt)
install(EXPORT eatt NAMESPACE eatt:: FILE eattConfig.cmake DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/eattConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/eattConfigVersion.cmake DESTINATION ${package})
# The prefix is known only when it is installed, so eatt.pc finds everything from its own folder.
file(RELATIVE_PATH EATT_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/eatt.pc.in ${PROJECT_BINARY_DIR}/eatt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eatt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS eatt eatt-serve RUNTIME)
if(EATT_TORCH)
  install(TARGETS eatt-train RUNTIME)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/eatt/recipes FILES_MATCHING PATTERN "*.toml")

if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "
    set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    set(eatt \"\${prefix}/${CMAKE_INSTALL_BINDIR}/eatt\")
    set(share \"\${prefix}/${CMAKE_INSTALL_DATADIR}\")
    file(MAKE_DIRECTORY \${share}/bash-completion/completions \${share}/zsh/site-functions)
    execute_process(COMMAND \${eatt} completion bash
      OUTPUT_FILE \${share}/bash-completion/completions/eatt COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \${eatt} completion zsh
      OUTPUT_FILE \${share}/zsh/site-functions/_eatt COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \${eatt} man \${prefix}/${CMAKE_INSTALL_MANDIR}/man1
      COMMAND_ERROR_IS_FATAL ANY)")
endif()
