//! Examples of every command, for `--help`. A test runs all of them.

/// The examples of a command; of the program without a command if the name is empty.
pub(crate) fn of(command: &str) -> &'static str {
    EXAMPLES.iter().find(|(name, _)| *name == command).map_or("", |&(_, examples)| examples)
}

/// The place of a command in lists of commands.
pub(crate) fn place(command: &str) -> usize {
    EXAMPLES.iter().position(|(name, _)| *name == command).unwrap_or(EXAMPLES.len())
}

/// The commands by task, as `-h` lists them. A test says that none is missing.
pub(crate) const BY_TASK: &[(&str, &[&str])] = &[
    ("See where the time goes", &["profile", "show", "view", "query", "export", "explain", "rules", "check"]),
    ("See what a change would bring", &["what-if"]),
    ("Compare runs", &["compare", "baseline", "gate", "history"]),
    ("Jobs of many ranks", &["ranks", "lake"]),
    ("Scripts and agents", &["ask", "mcp", "agent"]),
    ("Other tools of NVIDIA", &["ncu", "stats", "reports"]),
    ("Set-up", &["demo", "cache", "completions", "man"]),
];

/// In the order in which commands are listed: the most used first.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "",
        "  dlprof-agg run.sqlite                                    where the time goes, and what to change
  dlprof-agg --iter-start 15 --iter-stop 58 run.sqlite     of iterations 15 to 58
  dlprof-agg show ops --top 20 run.sqlite                  the 20 ops with the most GPU time
  dlprof-agg export -o report.pdf -o run.xlsx run.sqlite   reports to hand over
  dlprof-agg compare base.sqlite run.sqlite                what became slower or faster",
    ),
    (
        "profile",
        "  dlprof-agg profile -- python train.py
  dlprof-agg profile --capture-range -o run1 -- torchrun --nproc-per-node 4 train.py",
    ),
    (
        "show",
        "  dlprof-agg show ops --top 20 run.sqlite
  dlprof-agg show kernels --where 'gpu_time_ns > 100000' --sort -gpu_time_ns run.sqlite
  dlprof-agg show iterations --format csv run.sqlite
  dlprof-agg show --list ops",
    ),
    (
        "view",
        "  dlprof-agg view run.sqlite
  dlprof-agg view --open -p 9000 base.sqlite run.sqlite",
    ),
    (
        "stats",
        "  dlprof-agg stats run.sqlite
  dlprof-agg stats -r cuda_gpu_kern_sum,nvtx_kern_sum:base --format csv run.sqlite
  dlprof-agg stats -r cuda_api_trace --timeunit msec --output trace run.sqlite
  dlprof-agg stats -r gpukernsum --like 2022.4 run.sqlite",
    ),
    (
        "ncu",
        "  dlprof-agg ncu --suggest run.sqlite
  dlprof-agg ncu run.ncu.csv
  dlprof-agg ncu --ncu run.ncu.csv --roofline ops run.sqlite
  dlprof-agg ncu --table ncu-launches --format csv run.ncu.csv
  dlprof-agg show ncu-kernels --ncu run.ncu.csv run.sqlite",
    ),
    ("check", "  dlprof-agg check run.sqlite\n  dlprof-agg check --mode pytorch run.sqlite"),
    (
        "export",
        "  dlprof-agg export -o report.pdf -o run.xlsx run.sqlite
  dlprof-agg export -o tables/ --format parquet run.sqlite
  dlprof-agg export -o ops.csv --tables ops run.sqlite
  dlprof-agg export -o job.xlsx base.sqlite run.sqlite
  dlprof-agg export --schema",
    ),
    (
        "query",
        "  dlprof-agg query run.sqlite \"select op_type, sum(gpu_time_ns) from ops group by op_type\"
  dlprof-agg query base.sqlite run.sqlite \"select profile, count(*) from kernels group by profile\"",
    ),
    (
        "ask",
        "  dlprof-agg ask why_slow run.sqlite
  dlprof-agg ask where_time run.sqlite --brief
  dlprof-agg ask compare base.sqlite run.sqlite",
    ),
    (
        "rules",
        "  dlprof-agg rules
  dlprof-agg rules run.sqlite
  dlprof-agg rules --format json -o findings.sarif run.sqlite",
    ),
    (
        "what-if",
        "  dlprof-agg what-if run.sqlite
  dlprof-agg what-if run.sqlite \"kernels like '%gemm%' x 0.5\" \"launches as one\"
  dlprof-agg what-if run.sqlite \"no waits\" --format json",
    ),
    ("mcp", "  dlprof-agg mcp --root . < /dev/null"),
    ("agent", "  dlprof-agg agent"),
    ("explain", "  dlprof-agg explain gpu_idle_ns\n  dlprof-agg explain occupancy input_bound"),
    (
        "compare",
        "  dlprof-agg compare base.sqlite run.sqlite
  dlprof-agg compare --format markdown --top 5 base.sqlite run.sqlite
  dlprof-agg compare run.sqlite --iterations 3,7
  dlprof-agg compare run.sqlite --iterations slowest
  dlprof-agg compare base.sqlite run.sqlite -o changes.html",
    ),
    (
        "baseline",
        "  dlprof-agg baseline -o base.json base.sqlite
  dlprof-agg baseline -o runs.json base.sqlite run.sqlite",
    ),
    (
        "ranks",
        "  dlprof-agg ranks base.sqlite run.sqlite
  dlprof-agg ranks . --format markdown",
    ),
    (
        "lake",
        "  dlprof-agg lake add lake/ base.sqlite --run 77 --rank 0
  dlprof-agg lake add lake/ run.sqlite --run 77 --rank 1
  dlprof-agg ranks lake/",
    ),
    ("gate", "  dlprof-agg gate --baseline base.sqlite run.sqlite"),
    ("history", "  dlprof-agg history base.sqlite run.sqlite"),
    (
        "reports",
        "  dlprof-agg reports --output_path reports/ run.sqlite
  dlprof-agg reports --reports summary,kernel --formats json --force run.sqlite",
    ),
    ("cache", "  dlprof-agg cache list\n  dlprof-agg cache clear"),
    ("demo", "  dlprof-agg demo\n  dlprof-agg demo -o sample.sqlite"),
    ("completions", "  dlprof-agg completions bash > dlprof-agg.bash"),
    ("man", "  dlprof-agg man > dlprof-agg.1"),
];
