// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/output_files.h"

#include "engine/core/error.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace dlbench::harness {
namespace {

using ::testing::HasSubstr;

struct Refusal {
  core::ErrorCode code{};
  std::string text;  ///< empty: none
};

Refusal refusal_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const core::Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

class OutputFiles : public ::testing::Test {
 protected:
  Refusal distinct(const std::string& report, const std::string& trace) const {
    return refusal_of([&] { check_distinct({{"--output", report}, {"--trace", trace}}); });
  }

  tests::TemporaryFolder folder_;
};

TEST_F(OutputFiles, TwoResultsMayNotHaveOneName) {
  const std::string name = folder_.file("r.json");
  const Refusal refused = distinct(name, name);
  EXPECT_EQ(refused.code, core::ErrorCode::kUsage);
  EXPECT_THAT(refused.text, HasSubstr("--output and --trace name the same file '" + name + "'"));
  EXPECT_EQ(distinct(name, folder_.file("t.json")).text, "");
  EXPECT_EQ(distinct("", "").text, "") << "neither was asked for";
}

TEST_F(OutputFiles, OneFileHasManySpellings) {
  const std::string name = folder_.file("r.json");
  const std::filesystem::path inside = folder_.file("inside");
  std::filesystem::create_directory(inside);
  EXPECT_NE(distinct(name, (inside / ".." / "r.json").string()).text, "");
  EXPECT_NE(distinct(name, folder_.file("./r.json")).text, "");
  std::ofstream(name) << "{}";
  std::filesystem::create_symlink(name, folder_.file("link.json"));
  EXPECT_NE(distinct(name, folder_.file("link.json")).text, "");
}

TEST_F(OutputFiles, NoFileOfTheDataIsOverwritten) {
  const std::string image = folder_.file("image.png");
  std::ofstream(image) << "pixels";
  const std::vector<std::filesystem::path> data{folder_.file("other.png"), image};
  const Refusal refused = refusal_of([&] {
    check_apart({{"--trace", ""}, {"--output", folder_.file("./image.png")}}, data);
  });
  EXPECT_EQ(refused.code, core::ErrorCode::kUsage);
  EXPECT_THAT(refused.text, HasSubstr("--output names"));
  EXPECT_EQ(refusal_of([&] {
              check_apart({{"--output", folder_.file("r.json")}}, data);
            }).text,
            "");
}

TEST_F(OutputFiles, NoNewFileIsTakenForOneOfTheData) {
  const std::filesystem::path images = folder_.file("images");
  std::filesystem::create_directory(images);
  const std::vector<std::filesystem::path> data{images / "a.png", images / "labels"};
  const auto refused = [&](const std::filesystem::path& result) {
    return refusal_of([&] { check_apart({{"--output", result.string()}}, data); }).text;
  };
  EXPECT_NE(refused(images / "new.png"), "");
  EXPECT_NE(refused(images / "new.PNG"), "");
  EXPECT_NE(refused(images / "new.jpeg"), "") << "an image too";
  EXPECT_NE(refused(images / ".." / "images" / "labels"), "")
      << "it would be read if it were there";
  EXPECT_EQ(refused(images / "report.json"), "");
  EXPECT_EQ(refused(folder_.file("new.png")), "") << "in another folder";
  std::filesystem::create_symlink(images / "new.png", folder_.file("link.json"));
  EXPECT_NE(refused(folder_.file("link.json")), "") << "a link that leads there, to nothing yet";
  std::filesystem::create_directory_symlink(images, folder_.file("other"));
  EXPECT_NE(refused(std::filesystem::path(folder_.file("other")) / "new.png"), "");
}

TEST_F(OutputFiles, NothingButTheReportGoesToTheStandardOutput) {
  for (const char* name : {"-", "/dev/stdout"}) {
    const Refusal refused = refusal_of([&] { check_not_standard_output({{"--trace", name}}); });
    EXPECT_EQ(refused.code, core::ErrorCode::kUsage);
    EXPECT_THAT(refused.text, HasSubstr(std::string("--trace '") + name + "' is the standard"));
  }
  const std::string file = folder_.file("trace.json");
  EXPECT_EQ(refusal_of([&] {
              check_not_standard_output({{"--trace", ""}, {"--benchy", file}});
            }).text,
            "");
}

TEST_F(OutputFiles, AFolderThatIsNotThereIsNamedWithItsOption) {
  const std::string place = folder_.file("absent/r.json");
  const Refusal refused = refusal_of([&] { check_writable({{"--benchy", place}}); });
  EXPECT_EQ(refused.code, core::ErrorCode::kFile);
  EXPECT_THAT(refused.text, HasSubstr("choose another place with --benchy"));
  EXPECT_EQ(refusal_of([&] { check_writable({{"--benchy", folder_.file("r.json")}}); }).text, "");
}

}  // namespace
}  // namespace dlbench::harness
