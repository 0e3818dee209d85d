//! What lies beside the data decides neither what is started nor what is read, and silences nothing.

use crate::http::Server;
use crate::run::{Run, command, sample, temporary_folder};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Programs that this one starts, and one that settings name.
const CANARIES: [&str; 6] = ["nsys", "ncu", "xdg-open", "less", "sh", "evil.sh"];

/// A working folder of somebody else: captures, and programs that say when they are started.
struct Foreign {
    folder: tempfile::TempDir,
}

impl Foreign {
    fn new() -> Self {
        let foreign = Self { folder: temporary_folder() };
        for name in CANARIES {
            foreign.program(name);
        }
        foreign.write("run.nsys-rep", "a report");
        foreign.write("rank0.nsys-rep", "a report");
        std::fs::copy(sample(), foreign.at("run.sqlite.kept")).expect("a copy");
        std::fs::create_dir_all(foreign.at("user/dlprof-agg")).expect("a folder");
        std::fs::create_dir(foreign.at("tools")).expect("a folder");
        foreign
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at(name), text).expect("a file");
    }

    /// A program that notes its name.
    fn program(&self, name: &str) {
        self.write(name, &format!("#!/bin/sh\necho {name} >> '{}'\n", self.at("RAN").display()));
        std::fs::set_permissions(self.at(name), std::fs::Permissions::from_mode(0o755)).expect("permissions");
    }

    /// A command in the folder, for a user whose PATH has it.
    fn prepare(&self, command: &mut Command) {
        let path = format!(".::{}:./tools", self.at("tools").display());
        command.current_dir(self.folder.path()).env("XDG_CONFIG_HOME", self.at("user")).env("PATH", path);
        for name in ["PAGER", "DLPROF_AGG_PAGER"] {
            command.env_remove(name);
        }
    }

    fn run(&self, words: &str) -> Run {
        let mut command = command(&self.at("cache"), words, &[]);
        self.prepare(&mut command);
        let Output { status, stdout, stderr } = command.output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Run { code: status.code().expect("a code"), stdout: text(stdout), stderr: text(stderr) }
    }

    /// What was started.
    fn started(&self) -> Option<String> {
        std::fs::read_to_string(self.at("RAN")).ok()
    }
}

/// All commands that take captures, and so reports.
const COMMANDS: [&str; 20] = [
    "run.nsys-rep",
    "check run.nsys-rep",
    "show ops run.nsys-rep",
    "show ops --columns op_name rank0.nsys-rep",
    "export run.nsys-rep -o out.json",
    "reports run.nsys-rep",
    "query run.nsys-rep select",
    "ask suffices run.nsys-rep",
    "rules run.nsys-rep",
    "stats run.nsys-rep",
    "stats -o @less run.sqlite.kept",
    "compare run.nsys-rep rank0.nsys-rep",
    "baseline run.nsys-rep -o base.json",
    "gate run.nsys-rep --baseline rank0.nsys-rep",
    "history .",
    "ranks .",
    "lake add lake run.nsys-rep",
    "view -p 0 run.nsys-rep",
    "ncu --suggest run.nsys-rep",
    "profile -- /bin/true",
];

#[test]
fn no_program_of_the_working_folder_is_started() {
    let foreign = Foreign::new();
    for settings in [None, Some("nsys = './evil.sh'"), Some("nsys = 'evil.sh'"), Some("nsys = 'nsys'")] {
        if let Some(settings) = settings {
            foreign.write("dlprof-agg.toml", settings);
        }
        for words in COMMANDS {
            let run = foreign.run(words);
            assert_eq!(foreign.started(), None, "{settings:?}: {words}: {run:?}");
            assert_ne!(run.code, 0, "{settings:?}: {words}: {run:?}");
            if settings.is_some() {
                assert_eq!(run.code, 2, "{words}: {run:?}");
                assert!(run.stderr.contains("`dlprof-agg.toml`") && run.stderr.contains("`nsys`"), "{run:?}");
            }
        }
    }
    let measured = foreign.run("--no-config profile --ncu -- /bin/true");
    assert!(measured.code != 0 && foreign.started().is_none(), "{measured:?}");
    // A program that is named by its path does run, so the checks above can fail.
    foreign.run("--no-config --nsys ./evil.sh check run.nsys-rep");
    assert!(foreign.started().is_some_and(|names| names.contains("evil.sh")));
}

#[test]
fn no_browser_of_the_working_folder_is_started() {
    let foreign = Foreign::new();
    let server =
        Server::start_with("-p 0 --open", &[&sample().canonicalize().expect("the sample")], |command| {
            foreign.prepare(command);
        });
    let said = server.end();
    assert!(said.contains("the browser cannot be opened"), "{said}");
    assert_eq!(foreign.started(), None);
}

/// `script` runs a command on a terminal. The shell of the pager is found, and no `less`.
#[test]
fn no_pager_of_the_working_folder_is_started() {
    let foreign = Foreign::new();
    let text = |sh: &Path| {
        if sh.exists() {
            std::os::unix::fs::symlink(sh, foreign.at("tools/sh")).expect("a link");
        }
        let program = env!("CARGO_BIN_EXE_dlprof-agg");
        let sample = sample().canonicalize().expect("the sample");
        let line = format!("stty rows 5; '{program}' show ops '{}'", sample.display());
        let path = format!(".::{}:./tools:/usr/bin:/bin", foreign.at("tools").display());
        // The shell of `script` needs `stty`; the program sees another PATH.
        let line = line.replace(
            &format!("'{program}'"),
            &format!("PATH='.::{}' '{program}'", foreign.at("tools").display()),
        );
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(foreign.folder.path()).env("PATH", path);
        script.env("SHELL", "/bin/sh").env("XDG_CACHE_HOME", foreign.at("cache")).stdin(Stdio::null());
        script.env("TERM", "xterm").env_remove("PAGER").env_remove("DLPROF_AGG_PAGER");
        script.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for shell in ["/none", "/bin/sh"] {
        let Ok(text) = text(Path::new(shell)) else {
            return crate::inputs::say("SKIPPED: there is no program `script`");
        };
        assert!(text.lines().count() > 5, "{text}");
        assert_eq!(foreign.started(), None, "{text}");
    }
}

const OWN_RULE: &str = "[[rule]]\nid = 'mine'\ntitle = 't'\nadvice = 'a'\nwhen = 'value > 0'\n";

#[test]
fn only_figures_can_be_changed_from_there() {
    let foreign = Foreign::new();
    for (settings, key) in [
        ("ncu = ['/etc/passwd']".to_owned(), "ncu"),
        ("threads = 200".to_owned(), "threads"),
        ("memory = '1T'".to_owned(), "memory"),
        ("no-cache = true".to_owned(), "no-cache"),
        ("[rules.input_bound]\nenabled = false".to_owned(), "rules.input_bound.enabled"),
        ("[rules.input_bound]\nseverity = 'off'".to_owned(), "rules.input_bound.severity"),
        (format!("{OWN_RULE}query = 'select 1 as value'"), "rule.query"),
    ] {
        foreign.write("dlprof-agg.toml", &settings);
        for words in
            ["-q run.sqlite.kept", "rules run.sqlite.kept", "show findings --format json run.sqlite.kept"]
        {
            let run = foreign.run(words);
            assert_eq!(run.code, 2, "{settings}: {run:?}");
            // A program that asked for JSON is told in JSON.
            match words.contains("json") {
                true => assert!(run.stdout.contains("\"state\":\"error\""), "{settings}: {run:?}"),
                false => assert_eq!(run.stdout, "", "{settings}: {run:?}"),
            }
            let user = foreign.at("user/dlprof-agg/config.toml").display().to_string();
            for part in ["`dlprof-agg.toml`: line ", &format!("`{key}`"), "`--config`", &user] {
                assert!(run.stderr.contains(part), "{part}: {run:?}");
            }
        }
        // The same is fine where the user says so.
        foreign.write("dlprof-agg.toml", "");
        foreign.write("mine.toml", &settings);
        let run = foreign.run("rules --config mine.toml run.sqlite.kept");
        let can_be_read = key != "ncu" && key != "threads";
        assert!(run.code == 0 || !can_be_read && run.code != 2, "{settings}: {run:?}");
    }
}

#[test]
fn what_counts_from_there_is_said_whatever_is_quiet() {
    let foreign = Foreign::new();
    let rule = format!("{OWN_RULE}table = 'ops'\nvalue = 'count()'\n");
    foreign.write("user/dlprof-agg/config.toml", &rule.replace("mine", "of_user"));
    foreign.write("dlprof-agg.toml", "# nothing\n");
    assert_eq!(foreign.run("-q run.sqlite.kept").stderr, "");
    foreign.write("dlprof-agg.toml", &format!("iter-start = 17\niter-stop = 20\n{rule}"));
    let words = "--format json run.sqlite.kept";
    let (said, asked) = (
        foreign.run(&format!("-q {words}")),
        foreign.run(&format!("-q --no-config --iter-start 17 --iter-stop 20 {words}")),
    );
    assert_eq!((said.code, asked.code, asked.stderr.as_str()), (0, 0, ""), "{said:?} {asked:?}");
    let window =
        |run: &Run| serde_json::from_str::<serde_json::Value>(&run.stdout).expect("JSON")["window"].clone();
    assert_eq!(window(&said), window(&asked));
    let lines: Vec<&str> = said.stderr.lines().collect();
    let [line] = lines.as_slice() else { panic!("{said:?}") };
    for part in
        ["`dlprof-agg.toml`", "iter-start, iter-stop, rule.", "`of_user` do not count", "`--no-config`"]
    {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn programs_of_the_users_own_settings_do_not_depend_on_the_working_folder() {
    let foreign = Foreign::new();
    let of_user = "user/dlprof-agg/config.toml";
    foreign.write(of_user, "nsys = './evil.sh'");
    let run = foreign.run("check run.nsys-rep");
    assert!(run.code == 2 && run.stderr.contains("depends on the working folder"), "{run:?}");
    assert_eq!(foreign.started(), None);
    for (program, starts) in
        [("evil.sh".to_owned(), false), (foreign.at("evil.sh").display().to_string(), true)]
    {
        foreign.write(of_user, &format!("nsys = '{program}'"));
        foreign.run("check run.nsys-rep");
        assert_eq!(foreign.started().is_some(), starts, "{program}");
    }
}
