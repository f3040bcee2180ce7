#include "binding/segment_binding.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binding/addon_state.h"
#include "binding/arguments.h"
#include "core/open_files.h"
#include "core/segment.h"

namespace mykafka {

namespace {

// src/native/native.ts: FIND and RANGE.
enum Find : int { kFound = 0, kNeedsDisk = 1, kFoundCorrupt = 2, kOutOfRange = 3 };
constexpr size_t kRangeFields = 5;
constexpr size_t kFoundFields = 3;  // FOUND

constexpr napi_type_tag kSegmentTag = {0x9a1d3c5be0f24a77, 0x8d2c6b1f47e35a90};

struct AppendArguments {
  std::vector<PackedBatch> batches;
  int64_t first_offset = 0;
};

AppendArguments ReadAppendArguments(const Napi::CallbackInfo& info) {
  Napi::Array buffers = ArrayArgument(info[0], "batches");
  Napi::Array counts = ArrayArgument(info[1], "counts");
  Napi::Array timestamps = ArrayArgument(info[2], "timestamps");
  uint32_t length = buffers.Length();
  if (counts.Length() != length || timestamps.Length() != length) {
    throw Napi::RangeError::New(info.Env(), "batches, counts and timestamps must be of one length");
  }
  AppendArguments arguments;
  arguments.batches.reserve(length);
  for (uint32_t i = 0; i < length; ++i) {
    Napi::Uint8Array bytes = BytesArgument(buffers.Get(i), "batch");
    PackedBatch batch;
    batch.data = bytes.Data();
    batch.length = bytes.ByteLength();
    batch.count = static_cast<uint32_t>(IntegerArgument(counts.Get(i), "count", 1, INT32_MAX));
    batch.timestamp = SafeIntegerArgument(timestamps.Get(i), "timestamp");
    arguments.batches.push_back(batch);
  }
  arguments.first_offset = OffsetArgument(info[3], "firstOffset");
  return arguments;
}

// Whether the records were written; false where the segment is full.
Result<bool> Append(Segment& segment, const AppendArguments& arguments) {
  Status status = segment.Append(arguments.batches.data(), arguments.batches.size(), arguments.first_offset);
  if (status.ok()) return true;
  if (status.code() == Code::kSegmentFull) return false;
  return status;
}

struct FindArguments {
  int64_t offset = 0;
  int64_t max_bytes = 0;
  int64_t upper_bound = 0;
  Napi::Float64Array out;
};

FindArguments ReadFindArguments(const Napi::CallbackInfo& info) {
  FindArguments arguments;
  arguments.offset = OffsetArgument(info[0], "offset");
  arguments.max_bytes = OffsetArgument(info[1], "maxBytes");
  arguments.upper_bound = OffsetArgument(info[2], "upperBound");
  arguments.out = NumbersArgument(info[3], "out", kRangeFields);
  return arguments;
}

// The answer as a number, with the range in `out`; throws for what is not expected to happen.
Napi::Value FindAnswer(Napi::Env env, const Result<Range>& found, Napi::Float64Array out) {
  int answer = kFound;
  if (found.ok()) {
    // Its buffer may have been transferred meanwhile.
    if (out.ElementLength() < kRangeFields) throw Napi::TypeError::New(env, "out was detached");
    double* fields = out.Data();
    fields[0] = static_cast<double>(found->position);
    fields[1] = static_cast<double>(found->length);
    fields[2] = static_cast<double>(found->first_offset);
    fields[3] = static_cast<double>(found->last_offset);
    fields[4] = static_cast<double>(found->count);
  } else if (found.status().code() == Code::kWouldBlock) {
    answer = kNeedsDisk;
  } else if (found.status().code() == Code::kCorrupt) {
    answer = kFoundCorrupt;
  } else if (found.status().code() == Code::kOffsetOutOfRange) {
    answer = kOutOfRange;
  } else {
    throw ToError(env, found.status());
  }
  return Napi::Number::New(env, answer);
}

class NativeSegment final : public Napi::ObjectWrap<NativeSegment> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "NativeSegment",
                       {
                           InstanceMethod<&NativeSegment::NextOffset>("nextOffset"),
                           InstanceMethod<&NativeSegment::FilesOpen>("filesOpen"),
                           InstanceMethod<&NativeSegment::Size>("size"),
                           InstanceMethod<&NativeSegment::SyncedSize>("syncedSize"),
                           InstanceMethod<&NativeSegment::LargestTimestamp>("largestTimestamp"),
                           InstanceMethod<&NativeSegment::TimestampsKnown>("timestampsKnown"),
                           InstanceMethod<&NativeSegment::Damages>("damages"),
                           InstanceMethod<&NativeSegment::AppendInline>("append"),
                           InstanceMethod<&NativeSegment::AppendAsync>("appendAsync"),
                           InstanceMethod<&NativeSegment::FindRange>("findRange"),
                           InstanceMethod<&NativeSegment::FindRangeAsync>("findRangeAsync"),
                           InstanceMethod<&NativeSegment::FindTimestampAsync>("findTimestampAsync"),
                           InstanceMethod<&NativeSegment::LoadTimestamps>("loadTimestamps"),
                           InstanceMethod<&NativeSegment::ReadBatchHeaders>("readBatchHeaders"),
                           InstanceMethod<&NativeSegment::Read>("read"),
                           InstanceMethod<&NativeSegment::ReadAsync>("readAsync"),
                           InstanceMethod<&NativeSegment::Sync>("sync"),
                           InstanceMethod<&NativeSegment::Seal>("seal"),
                           InstanceMethod<&NativeSegment::SealUntrimmed>("sealUntrimmed"),
                           InstanceMethod<&NativeSegment::TruncateTo>("truncateTo"),
                           InstanceMethod<&NativeSegment::Verify>("verify"),
                           InstanceMethod<&NativeSegment::Pin>("pin"),
                           InstanceMethod<&NativeSegment::Unpin>("unpin"),
                           InstanceMethod<&NativeSegment::Close>("close"),
                       });
  }

  static Napi::Object Wrap(Napi::Env env, std::shared_ptr<Segment> segment) {
    auto external = Napi::External<std::shared_ptr<Segment>>::New(env, &segment);
    Napi::Object object = AddonState::Of(env).segment_class.New({external});
    object.TypeTag(&kSegmentTag);
    // Values that never change, not accessors: an accessor does not check whose it is called on.
    auto base_offset = Napi::Number::New(env, static_cast<double>(segment->base_offset()));
    auto log_path = Napi::String::New(env, segment->log_path());
    auto sparse = Napi::Boolean::New(env, segment->sparse());
    object.DefineProperties({Napi::PropertyDescriptor::Value("baseOffset", base_offset, napi_enumerable),
                             Napi::PropertyDescriptor::Value("logPath", log_path, napi_enumerable),
                             Napi::PropertyDescriptor::Value("sparse", sparse, napi_enumerable)});
    return object;
  }

  explicit NativeSegment(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeSegment>(info) {
    segment_ = ConstructorArgument<std::shared_ptr<Segment>>(info, "segments are made by createSegment and its like");
  }

  std::shared_ptr<Segment> segment() const { return segment_; }

  Result<std::shared_ptr<File>> file() const {
    if (pinned_ != nullptr) return pinned_;
    return segment_->PinFile();
  }

 private:
  static Napi::Value Number(const Napi::CallbackInfo& info, int64_t value) {
    return Napi::Number::New(info.Env(), static_cast<double>(value));
  }

  Napi::Value NextOffset(const Napi::CallbackInfo& info) { return Number(info, segment_->next_offset()); }
  Napi::Value FilesOpen(const Napi::CallbackInfo& info) {
    return Napi::Boolean::New(info.Env(), segment_->files_open());
  }
  Napi::Value Size(const Napi::CallbackInfo& info) { return Number(info, segment_->size()); }
  Napi::Value SyncedSize(const Napi::CallbackInfo& info) { return Number(info, segment_->synced_size()); }
  Napi::Value LargestTimestamp(const Napi::CallbackInfo& info) { return Number(info, segment_->largest_timestamp()); }

  Napi::Value TimestampsKnown(const Napi::CallbackInfo& info) {
    return Napi::Boolean::New(info.Env(), segment_->timestamps_known());
  }

  Napi::Value Damages(const Napi::CallbackInfo& info) {
    std::vector<Damage> damages = segment_->damages();
    Napi::Array list = Napi::Array::New(info.Env(), damages.size());
    for (uint32_t i = 0; i < damages.size(); ++i) {
      Napi::Object damage = Napi::Object::New(info.Env());
      damage.Set("position", static_cast<double>(damages[i].position));
      damage.Set("length", static_cast<double>(damages[i].length));
      damage.Set("firstOffset", static_cast<double>(damages[i].first_offset));
      damage.Set("nextOffset", static_cast<double>(damages[i].next_offset));
      list.Set(i, damage);
    }
    return list;
  }

  Napi::Value AppendInline(const Napi::CallbackInfo& info) {
    Result<bool> written = Append(*segment_, ReadAppendArguments(info));
    if (!written.ok()) throw ToError(info.Env(), written.status());
    return Napi::Boolean::New(info.Env(), *written);
  }

  Napi::Value AppendAsync(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    auto arguments = std::make_shared<AppendArguments>(ReadAppendArguments(info));
    // A copy of the list, so that the caller may reuse its own.
    Napi::Array buffers = info[0].As<Napi::Array>();
    Napi::Array held = Napi::Array::New(env, buffers.Length());
    for (uint32_t i = 0; i < buffers.Length(); ++i) held.Set(i, buffers.Get(i));
    uint64_t kept = AddonState::Of(env).kept.Keep(held);
    return RunAsyncAndRelease<bool>(
        env, ThreadPool::Writes(), kept, [segment = segment_, arguments] { return Append(*segment, *arguments); },
        [](Napi::Env env, bool& written, Napi::Object) -> Napi::Value { return Napi::Boolean::New(env, written); });
  }

  Napi::Value FindRange(const Napi::CallbackInfo& info) {
    FindArguments arguments = ReadFindArguments(info);
    return FindAnswer(info.Env(),
                      segment_->FindRange(arguments.offset, arguments.max_bytes, arguments.upper_bound, Wait::kNever),
                      arguments.out);
  }

  Napi::Value FindRangeAsync(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    FindArguments arguments = ReadFindArguments(info);
    uint64_t kept = AddonState::Of(env).kept.Keep(arguments.out);
    using Found = Result<Range>;
    return RunAsyncAndRelease<Found>(
        env, ThreadPool::Reads(), kept,
        [segment = segment_, offset = arguments.offset, max_bytes = arguments.max_bytes,
         upper_bound = arguments.upper_bound]() -> Result<Found> {
          return Found(segment->FindRange(offset, max_bytes, upper_bound, Wait::kAllowed));
        },
        [](Napi::Env env, Found& found, Napi::Object out) -> Napi::Value {
          return FindAnswer(env, found, out.As<Napi::Float64Array>());
        });
  }

  Napi::Value FindTimestampAsync(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    const bool largest =
        info[0].IsNumber() && info[0].As<Napi::Number>().DoubleValue() == std::numeric_limits<double>::infinity();
    const int64_t timestamp = largest ? kLargestTimestamp : SafeIntegerArgument(info[0], "timestamp");
    const int64_t from_offset = OffsetArgument(info[1], "fromOffset");
    Napi::Float64Array out = NumbersArgument(info[2], "out", kFoundFields);
    uint64_t kept = AddonState::Of(env).kept.Keep(out);
    using Found = std::optional<FoundEntry>;
    return RunAsyncAndRelease<Found>(
        env, ThreadPool::Reads(), kept,
        [segment = segment_, timestamp, from_offset] { return segment->FindTimestamp(timestamp, from_offset); },
        [](Napi::Env env, Found& found, Napi::Object value) -> Napi::Value {
          auto out = value.As<Napi::Float64Array>();
          if (out.ElementLength() < kFoundFields) throw Napi::TypeError::New(env, "out was detached");
          if (found) {
            double* fields = out.Data();
            fields[0] = static_cast<double>(found->offset);
            fields[1] = static_cast<double>(found->last_offset);
            fields[2] = static_cast<double>(found->timestamp);
          }
          return Napi::Boolean::New(env, found.has_value());
        });
  }

  Napi::Value LoadTimestamps(const Napi::CallbackInfo& info) {
    return RunAsync<int64_t>(
        info.Env(), ThreadPool::Reads(), [segment = segment_] { return segment->LoadTimestamps(); },
        [](Napi::Env env, int64_t& largest) -> Napi::Value {
          return Napi::Number::New(env, static_cast<double>(largest));
        });
  }

  Napi::Value ReadBatchHeaders(const Napi::CallbackInfo& info) {
    const int64_t from_offset = OffsetArgument(info[0], "fromOffset");
    const auto limit = static_cast<size_t>(IntegerArgument(info[1], "limit", 1, 1 << 20));
    return RunAsync<std::vector<uint8_t>>(
        info.Env(), ThreadPool::Reads(),
        [segment = segment_, from_offset, limit] { return segment->ReadBatchHeaders(from_offset, limit); },
        [](Napi::Env env, std::vector<uint8_t>& headers) -> Napi::Value {
          return Napi::Buffer<uint8_t>::Copy(env, headers.data(), headers.size());
        });
  }

  Napi::Value Read(const Napi::CallbackInfo& info) {
    Napi::Uint8Array into = BytesArgument(info[0], "into");
    int64_t position = OffsetArgument(info[1], "position");
    Result<size_t> read = ReadFrom(*segment_, pinned_.get(), into.Data(), into.ByteLength(), position, Wait::kNever);
    if (!read.ok()) {
      if (read.status().code() == Code::kWouldBlock) return Napi::Boolean::New(info.Env(), false);
      throw ToError(info.Env(), read.status());
    }
    if (*read != into.ByteLength()) throw ToError(info.Env(), ShortRead());
    return Napi::Boolean::New(info.Env(), true);
  }

  Napi::Value ReadAsync(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    Napi::Uint8Array into = BytesArgument(info[0], "into");
    int64_t position = OffsetArgument(info[1], "position");
    uint64_t kept = AddonState::Of(env).kept.Keep(into);
    return RunAsyncAndRelease<bool>(
        env, ThreadPool::Reads(), kept,
        [segment = segment_, file = pinned_, data = into.Data(), length = into.ByteLength(),
         position]() -> Result<bool> {
          Result<size_t> read = ReadFrom(*segment, file.get(), data, length, position, Wait::kAllowed);
          if (!read.ok()) return read.status();
          if (*read != length) return ShortRead();
          return true;
        },
        [](Napi::Env env, bool&, Napi::Object) -> Napi::Value { return env.Undefined(); });
  }

  // What is pinned can be read behind `close`.
  static Result<size_t> ReadFrom(Segment& segment, File* pinned, void* into, size_t length, int64_t position,
                                 Wait wait) {
    if (pinned != nullptr) return pinned->Read(into, length, position, wait);
    return segment.Read(into, length, position, wait);
  }

  static Status ShortRead() { return Status(Code::kOffsetOutOfRange, "read beyond the end of the segment"); }

  Napi::Value Sync(const Napi::CallbackInfo& info) {
    return RunAsync(info.Env(), ThreadPool::Sync(), [segment = segment_] { return segment->Sync(); });
  }

  void Seal(const Napi::CallbackInfo& info) { Check(info, segment_->Seal()); }

  void SealUntrimmed(const Napi::CallbackInfo& info) { Check(info, segment_->SealUntrimmed()); }

  Napi::Value TruncateTo(const Napi::CallbackInfo& info) {
    int64_t offset = OffsetArgument(info[0], "offset");
    return RunAsync(info.Env(), ThreadPool::Writes(),
                    [segment = segment_, offset] { return segment->TruncateTo(offset); });
  }

  Napi::Value Verify(const Napi::CallbackInfo& info) {
    return RunAsync(info.Env(), ThreadPool::Reads(), [segment = segment_] { return segment->Verify(); });
  }

  void Pin(const Napi::CallbackInfo& info) {
    if (pins_ == 0) {
      Result<std::shared_ptr<File>> file = segment_->PinFile();
      if (!file.ok()) throw ToError(info.Env(), file.status());
      pinned_ = *file;
    }
    ++pins_;
  }

  void Unpin(const Napi::CallbackInfo& info) {
    if (pins_ == 0) throw Napi::Error::New(info.Env(), "unpin without a pin");
    if (--pins_ == 0) pinned_.reset();
  }

  void Close(const Napi::CallbackInfo&) { segment_->Close(); }

  static void Check(const Napi::CallbackInfo& info, const Status& status) {
    if (!status.ok()) throw ToError(info.Env(), status);
  }

  std::shared_ptr<Segment> segment_;
  std::shared_ptr<File> pinned_;
  uint32_t pins_ = 0;
};

SegmentOptions ReadOptions(const Napi::Value& value) {
  Napi::Object object = ObjectArgument(value, "options");
  SegmentOptions options;
  options.file_system = FileSystem::Posix();
  options.directory = StringArgument(object.Get("directory"), "directory");
  options.base_offset = OffsetArgument(object.Get("baseOffset"), "baseOffset");
  options.index_interval_bytes =
      static_cast<uint32_t>(IntegerArgument(object.Get("indexIntervalBytes"), "indexIntervalBytes", 0, INT32_MAX));
  options.index_max_bytes =
      static_cast<uint32_t>(IntegerArgument(object.Get("indexMaxBytes"), "indexMaxBytes", 8, INT32_MAX));
  const Napi::Value format = object.Get("recordFormat");
  if (!format.IsUndefined()) options.record_format = FormatArgument(format, "recordFormat");
  const Napi::Value sparse = object.Get("sparse");
  if (!sparse.IsUndefined()) options.sparse = BooleanArgument(sparse, "sparse");
  return options;
}

Napi::Object ReportObject(Napi::Env env, const RecoveryReport& report) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("nextOffset", static_cast<double>(report.next_offset));
  object.Set("entriesChecked", static_cast<double>(report.entries_checked));
  object.Set("bytesChecked", static_cast<double>(report.bytes_checked));
  object.Set("cutPosition", static_cast<double>(report.cut_position));
  object.Set("cutLength", static_cast<double>(report.cut_length));
  object.Set("cutWholeEntries", static_cast<double>(report.cut_whole_entries));
  object.Set("cutPath", report.cut_path);
  object.Set("damagedTail", report.damaged_tail);
  return object;
}

Napi::Value Opened(Napi::Env env, const Result<std::shared_ptr<Segment>>& opened) {
  if (!opened.ok()) throw ToError(env, opened.status());
  return NativeSegment::Wrap(env, *opened);
}

Napi::Value CreateSegment(const Napi::CallbackInfo& info) {
  return Opened(info.Env(), Segment::Create(ReadOptions(info[0])));
}

Napi::Value OpenSealedSegment(const Napi::CallbackInfo& info) {
  return Opened(info.Env(), Segment::OpenSealed(ReadOptions(info[0]), OffsetArgument(info[1], "nextOffset")));
}

using OpenWithReport = Result<std::shared_ptr<Segment>> (*)(const SegmentOptions&, int64_t, RecoveryReport*);

struct OpenedSegment {
  std::shared_ptr<Segment> segment;
  RecoveryReport report;
};

template <OpenWithReport open>
Napi::Value OpenLastSegment(const Napi::CallbackInfo& info) {
  SegmentOptions options = ReadOptions(info[0]);
  int64_t recovery_point = OffsetArgument(info[1], "recoveryPoint");
  return RunAsync<OpenedSegment>(
      info.Env(), ThreadPool::Reads(),
      [options, recovery_point]() -> Result<OpenedSegment> {
        OpenedSegment opened;
        Result<std::shared_ptr<Segment>> segment = open(options, recovery_point, &opened.report);
        if (!segment.ok()) return segment.status();
        opened.segment = *segment;
        return opened;
      },
      [](Napi::Env env, OpenedSegment& opened) -> Napi::Value {
        Napi::Object object = Napi::Object::New(env);
        object.Set("segment", NativeSegment::Wrap(env, opened.segment));
        object.Set("report", ReportObject(env, opened.report));
        return object;
      });
}

Napi::Value SetSegmentAside(const Napi::CallbackInfo& info) {
  SegmentOptions options = ReadOptions(info[0]);
  return RunAsync<RecoveryReport>(
      info.Env(), ThreadPool::Reads(),
      [options]() -> Result<RecoveryReport> {
        RecoveryReport report;
        Status status = Segment::SetAside(options, &report);
        if (!status.ok()) return status;
        return report;
      },
      [](Napi::Env env, RecoveryReport& report) -> Napi::Value { return ReportObject(env, report); });
}

}  // namespace

RecordFormat FormatArgument(const Napi::Value& value, const char* name) {
  const std::string text = StringArgument(value, name);
  if (text == "kafka") return RecordFormat::kKafka;
  if (text != "mykafka") throw Napi::RangeError::New(value.Env(), std::string(name) + " must be mykafka or kafka");
  return RecordFormat::kMykafka;
}

static NativeSegment* SegmentArgument(Napi::Env env, Napi::Value value) {
  if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&kSegmentTag)) {
    throw Napi::TypeError::New(env, "not a NativeSegment");
  }
  return NativeSegment::Unwrap(value.As<Napi::Object>());
}

std::shared_ptr<Segment> SegmentOf(Napi::Env env, Napi::Value value) {
  return SegmentArgument(env, value)->segment();
}

Result<std::shared_ptr<File>> FileOf(Napi::Env env, Napi::Value value) {
  return SegmentArgument(env, value)->file();
}

void DefineSegment(Napi::Env env, Napi::Object exports) {
  AddonState::Of(env).segment_class = Napi::Persistent(NativeSegment::Define(env));
  exports.Set("createSegment", Napi::Function::New(env, CreateSegment, "createSegment"));
  exports.Set("openSealedSegment", Napi::Function::New(env, OpenSealedSegment, "openSealedSegment"));
  exports.Set("openCleanSegment", Napi::Function::New(env, OpenLastSegment<&Segment::OpenClean>, "openCleanSegment"));
  exports.Set("openRecoveringSegment",
              Napi::Function::New(env, OpenLastSegment<&Segment::OpenRecovering>, "openRecoveringSegment"));
  exports.Set("setSegmentAside", Napi::Function::New(env, SetSegmentAside, "setSegmentAside"));
  exports.Set("setOpenFileLimit", Napi::Function::New(
                                      env,
                                      [](const Napi::CallbackInfo& info) {
                                        OpenFiles::Instance().SetLimit(
                                            static_cast<size_t>(IntegerArgument(info[0], "limit", 1, INT32_MAX)));
                                      },
                                      "setOpenFileLimit"));
  exports.Set("openFileLimit", Napi::Function::New(
                                   env,
                                   [](const Napi::CallbackInfo& info) -> Napi::Value {
                                     return Napi::Number::New(info.Env(),
                                                              static_cast<double>(OpenFiles::Instance().limit()));
                                   },
                                   "openFileLimit"));
  exports.Set("openFileCount", Napi::Function::New(
                                   env,
                                   [](const Napi::CallbackInfo& info) -> Napi::Value {
                                     return Napi::Number::New(info.Env(),
                                                              static_cast<double>(OpenFiles::Instance().count()));
                                   },
                                   "openFileCount"));
}

}  // namespace mykafka
