#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class FileTest : public ::testing::Test {
 protected:
  std::shared_ptr<File> Make(const std::string& name, const std::string& content = "") {
    Result<std::shared_ptr<File>> file = files.Open(directory / name, OpenMode::kCreateNew);
    EXPECT_TRUE(file.ok());
    iovec part = {const_cast<char*>(content.data()), content.size()};
    EXPECT_TRUE(WriteFully(**file, &part, 1, 0).ok());
    return *file;
  }
  std::string Content(const std::string& name) {
    const Bytes bytes = ReadFile(directory / name);
    return {bytes.begin(), bytes.end()};
  }

  TemporaryDirectory directory;
  FaultyFileSystem files;
};

TEST_F(FileTest, CreateNewRefusesWhatExists) {
  Make("a");
  EXPECT_EQ(files.Open(directory / "a", OpenMode::kCreateNew).status().sys_errno(), EEXIST);
  EXPECT_EQ(files.Open(directory / "b", OpenMode::kReadWrite).status().sys_errno(), ENOENT);
}

// What has no name is gone with the process: nobody may be told that it is kept.
TEST_F(FileTest, WhatWasRemovedIsNotSynced) {
  std::shared_ptr<File> file = Make("a", "content");
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(files.Rename(directory / "a", directory / "b").ok());
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(files.Unlink(directory / "b").ok());
  EXPECT_EQ(file->Sync().sys_errno(), ESTALE);
}

TEST_F(FileTest, DescriptorsAreNotInherited) {
  EXPECT_NE(fcntl(Make("a")->fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(FileTest, ReadsFewerBytesOnlyAtTheEnd) {
  std::shared_ptr<File> file = Make("a", "0123456789");
  char into[16] = {};
  for (const Wait wait : {Wait::kNever, Wait::kAllowed}) {
    EXPECT_EQ(*file->Read(into, 4, 2, wait), 4u);
    EXPECT_EQ(std::string(into, 4), "2345");
    EXPECT_EQ(*file->Read(into, 16, 5, wait), 5u);
    EXPECT_EQ(*file->Read(into, 16, 10, wait), 0u);
    EXPECT_EQ(*file->Read(into, 16, 99, wait), 0u);
  }
  EXPECT_EQ(ReadFully(*file, into, 6, 5, Wait::kAllowed).code(), Code::kCorrupt);
}

TEST_F(FileTest, WriteFullyGoesOnBehindShortWrites) {
  std::shared_ptr<File> file = Make("a");
  std::string text = "abcdefghij";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    ASSERT_OK(file->Truncate(0));
    iovec parts[] = {{text.data(), 3}, {text.data() + 3, 0}, {text.data() + 3, 7}};
    if (cut > 0) files.CutWrite(1, cut);
    ASSERT_OK(WriteFully(*file, parts, 3, 0));
    EXPECT_EQ(Content("a"), text) << cut;
    files.Heal();
  }
}

TEST_F(FileTest, WriteFullyEndsWhereNothingIsTaken) {
  std::shared_ptr<File> file = Make("a");
  files.CutWrite(1, 0);
  char byte = 'x';
  iovec part = {&byte, 1};
  EXPECT_EQ(WriteFully(*file, &part, 1, 0).code(), Code::kIo);
}

TEST_F(FileTest, WriteFullyTakesMorePartsThanOneCallCan) {
  std::shared_ptr<File> file = Make("a");
  std::string text(3 * IOV_MAX + 17, ' ');
  std::vector<iovec> parts;
  for (size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>('a' + i % 26);
    parts.push_back({&text[i], 1});
  }
  ASSERT_OK(WriteFully(*file, parts.data(), parts.size(), 0));
  EXPECT_EQ(Content("a"), text);
}

TEST_F(FileTest, AllocateGivesZeroedBlocksAndKeepsWhatIsThere) {
  std::shared_ptr<File> file = Make("a", "content");
  ASSERT_OK(file->Allocate(0, 10000));
  EXPECT_EQ(Content("a"), "content" + std::string(10000 - 7, '\0'));
  struct stat info = {};
  ASSERT_EQ(fstat(file->fd(), &info), 0);
  EXPECT_GE(info.st_blocks * 512, 10000);
}

TEST_F(FileTest, AFailureNamesTheFileAndTheReason) {
  const Status status = files.Open(directory / "missing", OpenMode::kReadOnly).status();
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_EQ(status.message(), "open " + (directory / "missing") + ": No such file or directory");
}

}  // namespace
}  // namespace mykafka::testing
