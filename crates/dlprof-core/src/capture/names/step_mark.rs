//! The ranges that inference servers write around each step of their engine: `execute_context_1(128)_generation_24(24)`.
//!
//! A text is a step mark only as a whole. What it does not say is unknown, never 0. Grammars by server: `docs/serving.md`.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What a step computes, as its mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Prompts of new requests.
    Prefill,
    /// The next token of running requests.
    Decode,
    /// Both.
    Mixed,
    /// Nothing.
    None,
}

impl Phase {
    /// All phases, in order.
    pub const ALL: [Self; 4] = [Self::Prefill, Self::Decode, Self::Mixed, Self::None];

    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Decode => "decode",
            Self::Mixed => "mixed",
            Self::None => "none",
        }
    }
}

/// Which server writes marks of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkForm {
    /// vLLM with detailed annotations.
    VllmDetailed,
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// TensorRT-LLM.
    TensorRtLlm,
    /// ATOM.
    Atom,
    /// SGLang, as first proposed.
    SglangEarly,
}

impl MarkForm {
    /// The name of the server.
    #[must_use]
    pub fn server(self) -> &'static str {
        match self {
            Self::VllmDetailed | Self::Vllm => "vLLM",
            Self::Sglang | Self::SglangEarly => "SGLang",
            Self::TensorRtLlm => "TensorRT-LLM",
            Self::Atom => "ATOM",
        }
    }
}

/// What a step mark says. `None` is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepMark {
    /// Whose mark it is.
    pub form: MarkForm,
    /// What the step computes.
    pub phase: Phase,
    /// Requests whose prompt is computed.
    pub prefill_requests: Option<u64>,
    /// Tokens of these prompts.
    pub prefill_tokens: Option<u64>,
    /// Context of these after the step, summed over requests, in tokens.
    pub prefill_context: Option<u64>,
    /// Requests that get their next token.
    pub decode_requests: Option<u64>,
    /// New tokens of these.
    pub decode_tokens: Option<u64>,
    /// Context of these after the step, summed over requests, in tokens.
    pub decode_context: Option<u64>,
    /// The batch size of the graph, to which requests are filled up.
    pub padded_batch: Option<u64>,
    /// False for steps of a draft model, which give no token.
    pub gives_tokens: bool,
}

impl StepMark {
    /// What a text says, if it is a step mark.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        STARTS.iter().any(|start| text.starts_with(start)).then_some(())?;
        let read = |form: &Form| (form.read)(&form.pattern.captures(text)?);
        FORMS.iter().find_map(read)
    }

    /// Whether a text has the form of SGLang's marks and a mode that is not known.
    #[must_use]
    pub fn has_unknown_mode(text: &str) -> bool {
        FORMS[2].pattern.is_match(text) && Self::parse(text).is_none()
    }

    /// Prefill and decode tokens; unknown if either is.
    #[must_use]
    pub fn tokens(&self) -> Option<u64> {
        self.prefill_tokens?.checked_add(self.decode_tokens?)
    }

    /// Prefill and decode requests; unknown if either is.
    #[must_use]
    pub fn requests(&self) -> Option<u64> {
        self.prefill_requests?.checked_add(self.decode_requests?)
    }

    /// Takes from a mark inside it what it does not say itself.
    pub(crate) fn fill_from(&mut self, inner: &Self) {
        for (own, other) in [
            (&mut self.prefill_requests, inner.prefill_requests),
            (&mut self.prefill_tokens, inner.prefill_tokens),
            (&mut self.prefill_context, inner.prefill_context),
            (&mut self.decode_requests, inner.decode_requests),
            (&mut self.decode_tokens, inner.decode_tokens),
            (&mut self.decode_context, inner.decode_context),
            (&mut self.padded_batch, inner.padded_batch),
        ] {
            *own = own.or(other);
        }
        self.gives_tokens &= inner.gives_tokens;
        // The one inside is the server's own: the outer one may be of a tool around it.
        self.form = inner.form;
    }

    /// Of prefill and decode: requests, tokens and context. The phase follows from the requests.
    fn of(form: MarkForm, prefill: [Option<u64>; 3], decode: [Option<u64>; 3]) -> Self {
        let is_some = |requests: Option<u64>| requests.is_some_and(|requests| requests > 0);
        let phase = match (is_some(prefill[0]), is_some(decode[0])) {
            (true, true) => Phase::Mixed,
            (true, false) => Phase::Prefill,
            (false, true) => Phase::Decode,
            (false, false) => Phase::None,
        };
        Self {
            form,
            phase,
            prefill_requests: prefill[0],
            prefill_tokens: prefill[1],
            prefill_context: prefill[2],
            decode_requests: decode[0],
            decode_tokens: decode[1],
            decode_context: decode[2],
            padded_batch: None,
            gives_tokens: true,
        }
    }
}

/// How step marks begin.
const STARTS: [&str; 6] =
    ["execute_", "step[", "[Executor] _forward_step", "_forward_step", "prefill[", "decode["];

/// A form of marks, and how it is read.
struct Form {
    pattern: Regex,
    read: fn(&Captures<'_>) -> Option<StepMark>,
}

/// All forms; the first that fits counts.
static FORMS: LazyLock<[Form; 6]> = LazyLock::new(|| {
    let form = |pattern: &str, read| Form {
        pattern: Regex::new(&format!(r"\A(?:{pattern})\z"))
            .expect("the pattern is a constant, and a test compiles it"),
        read,
    };
    const SUMS: &str = r"\(sq([0-9]+)sk([0-9]+)sqsq[0-9]+sqsk[0-9]+\)";
    [
        form(&format!(r"execute_[0-9]+_context_([0-9]+){SUMS}_generation_([0-9]+){SUMS}"), vllm_detailed),
        // In some versions after the tokens, and after a `_`, stands the sum of their squares by request.
        form(
            r"execute_context_([0-9]+)\(([0-9]+)(?:_[0-9]+)?\)_generation_([0-9]+)\(([0-9]+)(?:_[0-9]+)?\)",
            vllm,
        ),
        form(
            r"step\[([A-Z][A-Z_0-9]*) bs=([0-9]+)(?: toks=([0-9]+))?((?: [cg](?:_(?:sq|sk|sqsq|sqsk))?=[0-9]+)*)\]",
            sglang,
        ),
        form(
            r"(?:\[Executor\] )?_forward_step(?: [0-9]+)?: ([0-9]+) ctx reqs,(?: ([0-9]+) ctx tokens,)? ([0-9]+) gen reqs",
            tensorrt_llm,
        ),
        form(r"(prefill|decode)\[bs=([0-9]+)(?:/([0-9]+))? tok=([0-9]+)(?:.*)\]", atom),
        form(
            r"step\[(?:(decode|prefill|mixed) bs=([0-9]+)(?: toks=([0-9]+))?(?: ext=([0-9]+) dec=([0-9]+))?|idle)\]",
            sglang_early,
        ),
    ]
});

const NOTHING: [Option<u64>; 3] = [Some(0), Some(0), None];

/// A number of the text; none where it is not there, or too large.
fn number(says: &Captures<'_>, at: usize) -> Option<u64> {
    says.get(at)?.as_str().parse().ok()
}

fn vllm_detailed(says: &Captures<'_>) -> Option<StepMark> {
    let of = |at: usize| [number(says, at), number(says, at + 1), number(says, at + 2)];
    Some(StepMark::of(MarkForm::VllmDetailed, of(1), of(4)))
}

fn vllm(says: &Captures<'_>) -> Option<StepMark> {
    let of = |at: usize| [number(says, at), number(says, at + 1), None];
    Some(StepMark::of(MarkForm::Vllm, of(1), of(3)))
}

fn sglang(says: &Captures<'_>) -> Option<StepMark> {
    let (requests, tokens) = (number(says, 2), number(says, 3));
    let sum = |key: &str| {
        let pair = says[4].split(' ').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
        pair.and_then(|number| number.parse().ok())
    };
    let of = |prefill, decode| StepMark::of(MarkForm::Sglang, prefill, decode);
    Some(match &says[1] {
        "EXTEND" | "SPLIT_PREFILL" | "DLLM_EXTEND" => {
            of([requests, tokens.or_else(|| sum("c_sq")), sum("c_sk")], NOTHING)
        }
        "DECODE" => of(NOTHING, [requests, sum("g_sq").or(requests), sum("g_sk")]),
        mode @ ("TARGET_VERIFY" | "VERIFY" | "DRAFT" | "DRAFT_EXTEND" | "DRAFT_EXTEND_V2") => {
            let mark = of(NOTHING, [requests, sum("c_sq").or_else(|| sum("g_sq")), sum("c_sk")]);
            StepMark { gives_tokens: !mode.starts_with("DRAFT"), ..mark }
        }
        "MIXED" => {
            let mark = of([sum("c"), sum("c_sq"), sum("c_sk")], [sum("g"), sum("g_sq"), sum("g_sk")]);
            StepMark { phase: Phase::Mixed, ..mark }
        }
        "IDLE" => of(NOTHING, NOTHING),
        _ => return None,
    })
}

fn tensorrt_llm(says: &Captures<'_>) -> Option<StepMark> {
    // Tokens are not in the text: with beams and speculation there are more than requests.
    let none_of_none = |requests: Option<u64>| requests.filter(|&requests| requests == 0);
    let (prefill, decode) = (number(says, 1), number(says, 3));
    let prefill_tokens = number(says, 2).or_else(|| none_of_none(prefill));
    let of = StepMark::of(
        MarkForm::TensorRtLlm,
        [prefill, prefill_tokens, None],
        [decode, none_of_none(decode), None],
    );
    Some(of)
}

fn atom(says: &Captures<'_>) -> Option<StepMark> {
    let own = [number(says, 2), number(says, 4), None];
    let mark = match &says[1] {
        "prefill" => StepMark::of(MarkForm::Atom, own, NOTHING),
        _ => StepMark::of(MarkForm::Atom, NOTHING, own),
    };
    Some(StepMark { padded_batch: number(says, 3), ..mark })
}

fn sglang_early(says: &Captures<'_>) -> Option<StepMark> {
    let (requests, decode) = (number(says, 2), number(says, 5));
    let of = |prefill, decode| StepMark::of(MarkForm::SglangEarly, prefill, decode);
    Some(match says.get(1).map(|mode| mode.as_str()) {
        None => of(NOTHING, NOTHING),
        Some("decode") => of(NOTHING, [requests, requests, None]),
        Some("prefill") => of([requests, number(says, 3), None], NOTHING),
        Some(_) => {
            let prefill = decode.and_then(|decode| requests?.checked_sub(decode));
            StepMark { phase: Phase::Mixed, ..of([prefill, number(says, 4), None], [decode, decode, None]) }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Phase, StepMark};
    use serde_json::Value;
    use std::path::Path;

    #[test]
    fn marks_say_phase_requests_and_tokens() {
        let says = |text: &str| {
            let mark = StepMark::parse(text)?;
            Some((mark.phase, mark.requests(), mark.tokens(), mark.gives_tokens))
        };
        for (text, expected) in [
            ("execute_context_1(128)_generation_2(2)", Some((Phase::Mixed, Some(3), Some(130), true))),
            (
                "execute_context_1(888_788544)_generation_0(0)",
                Some((Phase::Prefill, Some(1), Some(888), true)),
            ),
            ("step[DECODE bs=4]", Some((Phase::Decode, Some(4), Some(4), true))),
            ("step[DRAFT bs=4]", Some((Phase::Decode, Some(4), None, false))),
            ("step[MIXED bs=2]", Some((Phase::Mixed, None, None, true))),
            ("step[idle]", Some((Phase::None, Some(0), Some(0), true))),
            ("_forward_step: 0 ctx reqs, 32 gen reqs", Some((Phase::Decode, Some(32), None, true))),
            ("step[FROB bs=1]", None),
            ("x step[DECODE bs=4]", None),
            ("step[DECODE bs=4] x", None),
        ] {
            assert_eq!(says(text), expected, "{text}");
        }
        assert!(
            StepMark::has_unknown_mode("step[FROB bs=1]") && !StepMark::has_unknown_mode("step[IDLE bs=0]")
        );
    }

    /// Texts of the shared corpus with what must come out.
    #[test]
    fn texts_of_the_corpus_are_read_as_they_must() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/serving/grammar_cases.json");
        let Ok(cases) = std::fs::read_to_string(&path) else {
            #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
            return eprintln!("SKIPPED: {} is not there", path.display());
        };
        let cases: Vec<Value> = serde_json::from_str(&cases).expect("the cases are JSON");
        for case in &cases {
            let text = case["text"].as_str().expect("a text");
            let expected = &case["parsed"];
            let Some(mark) = StepMark::parse(text) else {
                assert!(expected.is_null(), "{text}");
                continue;
            };
            assert_eq!(Some(mark.phase.as_str()), expected["phase"].as_str(), "{text}");
            assert_eq!(mark.gives_tokens, expected["gives_tokens"].as_bool().unwrap_or(true), "{text}");
            let fields = [
                ("ctx_requests", mark.prefill_requests),
                ("ctx_tokens", mark.prefill_tokens),
                ("ctx_kv", mark.prefill_context),
                ("gen_requests", mark.decode_requests),
                ("gen_tokens", mark.decode_tokens),
                ("gen_kv", mark.decode_context),
                ("padded", mark.padded_batch),
            ];
            for (field, number) in fields {
                assert_eq!(number, expected[field].as_u64(), "{field} of {text}");
            }
        }
    }
}
