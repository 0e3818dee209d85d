//! `query` as a user types it.

use crate::run::{Run, command, run, sample, temporary_folder};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn query(words: &str, sql: &str) -> Run {
    run(&format!("query --iter-range all {words}"), &[&sample(), Path::new(sql)])
}

fn answer(words: &str, sql: &str) -> String {
    let run = query(words, sql);
    assert!(run.code == 0 && run.stderr.is_empty(), "{sql}: {run:?}");
    run.stdout
}

fn shown(words: &str) -> String {
    let run = run(&format!("show --iter-range all {words}"), &[&sample()]);
    assert_eq!(run.code, 0, "{run:?}");
    run.stdout
}

/// Keys of all tables.
fn tables() -> Vec<String> {
    let list = run("show --list", &[]).stdout;
    let of_table =
        list.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(':').next());
    of_table.map(str::to_owned).collect()
}

/// Sums of a column of `show` by another, in the order of the keys.
fn sums(key: &str, number: &str) -> Vec<(String, i64)> {
    let rows = shown(&format!("ops --columns {key},{number} --format csv"));
    let mut sums: Vec<(String, i64)> = Vec::new();
    for row in rows.lines().skip(1) {
        let (key, number) = row.split_once(',').expect("two cells");
        let number: i64 = number.parse().expect("a whole number");
        match sums.iter_mut().find(|(known, _)| known == key) {
            Some((_, sum)) => *sum += number,
            None => sums.push((key.to_owned(), number)),
        }
    }
    sums.sort();
    sums
}

/// The commands of a page: lines that are set in by four blanks, with those that go on.
#[cfg(unix)]
fn commands(page: &str) -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../").to_owned() + page;
    let page = std::fs::read_to_string(page).expect("a page");
    let starts = page.split("\n    dlprof-agg ").skip(1);
    // A command goes on while its lines are indented further.
    let lines = |text: &str| {
        let lines = text.split('\n').enumerate();
        let own = lines.map_while(|(at, line)| (at == 0 || line.starts_with("     ")).then_some(line));
        own.collect::<Vec<_>>().join("\n")
    };
    starts.map(lines).collect()
}

/// Commands run in a shell as they are typed, in the build that the README installs.
#[cfg(unix)]
#[test]
fn commands_of_the_readme_run_as_they_are_typed() {
    let folder = temporary_folder();
    std::fs::create_dir(folder.path().join("run")).expect("a folder");
    for name in ["run", "run1", "run2", "run3", "new", "rank0", "rank1", "run/rank0", "run/rank1"]
        .map(|name| format!("{name}.sqlite"))
    {
        std::fs::copy(sample(), folder.path().join(name)).expect("a copy");
    }
    // A copy of a capture is no second rank.
    let longer = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1";
    let other = rusqlite::Connection::open(folder.path().join("run/rank1.sqlite"));
    other.and_then(|other| other.execute_batch(longer)).expect("another capture");
    // These wait for a reader, or need nsys.
    let runs = |line: &String| !["view ", "profile "].iter().any(|start| line.starts_with(start));
    let readme: Vec<String> = commands("README.md").into_iter().filter(runs).collect();
    assert!(readme.len() >= 14, "{readme:#?}");
    let queries: Vec<String> =
        commands("docs/commands.md").into_iter().filter(|line| line.starts_with("query ")).collect();
    assert_eq!(queries.len(), 3);
    for text in readme.iter().chain(&queries) {
        let line = format!("{} {text}", env!("CARGO_BIN_EXE_dlprof-agg"));
        let output = Command::new("sh")
            .args(["-c", &line])
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", folder.path().join("cache"))
            .env("XDG_CONFIG_HOME", folder.path())
            .output()
            .expect("a shell");
        let (rows, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{line}: {errors}");
        if text.starts_with("query ") {
            assert!(!rows.is_empty() && errors.is_empty(), "{line}: {rows} {errors}");
        }
    }
}

/// It fits on two screens.
#[test]
fn the_readme_is_short() {
    let readme = include_str!("../../README.md");
    assert!(readme.lines().count() <= 120, "{} lines", readme.lines().count());
}

#[test]
fn sums_are_those_of_the_shown_table() {
    for (key, number) in [("op_type", "gpu_time_ns"), ("tc_eligible", "calls"), ("op_id", "cpu_time_ns")] {
        let sql = format!("select {key}, sum({number}) from ops group by {key}");
        let expected = sums(key, number);
        let expected = expected.iter().map(|(key, sum)| format!("{key},{sum}\n")).collect::<String>();
        assert_eq!(answer("--format csv", &sql), format!("{key},sum({number})\n{expected}"));
    }
}

#[test]
fn a_whole_table_is_what_show_gives() {
    let tables = tables();
    assert!(tables.len() >= 15, "{tables:?}");
    for table in tables {
        let sql = format!("select * from {table}");
        assert_eq!(answer("--format csv", &sql), shown(&format!("{table} --format csv")), "{table}");
    }
}

#[test]
fn every_format_gives_the_cells_of_show() {
    let columns = "op_id,calls,tc_eligible,gpu_time_ns,avg_gpu_time_ns,stack_trace";
    let sql = format!("select {columns} from ops where calls = 64 order by op_id desc");
    let show = |format: &str| {
        shown(&format!("ops --columns {columns} --where calls=64 --sort -op_id --format {format}"))
    };
    for format in ["csv", "tsv", "json", "ndjson"] {
        assert_eq!(answer(&format!("--format {format}"), &sql), show(format), "{format}");
    }
    // Headers of these two are titles, and a query has none but its names.
    let rows = |text: String, head: usize| -> Vec<String> {
        text.lines().skip(head).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(rows(answer("--format markdown", &sql), 1), rows(show("markdown"), 1));
    assert_eq!(rows(answer("", &sql), 1), rows(show("table"), 1));
}

#[test]
fn columns_keep_their_unit_and_type_under_any_name() {
    let sql = "with o as (select gpu_time_ns as t, tc_eligible as e, calls * 2 as n from ops where op_id = 'RELU_1') \
               select t, e, n, sum(t), count(t), t * 1.5 as more_ns from (select * from o)";
    let table = answer("", sql);
    assert_eq!(table.matches("(µs)").count() + table.matches("(ms)").count(), 2, "t and more_ns: {table}");
    let row: serde_json::Value = serde_json::from_str(&answer("--format ndjson", sql)).expect("an object");
    assert!(row["e"].is_boolean() && row["t"].is_i64() && row["n"] == 128, "{row}");
    assert!(row["more_ns"].is_f64() && row["count(t)"] == 1, "{row}");
    let sums = answer("", "select sum(gpu_time_ns), count(gpu_time_ns) from ops where op_id = 'RELU_1'");
    assert!(sums.contains("(µs)") && sums.ends_with(" 1\n"), "a time and a count: {sums}");
    // Equal names are told apart.
    let twice = answer(
        "--format csv",
        "select a.op_id, b.op_id, 1 as op_id from ops a join ops b using (op_id) limit 1",
    );
    assert_eq!(twice.lines().next(), Some("op_id,op_id:1,op_id:2"));
}

#[test]
fn answers_go_to_files_of_one_table() {
    let folder = temporary_folder();
    let sql = "select op_id, gpu_time_ns from ops";
    let path = |name: &str| folder.path().join(name).to_str().expect("a UTF-8 path").to_owned();
    for (name, start) in
        [("a.csv", &b"op_id,gpu"[..]), ("a.json", b"[\n"), ("a.parquet", b"PAR1"), ("a.arrow", b"ARROW1")]
    {
        assert_eq!(answer(&format!("-o {}", path(name)), sql), format!("{}\n", path(name)));
        assert!(std::fs::read(path(name)).expect("the file").starts_with(start), "{name}");
    }
    assert_eq!(std::fs::read_to_string(path("a.csv")).expect("the file"), answer("--format csv", sql));
    let again = query(&format!("-o {}", path("a.csv")), sql);
    assert!(again.code == 4 && again.stderr.contains("--force"), "{again:?}");
    answer(&format!("--force -o {}", path("a.csv")), sql);
    let workbook = query(&format!("-o {}", path("a.xlsx")), sql);
    assert!(workbook.code == 2 && workbook.stderr.contains("names no format of one table"), "{workbook:?}");
}

#[test]
fn options_stand_anywhere() {
    let sample = sample();
    let sql = Path::new("select count(*) as n from ops");
    let between = run("query", &[&sample, Path::new("--format"), Path::new("csv"), sql]);
    let behind = run("query", &[&sample, sql, Path::new("--format"), Path::new("csv")]);
    assert_eq!((between.code, between.stdout.as_str()), (0, behind.stdout.as_str()), "{between:?}");
    for (words, message) in [(&[sample.as_path()] as &[&Path], "no SQL given"), (&[sql], "no FILE given")] {
        let run = run("query", words);
        assert!(run.code == 2 && run.stderr.contains(message) && run.stderr.contains("hint: "), "{run:?}");
    }
}

#[test]
fn several_captures_have_a_profile_column() {
    let folder = temporary_folder();
    let copy = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::copy(sample(), &path).expect("a copy");
        path
    };
    let (a, b, c) = (copy("one.sqlite"), copy("two.sqlite"), copy("other/one.sqlite"));
    let all = |words: &str, files: &[&Path], sql: &str| {
        let files: Vec<&Path> = files.iter().copied().chain([Path::new(sql)]).collect();
        run(&format!("query --iter-range all --format csv {words}"), &files)
    };
    let total: i64 = sums("op_type", "gpu_time_ns").iter().map(|(_, sum)| sum).sum();
    let by_profile = "select profile, sum(gpu_time_ns) as ns from ops group by profile";
    let two = all("", &[&a, &b], by_profile);
    assert_eq!(two.stdout, format!("profile,ns\none,{total}\ntwo,{total}\n"), "{two:?}");
    let both = all("", &[&b, &a], "select * from gpus");
    assert!(both.stdout.starts_with("profile,device_id,") && both.stdout.contains("\ntwo,0,"), "{both:?}");
    // Equal stems: the paths; equal paths: a number.
    let same = all("", &[&a, &b, &c, &c], "select profile from summary");
    let (path_a, path_c) = (a.display(), c.display());
    assert_eq!(same.stdout, format!("profile\n{path_a}\ntwo\n{path_c}\n{path_c} (2)\n"), "{same:?}");
    // A join of captures, and cells of all kinds through the copies.
    let joined = "select x.op_id, x.gpu_time_ns - y.gpu_time_ns as d, x.tc_eligible, y.avg_gpu_time_ns, y.stack_trace \
                  from ops x join ops y on x.op_id = y.op_id and x.profile < y.profile order by 1";
    let joined = all("", &[&a, &b], joined).stdout;
    let single = "select op_id, 0 as d, tc_eligible, avg_gpu_time_ns, stack_trace from ops order by 1";
    assert_eq!(joined, answer("--format csv", single));

    assert_eq!(answer("--format csv", by_profile), format!("profile,ns\nsample,{total}\n"));
    assert_eq!(answer("--format csv --profile-name x", by_profile), format!("profile,ns\nx,{total}\n"));
    let named = all("--profile-name x", &[&sample(), &b], by_profile);
    assert!(named.code == 2 && named.stderr.contains("names one capture, but 2 are given"), "{named:?}");
    let wrong = all("--key-node nope", &[&sample(), &b], by_profile);
    assert!(wrong.code == 5 && wrong.stderr.contains("sample.sqlite`:\nerror: key node `nope`"), "{wrong:?}");
}

#[test]
fn values_are_exact() {
    let sql = "select 9223372036854775807 as largest, 9223372036854775807 + 1 as more, 0.1 + 0.2 as fraction, \
               'it''s \"q\", ok' as words, null as unknown, true as flag, 7 / 2 as half, 7 / 2.0 as halves, 1e999 as \
               endless, 1 / 0 as undefined, x'0aff' as bytes";
    assert_eq!(
        answer("--format csv", sql),
        "largest,more,fraction,words,unknown,flag,half,halves,endless,undefined,bytes\n\
         9223372036854775807,9223372036854776000,0.30000000000000004,\"it's \"\"q\"\", ok\",,1,3,3.5,,,0AFF\n"
    );
    let mixed = answer(
        "--format ndjson",
        "select 1 as n, 1 as t union all select 0.5, 'a' union all select null, null",
    );
    assert_eq!(mixed, "{\"n\":1.0,\"t\":\"1\"}\n{\"n\":0.5,\"t\":\"a\"}\n{\"n\":null,\"t\":null}\n");
}

#[test]
fn sql_as_people_write_it() {
    for (sql, expected) in [
        ("select min(calls), max(calls), count(*) from ops", "min(calls),max(calls),count(*)\n1,65,19\n"),
        (
            "select op_type, sum(gpu_time_ns) from ops group by op_type order by sum(gpu_time_ns) desc limit 1",
            "op_type,sum(gpu_time_ns)\nall_reduce,8932606\n",
        ),
        (
            "with t as (select op_type, sum(calls) as n from ops group by op_type having sum(calls) > 65) \
             select op_type from t",
            "op_type\ncudaMemcpyAsync_v3020\n",
        ),
        (
            "select o.op_id, k.kernel_calls from ops o join kernel_summaries k on o.op_id = k.op_id \
             where o.op_id in ('RELU_1', 'LINEAR_1') order by o.op_id",
            "op_id,kernel_calls\nLINEAR_1,64\nRELU_1,64\n",
        ),
        (
            "SELECT OP_ID, row_number() OVER (ORDER BY gpu_time_ns DESC) AS place FROM Ops ORDER BY op_id LIMIT 2;",
            "op_id,place\nADD__1,2\nALL_REDUCE_1,1\n",
        ),
        ("select op_type from op_types except select op_type from ops where calls >= 1 limit 0", "op_type\n"),
        ("select op_id from ops where calls = (select max(calls) from ops) and rowid > 0 limit 1", ""),
        (
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select sum(i) as s from n",
            "s\n6\n",
        ),
        (
            "select median(i) as m, percentile(i, 75) as p, round(stddev(i), 3) as s, floor(sqrt(pow(max(i), 2))) as x \
          from (select 1 as i union all select 2 union all select 3 union all select 9 union all select null)",
            "m,p,s,x\n2.5,4.5,3.594,9\n",
        ),
        ("select count(*) as n from ops where tc_eligible != true and not tc_eligible", ""),
        (
            "select op_id from ops where op_id = 'RELU_1' or op_id = 'ADD__1' or op_id in ('CUDA_1', 'ITEM_1')",
            "op_id\nADD__1\nCUDA_1\nITEM_1\nRELU_1\n",
        ),
        (
            "select name from sqlite_schema where name like 'op%' order by name",
            "name\nop_types\nop_work\noperators\nops\n",
        ),
        (
            "select type from pragma_table_info('ops') where name in ('calls', 'gpu_time_ns', 'tc_eligible') order by type",
            "type\nBOOLEAN\nINTEGER\nINTEGER ns\n",
        ),
    ] {
        let answer = answer("--format csv", sql);
        assert!(
            if expected.is_empty() { answer.lines().count() == 2 } else { answer == expected },
            "{sql}: {answer}"
        );
    }
    assert!(answer("--format csv", "pragma table_info(gpus)").contains("device_id,INTEGER"));
}

/// A join looks rows up; a slow join of the same tables gives the same.
#[test]
fn joins_find_what_comparing_finds() {
    for (on, slow) in [
        ("k.op_id = o.op_id", "k.op_id || '' = o.op_id || ''"),
        ("k.gpu_time_ns = o.gpu_time_ns", "k.gpu_time_ns + 0 = o.gpu_time_ns + 0"),
        (
            "k.op_id = o.op_id and k.gpu_time_ns = 1.0 * o.gpu_time_ns",
            "(k.op_id, k.gpu_time_ns + 0) = (o.op_id || '', o.gpu_time_ns)",
        ),
        ("k.op_id = o.op_id collate nocase", "lower(k.op_id) = lower(o.op_id)"),
        ("k.gpu_time_ns = cast(o.gpu_time_ns as text)", "k.gpu_time_ns + 0 = o.gpu_time_ns"),
        ("k.op_id = o.gpu_time_ns", "1 = 2"),
        ("k.op_id = nullif(o.op_id, 'RELU_1')", "k.op_id || '' = o.op_id and o.op_id != 'RELU_1'"),
    ] {
        let join = |on: &str| {
            let sql = format!(
                "select o.op_id, k.kernel_name, count(*) as n from ops o left join kernel_summaries k on {on} group by 1, 2 \
                 order by 1, 2"
            );
            answer("--format csv", &sql)
        };
        assert_eq!(join(on), join(slow), "{on}");
    }
}

#[test]
fn order_and_sums_do_not_depend_on_threads_or_chance() {
    let sql = "select k.kernel_name, o.op_type, avg(k.gpu_time_ns / 7.0) as mean, sum(sqrt(k.gpu_time_ns)) as roots \
               from kernels k join ops o on k.op_id = o.op_id where k.gpu_time_ns % 3 > 0 \
               group by k.kernel_name, o.op_type limit 7";
    let cache = temporary_folder();
    let run = |threads: &str| {
        let words = format!("query --format csv --threads {threads}");
        let output = command(cache.path(), &words, &[&sample(), Path::new(sql)]).output();
        String::from_utf8(output.expect("the program starts").stdout).expect("UTF-8")
    };
    let one = run("1");
    assert_eq!(one.lines().count(), 8, "{one}");
    for threads in ["1", "2", "2", "8"] {
        assert_eq!(run(threads), one);
    }
}

#[test]
fn what_cannot_be_asked_is_said_before_reading() {
    let folder = temporary_folder();
    let file = folder.path().join("stolen").display().to_string();
    for (sql, message) in [
        (
            "select 1 from opps",
            "there is no table `opps`\nhint: did you mean `ops` or `top_ops`? tables are summary, ",
        ),
        ("select 1 from zzz", "there is no table `zzz`\nhint: tables are summary, "),
        ("select speed from ops", "there is no column `speed`\nhint: `ops` has op_id, "),
        ("select o.gpu_time from ops o", "there is no column `o.gpu_time`\nhint: did you mean `gpu_time_ns`"),
        ("select 1 from ops where op_type = \"conv2d\"", "hint: a text has single quotes: 'conv2d'"),
        ("select 1 from ops where tc_eligible = 'true'", "`tc_eligible` is true or false, never 'true'"),
        ("select * from read_csv('/etc/passwd')", "there is no table `read_csv`"),
        ("select * from '/etc/passwd'", "there is no table `/etc/passwd`"),
        ("select * from db.ops", "there is no table `db.ops`"),
        ("copy ops to 'a.csv'", "cannot answer the query: near \"copy\": syntax error"),
        ("drop table ops", "but this is `DROP`"),
        ("delete from ops", "but this is `DELETE`"),
        ("insert into ops(op_id) values (1)", "but this is `INSERT`"),
        ("create table t as select * from ops", "but this is `CREATE`"),
        ("create temp table t(a)", "but this is `CREATE`"),
        ("create virtual table t using fts5(a)", "but this is `CREATE`"),
        ("begin", "but this is `BEGIN`"),
        ("vacuum into 'FILE'", "but this is `VACUUM`"),
        ("attach 'FILE' as stolen", "but this is `ATTACH`"),
        ("detach main", "but this is `DETACH`"),
        ("update sqlite_schema set sql = ''", "but this is `UPDATE`"),
        ("pragma writable_schema = on", "a query cannot use `PRAGMA writable_schema`"),
        ("pragma temp_store_directory = '/tmp'", "a query cannot use `PRAGMA temp_store_directory`"),
        ("pragma journal_mode = wal", "a query cannot use `PRAGMA journal_mode`"),
        ("select load_extension('FILE')", "a query cannot call `load_extension`"),
        ("select writefile('FILE', 'x')", "there is no function `writefile`"),
        ("select readfile('/etc/passwd')", "there is no function `readfile`"),
        ("select edit('x')", "there is no function `edit`"),
        ("select 1; select 2", "but this is several statements"),
        ("select 1; drop table ops", "but this is several statements"),
        (" ", "but this is an empty text"),
        ("/* nothing */", "but this is an empty text"),
        ("select :name", "the query has parameters"),
        ("selec op_id from ops", "near \"selec\": syntax error"),
        ("select frobnicate(calls) from ops", "there is no function `frobnicate`"),
        ("select count(*) from ops having", "incomplete input"),
    ] {
        let sql = sql.replace("FILE", &file);
        let run = run("query", &[Path::new("missing.sqlite"), Path::new(&sql)]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{sql}: {run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(message), "{sql}: {run:?}");
    }
    assert!(std::fs::read_dir(folder.path()).expect("the folder").next().is_none(), "nothing is written");
}

#[test]
fn what_values_do_not_permit_is_said() {
    for (sql, message) in [
        (
            "select sum(9223372036854775807 - rowid) from kernels",
            "a sum of whole numbers exceeds 9223372036854775807\nhint: `total",
        ),
        ("select median(op_id) from ops", "`median` needs numbers, not texts"),
        ("select percentile(calls, 101) from ops", "`percentile` needs a percentage from 0 to 100"),
        ("select * from pragma_database_list", "a query cannot use `PRAGMA database_list`"),
        ("select hex(zeroblob(60000000))", "a text would have more than 64 MB"),
    ] {
        let run = query("", sql);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{sql}: {run:?}");
        assert!(run.stderr.contains(message), "{sql}: {run:?}");
    }
}

#[test]
fn a_query_without_end_is_stopped() {
    const ENDLESS: &str = "with recursive n(i) as (select 1 union all select i + 1 from n)";
    let start = Instant::now();
    let long = query("--time-limit 1", &format!("{ENDLESS} select count(*) from n"));
    assert_eq!((long.code, long.stdout.as_str()), (2, ""), "{long:?}");
    assert!(
        long.stderr.starts_with("error: the query was stopped after 1 s, its limit of time\nhint: "),
        "{long:?}"
    );
    assert!(long.stderr.contains("`--time-limit` sets the limit"), "{long:?}");
    for sql in [
        "select i from n",
        "select i from n order by i desc",
        "select group_concat(i || hex(zeroblob(9999))) from n",
    ] {
        let large = query("--memory 32M --time-limit 600", &format!("{ENDLESS} {sql}"));
        assert_eq!((large.code, large.stdout.as_str()), (2, ""), "{sql}: {large:?}");
        let said = "error: the query was stopped, because it needs more than 32 MB of memory\nhint: ";
        assert!(
            large.stderr.starts_with(said) && large.stderr.contains("`--memory` sets the limit"),
            "{sql}: {large:?}"
        );
    }
    assert!(start.elapsed() < Duration::from_secs(590), "the limit of time did not end it");
}
