//! What a name says: classes of API functions, kernels, range texts and calls of the operating system. Each is decided once
//! per distinct name.

use crate::base::ids::StrId;
use crate::columns::Texts;
use regex::Regex;
use std::sync::{LazyLock, OnceLock};

/// Whether a range or an op is named after an optimizer: what runs in it is of neither pass.
pub(crate) fn is_of_optimizer(text: &str) -> bool {
    static WORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)(^|[^a-z])opt(im(izer)?)?([^a-z]|$)").expect("a constant"));
    WORD.is_match(text)
}

/// Something that a name decides. It is decided when the first row with the name is met, so that rows of other times are not
/// read.
pub(crate) struct ByName<'a, T> {
    strings: &'a Texts,
    decide: Box<dyn Fn(&str) -> T + Send + Sync + 'a>,
    /// By text of the pool.
    values: Vec<OnceLock<T>>,
    nameless: T,
}

impl<'a, T: Copy> ByName<'a, T> {
    pub(crate) fn new(strings: &'a Texts, decide: impl Fn(&str) -> T + Send + Sync + 'a) -> Self {
        let values = std::iter::repeat_with(OnceLock::new).take(strings.len()).collect();
        Self { strings, nameless: decide(""), values, decide: Box::new(decide) }
    }

    /// What a name says.
    #[inline]
    pub(crate) fn get(&self, name: StrId) -> T {
        let decide = || (self.decide)(self.strings.get(name));
        let value = name.position().and_then(|position| self.values.get(position));
        value.map_or(self.nameless, |value| *value.get_or_init(decide))
    }
}

impl<T> std::fmt::Debug for ByName<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "what {} names say", self.values.len())
    }
}

/// Whether a kernel checks what an algorithm that is tried wrote beside its output, by its short name.
#[must_use]
pub(crate) fn checks_algorithms(short_name: &str) -> bool {
    short_name.contains("redzone_checker")
}

/// A regular expression of this file.
fn expression(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns of this file are regular expressions")
}

static DATA_LOADING: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?ix) (?: ^ | [^a-z0-9_] )
        (?: data_?loader | dataloading | data[\ _-]?loading | data[\ _-]?load | load[\ _-]?(?:data|batch)
          | (?:next|get|fetch)[\ _-]?batch | batch[\ _-]?(?:load|fetch) | read_data | data[\ _-]?fetch | dali )
        (?: $ | [^a-z0-9_] )
        | enumerate\(DataLoader\)",
    )
});

static DATA_LOADING_MARKER: LazyLock<Regex> = LazyLock::new(|| expression(r"'op': *'DataLoader'"));

static ENCLOSING: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?xi) ^ (train|training|main|model|profile|epoch|iteration|iter|step|train_step|training_step|batch|frame|sample)
            [\s_:\#\[\]-]* \d* \]? $",
    )
});

/// Whether the text of a user range names the loading of data.
#[must_use]
pub(crate) fn is_data_loading(text: &str) -> bool {
    if text.starts_with('{') {
        return DATA_LOADING_MARKER.is_match(text);
    }
    let appended = [", seq =", ", op_id ="].iter().filter_map(|mark| text.find(mark)).min();
    DATA_LOADING.is_match(&text[..appended.unwrap_or(text.len())])
}

/// What sentences call a marker of DLProf that names no op.
const MARKER_WITHOUT_OP: &str = "trace marker of DLProf";

static MARKED_OP: LazyLock<Regex> = LazyLock::new(|| expression(r"'op': *'([^']*)'"));

/// The text of a user range as sentences have it: of a marker of DLProf the op. Markers that name no op are not the program's:
/// its instrumentation made them, and time in them is mostly its own.
#[must_use]
pub(crate) fn range_in_words(text: &str) -> &str {
    if !text.starts_with('{') {
        return text;
    }
    MARKED_OP.captures(text).and_then(|found| found.get(1)).map_or(MARKER_WITHOUT_OP, |op| op.as_str())
}

static ONE_TIME: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?x) (?i: ^ | [^a-z0-9] ) (?i: (?:pre|re|just_?in_?time_?)? compil(?:e|es|ed|ing|ation) | nvrtc | jit
          | auto_?tun(?:e|ing) | warm[_\ -]?up | (?:load|import)_?(?:module|library|model|weights|checkpoint)s?
          | init(?:ialize|ialise|ialization|ialisation)?
          | set[_\ -]?up )
        (?: [^a-z] | $ )",
    )
});

/// Whether the text of a user range names work that is done once and not in every step: compiling, loading, tuning, set-up.
#[must_use]
pub(crate) fn is_one_time(text: &str) -> bool {
    ONE_TIME.is_match(range_in_words(text))
}

/// Whether the text of a user range names a whole loop or its rounds, so that it is not an op.
#[must_use]
pub(crate) fn is_enclosing(text: &str) -> bool {
    ENCLOSING.is_match(text)
}

/// Whether a text begins with one of some prefixes, in any case. Prefixes are ASCII.
fn starts_with_any(text: &str, prefixes: &[&str]) -> bool {
    let begins =
        |prefix: &str| text.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix));
    prefixes.iter().any(|prefix| begins(prefix))
}

/// Whether an NVTX domain belongs to a library that exchanges data.
#[must_use]
pub(crate) fn is_communication_domain(domain: &str) -> bool {
    starts_with_any(domain, &["NCCL", "MPI", "UCX", "NVSHMEM", "UCC"])
}

/// Whether an annotation of torch.profiler is of a collective that runs on threads of the CPU: `gloo:all_reduce`. What others
/// annotate, such as `nccl:`, is the launch of a kernel.
pub(crate) fn is_cpu_collective(text: &str) -> bool {
    ["gloo:", "mpi:"].iter().any(|begin| text.starts_with(begin))
}

/// Whether a text of a communication library begins like the name of one of its functions.
pub(crate) fn is_nccl_text(text: &str) -> bool {
    starts_with_any(text, &["nccl"])
}

/// Whether a function of a communication library makes or ends communicators and exchanges nothing.
#[must_use]
pub(crate) fn is_communicator_setup(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "ncclCommInit",
        "ncclCommDestroy",
        "ncclCommAbort",
        "ncclCommFinalize",
        "ncclCommSplit",
        "ncclGetUniqueId",
        "MPI_Init",
        "MPI_Finalize",
        "MPI_Comm_",
    ];
    starts_with_any(name, &NAMES)
}

/// What a call of the operating system's libraries does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum OsCallKind {
    /// Reads a file or a connection.
    Read,
    /// Waits for another thread, or for data.
    Wait,
    /// Sleeps, waits for a child, or writes: blocked, but not for input.
    Pause,
    /// Anything else; it tells nothing about waiting.
    Other,
}

static READ: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"^(p?read|p?readv|open|openat|fopen|fread|fgets|fgetc|getc|getline|recv|recvfrom|recvmsg)(64)?(v2)?$",
    )
});

static WAIT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?x) ^ (
            poll | ppoll | select | pselect | epoll_p?wait | sem_\w*wait | pthread_cond_\w*wait | pthread_mutex_\w*lock
          | pthread_rwlock_\w*lock | pthread_join | pthread_barrier_wait | pthread_spin_lock | futex | sigwait\w*
            ) (64)? (v2)? $",
    )
});

static PAUSE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?x) ^ (
            (u | nano | clock_nano)? sleep | wait | wait3 | wait4 | waitpid | waitid | sched_yield | pthread_yield
          | p?writev? | fwrite\w* | fputc\w* | fputs\w* | putc\w* | puts | send | sendto | sendmsg | sendmmsg
            ) (64)? (v2)? $",
    )
});

impl OsCallKind {
    /// The kind of a function, by its whole name.
    #[must_use]
    pub(crate) fn of(function: &str) -> Self {
        if READ.is_match(function) {
            Self::Read
        } else if WAIT.is_match(function) && !function.contains("unlock") {
            Self::Wait
        } else if PAUSE.is_match(function) {
            Self::Pause
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_load_data_have_the_words_by_themselves() {
        for text in [
            "DataLoader",
            "data loading",
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            "myenumerate(DataLoader)x",
            "step 3: load-batch",
            "next_batch, seq = 4",
            "DALI",
            "{'mod': 'x', 'op': 'DataLoader', 'trace': []}",
        ] {
            assert!(is_data_loading(text), "{text}");
        }
        for text in [
            "reader",
            "my_dataloader_x",
            "preload_batch",
            "dataloaders",
            "conv, seq = 1, dataloader",
            "{'mod': 'torch', 'op': 'conv', 'trace': ['dataloader.py']}",
            "",
        ] {
            assert!(!is_data_loading(text), "{text}");
        }
    }

    #[test]
    fn one_time_work_is_known_by_its_words() {
        for text in [
            "KernelExecutor::compileFusion",
            "executor_utils::Nvrtc::CompileProgram",
            "executor_utils::NVRTC",
            "warm up",
            "warmup",
            "load_model",
            "torch.compile",
            "JIT",
            "autotune",
            "init",
        ] {
            assert!(is_one_time(text), "{text}");
        }
        for text in
            ["initial_conv", "forward", "compiler_free", "load_batch", "step 3", "runFusion", "preset", ""]
        {
            assert!(!is_one_time(text), "{text}");
        }
        assert_eq!(range_in_words("{'mod': 'torch', 'op': 'conv2d', 'args': []}"), "conv2d");
        assert_eq!(
            range_in_words("{'traceMarker': ['train.py:3'], 'funcStack': 'net/conv'}"),
            "trace marker of DLProf"
        );
    }

    #[test]
    fn enclosing_texts_are_one_word_and_a_number() {
        for text in ["iteration5", "Step #12", "train", "batch [3]", "epoch: 1", "training_step"] {
            assert!(is_enclosing(text), "{text}");
        }
        for text in ["iterations", "step 3 forward", "forward", "mainloop", ""] {
            assert!(!is_enclosing(text), "{text}");
        }
    }

    #[test]
    fn calls_of_the_system_are_known_by_their_whole_name() {
        use OsCallKind::{Other, Pause, Read, Wait};
        let known = [
            ("read", Read),
            ("preadv64v2", Read),
            ("open64", Read),
            ("recvmsg", Read),
            ("readlink", Other),
            ("poll", Wait),
            ("sem_timedwait", Wait),
            ("pthread_cond_wait", Wait),
            ("pthread_mutex_trylock", Wait),
            ("pthread_rwlock_timedwrlock", Wait),
            ("pthread_mutex_unlock", Other),
            ("pthread_rwlock_unlock", Other),
            ("futex", Wait),
            ("sigwaitinfo", Wait),
            ("sleep", Pause),
            ("clock_nanosleep", Pause),
            ("waitpid", Pause),
            ("pwritev64v2", Pause),
            ("fputs_unlocked", Pause),
            ("sendmmsg", Pause),
            ("fflush", Other),
            ("close", Other),
            ("ioctl", Other),
            ("", Other),
        ];
        for (name, kind) in known {
            assert_eq!(OsCallKind::of(name), kind, "{name}");
        }
    }

    #[test]
    fn libraries_are_known_by_their_domains_and_functions() {
        assert!(is_communication_domain("nccl-x") && !is_communication_domain("cuBLAS"));
        assert!(is_communicator_setup("mpi_comm_rank") && !is_communicator_setup("MPI_Send"));
        assert!(is_nccl_text("ncclAllReduce") && !is_nccl_text("ncç"));
    }
}
