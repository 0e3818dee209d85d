//! Blocks of events, parsed by several threads, each block for itself.
//!
//! ```text
//! blocks ──► jobs ──► threads ──► parsed blocks, in order ──► rows of the trace
//!                                  └─ where one did not end as the next begins: their text alone, parsed anew from there
//! ```
//!
//! A block is parsed as if it began with an event. Whether it did is known once the one before was read to its end, so its rows are
//! taken only then.

use super::block::{Block, Fault};
use super::collect::Collector;
use super::event::{Event, EventTokens};
use super::scan::skip_space;
use crate::columns::Memory;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

/// More threads than this wait for the one that reads.
const MOST_THREADS: usize = 4;

/// Parsed blocks that may wait, beside those that are being parsed.
const WAITING: usize = 2;

/// Who parses blocks.
pub(super) struct Parsing<'a> {
    /// How many threads; the thread that asks for parts parses them itself if it is one.
    pub(super) threads: usize,
    pub(super) memory: &'a Memory,
}

/// A block and what was read of it.
pub(super) struct Parsed {
    pub(super) rows: Collector,
    pub(super) text: Vec<u8>,
    /// How much of the text was read: all of it, or up to something that is no event.
    pub(super) end: usize,
}

/// A block to be parsed, and who waits for it.
type Job = (Vec<u8>, SyncSender<Parsed>);

/// A block that was taken from who reads.
enum Taken {
    /// It is being parsed.
    Job(Receiver<Parsed>),
    /// It is not, or not yet.
    Block(Block),
    Fault(Fault),
}

/// Blocks in order, some of them parsed.
pub(super) struct Parts {
    blocks: Receiver<Result<Block, Fault>>,
    taken: VecDeque<Taken>,
    /// To the threads that parse; without them a block is parsed when it is asked for.
    jobs: Option<SyncSender<Job>>,
    most_taken: usize,
    memory: Memory,
}

impl Parsing<'_> {
    /// Starts the threads. They end with what is returned.
    pub(super) fn start<'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        blocks: Receiver<Result<Block, Fault>>,
    ) -> Parts {
        let threads = if self.threads > 1 { self.threads.min(MOST_THREADS) } else { 0 };
        let most_taken = threads + WAITING;
        let (sender, jobs) = sync_channel::<Job>(most_taken);
        let jobs = Arc::new(Mutex::new(jobs));
        let mut started = 0;
        for _ in 0..threads {
            let (jobs, memory) = (Arc::clone(&jobs), self.memory.clone());
            let builder = std::thread::Builder::new();
            let start = builder.spawn_scoped(scope, move || {
                loop {
                    let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((text, waiting)) = job else { return };
                    // Who does not wait any more needs no rows.
                    let _ = waiting.send(parse(text, &memory));
                }
            });
            // Where the system starts no more threads, there are fewer.
            started += usize::from(start.is_ok());
        }
        let jobs = (started > 0).then_some(sender);
        Parts { blocks, taken: VecDeque::new(), jobs, most_taken, memory: self.memory.clone() }
    }
}

impl Parts {
    /// The text of the next block, or why there is none; nothing after the last one.
    pub(super) fn text(&mut self) -> Option<Result<Vec<u8>, Fault>> {
        match self.taken.pop_front() {
            Some(Taken::Job(parsed)) => Some(Ok(parsed.recv().map(|parsed| parsed.text).unwrap_or_default())),
            Some(Taken::Block(block)) => Some(Ok(block.text)),
            Some(Taken::Fault(fault)) => Some(Err(fault)),
            None => self.blocks.recv().ok().map(|block| block.map(|block| block.text)),
        }
    }

    /// The next block with its events, if it seems to begin with one.
    pub(super) fn parsed(&mut self) -> Option<Parsed> {
        self.take_all();
        match self.taken.pop_front()? {
            Taken::Job(parsed) => parsed.recv().ok(),
            Taken::Block(Block { text, is_event: true }) => Some(parse(text, &self.memory)),
            other => {
                self.taken.push_front(other);
                None
            }
        }
    }

    /// Takes blocks that have been read, so that they are parsed; at least one, if there is one.
    fn take_all(&mut self) {
        while self.taken.len() < self.most_taken {
            let block = if self.taken.is_empty() {
                self.blocks.recv().map_err(|_| TryRecvError::Disconnected)
            } else {
                self.blocks.try_recv()
            };
            match block {
                Ok(block) => self.take(block),
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, block: Result<Block, Fault>) {
        let taken = match (block, &self.jobs) {
            (Ok(Block { text, is_event: true }), Some(jobs)) => {
                let (sender, parsed) = sync_channel(1);
                match jobs.try_send((text, sender)) {
                    Ok(()) => Taken::Job(parsed),
                    // There is room for as many jobs as blocks are taken, and threads end after this value.
                    Err(TrySendError::Full((text, _)) | TrySendError::Disconnected((text, _))) => {
                        Taken::Block(Block { text, is_event: true })
                    }
                }
            }
            (Ok(block), _) => Taken::Block(block),
            (Err(fault), _) => Taken::Fault(fault),
        };
        self.taken.push_back(taken);
    }
}

/// Reads events as far as they are certain.
fn parse(text: Vec<u8>, memory: &Memory) -> Parsed {
    let mut rows = Collector::new(memory);
    let (mut tokens, mut end) = (EventTokens::default(), 0);
    loop {
        end = skip_between(&text, end);
        let rest = &text[end..];
        match tokens.find(rest) {
            Ok(length) => {
                rows.push(Event::new(&rest[..length], &tokens));
                end += length;
            }
            Err(_) => return Parsed { rows, text, end },
        }
    }
}

/// The position after white space and commas.
pub(super) fn skip_between(text: &[u8], mut at: usize) -> usize {
    loop {
        at = skip_space(text, at);
        if text.get(at) != Some(&b',') {
            return at;
        }
        at += 1;
    }
}
