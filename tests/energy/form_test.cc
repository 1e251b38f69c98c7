#include "energy/form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "energy/shape.h"

namespace eatt::energy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Form, IsWrittenLikeThePaperWritesIt) {
  EXPECT_EQ(to_text({.ldk = 2, .llk = 1}), "2ld²+l²d");
  EXPECT_EQ(to_text({.ldk = 2, .ldd = 8, .lk = 2, .llk = 2}), "10ld²+2ld+2l²d");
  EXPECT_EQ(to_text({}), "0");
}

TEST(Form, DensityTermsOfQueryAndKeyAreWrittenAsOne) {
  EXPECT_EQ(to_text({.query_ldk = 1, .key_ldk = 1, .llk = 2}), "2ρld²+2l²d");
  EXPECT_EQ(to_text({.query_ldk = 1}), "ρld²");
}

TEST(Form, KeepsKApartFromDWhenAsked) {
  EXPECT_EQ(to_text({.ldk = 2, .ldd = 8, .query_ldk = 1, .lk = 2, .llk = 2}, Widths::separate),
            "2ldk+8ld²+ρldk+2lk+2l²k");
}

TEST(Form, EachTermHasItsOwnProductOfSizes) {
  const Shape shape(3, 5, 7);  // l, d, k
  EXPECT_EQ(integer_value({.ldk = 1}, shape), 3u * 5 * 7);
  EXPECT_EQ(integer_value({.ldd = 1}, shape), 3u * 5 * 5);
  EXPECT_EQ(integer_value({.lk = 1}, shape), 3u * 7);
  EXPECT_EQ(integer_value({.llk = 1}, shape), 3u * 3 * 7);
  EXPECT_EQ(expected_value({.query_ldk = 2, .key_ldk = 4}, shape, {.query = 0.5, .key = 0.25}),
            105 + 105);
  EXPECT_EQ(expected_value({.key_ldk = 2, .lk = 1}, shape, {.query = 1, .key = 0.5}), 21 + 105);
}

TEST(Form, SumsTermByTerm) {
  Form sum{.ldk = 1, .ldd = 2, .query_ldk = 3, .key_ldk = 4, .lk = 5, .llk = 6};
  sum += {.ldk = 10, .ldd = 20, .query_ldk = 30, .key_ldk = 40, .lk = 50, .llk = 60};
  EXPECT_EQ(sum, (Form{.ldk = 11, .ldd = 22, .query_ldk = 33, .key_ldk = 44, .lk = 55, .llk = 66}));
}

TEST(Form, AWholeValueOfAFormWithDensityIsRefused) {
  EXPECT_FALSE(is_integer(Form{.key_ldk = 1}));
  EXPECT_THROW(integer_value({.query_ldk = 1}, Shape(1, 1)), InternalError);
}

TEST(Shape, RefusesSizesOutsideItsBoundsByName) {
  EXPECT_THAT([] { Shape(0, 512); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("length 0"), HasSubstr("1 to 1,000,000"))));
  EXPECT_THAT([] { Shape(22, -5); }, ThrowsMessage<UsageError>(HasSubstr("width -5")));
  EXPECT_THAT([] { Shape(22, 512, 1'000'001); },
              ThrowsMessage<UsageError>(HasSubstr("attention width 1000001")));
}

TEST(Shape, TheAttentionWidthIsTheWidthUnlessGiven) {
  EXPECT_EQ(Shape(22, 512).attention_width(), 512u);
  EXPECT_EQ(Shape(22, 512, 64).with_full_attention_width(), Shape(22, 512));
  EXPECT_EQ(Shape(22, 512).with_attention_width(64), Shape(22, 512, 64));
  EXPECT_EQ(Shape(22, 512, 64).with_model_width(128), Shape(22, 128));
}

TEST(Densities, AreThePapersMeansOverLayersByDefault) {
  const Densities densities = paper_densities();
  const double tolerance = 1e-12;  // Sums of six printed figures.
  EXPECT_NEAR(densities.roles[0].mean.query, 0.7900 / 6, tolerance);  // enc-self
  EXPECT_NEAR(densities.roles[1].mean.key, 1.5236 / 6, tolerance);    // dec-self
  EXPECT_NEAR(densities.roles[2].mean.query, 2.7277 / 6, tolerance);  // cross-query
  EXPECT_NEAR(densities.roles[2].mean.key, 0.2420, tolerance);        // cross-key
  EXPECT_NEAR(densities.mean.mean(), 0.245, 0.0005);
}

TEST(Densities, OneNumberHoldsForEveryRole) {
  const Densities densities = uniform_densities(0.17);
  for (const auto& role : densities.roles) EXPECT_EQ(role.mean, (Density{0.17, 0.17}));
  EXPECT_EQ(densities.mean, (Density{0.17, 0.17}));
}

TEST(Densities, RefusesWhatIsNoShare) {
  EXPECT_NO_THROW(uniform_densities(0));
  EXPECT_NO_THROW(uniform_densities(1));
  for (const double wrong : {-0.01, 1.01, 17.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT([&] { uniform_densities(wrong); },
                ThrowsMessage<UsageError>(HasSubstr("from 0 to 1")));
  }
}

}  // namespace
}  // namespace eatt::energy
