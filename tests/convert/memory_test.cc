// Converting a file takes the same memory whatever its size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/files/text_file.h"
#include "convert/convert.h"
#include "support/files.h"

namespace eatt::convert {
namespace {

using testing::TemporaryFolder;

// A line of /proc/self/status, in kilobytes: VmRSS is the memory in use, VmHWM its peak.
long status_kilobytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::strtol(line.c_str() + key.size() + 1, nullptr, 10);
  }
  return 0;
}

// False where the system does not allow it.
bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

void write_memory(const std::filesystem::path& path, size_t bytes) {
  TextOutput file(path);
  file.write("<tmx version=\"1.4\"><header/><body>\n");
  std::string unit;
  for (size_t written = 0, number = 0; written < bytes; written += unit.size(), ++number) {
    unit = fmt::format(
        "<tu tuid=\"{0}\"><tuv xml:lang=\"en\"><seg>Sentence number {0} of a long memory.</seg>"
        "</tuv><tuv xml:lang=\"de\"><seg>Satz Nummer {0} eines langen "
        "Speichers.</seg></tuv></tu>\n",
        number);
    file.write(unit);
  }
  file.write("</body></tmx>\n");
  file.commit();
}

TEST(ConvertMemory, AMemoryOfTwentyMegabytesIsConvertedInFour) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps freed memory";
#endif
  const TemporaryFolder folder;
  write_memory(folder / "large.tmx", size_t{20} << 20);
  if (!reset_peak()) GTEST_SKIP() << "/proc/self/clear_refs cannot be written here";
  const long before = status_kilobytes("VmRSS:");
  ConvertOptions options;
  options.inputs = {TextFile((folder / "large.tmx").string())};
  options.source_language = "en";
  options.target_language = "de";
  options.tsv_output = folder / "large.tsv";
  EXPECT_GT(convert_corpus(options).pairs, 100'000u);
  EXPECT_LT(status_kilobytes("VmHWM:") - before, 4 << 10);
}

}  // namespace
}  // namespace eatt::convert
