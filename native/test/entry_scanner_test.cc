#include "core/entry_scanner.h"

#include "core/range_crc.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class EntryScannerTest : public ::testing::Test {
 protected:
  std::shared_ptr<File> Make(const Bytes& bytes) {
    WriteFile(directory / "log", bytes);
    return *FileSystem::Posix()->Open(directory / "log", OpenMode::kReadOnly);
  }
  // What the scanner says to the entry at the start of these bytes.
  ScannedEntry First(const Bytes& bytes) {
    std::shared_ptr<File> file = Make(bytes);
    EntryScanner scanner(*file, EntryFormat::Of(RecordFormat::kMykafka), 0, static_cast<int64_t>(bytes.size()));
    ScannedEntry entry;
    Result<bool> any = scanner.Next(&entry);
    EXPECT_TRUE(any.ok() && *any);
    const bool moves = entry.verdict == EntryVerdict::kRight || entry.verdict == EntryVerdict::kCrcWrong;
    EXPECT_EQ(scanner.position(), moves ? static_cast<int64_t>(entry.header.length) : 0);
    return entry;
  }

  TemporaryDirectory directory;
};

TEST_F(EntryScannerTest, WalksEntriesOfEverySizeInOrder) {
  ModelLog model(3);
  std::mt19937 random(1);
  for (const size_t size : {0u, 1u, 100u, 16000u, 16384u, 65480u, 65536u, 70000u, 1000u, 300000u, 5u, 2000000u, 7u}) {
    model.Add(ModelRecord{std::string(random() % 50, 'k'), std::string(size, static_cast<char>('a' + size % 20))});
    model.Add(ModelRecord{std::string(size, 'k'), std::nullopt});
  }
  std::shared_ptr<File> file = Make(model.bytes());
  EntryScanner scanner(*file, EntryFormat::Of(RecordFormat::kMykafka), 0, model.size());
  ScannedEntry entry;
  for (int64_t offset = 3; offset < model.next_offset(); ++offset) {
    Result<bool> any = scanner.Next(&entry);
    ASSERT_TRUE(any.ok() && *any);
    ASSERT_EQ(entry.verdict, EntryVerdict::kRight) << offset;
    ASSERT_EQ(entry.header.offset, offset);
    ASSERT_EQ(entry.position, model.PositionOf(offset));
    ASSERT_EQ(scanner.position(), model.PositionOf(offset + 1));
  }
  EXPECT_FALSE(*scanner.Next(&entry));
  // Backwards, by seeking.
  for (int64_t offset = model.next_offset() - 1; offset >= 3; --offset) {
    scanner.Seek(model.PositionOf(offset));
    ASSERT_TRUE(*scanner.Next(&entry));
    ASSERT_EQ(entry.verdict, EntryVerdict::kRight) << offset;
  }
}

TEST_F(EntryScannerTest, SaysWhatItMeets) {
  const Bytes good = Encode({"key", "value"}, 5, 6);
  EXPECT_EQ(First(good).verdict, EntryVerdict::kRight);

  Bytes flipped = good;
  flipped[30] ^= 1;
  EXPECT_EQ(First(flipped).verdict, EntryVerdict::kCrcWrong);
  EXPECT_EQ(First(flipped).header.length, good.size());

  for (size_t length = 1; length < good.size(); ++length) {
    const ScannedEntry torn = First(Bytes(good.begin(), good.begin() + static_cast<int64_t>(length)));
    // Of a few zeroes nobody can say what they were to become.
    EXPECT_EQ(torn.verdict, length <= 7 ? EntryVerdict::kNotAnEntry : EntryVerdict::kTorn) << length;
  }

  for (const size_t length : {1u, 19u, 20u, 27u, 28u, 100u, 100000u}) {
    const ScannedEntry zeroes = First(Bytes(length));
    EXPECT_EQ(zeroes.verdict, EntryVerdict::kNotAnEntry) << length;
    EXPECT_EQ(zeroes.header.length, 0u);
    EXPECT_EQ(First(Bytes(length, 0xff)).verdict, length < 20 ? EntryVerdict::kTorn : EntryVerdict::kNotAnEntry);
  }

  Bytes batch(100);
  batch[16] = 2;  // a batch of Kafka's
  EXPECT_EQ(First(batch).verdict, EntryVerdict::kNotAnEntry);
  EXPECT_EQ(First(batch).header.length, 0u);
}

TEST_F(EntryScannerTest, ALargeEntryIsCheckedToItsLastByte) {
  const Bytes good = Encode({std::string(100000, 'k'), std::string(300000, 'v')}, 5, 6);
  EXPECT_EQ(First(good).verdict, EntryVerdict::kRight);
  for (const size_t at : {0ul, 21ul, 99999ul, 100030ul, 300000ul, good.size() - 5, good.size() - 1}) {
    Bytes flipped = good;
    flipped[at] ^= 4;
    EXPECT_EQ(First(flipped).verdict, EntryVerdict::kCrcWrong) << at;
  }
  EXPECT_EQ(First(Bytes(good.begin(), good.end() - 1)).verdict, EntryVerdict::kTorn);
}

TEST_F(EntryScannerTest, NothingBehindTheEndIsRead) {
  ModelLog model;
  model.Add(ModelRecord{"a", "1"});
  model.Add(ModelRecord{"b", "2"});
  std::shared_ptr<File> file = Make(model.bytes());
  EntryScanner scanner(*file, EntryFormat::Of(RecordFormat::kMykafka), 0, model.PositionOf(1) + 25);
  ScannedEntry entry;
  ASSERT_TRUE(*scanner.Next(&entry));
  ASSERT_TRUE(*scanner.Next(&entry));
  EXPECT_EQ(entry.verdict, EntryVerdict::kTorn);
}

TEST_F(EntryScannerTest, ALogCutWhileItIsReadIsAnError) {
  std::shared_ptr<File> file = Make(Bytes(100));
  EntryScanner scanner(*file, EntryFormat::Of(RecordFormat::kMykafka), 0, 200);
  ScannedEntry entry;
  EXPECT_EQ(scanner.Next(&entry).status().code(), Code::kCorrupt);
}

TEST_F(EntryScannerTest, TheCrcOfAnyStretchIsThatOfItsBytes) {
  std::mt19937 random(8);
  Bytes bytes(300000);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  std::shared_ptr<File> file = Make(bytes);
  RangeCrc crc(*file, EntryFormat::Of(RecordFormat::kMykafka).crc);
  for (int i = 0; i < 300; ++i) {
    size_t from = random() % (bytes.size() + 1);
    size_t to = random() % (bytes.size() + 1);
    if (from > to) std::swap(from, to);
    if (i % 3 == 0) to = std::min(to, from + 10000);
    if (i % 50 == 49) crc.SkipTo(static_cast<int64_t>(from));
    Result<uint32_t> got = crc.Of(static_cast<int64_t>(from), static_cast<int64_t>(to));
    ASSERT_OK(got.status());
    ASSERT_EQ(*got, ModelCrc(bytes.data() + from, to - from)) << from << " to " << to;
  }
}

}  // namespace
}  // namespace mykafka::testing
