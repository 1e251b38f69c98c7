#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

namespace eatt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(UserMessage, AnErrorSaysWhatItSays) {
  EXPECT_EQ(user_message(Error("a.txt: is empty")), "a.txt: is empty");
}

TEST(UserMessage, AFileSystemErrorNamesTheFileFirst) {
  const std::filesystem::filesystem_error error("cannot remove", "/a/b",
                                                std::make_error_code(std::errc::permission_denied));
  ASSERT_THAT(error.what(), HasSubstr("filesystem error"));
  EXPECT_EQ(user_message(error), "/a/b: cannot remove: Permission denied");
}

TEST(UserMessage, TheJsonLibrarysNumbersAreLeftOut) {
  try {
    nlohmann::json::parse("[1, 2").at("a");
    FAIL();
  } catch (const nlohmann::json::exception& error) {
    EXPECT_THAT(user_message(error), Not(HasSubstr("json.exception")));
  }
}

TEST(UserMessage, NoMemoryComesWithAdvice) {
  EXPECT_THAT(user_message(std::bad_alloc()), HasSubstr("out of memory; use fewer threads"));
}

}  // namespace
}  // namespace eatt
