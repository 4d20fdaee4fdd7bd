# SPDX-License-Identifier: Apache-2.0
"""Each call of the C library that can fail does so, one at a time: memory, files, processes.

Every command is run once with all calls counted (tests/inject), and then once for each call, each
way in which it can fail, and each place where it is made: once, and from there on. A sample of
these is tried, which LITMUS_SEED draws, all of them with LITMUS_FULL=1. Whatever fails, a command
ends with the exit code, the output and the results that it has without a failure, or with another
exit code that it documents for a fault of its own, one line that says what failed, and files that
are whole or as they were.
"""

import concurrent.futures
import difflib
import errno
import glob
import itertools
import json
import os
import re
import signal
import struct
import subprocess
import tempfile
import unittest

import harness
from harness import BUILD, ONE, PAIR, PROGRAM, SOURCE

LIBRARY = os.path.join(BUILD, "tests", "inject", "inject.so")
LOADER = os.path.join(SOURCE, "tests", "inject", "leaks.txt")
# "places": memory once at each place where it is asked for, everything else as often as it is done.
FULL = os.environ.get("LITMUS_FULL")

# For trials of one's own: LITMUS_INJECT='WORD...' tries those whose description has all words.
WORDS = os.environ.get("LITMUS_INJECT", "").split()

# Where there is a disk in memory nothing waits for one of iron.
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None

WHO = ("supervisor", "child", "worker", "driver")
FRAMES = 24

# How each call can fail: once, and with a + also from then on. What is interrupted once is tried
# again, so that this cannot go on for ever. No send says EPIPE while the other process lives.
WAYS = {
    "malloc": "+ENOMEM", "open": "+EMFILE EACCES EIO ENOSPC EINTR", "close": "EIO",
    "read": "+EIO EINTR +SHORT", "write": "+ENOSPC EIO EINTR +SHORT", "pread": "+EIO EINTR +SHORT",
    "pwrite": "+ENOSPC EIO EINTR +SHORT", "lseek": "EIO", "fsync": "+EIO", "fdatasync": "+EIO",
    "ftruncate": "+ENOSPC EIO", "fcntl": "+ENOLCK EMFILE", "flock": "+ENOLCK",
    "mmap": "+ENOMEM", "stat": "EACCES +EIO", "fstat": "+EIO", "lstat": "EACCES EIO",
    "access": "EACCES", "realpath": "EACCES +ENOMEM", "readlink": "EACCES", "getcwd": "ENOENT",
    "rename": "ENOSPC EIO EACCES", "unlink": "EACCES EIO", "mkdir": "ENOSPC EACCES",
    "rmdir": "EACCES", "chmod": "EPERM", "fchmod": "EPERM", "mkostemp": "EMFILE EACCES ENOSPC",
    "mkdtemp": "EACCES ENOSPC", "opendir": "+EMFILE EACCES", "scandir": "+EMFILE ENOMEM",
    "fopen": "+EMFILE EACCES ENOMEM", "fread": "+EIO", "fwrite": "+ENOSPC", "fflush": "+ENOSPC",
    "fclose": "ENOSPC", "fork": "+EAGAIN ENOMEM", "execve": "+ENOMEM EACCES",
    "posix_spawn": "+EAGAIN ENOENT", "dup2": "EMFILE", "pipe": "+EMFILE", "socketpair": "+EMFILE",
    "send": "+ENOBUFS EINTR EAGAIN SHORT", "recv": "+ECONNRESET EINTR SHORT",
    "poll": "+ENOMEM EINTR", "waitpid": "EINTR", "pthread_create": "+EAGAIN",
    "getrandom": "+EAGAIN", "setenv": "ENOMEM",
}

# Of these the process is killed instead, too.
LAST = ("open", "close", "write", "pwrite", "fsync", "fdatasync", "ftruncate", "rename", "unlink",
        "mkdir", "mkostemp", "fchmod")

# Code and history that cannot be read cost a report only these, and it says why.
UNREAD = (r"\.db: (out of memory|locking|disk I/O error|the file is damaged"
          r"|another process holds the file)")

# What differs from one run to the next.
_CHANGES = ((r"\d{4}-\d\d-\d\dT[\d:]+Z", "TIME"), (r"\b[\d.]+ s\b", "T s"),
            (r'"uuid":"[0-9a-f]{32}"', '"uuid":U'), (r'"seconds":[\d.e-]+', '"seconds":S'))


def steady(text):
    for pattern, instead in _CHANGES:
        text = re.sub(pattern, instead, text)
    return text


def call_names():
    """The calls in the order of the counts in a state file."""
    text = harness.read(os.path.join(SOURCE, "tests", "inject", "inject.c"))
    return re.findall(r"CALL\((\w+)\)", text[text.index("#define CALLS"):text.index("enum call")])


NAMES = [name for name in call_names() if name != "CALL"]
STATE = struct.Struct(f"{len(WHO) * 64 + 1 + FRAMES}Q")
PLACES = 100000


class Trial:
    """One failure: who does which call for the nth time, and how it fails."""

    def __init__(self, who, call, nth, way, later):
        self.who, self.call, self.nth, self.way, self.later = who, call, nth, way, later

    def __str__(self):
        return f"{self.who} {self.call} {self.nth} {self.way}{' and later' if self.later else ''}"

    def variable(self, state):
        how = getattr(errno, self.way, self.way.lower())
        return f"{state} {self.who} {self.call} {self.nth} {'+' if self.later else ''}{how}"


NOTHING = Trial("supervisor", "malloc", 0, "ENOMEM", False)


class Ending:
    """How a command ended, and what it left: `files` by name, as bytes."""

    def __init__(self, code, out, err, files, complaints, state):
        self.code, self.out, self.err, self.files = code, out, err, files
        self.complaints = complaints  # of sanitizers
        values = STATE.unpack_from(state)
        self.places = {}  # of a run that counts: the first call from each
        for nth, (place,) in enumerate(struct.iter_unpack("Q", state[STATE.size:]), 1):
            if place:
                self.places.setdefault(place, nth)
        self.failed = values[len(WHO) * 64] > 0
        self.frames = [frame for frame in values[-FRAMES:] if frame]
        self.counts = {(who, name): values[w * 64 + n] for w, who in enumerate(WHO)
                       for n, name in enumerate(NAMES) if values[w * 64 + n]}


class Injected(harness.Case):
    """What the tests of all commands share."""

    short = 40 if harness.SLOW == 1 else 16  # trials of a sample
    more = {}  # variables of its environment
    report = None  # of a run: what it writes of whatever it has stored. Each of the things that it
                   # does at its end may fail by itself, with a line of its own

    @classmethod
    def setUpClass(cls):
        if not os.path.exists(LIBRARY):
            raise unittest.SkipTest("nothing stands before this C library")

    # One run

    def run_in(self, folder, arguments, variable, state):
        environment = self.environment(drivers=[], HOME=folder, INJECT=variable,
                                       LD_PRELOAD=LIBRARY, **self.more)
        # What is wrong in a worker is to be seen too, and so are leaks, since no driver but our own
        # is loaded; but those of the loader and of the C library without memory.
        for name, more in (("ASAN_OPTIONS", "detect_leaks=1:verify_asan_link_order=0:"
                            "allocator_may_return_null=1"),
                           ("LSAN_OPTIONS", f"suppressions={LOADER}:print_suppressions=0"),
                           ("UBSAN_OPTIONS", "print_stacktrace=1")):
            environment[name] = f"{environment.get(name, '')}:{more}:log_path={state}"
        process = subprocess.run([PROGRAM, *arguments], env=environment, cwd=folder,
                                 stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=600 * harness.SLOW)
        files = {}
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                for part in sorted(os.listdir(path)):
                    files[f"{name}/{part}"] = harness.read(os.path.join(path, part), "rb")
            else:
                files[name] = harness.read(path, "rb")
        complaints = ""
        for path in glob.glob(state + ".*"):
            with open(path, errors="backslashreplace") as file:
                complaints += file.read()
        counts = harness.read(state, "rb")
        return Ending(process.returncode, process.stdout.decode(errors="backslashreplace"),
                      process.stderr.decode(errors="backslashreplace"), files, complaints, counts)

    def run_once(self, arguments, inputs, trial, judge):
        """Runs a command in a folder of its own, which holds `inputs`. Returns what `judge` says
        of how it ended."""
        with tempfile.TemporaryDirectory(prefix="litmus-e2e-", dir=MEMORY) as outer:
            folder, state = os.path.join(outer, "work"), os.path.join(outer, "state")
            os.mkdir(folder)
            for name, content in inputs.items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
            with open(state, "wb") as file:
                file.write(bytes(STATE.size + (0 if trial.nth else PLACES * 8)))
            try:
                ending = self.run_in(folder, arguments, trial.variable(state), state)
            except subprocess.TimeoutExpired:
                return "it did not end"
            return judge(folder, ending, trial)

    # What may be

    def judge(self, folder, ending, trial):
        """What is wrong with how a command ended; None if nothing is."""
        # A driver without memory may do what is asked all the same, more slowly; and machine code
        # that cannot be had changes no result.
        more = trial.who != "driver" and [
            line for line in ending.err.splitlines() if line not in self.usual.err.splitlines()
            and not re.match(r"litmus: (not all (code could be stored|programs were made small)|"
                             r"device 1: the code (of some configurations )?is not available): ",
                             line)]
        # What a run found it found, whatever else fails.
        found = self.report and more and ending.code == 1
        ending.is_usual = ending.code == self.usual.code and not found
        wrong = self.judge_words(ending, trial, more) or self.judge_files(folder, ending, trial)
        if not wrong and self.store:
            wrong = self.judge_store(folder, ending, trial)
        if not wrong:
            return None
        where = self.where(ending.frames)
        return f"{wrong}\n    code {ending.code}, {ending.err.strip()!r}\n    from {where}"

    def judge_words(self, ending, trial, more):
        usual, err = self.usual, ending.err
        if ending.complaints:
            return "a sanitizer complains:\n" + ending.complaints
        if trial.way == "KILL" and ending.failed:
            return None if ending.code == -signal.SIGKILL else "it lives on"
        if ending.code < 0 or "Assertion" in err:
            return "it crashed"
        if not ending.failed and ending.code != usual.code:
            return "nothing failed, and yet the exit code is another"
        lines = err.splitlines()
        if ending.is_usual:
            out, rest = (text.splitlines() for text in (steady(usual.out), steady(ending.out)))
            unread = [line for line in rest if re.search(UNREAD, line)]
            if unread and not set(rest) - set(unread) - set(out):
                out = rest
            if out != rest:
                return "the output differs:\n" + "\n".join(difflib.unified_diff(out, rest, n=0))
            return "it complains and ends as if all were well" if more else None
        if ending.code not in (*self.codes(trial), usual.code):
            return "this exit code is not for that"
        if ending.code == 77 and trial.way == "ENOMEM" and "MEMORY" not in err:
            return "it does not say that there was no memory"
        said = sum(line.startswith("litmus: ") for line in lines)
        if ending.code == 2 and (said == 0 or said > 1 and not self.report):
            return "it does not end with one line that says why"
        return None

    def codes(self, trial):
        """Exit codes that say that something could not be done."""
        return (2, 3, 4, 77) if trial.who == "driver" else (2,)

    def judge_files(self, folder, ending, trial):
        usual = self.usual
        without = False
        for name, content in ending.files.items():
            if name == self.report and content == self.printed(folder):
                continue
            # The next one to open the store or to merge into it removes what is left beside it; and
            # where the store went if nothing could be known of its name.
            if self.store and name in (self.store.replace(".db", ".recovered.db"), *(
                    self.store + more for more in ("", "-wal", "-shm", "-journal", ".lock",
                                                   ".merge-unfinished"))):
                continue
            if name in usual.files and re.search(UNREAD.encode(), content):
                without = True
                continue
            allowed = [steady(files[name].decode(errors="replace"))
                       for files in (self.inputs, usual.files)
                       if name in files and not (ending.is_usual and files is self.inputs)]
            if not allowed and trial.call != "unlink" and trial.way != "KILL":
                return f"it left {name}"
            if allowed and steady(content.decode(errors="replace")) not in allowed:
                return f"{name} is neither what it was nor what it should be"
        missing = set(usual.files if ending.is_usual else self.inputs) - set(ending.files)
        missing = [name for name in missing if not re.search("-(wal|shm|journal)$", name)
                   and not (without and re.search("/code[^/]*$", name))]
        return f"{missing} is missing" if missing else None

    # Stores

    def printed(self, folder):
        return subprocess.run([PROGRAM, "report", "-f", "json", "--db", self.store], cwd=folder,
                              env=self.environment(drivers=[]), capture_output=True).stdout

    def results(self, folder, name):
        """What each configuration of the newest session was, without times; None if the store is
        not there or nothing was stored in it."""
        environment = self.environment(drivers=[])
        process = subprocess.run([PROGRAM, "report", "-f", "json", "--db", name], cwd=folder,
                                 env=environment, capture_output=True, text=True)
        if process.returncode == 2 and re.search("no such file|nothing was stored|no session",
                                                 process.stderr):
            return None
        self.assertEqual(process.returncode, 0, f"the store cannot be read: {process.stderr}")
        report = json.loads(process.stdout)
        kept = ("result", "reason", "runs", "failed_runs", "outcomes", "failures", "instances")
        found = {(entry["device"], entry["name"]): {key: entry[key] for key in kept}
                 for entry in report["results"]}
        found["finished"] = report["tool"]["finished"]
        return found

    def judge_store(self, folder, ending, trial):
        try:
            found = self.results(folder, self.store)
        except AssertionError as error:
            return str(error)
        if found == self.after:
            return None
        if ending.is_usual:
            return f"what is stored differs: {found}"
        if found == self.before:
            return None
        if found is None:
            return "what was stored is gone"
        for key, entry in found.items():
            if key == "finished" or entry == self.after[key]:
                continue
            if trial.who == "driver" and "VK_ERROR" in entry["reason"]:
                continue
            if entry["result"] not in ("harness-error", "partial"):
                return f"what is stored differs: {entry}"
        for key, entry in (self.before or {}).items():
            if key != "finished" and entry["result"] != "partial" and found.get(key) != entry:
                return "what had been stored differs"
        return None if trial.who == "driver" else self.judge_resumed(folder)

    def judge_resumed(self, folder):
        """What was cut off is gone on with, and is then what it would have been at once."""
        return None

    def where(self, frames):
        if not frames:
            return "?"
        process = subprocess.run(["addr2line", "-fe", PROGRAM, *map(hex, frames)],
                                 capture_output=True, text=True)
        return " < ".join(process.stdout.splitlines()[::2])

    # All trials of a command

    def trials(self, counts):
        for (who, call), count in sorted(counts.items()):
            ways = WAYS[call].split()
            if who == "supervisor" and call in LAST:
                ways.append("KILL")
            for way in ways:
                for later in (False, True) if way[0] == "+" else (False,):
                    for nth in range(1, count + 1):
                        yield Trial(who, call, nth, way.lstrip("+"), later)

    def chosen(self, counts, places):
        """All trials, or some of each call, which the commit draws."""
        trials = list(self.trials(counts))
        if WORDS:
            return [trial for trial in trials if all(word in str(trial).split() for word in WORDS)]
        if FULL != "1":
            trials = [trial for trial in trials
                      if trial.call != "malloc" or trial.nth in places[trial.who]]
        if FULL:
            return trials
        kinds = [list(group) for _, group in itertools.groupby(
            trials, key=lambda trial: (trial.who, trial.call))]
        share = max(1, self.short // len(kinds))
        draw = harness.drawn(self.id())
        return [trial for kind in kinds for trial in draw.sample(kind, min(share, len(kind)))]

    def try_all(self, *arguments, inputs, store=None):
        """Runs the command with each failure."""
        self.inputs, self.store = inputs, store

        def keep(folder, ending, trial):
            self.usual = ending
            self.after = self.results(folder, store) if store else None
            return None
        self.before = self.stored_in_inputs(store)
        self.run_once(arguments, inputs, NOTHING, keep)
        places = {who: self.run_once(arguments, inputs, Trial(who, "malloc", 0, "ENOMEM", False),
                                     lambda folder, ending, trial: set(ending.places.values()))
                  for who, call in self.usual.counts if call == "malloc"}
        self.assertNotIn(self.usual.code, (2, 77), self.usual.err)
        trials = self.chosen(self.usual.counts, places)
        self.assertTrue(trials)
        workers = (os.cpu_count() or 1) if FULL else 1
        wrong, done = {}, 0
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for trial, what in zip(trials, pool.map(
                    lambda trial: self.run_once(arguments, inputs, trial, self.judge), trials)):
                done += 1
                if what and what not in wrong:
                    print(f"{trial}: {what}", flush=True)
                if what:
                    wrong.setdefault(what, []).append(str(trial))
                if done % 1000 == 0:
                    print(f"{self.id()}: {done} of {len(trials)}, {len(wrong)} kinds of failure",
                          flush=True)
        self.assertEqual("", "\n\n".join(
            f"{', '.join(where[:3])}{f' and {len(where) - 3} more' if len(where) > 3 else ''}: "
            f"{what}" for what, where in wrong.items()), f"{len(trials)} trials")
        count = sum(1 for _ in self.trials(self.usual.counts))
        print(f"{self.id()}: {len(trials)} trials of {count}", flush=True)

    def stored_in_inputs(self, store):
        if store not in self.inputs:
            return None
        with tempfile.TemporaryDirectory(prefix="litmus-e2e-", dir=MEMORY) as folder:
            for name, content in self.inputs.items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
            return self.results(folder, store)


LOCKSTEP = ("-n", "2", "--simt", "lockstep,threads=1", "--seed", "7")
SNOOPING = ("-n", "2", "--simt", "snooping,threads=1", "--seed", "7")
RACES = ONE.replace("sync=workgroup-in-loop", "sync=none")


class Stores(Injected):
    """With two stores of one test: it passes in `good` and fails in `bad`."""

    def prepare(self):
        self.good = self.made("good.db", RACES, *LOCKSTEP)
        self.bad = self.made("bad.db", RACES, *SNOOPING)

    def made(self, name, *arguments):
        self.litmus("run", *arguments, "--db", name, drivers=[])
        return self.read(name, "rb")


class Reads(Stores):
    """Commands that read stores."""

    def test_history(self):
        self.try_all("history", "--db", "bad.db", inputs={"bad.db": self.bad})

    def test_repro(self):
        """Without spirv-dis: a bundle lacks its text where it cannot be started."""
        self.more = {"PATH": "/nonexistent", "VULKAN_SDK": "/nonexistent"}
        self.try_all("repro", RACES.rstrip("*"), "--db", "bad.db", "-o", "ticket",
                     inputs={"bad.db": self.bad})

    def test_gate_passes(self):
        self.try_all("gate", "--baseline", "good.db", "again.db",
                     inputs={"good.db": self.good, "again.db": self.good})

    def test_gate_does_not_pass(self):
        self.try_all("gate", "--baseline", "good.db", "bad.db", "-f", "json",
                     inputs={"good.db": self.good, "bad.db": self.bad})


class Reports(Stores):
    """One command for each format, and a file that is replaced."""

    short = 16 if harness.SLOW == 1 else 8


def report(form):
    def test(self):
        self.try_all("report", "-f", form, "--db", "bad.db", "-o", "report",
                     inputs={"bad.db": self.bad, "report": b"what was there before\n"})
    return test


for form in (*harness.FORMATS, "html"):
    setattr(Reports, "test_" + form, report(form))


class Runs(Injected):
    """Commands that measure. What was cut off is gone on with."""

    report = "report.json"

    def codes(self, trial):
        # A manifest or a library that may not be read is a driver that is not there.
        if trial.who == "driver":
            return 1, 2, 3, 4, 77
        return (2, 3, 77) if trial.way == "EACCES" else (2, 3)

    def judge_resumed(self, folder):
        environment = self.environment(drivers=[])
        process = subprocess.run([PROGRAM, "run", "--resume", "--db", self.store], cwd=folder,
                                 env=environment, capture_output=True, text=True)
        if process.returncode == 2 and "no unfinished session" in process.stderr:
            return None
        if process.returncode != self.usual.code:
            return f"--resume ends with {process.returncode}: {process.stderr}"
        found = self.results(folder, self.store)
        return None if found == self.after else f"after --resume there is {found}"

    test_run = harness.case("try_all", "run", *PAIR, *LOCKSTEP, "--db", "new.db", "--timeout", "20",
                            "--json", "report.json", inputs={}, store="new.db")
    test_run_that_fails = harness.case("try_all", "run", RACES, *SNOOPING, "--db", "new.db",
                                       "--timeout", "20", inputs={}, store="new.db")

    def test_resume(self):
        self.try_all("run", "--resume", "--db", "new.db", inputs=self.interrupted(),
                     store="new.db")

    def test_a_connection_that_breaks(self):
        # Here, not in the worker: no driver is to blame.
        code, err = self.run_once(("run", ONE, *LOCKSTEP), {},
                                  Trial("supervisor", "recv", 1, "ECONNRESET", True),
                                  lambda folder, ending, trial: (ending.code, ending.err))
        self.assertEqual(code, 2, err)
        self.assertIn("the connection to the worker failed: Connection reset by peer", err)

    def interrupted(self):
        """A store with one result of two: from some write on nothing reached the disk."""

        def left(folder, ending, _):
            found = self.results(folder, "new.db") or {}
            runs = [entry["runs"] for name, entry in found.items() if name != "finished"]
            return ending.files if runs == [2] else None
        self.set_clock()  # else a slow run stores each part of a result
        for nth in range(1, 100):
            files = self.run_once(("run", *PAIR, *LOCKSTEP, "--db", "new.db"), {},
                                  Trial("supervisor", "fdatasync", nth, "EIO", True), left)
            if files:
                self.clock = None
                return files
        self.fail("there is no such store")


class Merges(Stores):
    def test_merge(self):
        self.try_all("merge", "-o", "all.db", "bad.db",
                     inputs={"all.db": self.good, "bad.db": self.bad}, store="all.db")


harness.main(__name__)
