#include "sim/stored_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace mykafka::sim {

namespace {

[[noreturn]] void Die(const char* call) {
  perror(call);
  abort();
}

// Files come and go by the thousand: their descriptors are used again.
std::vector<int>& Unused() {
  static std::vector<int> unused;
  return unused;
}

int TakeFd() {
  if (!Unused().empty()) {
    const int fd = Unused().back();
    Unused().pop_back();
    return fd;
  }
  const int fd = ::memfd_create("simulated", MFD_CLOEXEC);
  if (fd < 0) Die("memfd_create");
  return fd;
}

void SetFileLength(int fd, int64_t length) {
  if (::ftruncate(fd, static_cast<off_t>(length)) != 0) Die("ftruncate");
}

void WriteAll(int fd, const uint8_t* bytes, size_t length, int64_t position) {
  if (::pwrite(fd, bytes, length, static_cast<off_t>(position)) != static_cast<ssize_t>(length)) Die("pwrite");
}

size_t SectorsOf(int64_t length) {
  return static_cast<size_t>((length + kSector - 1) / kSector);
}

}  // namespace

StoredFile::StoredFile() : fd_(TakeFd()) {}

StoredFile::~StoredFile() {
  if (mapped_) {
    // Without a name it lives on in its mapping.
    ::close(fd_);
    return;
  }
  SetFileLength(fd_, 0);
  Unused().push_back(fd_);
}

int StoredFile::MappableFd() {
  if (!mapped_) {
    mapped_ = true;
    seen_ = Contents();
  }
  return fd_;
}

Bytes StoredFile::Contents() const {
  Bytes bytes(static_cast<size_t>(length_));
  if (Read(bytes.data(), bytes.size(), 0) != bytes.size()) Die("pread");
  return bytes;
}

size_t StoredFile::Read(void* into, size_t length, int64_t position) const {
  const ssize_t got = ::pread(fd_, into, length, static_cast<off_t>(position));
  if (got < 0) Die("pread");
  return static_cast<size_t>(got);
}

void StoredFile::Write(const iovec* parts, int part_count, size_t length, int64_t position, uint64_t number) {
  NoticeStores(number);
  Bytes bytes;
  bytes.reserve(length);
  for (int i = 0; i < part_count && bytes.size() < length; ++i) {
    const auto* from = static_cast<const uint8_t*>(parts[i].iov_base);
    bytes.insert(bytes.end(), from, from + std::min(parts[i].iov_len, length - bytes.size()));
  }
  if (bytes.empty()) return;
  WriteAll(fd_, bytes.data(), bytes.size(), position);
  length_ = std::max(length_, position + static_cast<int64_t>(bytes.size()));
  changes_.push_back({number, position, std::move(bytes), length_});
  if (mapped_) seen_ = Contents();
}

void StoredFile::SetLength(int64_t length, uint64_t number) {
  NoticeStores(number);
  SetFileLength(fd_, length);
  changes_.push_back({number, length, {}, length, Fate::kCached, length < length_});
  length_ = length;
  if (mapped_) seen_.resize(static_cast<size_t>(length));
}

void StoredFile::NoticeStores(uint64_t number) {
  if (!mapped_) return;
  Bytes now = Contents();
  for (size_t at = 0; at < now.size(); at += kSector) {
    const size_t length = std::min<size_t>(kSector, now.size() - at);
    if (memcmp(now.data() + at, seen_.data() + at, length) == 0) continue;
    const auto* from = now.data() + at;
    changes_.push_back({number, static_cast<int64_t>(at), Bytes(from, from + length), length_});
  }
  seen_ = std::move(now);
}

void StoredFile::BeginSync() {
  for (Change& change : changes_) {
    if (change.fate == Fate::kCached) change.fate = Fate::kSyncing;
  }
}

void StoredFile::EndSync(bool ok) {
  if (!ok) SplitByPages();
  for (Change& change : changes_) {
    if (!ok || change.fate != Fate::kDoubtful) continue;
    // A page goes to the disk as a whole, and so does the length.
    const bool again = change.bytes.empty() || std::any_of(changes_.begin(), changes_.end(), [&](const Change& other) {
                         return other.fate == Fate::kSyncing && IsIn(other, PageOf(change));
                       });
    if (again) change.fate = Fate::kSynced;
  }
  for (Change& change : changes_) {
    if (change.fate == Fate::kSyncing) change.fate = ok ? Fate::kSynced : Fate::kDoubtful;
  }
  Fold();
}

bool StoredFile::IsIn(const Change& change, int64_t page) const {
  return !change.bytes.empty() && change.position < (page + 1) * kPage &&
         change.position + static_cast<int64_t>(change.bytes.size()) > page * kPage;
}

// What a sync has in hand, so that each page can have a fate of its own.
void StoredFile::SplitByPages() {
  std::vector<Change> split;
  for (Change& change : changes_) {
    const int64_t end = change.position + static_cast<int64_t>(change.bytes.size());
    if (change.fate != Fate::kSyncing || change.bytes.empty() || (end - 1) / kPage == PageOf(change)) {
      split.push_back(std::move(change));
      continue;
    }
    for (int64_t from = change.position; from < end;) {
      const int64_t to = std::min(end, (from / kPage + 1) * kPage);
      const auto bytes = change.bytes.begin() - change.position;
      split.push_back({change.number, from, Bytes(bytes + from, bytes + to), change.length_after, change.fate});
      from = to;
    }
  }
  changes_ = std::move(split);
}

// What is on the disk for certain, with nothing uncertain before it.
void StoredFile::Fold() {
  size_t done = 0;
  while (done < changes_.size() && changes_[done].fate == Fate::kSynced) Apply(changes_[done++], &durable_);
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<int64_t>(done));
}

void StoredFile::Apply(const Change& change, Bytes* to) const {
  to->resize(static_cast<size_t>(change.length_after));
  std::copy(change.bytes.begin(), change.bytes.end(), to->begin() + change.position * (change.bytes.empty() ? 0 : 1));
}

void StoredFile::Replace(Bytes bytes) {
  durable_ = std::move(bytes);
  changes_.clear();
  length_ = static_cast<int64_t>(durable_.size());
  SetFileLength(fd_, 0);
  SetFileLength(fd_, length_);
  if (length_ > 0) WriteAll(fd_, durable_.data(), durable_.size(), 0);
  if (mapped_) seen_ = durable_;
}

// Of the lengths that the file had since the last one that is certain.
int64_t StoredFile::ChooseLength(const PowerLoss& how, Random* random) const {
  std::vector<int64_t> lengths = {static_cast<int64_t>(durable_.size())};
  for (const Change& change : changes_) {
    if (change.fate == Fate::kSynced) lengths.clear();
    if (how.loss == Loss::kInOrder && change.number > how.last && !lengths.empty()) break;
    lengths.push_back(change.length_after);
  }
  if (how.loss == Loss::kAllLost) return lengths.front();
  if (how.loss != Loss::kEverySector) return lengths.back();
  return lengths[random->Below(lengths.size())];
}

void StoredFile::Settle(const PowerLoss& how, Random* random) {
  const int64_t length = ChooseLength(how, random);
  int64_t longest = std::max<int64_t>(length, static_cast<int64_t>(durable_.size()));
  for (const Change& change : changes_) longest = std::max(longest, change.length_after);
  Bytes bytes = durable_;
  bytes.resize(static_cast<size_t>(longest));

  // How many versions each sector has, and how many of those come true.
  std::vector<uint32_t> kept(SectorsOf(longest), 0);
  const auto each_sector = [&](const Change& change, auto visit) {
    const bool none = change.bytes.empty() && !change.shortens;
    const int64_t end = change.bytes.empty() ? longest : change.position + static_cast<int64_t>(change.bytes.size());
    if (none || change.position >= end) return;
    for (int64_t sector = change.position / kSector; sector * kSector < end; ++sector) {
      visit(static_cast<size_t>(sector), std::max(sector * kSector, change.position),
            std::min((sector + 1) * kSector, end));
    }
  };
  std::vector<uint32_t> certain(kept.size(), 0);
  for (const Change& change : changes_) {
    each_sector(change, [&](size_t sector, int64_t, int64_t) {
      ++kept[sector];
      if (change.fate == Fate::kSynced) certain[sector] = kept[sector];
    });
  }
  if (how.loss == Loss::kEverySector) {
    for (size_t sector = 0; sector < kept.size(); ++sector) {
      kept[sector] = certain[sector] + random->Below(kept[sector] - certain[sector] + 1);
    }
  }
  std::vector<uint32_t> seen(kept.size(), 0);
  for (const Change& change : changes_) {
    const bool torn = how.loss == Loss::kInOrder && change.number == how.last;
    const bool late = how.loss == Loss::kAllLost || (how.loss == Loss::kInOrder && change.number > how.last);
    const bool lost = late && change.fate != Fate::kSynced;
    uint32_t left = torn && change.fate != Fate::kSynced ? random->Below(SectorsOf(longest) + 1) : UINT32_MAX;
    each_sector(change, [&](size_t sector, int64_t from, int64_t to) {
      // One that a failed sync had in hand is as good as not written, on its own.
      const bool dropped = change.fate == Fate::kDoubtful && random->OneIn(2);
      if (++seen[sector] > kept[sector] || lost || left == 0 || dropped) return;
      if (left != UINT32_MAX) --left;
      if (change.bytes.empty()) {
        std::fill(bytes.begin() + from, bytes.begin() + to, 0);
      } else {
        std::copy(change.bytes.begin() + (from - change.position), change.bytes.begin() + (to - change.position),
                  bytes.begin() + from);
      }
    });
  }
  bytes.resize(static_cast<size_t>(length));
  mapped_ = false;
  Replace(std::move(bytes));
}

void StoredFile::DropClean(Random* random) {
  if (mapped_) return;
  std::vector<Change> left;
  bool lost = false;
  for (const Change& change : changes_) {
    left.push_back(change);
    if (change.fate != Fate::kDoubtful || change.bytes.empty()) continue;
    const bool dirty = std::any_of(changes_.begin(), changes_.end(), [&](const Change& other) {
      return (other.fate == Fate::kCached || other.fate == Fate::kSyncing) && IsIn(other, PageOf(change));
    });
    if (dirty) continue;
    if (random->OneIn(2)) {
      left.back().fate = Fate::kSynced;
    } else {
      left.pop_back();
      lost = true;
    }
  }
  if (lost) {
    Bytes bytes = durable_;
    for (const Change& change : left) Apply(change, &bytes);
    bytes.resize(static_cast<size_t>(length_));
    if (length_ > 0) WriteAll(fd_, bytes.data(), bytes.size(), 0);
  }
  changes_ = std::move(left);
  Fold();
}

}  // namespace mykafka::sim
