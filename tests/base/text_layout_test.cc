#include "base/text/text_layout.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace eatt {
namespace {

TEST(TextLayout, WidthCountsCodePointsAndNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("2ρld²"), 5u);
}

TEST(TextLayout, WrappedLinesStayWithinTheColumnsAndHangBehindTheLead) {
  EXPECT_EQ(wrap_text("one two three four", 12, "  [a] "),
            "  [a] one\n"
            "      two\n"
            "      three\n"
            "      four\n");
  EXPECT_EQ(wrap_text("one two three", 7), "one two\nthree\n");
}

TEST(TextLayout, AWordLongerThanTheLineStandsAlone) {
  EXPECT_EQ(wrap_text("a incomprehensible b", 5), "a\nincomprehensible\nb\n");
}

TEST(TextLayout, ColumnsAreAlignedByDisplayWidthAndLinesHaveNoTrailingSpaces) {
  using enum TextTable::Align;
  TextTable table({left, right, left});
  table.add_row({"form", "count", "note"});
  table.add_row({"2ld²", "7", ""});
  table.add_row({"ρ"});
  EXPECT_EQ(table.text(),
            "form  count  note\n"
            "2ld²      7\n"
            "ρ\n");
}

TEST(TextLayout, AColumnWithNothingInItIsNotShown) {
  using enum TextTable::Align;
  TextTable table({left, left, right});
  table.add_row({"a", "", "1"});
  table.add_row({"b", "", "2"});
  EXPECT_EQ(table.text(), "a  1\nb  2\n");
}

TEST(TextLayout, ARowWithMoreCellsThanColumnsIsRefused) {
  TextTable table({TextTable::Align::left});
  EXPECT_THROW(table.add_row({"a", "b"}), InternalError);
}

}  // namespace
}  // namespace eatt
