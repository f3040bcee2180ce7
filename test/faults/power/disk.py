"""
Holds a mount namespace of its own (see disk.ts), in which it makes and mounts an ext4 image, and pulls its plug: what
was not written to the device by then is gone, the journal's open transactions too.

Commands come line by line on standard input; each is answered by "ok" or by "failed" and the reason. At its end the
namespace is gone, with it the mount, and with that the loop device.
"""

import ctypes
import fcntl
import os
import random
import signal
import struct
import subprocess
import sys
import threading
import time

EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2
SYNC_FILE_RANGE_WRITE = 2
UNMOUNT_SECONDS = 10

libc = ctypes.CDLL(None, use_errno=True)
libc.sync_file_range.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]

IMAGE, POINT, MEBIBYTES = sys.argv[1:4]


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")


class Writeback:
    """Writes dirty pages back in no particular order, as the kernel does it: here and there, and soon."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while not self.stopping.wait(self.random.uniform(0.001, 0.03)):
            try:
                self.write_one()
            except OSError:
                pass  # The file is gone, or the plug is pulled.

    def write_one(self):
        files = [
            os.path.join(directory, name)
            for directory, _, names in os.walk(POINT)
            for name in names
            if name.endswith((".log", ".index", ".timeindex", ".cleaned"))
        ]
        if not files:
            return
        file = os.open(self.random.choice(files), os.O_RDONLY)
        try:
            size = os.fstat(file).st_size
            start = self.random.randrange(0, size // 4096 + 1) * 4096
            libc.sync_file_range(file, start, self.random.choice([4096, 16384, 65536]), SYNC_FILE_RANGE_WRITE)
        finally:
            os.close(file)

    def stop(self):
        self.stopping.set()
        self.thread.join()


writeback = None


def make():
    features = ["-b", "4096", "-N", "8192", "-J", "size=8", "-E", "lazy_itable_init=0,lazy_journal_init=1,nodiscard"]
    if os.path.exists(IMAGE):
        os.remove(IMAGE)
    run("mkfs.ext4", "-q", "-F", *features, IMAGE, f"{MEBIBYTES}M")


def mount(options):
    run("mount", "-t", "ext4", "-o", f"loop,{options}", IMAGE, POINT)


def write_back(seed):
    global writeback
    writeback = Writeback(int(seed))


def pull():
    directory = os.open(POINT, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
    finally:
        os.close(directory)


def unmount():
    global writeback
    if writeback is not None:
        writeback.stop()
        writeback = None
    deadline = time.monotonic() + UNMOUNT_SECONDS
    while True:
        try:
            run("umount", POINT)
            return
        except OSError as error:
            # What a process had open that was just killed may be closed a moment later.
            if "busy" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.005)


# Of a terminal: who started this ends it.
signal.signal(signal.SIGINT, signal.SIG_IGN)

COMMANDS = {"make": make, "mount": mount, "writeback": write_back, "pull": pull, "unmount": unmount}

for line in sys.stdin:
    name, *arguments = line.split()
    try:
        COMMANDS[name](*arguments)
        print("ok", flush=True)
    except OSError as error:
        print("failed", " ".join(str(error).split()), flush=True)
if writeback is not None:
    writeback.stop()
