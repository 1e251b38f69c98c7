#include "text/lexicon/lexical_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/files.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::sample_model;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;
using Entry = LexicalModel::Entry;

class Lexicon : public ::testing::Test {
 protected:
  LexicalModel read(std::string_view text) const {
    return read_lexicon(folder_.write("lex.s2t", text).string(), pieces_, pieces_);
  }
  std::string refusal(std::string_view text) const {
    try {
      read(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  Pieces pieces_{sample_model(), "model"};
};

TEST(LexicalModel, RowsAreSortedByProbabilityThenId) {
  const LexicalModel model({{}, {{7, 0.25f}, {4, 0.5f}, {5, 0.25f}}});
  EXPECT_THAT(model.likely(0), IsEmpty());
  EXPECT_THAT(model.likely(1), ElementsAre(Entry{4, 0.5f}, Entry{5, 0.25f}, Entry{7, 0.25f}));
  EXPECT_EQ(model.probability(1, 7), 0.25f);
  EXPECT_EQ(model.probability(1, 6), 0);
}

TEST_F(Lexicon, LinesAreTargetSourceProbability) {
  const LexicalModel model = read("a b 0.25\nb b 0.5\na e 1e-60\nNULL a 0.5\na NULL 0.5\n");
  const int32_t a = pieces_.id("a"), b = pieces_.id("b"), e = pieces_.id("e");
  EXPECT_THAT(model.likely(b), ElementsAre(Entry{b, 0.5f}, Entry{a, 0.25f}));
  EXPECT_THAT(model.likely(e), ElementsAre(Entry{a, 0}));
  EXPECT_THAT(model.likely(a), IsEmpty());
}

TEST_F(Lexicon, OtherLinesAreRefusedByNumber) {
  for (const char* line : {"", "a", "a b", "a b x", "a b 0.5 0.5", "a b 1.5", "a b -0.5", "a b nan",
                           " a b 0.5", "a  0.5", "a\tb\t0.5"}) {
    EXPECT_THAT(refusal(std::string("a b 0.5\n") + line + "\n"),
                AllOf(HasSubstr("lex.s2t, line 2: "), HasSubstr("target source probability")))
        << line;
  }
}

TEST_F(Lexicon, ALexiconOfOtherPiecesIsRefused) {
  EXPECT_THAT(refusal("这 那 0.5\n是 不 0.5\n"), HasSubstr("none of its 2 lines"));
}

}  // namespace
}  // namespace eatt
