# Everything comes from Debian packages; scripts/setup.sh installs them. Nothing is downloaded here.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(EXPAT 2.4 REQUIRED)  # 2.4 brought its limit on entities that multiply text.
if(EATT_TORCH)
  find_package(tomlplusplus REQUIRED)
endif()
# Beast and Asio, and the TLS of the server; headers only, so no library of Boost is linked.
find_package(Boost 1.74 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(nettle REQUIRED IMPORTED_TARGET nettle)

if(EATT_TESTS)
  find_package(GTest REQUIRED)
  # The judge of our own subword encoder; no program of ours links it.
  pkg_check_modules(sentencepiece REQUIRED IMPORTED_TARGET sentencepiece)
  # Debian's Python first: another one on the path would not have Debian's PyTorch. Tests that want
  # it are skipped where there is none.
  find_program(EATT_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(EATT_PYTHON python3)
endif()
if(EATT_BENCH)
  find_package(benchmark REQUIRED)
  find_package(CLI11 REQUIRED)  # Options of the benchmarks; the programs have their own parser.
endif()
