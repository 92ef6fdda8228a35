// SPDX-FileCopyrightText: 2026 The dlbench authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cuda_loader.h"

#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/core/plugin.h"
#include "tests/temporary_folder.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace dlbench::backend {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Any library that is on every machine plays the driver.
constexpr const char* kSomeDriver = "libm.so.6";

class CudaLoader : public ::testing::Test {
 protected:
  fs::path file(const fs::path& relative, const std::string& content = "") {
    fs::create_directories((folder_ / relative).parent_path());
    std::ofstream(folder_ / relative) << content;
    return folder_ / relative;
  }
  static core::EnvironmentLookup environment(std::map<std::string, std::string> variables) {
    return
        [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional(found->second);
        };
  }

  tests::TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(CudaLoader, SearchesTheChosenFolderThenItsOwnThenToolkitsThenWheels) {
  file("chosen/lib/x");
  file("own/x");
  file("toolkit/lib64/x");
  file("toolkit/extras/CUPTI/lib64/x");
  file("venv/lib/python3.11/site-packages/nvidia/cudnn/lib/x");
  file("venv/lib/python3.11/site-packages/nvidia/cu13/lib/x");
  file("python/bin/python3");
  file("python/lib/python3.12/site-packages/nvidia/nccl/lib/x");
  const fs::path venv = folder_ / "venv/lib/python3.11/site-packages/nvidia";
  std::vector<fs::path> folders =
      cuda_library_folders(environment({{"DLBENCH_CUDA_PATH", folder_ / "chosen"},
                                        {"CUDA_HOME", folder_ / "toolkit"},
                                        {"VIRTUAL_ENV", folder_ / "venv"},
                                        {"PATH", "/nowhere:" + (folder_ / "python/bin").string()}}),
                           {folder_ / "own"});
  // The machine's own toolkit, if it has one.
  std::erase_if(folders, [](const fs::path& f) { return f.string().starts_with("/usr/local/"); });
  EXPECT_THAT(folders,
              ElementsAre(folder_ / "chosen",
                          folder_ / "chosen/lib",
                          folder_ / "own",
                          folder_ / "toolkit/lib64",
                          folder_ / "toolkit/extras/CUPTI/lib64",
                          venv / "cu13/lib",
                          venv / "cudnn/lib",
                          folder_ / "python/lib/python3.12/site-packages/nvidia/nccl/lib"));
}

TEST_F(CudaLoader, SearchesThePackagesOfTheUserAndOfWhatPython3IsALinkTo) {
  const fs::path real = file("opt/python3.12/bin/python3.12");
  file("opt/python3.12/lib/python3.12/site-packages/nvidia/cudnn/lib/x");
  file("opt/python3.12/lib64/python3.12/site-packages/nvidia/nccl/lib/x");
  file("usr/lib/python3/dist-packages/nvidia/cu13/lib/x");
  file("home/.local/lib/python3.12/site-packages/nvidia/cublas/lib/x");
  fs::create_directories(folder_ / "usr/bin");
  fs::create_symlink(real, folder_ / "usr/bin/python3");
  std::vector<fs::path> folders = cuda_library_folders(
      environment({{"HOME", folder_ / "home"}, {"PATH", ":" + (folder_ / "usr/bin").string()}}),
      {folder_ / "own"});
  std::erase_if(folders, [](const fs::path& f) { return f.string().starts_with("/usr/local/"); });
  const fs::path python = fs::canonical(folder_ / "opt/python3.12");
  EXPECT_THAT(folders,
              ElementsAre(folder_ / "usr/lib/python3/dist-packages/nvidia/cu13/lib",
                          python / "lib/python3.12/site-packages/nvidia/cudnn/lib",
                          python / "lib64/python3.12/site-packages/nvidia/nccl/lib",
                          folder_ / "home/.local/lib/python3.12/site-packages/nvidia/cublas/lib"));
}

TEST_F(CudaLoader, SearchesAFolderOnceThatHasTwoNames) {
  file("venv/lib/python3.12/site-packages/nvidia/cudnn/lib/x");
  fs::create_directory_symlink(folder_ / "venv/lib", folder_ / "venv/lib64");
  std::vector<fs::path> folders = cuda_library_folders(
      environment({{"VIRTUAL_ENV", folder_ / "venv"}, {"CONDA_PREFIX", folder_ / "venv"}}),
      {folder_ / "own"});
  std::erase_if(folders, [](const fs::path& f) { return f.string().starts_with("/usr/local/"); });
  EXPECT_THAT(folders, ElementsAre(folder_ / "venv/lib/python3.12/site-packages/nvidia/cudnn/lib"));
}

TEST_F(CudaLoader, TakesEachLibraryFromTheFirstFolderThatHasIt) {
  file("first/libnccl.so.2");
  file("second/libnccl.so.2");
  file("second/libcudnn.so.9");
  std::map<std::string, fs::path> paths;
  for (const CudaLibrary& library : find_cuda_libraries({folder_ / "first", folder_ / "second"})) {
    paths[library.file] = library.path;
  }
  EXPECT_EQ(paths.at("libnccl.so.2"), folder_ / "first/libnccl.so.2");
  EXPECT_EQ(paths.at("libcudnn.so.9"), folder_ / "second/libcudnn.so.9");
  EXPECT_EQ(paths.at("libcublasLt.so.13"), fs::path());
}

TEST_F(CudaLoader, NamesTheDriverThatIsMissingAndTouchesNothingElse) {
  const std::size_t before = core::plugin_attempts().size();
  const std::string refusal =
      "no NVIDIA driver on this machine: libcuda_not_here.so.1 cannot be loaded";
  const fs::path plugin = file("libdlbench_cuda.so", "not opened");
  EXPECT_EQ(load_cuda({.driver = "libcuda_not_here.so.1", .plugin = plugin}), refusal);
  EXPECT_EQ(load_cuda({.driver = "libcuda_not_here.so.1", .plugin = folder_ / "p.so"}),
            refusal + ", and this installation has no CUDA plug-in");
  EXPECT_EQ(core::plugin_attempts().size(), before);
}

TEST_F(CudaLoader, NamesThePluginThatIsMissing) {
  EXPECT_THAT(load_cuda({.driver = kSomeDriver, .plugin = folder_ / "libdlbench_cuda.so"}),
              AllOf(HasSubstr("this installation has no CUDA plug-in"),
                    HasSubstr((folder_ / "libdlbench_cuda.so").string())));
}

TEST_F(CudaLoader, SaysWhyAPluginDoesNotLoad) {
  const fs::path broken = file("libdlbench_cuda.so", "no ELF file");
  EXPECT_THAT(load_cuda({.driver = kSomeDriver, .plugin = broken}),
              AllOf(HasSubstr("the CUDA plug-in does not load"), HasSubstr(broken.string())));
}

TEST_F(CudaLoader, SaysWhereToPointForALibraryThatIsInNoFolder) {
  if (dlopen("libcudnn.so.9", RTLD_NOW | RTLD_NOLOAD) != nullptr) {
    GTEST_SKIP() << "this process has the library already";
  }
  const fs::path needy = fs::path(DLBENCH_FAKE_PLUGINS) / "libfake_plugin_needy.so";
  EXPECT_THAT(load_cuda({.driver = kSomeDriver, .plugin = needy}),
              AllOf(StartsWith("the CUDA plug-in does not load: "),
                    HasSubstr("libcudnn.so.9"),
                    EndsWith("; set DLBENCH_CUDA_PATH to the folder of libcudnn.so.9")));
}

// Not that it is absent, which the plug-in's own sentence would say.
TEST_F(CudaLoader, SaysWhyALibraryThatWasFoundDoesNotLoad) {
  if (dlopen("libcudnn.so.9", RTLD_NOW | RTLD_NOLOAD) != nullptr) {
    GTEST_SKIP() << "this process has the library already";
  }
  const fs::path broken = file("bad/libcudnn.so.9", "no ELF file");
  const fs::path needy = fs::path(DLBENCH_FAKE_PLUGINS) / "libfake_plugin_needy.so";
  const std::string why =
      load_cuda({.driver = kSomeDriver, .plugin = needy, .folders = {folder_ / "bad"}});
  EXPECT_THAT(
      why,
      AllOf(StartsWith("the CUDA plug-in does not load: " + broken.string() + " does not load: "),
            Not(HasSubstr("DLBENCH_CUDA_PATH"))));
}

// The plug-in opens CUPTI by its name alone.
TEST_F(CudaLoader, WarnsOfALibraryThatIsBrokenAndNotNeeded) {
  if (dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD) != nullptr) {
    GTEST_SKIP() << "this process has the library already";
  }
  const fs::path broken = file("bad/libcupti.so.13", "no ELF file");
  const fs::path plugin = fs::path(DLBENCH_FAKE_PLUGINS) / "libfake_plugin_willing.so";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(load_cuda({.driver = kSomeDriver, .plugin = plugin, .folders = {folder_ / "bad"}}), "");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("warning: " + broken.string() + " does not load: "));
}

TEST_F(CudaLoader, ListsWhatIsLoadedFromWhereItCame) {
  const fs::path plugin = file("p.so");
  const fs::path nccl = file("first/libnccl.so.2");
  EXPECT_THAT(cuda_libraries({.plugin = folder_ / "none.so", .folders = {folder_ / "first"}}),
              ::testing::IsEmpty());
  for (const CudaLibrary& library :
       cuda_libraries({.plugin = plugin, .folders = {folder_ / "first"}})) {
    void* const handle = dlopen(library.file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    EXPECT_EQ(library.loaded, handle != nullptr) << library.file;
    if (!library.loaded) {
      EXPECT_EQ(library.path, library.file == "libnccl.so.2" ? nccl : fs::path());
    }
  }
}

TEST_F(CudaLoader, RefusesAPluginOfAnotherBuild) {
  const fs::path other = fs::path(DLBENCH_FAKE_PLUGINS) / "libfake_plugin_of_another_build.so";
  EXPECT_THAT(load_cuda({.driver = kSomeDriver, .plugin = other}),
              AllOf(StartsWith("the CUDA plug-in does not load: it is of build some-other-build"),
                    EndsWith("install both from one build")));
}

TEST_F(CudaLoader, TheBackendIsThereOrSaysWhyNot) {
  const std::string reason = backend_unavailable_reason("cuda");
  EXPECT_THAT(backend_names(), ::testing::Contains("cuda"));
  EXPECT_EQ(backend_names().front(), "cuda");  // first choice of --device auto
  if (reason.empty()) {
    GTEST_SKIP() << "a GPU is here";
  }
  EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
  try {
    static_cast<void>(create_backend("cuda", {}));
    FAIL() << "made a backend that is not available";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.code(), core::ErrorCode::kUnavailable);
    EXPECT_EQ(core::exit_code(error.code()), 2);
    EXPECT_EQ(error.what(), reason);
  }
}

}  // namespace
}  // namespace dlbench::backend
