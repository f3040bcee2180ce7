"""What every client program speaks: see ../node/protocol.mjs."""

import base64
import json
import queue
import sys
import threading
import time
import traceback


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def encode(data):
    return None if data is None else base64.b64encode(bytes(data)).decode()


def decode(text):
    return None if text is None else base64.b64decode(text)


def headers_of(record):
    return [(name, decode(value)) for name, value in record.get("headers", [])]


def step(name, value):
    emit("step", step=name, value=value)


def lacking(name):
    emit("step", step=name, lacking=True)


def until(ask, will_do):
    while True:
        answer = ask()
        if will_do(answer):
            return answer
        time.sleep(0.05)


def record(topic, partition, offset, timestamp, key, value, headers):
    listed = [[name, encode(content)] for name, content in headers or []]
    emit(
        "record",
        topic=topic,
        partition=partition,
        offset=offset,
        timestamp=timestamp,
        key=encode(key),
        value=encode(value),
        headers=listed,
    )


class Expected:
    """How many records of which topic are still to come."""

    def __init__(self, topics):
        self.left = dict(topics)

    def took(self, topic):
        self.left[topic] -= 1

    @property
    def complete(self):
        return all(left <= 0 for left in self.left.values())


class Commands:
    """The lines of standard input, for a program that polls."""

    def __init__(self):
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in sys.stdin:
            self.lines.put(line.strip())

    def next(self):
        """The next one, or None where there is none yet."""
        try:
            return self.lines.get_nowait()
        except queue.Empty:
            return None

    def stall(self):
        """Does nothing, until it is told to go on."""
        emit("stalled")
        while self.lines.get() != "resume":
            pass
        emit("resumed")


class Positions:
    """The offsets behind what a member of a group consumed of the partitions that it has."""

    def __init__(self):
        self.next = {}

    def assigned(self, partitions):
        self.next = {partition: offset for partition, offset in self.next.items() if partition in partitions}
        emit("assigned", partitions=sorted(partitions))

    def consumed(self, partition, offset):
        self.next[partition] = offset + 1

    def committed(self):
        emit("committed", offsets=self.next)


def main(scenarios):
    scenario, *rest = sys.argv[1:]
    try:
        scenarios[scenario](*([rest[0], json.loads(rest[1])] if rest else []))
    except Exception:
        traceback.print_exc()
        sys.exit(1)
