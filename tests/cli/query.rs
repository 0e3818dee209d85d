//! `query` as a user types it.

use crate::run::{run, sample};
use std::path::Path;

/// Without the feature the command is there and says how to get it.
#[cfg(not(feature = "polars"))]
#[test]
fn query_that_was_not_built_in_says_so() {
    let run = run("query", &[&sample(), Path::new("select 1")]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    assert!(run.stderr.contains("built without `query`"), "{run:?}");
    assert!(run.stderr.contains("--features polars"), "{run:?}");
}

#[cfg(feature = "polars")]
mod built_in {
    use super::{Path, run, sample};
    use crate::run::{Run, temporary_folder};
    use std::process::Command;

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

    /// Sums of a column of `show` by another, groups in the order of their first row.
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
        sums
    }

    #[test]
    fn sums_are_those_of_the_shown_table_in_its_order() {
        for (key, number) in [("op_type", "gpu_time_ns"), ("tc_eligible", "calls"), ("op_id", "cpu_time_ns")]
        {
            let sql = format!("select {key}, sum({number}) from ops group by {key}");
            let expected = sums(key, number);
            let expected = expected.iter().map(|(key, sum)| format!("{key},{sum}\n")).collect::<String>();
            assert_eq!(answer("--format csv", &sql), format!("{key},sum({number})\n{expected}"));
        }
    }

    #[test]
    fn a_whole_table_is_what_show_gives() {
        let list = run("show --list", &[]).stdout;
        let tables =
            list.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(':').next());
        let mut walked = 0;
        for table in tables {
            let sql = format!("select * from {table}");
            assert_eq!(answer("--format csv", &sql), shown(&format!("{table} --format csv")), "{table}");
            walked += 1;
        }
        assert!(walked >= 15, "{walked}");
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
            text.lines()
                .skip(head)
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect()
        };
        assert_eq!(rows(answer("--format markdown", &sql), 1), rows(show("markdown"), 1));
        assert_eq!(rows(answer("", &sql), 1), rows(show("table"), 1));
        let first = answer("", "select sum(gpu_time_ns), count(gpu_time_ns) from ops where op_id = 'RELU_1'");
        assert!(first.contains("(µs)") && first.ends_with(" 1\n"), "a time and a count: {first}");
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
        assert!(
            workbook.code == 2 && workbook.stderr.contains("names no format of one table"),
            "{workbook:?}"
        );
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
        assert!(
            both.stdout.starts_with("profile,device_id,") && both.stdout.contains("\ntwo,0,"),
            "{both:?}"
        );
        // Equal stems: the paths; equal paths: a number.
        let same = all("", &[&a, &b, &c, &c], "select profile from summary");
        let (a, c) = (a.display(), c.display());
        assert_eq!(same.stdout, format!("profile\n{a}\ntwo\n{c}\n{c} (2)\n"), "{same:?}");

        assert_eq!(answer("--format csv", by_profile), format!("profile,ns\nsample,{total}\n"));
        assert_eq!(answer("--format csv --profile-name x", by_profile), format!("profile,ns\nx,{total}\n"));
        let named = all("--profile-name x", &[&sample(), &b], by_profile);
        assert!(named.code == 2 && named.stderr.contains("names one capture, but 2 are given"), "{named:?}");
        let wrong = all("--key-node nope", &[&sample(), &b], by_profile);
        assert!(
            wrong.code == 5 && wrong.stderr.contains("sample.sqlite`:\nerror: key node `nope`"),
            "{wrong:?}"
        );
    }

    #[test]
    fn values_are_exact() {
        let sql = "select cast(9223372036854775807 as bigint unsigned) * 2 + 1 as big, 9223372036854775807 as largest, \
                   0.1 + 0.2 as fraction, 'it''s \"q\", ok' as words, null as nothing, true as flag, 7 / 2 as half";
        assert_eq!(
            answer("--format csv", sql),
            "big,largest,fraction,words,nothing,flag,half\n\
             18446744073709551615,9223372036854775807,0.30000000000000004,\"it's \"\"q\"\", ok\",,true,3.5\n"
        );
        assert_eq!(
            answer("--format ndjson", sql),
            "{\"big\":\"18446744073709551615\",\"largest\":9223372036854775807,\"fraction\":0.30000000000000004,\
             \"words\":\"it's \\\"q\\\", ok\",\"nothing\":null,\"flag\":true,\"half\":3.5}\n"
        );
    }

    #[test]
    fn sql_as_people_write_it() {
        for (sql, expected) in [
            ("select min(calls), max(calls), count(*) from ops", "min(calls),max(calls),count(*)\n1,65,20\n"),
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
                "select op_id, row_number() over (order by gpu_time_ns desc) as place from ops limit 2",
                "op_id,place\nADD__1,2\nALL_REDUCE_1,1\n",
            ),
            (
                "select op_type from op_types except select op_type from ops where calls >= 1 limit 0",
                "op_type\n",
            ),
        ] {
            assert_eq!(answer("--format csv", sql), expected, "{sql}");
        }
    }

    #[test]
    fn order_and_sums_do_not_depend_on_threads_or_chance() {
        let sql = "select k.kernel_name, o.op_type, avg(k.gpu_time_ns / 7.0) as mean, sum(sqrt(k.gpu_time_ns)) as roots \
                   from kernels k join ops o on k.op_id = o.op_id where k.gpu_time_ns % 3 > 0 \
                   group by k.kernel_name, o.op_type limit 7";
        let run = |threads: &str| {
            let output = Command::new(env!("CARGO_BIN_EXE_dlprof-agg"))
                .args(["query", "--format", "csv", "--threads", threads])
                .arg(sample())
                .arg(sql)
                .env("POLARS_MAX_THREADS", threads)
                .output();
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
        for (sql, message) in [
            ("select 1 from opps", "there is no table `opps`\nhint: tables are summary, "),
            ("select speed from ops", "there is no column `speed`\nhint: `ops` has op_id, "),
            ("select o.speed from ops o", "`o` has no column `speed`\nhint: `ops` has op_id, "),
            (
                "select 1 from ops o join gpus g on o.calls = g.device_id and g.device_id = 0",
                "write conditions on one of them in `WHERE`",
            ),
            ("select * from read_csv('/etc/passwd')", "`read_csv('/etc/passwd')` is not a table"),
            ("select * from READ_PARQUET('a')", "is not a table"),
            ("select 1 where 1 in (select * from read_ipc('a'))", "is not a table"),
            ("select * from '/etc/passwd'", "there is no table `/etc/passwd`"),
            ("select * from db.ops", "there is no table `db.ops`"),
            ("copy ops to 'a.csv'", "but this is `COPY`"),
            ("drop table ops", "but this is `DROP`"),
            ("delete from ops", "but this is `DELETE`"),
            ("truncate table ops", "but this is `TRUNCATE`"),
            ("create table t as select * from ops", "but this is `CREATE`"),
            ("insert into ops values (1)", "but this is `INSERT`"),
            ("select op_id into t from ops", "but this is `SELECT … INTO`"),
            ("select 1; select 2", "but this is 2 statements"),
            ("", "but this is an empty text"),
            ("selec op_id from ops", "cannot read the query: "),
            ("with ops as (select 1) select * from ops", "`WITH ops` uses the name of a table"),
            ("select op_type, calls from ops group by op_type", "GROUP BY"),
            (
                "select op_type from ops group by op_type order by max(calls)",
                "is an aggregate that is not selected",
            ),
            ("select op_id, op_id from ops", "duplicate output name 'op_id'"),
            (
                "select array_agg(op_id) as all_ids from ops",
                "column `all_ids` of the answer is a `list[str]`",
            ),
            ("select frobnicate(calls) from ops", "unsupported function 'frobnicate'"),
            ("select calls from ops order by 0", "the query engine cannot do this: "),
        ] {
            let run = run("query", &[Path::new("missing.sqlite"), Path::new(sql)]);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{sql}: {run:?}");
            assert!(run.stderr.starts_with("error: ") && run.stderr.contains(message), "{sql}: {run:?}");
            assert!(!run.stderr.contains("panicked"), "{sql}: {run:?}");
        }
        let misfit = query("", "select cast(op_id as bigint) from ops");
        assert!(
            misfit.code == 2 && misfit.stderr.contains("conversion from `str` to `i64` failed"),
            "{misfit:?}"
        );
    }
}
