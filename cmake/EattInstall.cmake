# cmake --install BUILD --prefix X: the programs, the recipes as files to copy and change (they are
# also built in), and completion and man pages, which the installed program writes about itself.
include(GNUInstallDirs)

install(TARGETS eatt RUNTIME)
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
